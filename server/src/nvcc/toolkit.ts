/** Finds the user's nvcc and asks what it can compile for. Runs only what the user allowed: a setting, in a trusted workspace. */
import { existsSync } from "node:fs";
import path from "node:path";
import { run } from "./run.ts";

export interface Toolkit {
  readonly nvcc: string;
  /** Such as "13.0". */
  readonly version: string;
  /** Compute capabilities as numbers: 75, 80, 90. */
  readonly architectures: readonly number[];
}

/** A toolkit, or why there is none, as a clause without its full stop. */
export type ToolkitAnswer = { readonly toolkit: Toolkit } | { readonly problem: string };

const known = new Map<string, Promise<ToolkitAnswer>>();

/** @param setting `auto`: the nvcc on PATH, else a path */
export function findToolkit(setting: string): Promise<ToolkitAnswer> {
  const nvcc = setting === "auto" ? onPath("nvcc") : setting;
  if (nvcc === undefined) return Promise.resolve({ problem: "nvcc is not on PATH" });
  if (!existsSync(nvcc)) return Promise.resolve({ problem: `There is no nvcc at ${nvcc}` });
  const answer = known.get(nvcc) ?? ask(nvcc);
  known.set(nvcc, answer);
  return answer;
}

/** A program on PATH, of whose folders those that are relative do not count. */
export function onPath(name: string): string | undefined {
  const names = process.platform === "win32" ? [`${name}.exe`] : [name];
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => names.map((each) => path.join(folder, each)))
    .find((candidate) => existsSync(candidate));
}

async function ask(nvcc: string): Promise<ToolkitAnswer> {
  const limits = { seconds: 20, megabytes: 2048 };
  const [version, architectures] = [await run(nvcc, ["--version"], limits), await run(nvcc, ["--list-gpu-arch"], limits)];
  const number = /release (\d+\.\d+)/.exec(version.output)?.[1];
  if (version.code !== 0 || number === undefined) {
    known.delete(nvcc);
    return {
      problem: `${nvcc} is not an nvcc that can be run${version.problem === undefined ? "" : ` (${version.problem})`}`,
    };
  }
  // Before CUDA 11 there is no such option: then what it can do shows when it is asked to.
  const listed = [...architectures.output.matchAll(/compute_(\d+)/g)].map(([, arch]) => Number(arch));
  return { toolkit: { nvcc, version: number, architectures: listed } };
}
