import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundled } from "../testing/bundled.ts";
import { folderWith } from "./testing/command.ts";

let built: Awaited<ReturnType<typeof bundled<"watch">>>;
beforeAll(async () => {
  built = await bundled({ watch: "cli/parent-watch.ts" });
});
afterAll(() => built.remove());

test("a process that is busy ends when the one that started it is killed", async () => {
  const folder = folderWith();
  const script = (name: string, code: string): string => {
    writeFileSync(path.join(folder, name), code);
    return path.join(folder, name);
  };
  const child = script(
    "child.mjs",
    `import { Worker } from "node:worker_threads";
    import { writeSync } from "node:fs";
    new Worker(new URL(${JSON.stringify(built.scripts.watch.href)}), { workerData: process.ppid }).once("online", () => {
      writeSync(1, "busy");
      for (;;);
    });`,
  );
  const parent = script(
    "parent.mjs",
    `import { fork } from "node:child_process"; fork(${JSON.stringify(child)}); for await (const _ of process.stdin);`,
  );
  const started = spawn(process.execPath, [parent], { stdio: ["pipe", "pipe", "inherit"] });
  // The child holds the other end of this pipe, too: it ends when both have.
  await once(started.stdout, "readable");
  started.kill("SIGKILL");
  expect(await text(started.stdout)).toBe("busy");
});
