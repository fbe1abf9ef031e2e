/**
 * The runtime's occupancy calculator. It asks the compiled kernel for its registers, of which only an estimate is known here: an
 * answer that all of the estimate's interval gives is taken as known, any other is an input that is probably the estimate's.
 */

import { type KernelResources, maxPotentialBlockSize, occupancy } from "@warplens/sim-engine";
import { lastName } from "../../sema/scope.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { deduce } from "../resolve/deduce.ts";
import type { HostType, UnknownValue, Value } from "../values/model.ts";
import { int, integerOf, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction, store } from "./library.ts";

const intType: HostType = { kind: "integer", name: "int" };
const success = int(0);

/** A kernel's resources with the given registers a thread. */
type Resources = Pick<KernelResources, "staticSharedBytes" | "maxThreads"> & { readonly registers: number };

/** What the calculator answers, by the registers of `kernel`: certain, likely, or unknown. */
function answer(host: Interpreter, kernel: Value, calculate: (resources: Resources) => number): Value {
  const resources = resourcesOf(host, kernel);
  if (resources === undefined) return unknown("the occupancy calculator's answer depends on the compiled kernel", intType);
  const { registers, ...rest } = resources;
  const [least, likely, most] = [registers.low, registers.value, registers.high].map((each) => calculate({ ...rest, registers: each }));
  if (likely === undefined) return unknown("the occupancy calculator's answer", intType);
  if (least === likely && most === likely) return int(likely);
  const reason = `the occupancy calculator's answer for an estimate of ${registers.value} registers a thread`;
  return { ...unknown(reason, intType), likely } satisfies UnknownValue;
}

function resourcesOf(host: Interpreter, kernel: Value): KernelResources | undefined {
  if (kernel.kind !== "function") return undefined;
  const declared = kernel.candidates.find((fn) => fn.specifiers.global) ?? kernel.candidates[0];
  const name = lastName(declared?.name);
  const fn = declared?.body === undefined ? host.linker?.definition(name) : declared;
  return fn === undefined ? undefined : host.resources(fn, deduce(host, fn, kernel.templateArguments, [], undefined));
}

/** (&blocks, kernel, blockSize, dynamicSharedBytes) */
const activeBlocks: LibraryFunction = (host, args) => {
  const gpu = host.settings.device?.occupancy;
  const [, , blockSize, dynamicShared = 0] = args.map(({ value }) => integerOf(value));
  const value =
    gpu === undefined || blockSize === undefined
      ? unknown("the occupancy calculator's answer depends on the compiled kernel", intType)
      : answer(
          host,
          argumentValue(args, 1),
          ({ registers, staticSharedBytes }) =>
            occupancy(gpu, { registers, staticShared: staticSharedBytes, dynamicShared, blockSize }).blocksPerSm,
        );
  store(host, argumentValue(args, 0), value);
  return success;
};

/** (&leastGrid, &blockSize, kernel, dynamicSharedBytes, mostThreads); what depends on the block size is taken as no shared memory. */
const potentialBlockSize: LibraryFunction = (host, args) => {
  const gpu = host.settings.device?.occupancy;
  const [, , , dynamicShared = 0, limit = 0] = args.map(({ value }) => integerOf(value));
  const kernel = argumentValue(args, 2);
  const choice = ({ registers, staticSharedBytes, maxThreads = 1024 }: Resources) => {
    if (gpu === undefined) return { blockSize: Number.NaN, blocksPerSm: Number.NaN };
    const most = limit > 0 ? Math.min(limit, maxThreads) : maxThreads;
    return maxPotentialBlockSize(gpu, { registers, staticShared: staticSharedBytes, dynamicShared }, most);
  };
  const sms = gpu?.smCount ?? 0;
  const known = gpu !== undefined;
  const why = unknown("the occupancy calculator's answer depends on the GPU", intType);
  store(host, argumentValue(args, 0), known ? answer(host, kernel, (resources) => choice(resources).blocksPerSm * sms) : why);
  store(host, argumentValue(args, 1), known ? answer(host, kernel, (resources) => choice(resources).blockSize) : why);
  return success;
};

export const occupancyFunctions: readonly (readonly [string, LibraryFunction])[] = [
  ["cudaOccupancyMaxActiveBlocksPerMultiprocessor", activeBlocks],
  ["cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", activeBlocks],
  ["cudaOccupancyMaxPotentialBlockSize", potentialBlockSize],
  ["cudaOccupancyMaxPotentialBlockSizeWithFlags", potentialBlockSize],
  ["cudaOccupancyMaxPotentialBlockSizeVariableSMem", potentialBlockSize],
];
