import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gpus } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { folderWith } from "../testing/command.ts";
import type { Inspector } from "./inspector.ts";
import type { Job } from "./job.ts";
import { processInspector } from "./process.ts";

/** A process that does as the file's text tells it. */
function inspectorThat(does: string, heap?: number): Inspector {
  const script = path.join(folderWith(), "inspector.mjs");
  writeFileSync(
    script,
    `const send = (message) => process.send(message);
    process.once("disconnect", () => process.exit());
    process.on("message", async ({ job, seconds }) => { ${does} });
    send({ ready: true });`,
  );
  return processInspector(pathToFileURL(script), heap);
}

function job(text = ""): Job {
  const [gpu] = gpus;
  if (!gpu) throw new Error("no GPU");
  const analysis = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
  return { path: "/a.cu", text, gpu, analysis, lint: {}, simulates: false, steps: 1, registers: [] };
}

const nobody = { entered: () => undefined, soFar: () => undefined };
const echo = "send({ answer: { outcome: job.text + seconds, facts: [] }, megabytes: Number(job.text) });";

test("one file after another is answered, until it holds too much", async () => {
  const inspector = inspectorThat(echo);
  try {
    await inspector.ready;
    for (const [text, isFit] of [
      ["1", true],
      ["2", true],
      ["5000", false],
    ] as const) {
      expect(await inspector.inspect(job(text), 7, nobody)).toEqual({ outcome: `${text}7`, facts: [] });
      expect(inspector.isFit).toBe(isFit);
    }
  } finally {
    inspector.end();
  }
});

test.each<[string, string, RegExp]>([
  ["throws", `throw new TypeError("no such thing");`, /^TypeError: no such thing$/],
  ["ends", "process.exit(3);", /^its process ended with exit code 3$/],
  ["is killed", `process.kill(process.pid, "SIGKILL");`, /^its process ended with SIGKILL$/],
  [
    "runs out of memory bit by bit",
    "const all = []; for (;;) all.push({ more: [Math.random()] });",
    /^it needs more than 64 MB of memory$/,
  ],
  ["runs out of memory at once", "const all = []; for (;;) all.push(new Array(5e6).fill(1.5));", /^it needs more than 64 MB of memory$/],
])("a process that %s says why, and no file is given to it any more", async (_, does, reason) => {
  const inspector = inspectorThat(does, 64);
  try {
    await inspector.ready;
    await expect(inspector.inspect(job(), 1, nobody)).rejects.toThrow(reason);
    expect(inspector.isFit).toBe(false);
    await expect(inspector.inspect(job(), 1, nobody)).rejects.toThrow(reason);
  } finally {
    inspector.end();
  }
});

test("one that never answers has said what it began and what it knew, and can be ended", async () => {
  const inspector = inspectorThat(`send({ soFar: "{}" }); send({ entered: "parse" }); for (;;);`);
  await inspector.ready;
  let ended: Promise<void> | undefined;
  let known: string | undefined;
  const stage = await new Promise((entered) => {
    const answer = inspector.inspect(job(), 1, { entered, soFar: (outcome) => (known = outcome) });
    ended = expect(answer).rejects.toThrow("its process ended with SIGKILL");
  });
  expect([stage, known]).toEqual(["parse", "{}"]);
  inspector.end();
  await ended;
});

test("one that does not start says why", async () => {
  const inspector = processInspector(pathToFileURL(path.join(folderWith(), "nothing.mjs")));
  await expect(inspector.ready).rejects.toThrow(/does not start: .*\n[\s\S]*Cannot find module/);
});
