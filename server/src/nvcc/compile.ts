/**
 * Register counts, spills and shared memory as the user's own nvcc makes them: compiled in the background, for the chosen
 * GPU's architecture, with the project's flags, and remembered by content.
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CompiledKernel } from "./resources.ts";
import { readResources } from "./resources.ts";
import { run } from "./run.ts";
import { findToolkit, type Toolkit } from "./toolkit.ts";

export interface Compilation {
  readonly path: string;
  /** As it is in the editor, saved or not. */
  readonly text: string;
  /** The texts of the project headers it includes: they decide whether a result can be used again. */
  readonly headers: readonly string[];
  /** Such as 90. */
  readonly computeCapability: number;
  readonly defines: readonly { readonly name: string; readonly value?: string }[];
  readonly includeDirs: readonly string[];
  /** More words for nvcc, none of which means anything to a shell. */
  readonly options: readonly string[];
}

/** The kernels, or why there are none, in one sentence for the user. */
export type CompilationAnswer = { readonly kernels: readonly CompiledKernel[] } | { readonly problem: string };

const limits = { seconds: 120, megabytes: 8192 };
const capacity = 64;
const answers = new Map<string, Promise<CompilationAnswer>>();

/**
 * @param setting `auto` or the path of an nvcc
 * @param signal stops the compiler
 */
export async function compileResources(setting: string, given: Compilation, signal?: AbortSignal): Promise<CompilationAnswer> {
  const found = await findToolkit(setting);
  if ("problem" in found) return { problem: `${found.problem}; registers are estimated.` };
  const { toolkit } = found;
  const refusal = unsupported(toolkit, given.computeCapability);
  if (refusal !== undefined) return { problem: refusal };
  const key = createHash("sha256")
    .update(JSON.stringify([toolkit.nvcc, toolkit.version, given]))
    .digest("hex");
  const known = answers.get(key);
  if (known) return known;
  const answer = compile(toolkit, given, signal);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > capacity && oldest !== undefined) answers.delete(oldest);
  const result = await answer;
  // Stopped or short of time: another try may do better. A compiler's error stays one.
  if ("problem" in result && signal?.aborted) answers.delete(key);
  return result;
}

function unsupported({ version, architectures }: Toolkit, wanted: number): string | undefined {
  if (architectures.length === 0 || architectures.includes(wanted)) return undefined;
  const oldest = Math.min(...architectures);
  const name = (arch: number): string => `${Math.floor(arch / 10)}.${arch % 10}`;
  const which = wanted < oldest ? `too new: the oldest it compiles for is ${name(oldest)}` : "it does not know it";
  return `nvcc ${version} cannot compile for compute capability ${name(wanted)} (${which}); registers are estimated.`;
}

/**
 * The arguments of nvcc, for the tests. nvcc hands what it is given to a shell, which would run a `$(...)` in a macro's value: so
 * macros of the project are written into a file, and folders whose names a shell would read are left out.
 * @param folder of the compiler's own: `kernel.cu` is compiled after `macros.h`
 */
export function argumentsOf({ path: file, computeCapability, includeDirs, options }: Compilation, folder: string): string[] {
  const own = (name: string): string => path.join(folder, name);
  // The text stands in a temporary file: what it includes lies beside the real one.
  const folders = [path.dirname(file), ...includeDirs].filter(isPlain);
  return [
    `-arch=sm_${computeCapability}`,
    "-O3",
    "-cubin",
    "-Xptxas=-v",
    ...options,
    ...folders.map((each) => `-I${each}`),
    "-include",
    own("macros.h"),
    "-o",
    own("kernel.cubin"),
    own("kernel.cu"),
  ];
}

/** Nothing in it means anything to a shell between the double quotes that nvcc puts it in. */
const isPlain = (folder: string): boolean =>
  /^[^$`"%\\\p{Cc}]+$/u.test(process.platform === "win32" ? folder.replaceAll("\\", "/") : folder);

/** The macros as a file. A value is one line, whatever it holds. */
export const macrosOf = ({ defines }: Pick<Compilation, "defines">): string =>
  defines.map(({ name, value = "1" }) => `#define ${name} ${value}`.replace(/[\r\n]+/g, " ").replace(/(?<!\\)\\+$/, "")).join("\n");

async function compile({ nvcc, version }: Toolkit, given: Compilation, signal: AbortSignal | undefined): Promise<CompilationAnswer> {
  const folder = await mkdtemp(path.join(tmpdir(), "warplens-"));
  try {
    const source = path.join(folder, "kernel.cu");
    await writeFile(source, given.text);
    await writeFile(path.join(folder, "macros.h"), `${macrosOf(given)}\n`);
    const result = await run(nvcc, argumentsOf(given, folder), limits, signal);
    if (result.code === 0) return { kernels: readResources(result.output) };
    const why = result.problem ?? firstError(result.output, source, path.basename(given.path)) ?? `exit code ${result.code}`;
    return { problem: `nvcc ${version} failed (${why}); registers are estimated.` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first line that tells of an error, in which the source has the name that its user knows. */
export function firstError(output: string, source: string, name: string): string | undefined {
  const line = output.split("\n").find((each) => /\berror\b/i.test(each));
  return line?.replaceAll(source, name).trim().slice(0, 300);
}
