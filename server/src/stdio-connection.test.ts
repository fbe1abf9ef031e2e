/** A client on two streams that does not keep to the protocol is told so, not left waiting. */
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { streamConnection } from "./stdio-connection.ts";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { processId: null, rootUri: null, capabilities: {} },
});
const message = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** What comes first: an answer to `initialize`, or the end of the connection. */
function told(sent: string, close = false): Promise<string> {
  const [from, to] = [new PassThrough(), new PassThrough()];
  return new Promise((resolve) => {
    const connection = streamConnection(from, to, ({ reason, isShutDown }) =>
      resolve(`ended: ${reason ?? "closed"}${isShutDown ? ", as it was asked" : ""}`),
    );
    connection.onInitialize(() => ({ capabilities: {} }));
    connection.onShutdown(() => {
      if (close) from.destroy();
    });
    connection.listen();
    to.on("data", (data) => {
      if (String(data).includes('"result"')) resolve("answered");
    });
    from.write(sent);
    if (close && !sent.includes("shutdown")) from.destroy();
  });
}

test.each([
  ["a length that is none", "Content-Length: many\r\n\r\n{}", "Content-Length value must be a number. Got many"],
  ["a header without a length", "Content-Type: text\r\n\r\n{}", "Header must provide a Content-Length property."],
  ["another protocol", "GET / HTTP/1.1\r\nHost: here\r\n\r\n", ""],
])("%s ends it with the reason", async (_, sent, reason) => {
  expect(await told(sent)).toContain(`ended: the client does not speak the language server protocol: ${reason}`);
});

test("a message that is no JSON is left out", async () => {
  expect(await told(message("{]") + message(initialize))).toBe("answered");
});

test("a message without what it needs is left out", async () => {
  const cancel = JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest" });
  expect(await told(message(cancel) + message(initialize))).toBe("answered");
});

test("a client that goes ends it", async () => {
  expect(await told("", true)).toBe("ended: closed");
  const shutdown = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "shutdown" });
  expect(await told(message(shutdown), true)).toBe("ended: closed, as it was asked");
});
