/** Launches by functions of the CUDA runtime. */
import type { Expression } from "../../../syntax/ast.ts";
import type { Triple } from "../launches/launch-entry.ts";
import { namedKernel } from "../launches/launch-sites.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { elementOf, read } from "../memory/read-write.ts";
import { convert, dimensions } from "../values/convert.ts";
import { Cell, type HostType, type RecordValue, type Value } from "../values/model.ts";
import { int, openRecord, unknown } from "../values/values.ts";
import type { LibraryFunction } from "./library.ts";

const sizeType: HostType = { kind: "integer", name: "ulong" };

/** `cudaLaunchKernel(kernel, grid, block, void **args, shared, stream)`, the cooperative one too. */
export const launchByCall: LibraryFunction = (host, args, site) => {
  const callee = args[0]?.value ?? unknown("a kernel");
  const shared = args[4] === undefined ? int(0, "ulong") : convert(args[4].value, sizeType);
  const kernel = callee.kind === "function" ? callee.candidates[0] : undefined;
  host.launch({
    site,
    callee,
    name: kernelArgument(site),
    shared,
    grid: dimensions(args[1]?.value ?? unknown("a grid")),
    block: dimensions(args[2]?.value ?? unknown("a block")),
    args: pointedArguments(host, args[3]?.value, kernel?.parameters.length ?? 0),
    stream: args[5]?.value,
  });
  return int(0);
};

/** What an array of `void *` points at. */
function pointedArguments(host: Interpreter, array: Value | undefined, count: number): Argument[] {
  return Array.from({ length: count }, (_, k): Argument => {
    const missing = { value: unknown("an argument behind a pointer that is not known") };
    if (array?.kind !== "pointer") return missing;
    const place = elementOf(host, { ...array, to: { kind: "pointer", to: { kind: "void" } } }, k);
    const entry = place === undefined ? undefined : read(host, place);
    if (entry?.kind !== "pointer") return missing;
    const target = elementOf(host, entry, 0);
    return target === undefined ? missing : { value: read(host, target), place: target };
  });
}

/** `cudaLaunchKernelEx(&config, kernel, args...)`; the C one takes `void **args`. */
export const launchByConfig: LibraryFunction = (host, args, site) => {
  const first = args[0]?.value;
  const config = pointedRecord(host, first) ?? openRecord("cudaLaunchConfig_t");
  const callee = args[1]?.value ?? unknown("a kernel");
  const kernel = callee.kind === "function" ? callee.candidates[0] : undefined;
  const rest = args.slice(2);
  const only = rest[0]?.value;
  const byArray = rest.length === 1 && only?.kind === "pointer" && only.to?.kind === "pointer" && only.to.to.kind === "void";
  const cluster = clusterOf(config);
  const sharedBytes = config.members.get("dynamicSmemBytes")?.value ?? int(0);
  host.launch({
    site,
    callee,
    name: kernelArgument(site),
    grid: dimensions(config.members.get("gridDim")?.value ?? unknown("a grid that is not set")),
    block: dimensions(config.members.get("blockDim")?.value ?? unknown("a block that is not set")),
    shared: convert(sharedBytes, sizeType),
    args: byArray ? pointedArguments(host, only, kernel?.parameters.length ?? 0) : rest,
    ...(cluster === undefined ? {} : { cluster }),
  });
  return int(0);
};

/** `cudaGraphAddKernelNode(&node, graph, dependencies, count, &params)`: taken to be launched where it is added. */
export const launchByNode: LibraryFunction = (host, args, site) => {
  const params = pointedRecord(host, args[4]?.value);
  const callee = params?.members.get("func")?.value ?? unknown("a kernel");
  const kernel = callee.kind === "function" ? callee.candidates[0] : undefined;
  const member = (name: string, what: string): Value => params?.members.get(name)?.value ?? unknown(what);
  host.launch({
    site,
    callee,
    name: "kernel",
    grid: dimensions(member("gridDim", "a grid that is not set")),
    block: dimensions(member("blockDim", "a block that is not set")),
    shared: convert(member("sharedMemBytes", "shared memory that is not set"), sizeType),
    args: pointedArguments(host, params?.members.get("kernelParams")?.value, kernel?.parameters.length ?? 0),
  });
  host.events?.doubt("a node of a graph runs when the graph is launched");
  return int(0);
};

/** The object that a pointer leads to, or that stands for itself. */
function pointedRecord(host: Interpreter, value: Value | undefined): RecordValue | undefined {
  const place = value?.kind === "pointer" ? elementOf(host, value, 0) : undefined;
  const target = place === undefined ? value : read(host, place);
  return target?.kind === "record" ? target : undefined;
}

/** cudaLaunchAttributeClusterDimension. */
const clusterAttribute = 4;

function clusterOf(config: RecordValue): Triple<Value> | undefined {
  for (const value of elementsOf(config.members.get("attrs")?.value)) {
    if (value.kind !== "record") continue;
    const id = value.members.get("id")?.value;
    const dims = value.members.get("val")?.value;
    const cluster = dims?.kind === "record" ? dims.members.get("clusterDim")?.value : undefined;
    if (id?.kind === "int" && Number(id.value) === clusterAttribute && cluster !== undefined) return dimensions(cluster);
  }
  return undefined;
}

/** What an array, or the pointer to a variable or an array, holds. */
function elementsOf(array: Value | undefined): Value[] {
  if (array?.kind === "record") return [...array.members.values()].map(({ value }) => value);
  if (array?.kind !== "pointer" || array.target === undefined) return [];
  return array.target instanceof Cell ? [array.target.value] : [...array.target.cells.values()].map(({ value }) => value);
}

function kernelArgument(site: Expression): string {
  const first = site.kind === "call" ? site.arguments.find((argument) => namedKernel(argument) !== "kernel") : undefined;
  return first === undefined ? "kernel" : namedKernel(first);
}
