import { expect, test } from "vitest";
import type { Input } from "./messages.ts";
import { startThread, threadWorker } from "./thread.ts";

/** A thread that answers with what it was told, and dies when it is asked about `/die`. */
const script = `
  import { parentPort } from "node:worker_threads";
  const told = [];
  parentPort.on("message", ({ input, id, request }) => {
    if (input) told.push(input.does + " " + (input.path ?? ""));
    else if (request.path === "/die") process.exit(3);
    else if (request.does === "headers") parentPort.postMessage({ id, answer: told });
  });
`;
const entry = new URL(`data:text/javascript,${encodeURIComponent(script)}`);

test("a thread that died is started anew, and told what is open; what the dead one was asked fails", async () => {
  const open: Input[] = [];
  const worker = threadWorker(
    () => startThread(entry),
    () => open,
  );
  try {
    open.push({ does: "open", path: "/a", version: 1, text: "" });
    worker.tell({ does: "open", path: "/a", version: 1, text: "" });
    expect(await worker.headers("/a")).toEqual(["open /a"]);
    worker.tell({ does: "edit", path: "/a", version: 2, edits: [] });
    expect(await worker.headers("/a")).toEqual(["open /a", "edit /a"]);
    const waiting = worker.find("/b");
    const dying = worker.headers("/die");
    await expect(waiting).rejects.toThrow("ended with 3");
    await expect(dying).rejects.toThrow("ended with 3");
    open.push({ does: "open", path: "/b", version: 1, text: "" });
    expect(await worker.headers("/a")).toEqual(["open /a", "open /b"]);
  } finally {
    worker.dispose();
  }
});

test("what a simulation tells after it was cancelled is not told on", async () => {
  const telling = `
    import { parentPort, workerData } from "node:worker_threads";
    let asked;
    parentPort.on("message", ({ id, request }) => {
      if (!request) return;
      if (request.does === "simulate") asked = id;
      else {
        parentPort.postMessage({ id: asked, told: { type: "end" } });
        parentPort.postMessage({ id: asked, answer: workerData.running[0] === asked });
        parentPort.postMessage({ id, answer: [] });
      }
    });
  `;
  const worker = threadWorker(
    () => startThread(new URL(`data:text/javascript,${encodeURIComponent(telling)}`)),
    () => [],
  );
  try {
    for (const isCancelled of [false, true]) {
      const told: string[] = [];
      const simulated = worker.simulate("/a", {}, ({ type }) => told.push(type));
      if (isCancelled) worker.cancel();
      await worker.headers("/a");
      expect([await simulated, told]).toEqual(isCancelled ? [false, []] : [true, ["end"]]);
    }
  } finally {
    worker.dispose();
  }
});
