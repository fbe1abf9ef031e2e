/** What `ptxas -v` says of each kernel. */
import { demangleKernel, type KernelSymbol } from "./demangle.ts";
import { isSameInstance } from "./same-instance.ts";

export interface CompiledKernel extends KernelSymbol {
  /** A thread's, as a launch has them. */
  readonly registers: number;
  /** Bytes a thread. */
  readonly stackBytes: number;
  readonly spillStoreBytes: number;
  readonly spillLoadBytes: number;
  /** Bytes a block. */
  readonly staticSharedBytes: number;
  /** Bytes of constant memory, parameters among them. */
  readonly constantBytes: number;
}

/** From compute capability 7.0 on no thread is given fewer: ptxas says 8, the profiler measures 16. */
const fewestRegisters = (architecture: number): number => (architecture >= 70 ? 16 : 0);

/** Reads the messages of `ptxas -v`; kernels whose symbol cannot be read are left out. */
export function readResources(messages: string): CompiledKernel[] {
  const kernels: CompiledKernel[] = [];
  let symbol: string | undefined;
  let fewest = 0;
  let stack = { stackBytes: 0, spillStoreBytes: 0, spillLoadBytes: 0 };
  for (const line of messages.split(/\r?\n/)) {
    const [, entry, architecture] = /Compiling entry function '([^']+)'(?: for 'sm_(\d+))?/.exec(line) ?? [];
    if (entry !== undefined) {
      symbol = entry;
      fewest = fewestRegisters(Number(architecture ?? 0));
      stack = { stackBytes: 0, spillStoreBytes: 0, spillLoadBytes: 0 };
      continue;
    }
    const frame = /(?<!\d)(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads/.exec(line);
    if (frame) stack = { stackBytes: Number(frame[1]), spillStoreBytes: Number(frame[2]), spillLoadBytes: Number(frame[3]) };
    const registers = /Used (\d+) registers/.exec(line)?.[1];
    if (registers === undefined || symbol === undefined) continue;
    const name = demangleKernel(symbol);
    symbol = undefined;
    if (!name) continue;
    const constants = [...line.matchAll(/(?<!\d)(\d+) bytes cmem/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    kernels.push({
      ...name,
      registers: Math.max(fewest, Number(registers)),
      ...stack,
      staticSharedBytes: Number(/(?<!\d)(\d+) bytes smem/.exec(line)?.[1] ?? 0),
      constantBytes: constants,
    });
  }
  return kernels;
}

/** What a compiled kernel tells a simulation. */
export function knownResources(kernel: CompiledKernel | undefined) {
  if (!kernel) return undefined;
  const { name: _, templateArguments: __, registers: value, ...compiled } = kernel;
  return { value, basis: "compiled" as const, compiled };
}

/**
 * The compiled kernel behind a source name and its template arguments. Names are compared without namespaces where the source
 * gives none. Undefined when none or several fit: a count that may be another kernel's is not used.
 */
export function findCompiled(
  kernels: readonly CompiledKernel[],
  name: string,
  templateArguments: readonly string[],
): CompiledKernel | undefined {
  const named = kernels.filter((kernel) => kernel.name === name || kernel.name.endsWith(`::${name}`));
  const exact = named.filter((kernel) => isSameInstance(kernel.templateArguments, templateArguments));
  return exact.length === 1 ? exact[0] : undefined;
}
