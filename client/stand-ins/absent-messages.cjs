/** In the place of messages of the protocol that nobody sends: each has its name for a method. */
module.exports = new Proxy({}, { get: (_messages, name) => ({ method: String(name) }) });
