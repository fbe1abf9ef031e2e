import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundled } from "../testing/bundled.ts";
import { folderWith } from "./testing/command.ts";

const poor = "__global__ void k(float *a) { a[threadIdx.x] = a[0] * 0.1; }\n";
const clean = "__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n";

/** Where a stream leads: to who reads it, to a pipe that nobody reads any more, to a full disk. */
type Leads = "read" | "gone" | "full";

describe.runIf(process.platform === "linux")("the exit code is what was found, whoever listens", () => {
  let built: Awaited<ReturnType<typeof bundled<"cli" | "inspector" | "parent-watch">>>;
  beforeAll(async () => {
    built = await bundled({ cli: "cli/main.ts", inspector: "cli/inspector.ts", "parent-watch": "cli/parent-watch.ts" });
  });
  afterAll(() => built.remove());

  async function codeOf(argv: readonly string[], out: Leads, err: Leads): Promise<number | null> {
    const full = openSync("/dev/full", "w");
    const cwd = folderWith({ "poor.cu": poor, "clean.cu": clean });
    const [stdout, stderr] = [out, err].map((leads) => (leads === "full" ? full : "pipe"));
    const child = spawn(process.execPath, [fileURLToPath(built.scripts.cli), ...argv], { cwd, stdio: ["ignore", stdout, stderr] });
    for (const [stream, leads] of [
      [child.stdout, out],
      [child.stderr, err],
    ] as const)
      if (leads === "gone") stream?.destroy();
      else stream?.resume();
    const [code] = await once(child, "exit");
    closeSync(full);
    return code;
  }

  const check = (...paths: string[]) => ["check", ...paths, "--no-simulate", "--no-cache"];

  test.each<[readonly string[], Leads, Leads, number]>([
    [check("poor.cu"), "read", "read", 1],
    [check("poor.cu"), "gone", "read", 1],
    [check("poor.cu"), "gone", "gone", 1],
    [check("clean.cu"), "gone", "gone", 0],
    [check("clean.cu"), "full", "read", 2],
    [check("poor.cu", "none.cu"), "gone", "read", 2],
    [check("poor.cu", "none.cu"), "read", "gone", 2],
    [check("poor.cu", "none.cu"), "read", "full", 2],
    [check("none.cu"), "read", "gone", 2],
    [check("none.cu"), "read", "full", 2],
    [["--help"], "gone", "gone", 0],
    [["--help"], "full", "full", 2],
  ])("%j, output %s, messages %s: %i", async (argv, out, err, code) => expect(await codeOf(argv, out, err)).toBe(code));
});
