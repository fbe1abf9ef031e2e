/** The connection with a client on two streams: an editor's pipes. */
import type { Readable, Writable } from "node:stream";
import { type Connection, createConnection, ProposedFeatures, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";

/**
 * A connection that ends when the client closes its side, or sends what has no header to tell one message from the next: whatever came
 * behind it would be waited for in vain. A message that is no JSON is left out, as those after it can be read.
 * @param end told the reason, where there is one
 */
export function streamConnection(from: Readable, to: Writable, end: (reason?: string) => void): Connection {
  const reader = new StreamMessageReader(from);
  reader.onError((error) => {
    if (error instanceof SyntaxError) return;
    end(`the client does not speak the language server protocol: ${error.message.split("\n", 1)[0]}`);
  });
  reader.onClose(() => end());
  return createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(to));
}
