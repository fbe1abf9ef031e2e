/** In the place of a feature of the protocol that the server does not offer: whatever is asked for is a feature that does nothing. */
class Absent {
  fillClientCapabilities() {}
  initialize() {}
  getState() {
    return { kind: "static" };
  }
  clear() {}
}

module.exports = new Proxy({}, { get: () => Absent });
