/** The connection with a client on two streams: an editor's pipes. */
import type { Readable, Writable } from "node:stream";
import {
  type Connection,
  createConnection,
  type DataCallback,
  type Disposable,
  Message,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";

/** Why a connection has ended. */
export interface End {
  /** What the client did wrong, if it did. */
  readonly reason?: string;
  /** It had asked for the server's end before. */
  readonly isShutDown: boolean;
}

/** What the library says of a header. Other errors are about one message, and those after it can be read. */
const ofHeader = /^(Header must|Content-Length value|Message header)/;

/** Notes that the client asks for the end: it may be gone before it says `exit`, or before that is read. */
class Reader extends StreamMessageReader {
  isShutDown = false;

  override listen(callback: DataCallback): Disposable {
    return super.listen((message) => {
      if (Message.isRequest(message) && message.method === "shutdown") this.isShutDown = true;
      callback(message);
    });
  }
}

/**
 * A connection that ends when the client closes its side, or sends what has no header to tell one message from the next: whatever came
 * behind it would be waited for in vain.
 */
export function streamConnection(from: Readable, to: Writable, ended: (end: End) => void): Connection {
  const reader = new Reader(from);
  reader.onError(({ message }) => {
    const [reason = ""] = message.split("\n", 1);
    if (ofHeader.test(reason))
      ended({ reason: `the client does not speak the language server protocol: ${reason}`, isShutDown: reader.isShutDown });
  });
  reader.onClose(() => ended({ isShutDown: reader.isShutDown }));
  return createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(to));
}
