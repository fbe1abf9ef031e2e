/**
 * A launch as the engine takes it, from what host code shows, what the user says and, where neither does, an assumption that
 * says so.
 */
import type { Argument, Assumption, Buffer, Content, Dim3, Launch } from "@warplens/sim-engine";
import type { FunctionDeclaration } from "../syntax/ast.ts";
import { type Directive, type OpenValue, resolveConfiguration, resolveOpen } from "./directives.ts";
import { misfit, takesOf } from "./fitting.ts";
import type { CapturedArgument, CapturedArguments, Triple } from "./host/launches/launch-entry.ts";
import { scalarType } from "./host/memory/content.ts";
import type { HostType, Value } from "./host/values/model.ts";
import { integerOf, reasonOf } from "./host/values/values.ts";
import { type KernelUse, kernelUse } from "./sema/kernel-use.ts";
import type { DeviceProperties } from "./settings.ts";

/** What is known of a launch before anything is assumed; `undefined` sides: nothing launches the kernel. */
export interface OpenLaunch {
  readonly kernel: FunctionDeclaration;
  readonly grid?: Triple<Value>;
  readonly block?: Triple<Value>;
  readonly cluster?: Triple<Value>;
  readonly shared?: Value;
  readonly captured: CapturedArguments;
  /** `__launch_bounds__`'s first number. */
  readonly maxThreads?: number;
}

export type EngineLaunch =
  | { readonly launch: Launch; readonly assumptions: readonly Assumption[] }
  | {
      readonly reason: string;
      readonly assumptions: readonly Assumption[];
      /** No GPU starts it. */
      readonly refused?: true;
      readonly empty?: true;
    };

/** How many times over an assumed grid fills the GPU. */
const assumedWaves = 8;
const fallbackSms = 100;
const fallbackThreadsPerSm = 2048;
const assumedTrips = 128;
const unlaunched = "nothing here launches the kernel";

export function launchForEngine(open: OpenLaunch, written: Directive, device: DeviceProperties | undefined): EngineLaunch {
  const use = kernelUse(open.kernel);
  const assumptions: Assumption[] = [];
  const configured = resolveConfiguration(written, knownScalars(open, written));
  if ("problem" in configured) return { reason: configured.problem, assumptions };
  const { directive } = configured;
  const block = directive.block ?? completeBlock(open, use, assumptions);
  const grid = directive.grid ?? completeGrid(open, block, use, device, assumptions);
  const problem = impossible(grid, block);
  if (problem === nothingLaunched) return { reason: problem, assumptions, empty: true };
  if (problem !== undefined) return { reason: problem, assumptions, refused: true };
  const cluster = directive.cluster ?? known(open.cluster);
  const dynamicSharedBytes = directive.shared ?? completeShared(open, assumptions);
  const threads: Dim3 = [grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]];
  const assumed = assumptions.length > 0 ? { assumed: true as const } : {};
  const completion = completeArguments(open, directive, use, threads, assumptions);
  if ("problem" in completion) return { reason: completion.problem, assumptions };
  const { args, buffers } = completion;
  return {
    launch: {
      ...{ grid, block, dynamicSharedBytes, arguments: args, buffers },
      ...(cluster === undefined ? {} : { cluster }),
      ...assumed,
    },
    assumptions,
  };
}

function known(sides: Triple<Value> | undefined): Dim3 | undefined {
  const [x, y, z] = (sides ?? []).map(integerOf);
  return x === undefined || y === undefined || z === undefined ? undefined : [x, y, z];
}

/** Sides that are random between bounds at the middle of them; undefined where any is not even that. */
function expected(what: string, sides: Triple<Value> | undefined, assumptions: Assumption[]): Dim3 | undefined {
  const [x, y, z] = (sides ?? []).map((side) => integerOf(side) ?? (side.kind === "range" ? middle(side.lo, side.hi) : undefined));
  if (x === undefined || y === undefined || z === undefined || impossible([1, 1, 1], what === "block" ? [x, y, z] : [1, 1, 1]))
    return undefined;
  assumptions.push({ what, value: `(${x}, ${y}, ${z})`, why: "a random value; the middle of those it may have" });
  return [x, y, z];
}

/** Undefined where the bounds say no more than the type does. */
function middle(lo: number, hi: number): number | undefined {
  return lo < 0 || hi > mostRandom || hi < 1 ? undefined : Math.max(1, Math.round((lo + hi) / 2));
}
const mostRandom = 2 ** 26;

const nothingLaunched = "an empty grid: nothing is launched";

function impossible(grid: Dim3, block: Dim3): string | undefined {
  const threads = block[0] * block[1] * block[2];
  if (threads > 1024) return `a block of ${threads} threads, more than the 1024 a block can have`;
  if (threads < 1) return "a block without threads";
  if (block[2] > 64) return `a block of (${block.join(", ")}) threads, more than 64 in z`;
  if (grid.some((side) => side < 1)) return nothingLaunched;
  if (grid[0] > 2147483647 || grid[1] > 65535 || grid[2] > 65535) return `a grid of (${grid.join(", ")}) blocks, more than a grid can have`;
  return undefined;
}

function whyUnknown(sides: Triple<Value> | undefined): string {
  const open = sides?.find((side) => integerOf(side) === undefined);
  return open === undefined ? unlaunched : reasonOf(open);
}

function completeBlock(open: OpenLaunch, use: KernelUse, assumptions: Assumption[]): Dim3 {
  const exact = known(open.block) ?? expected("block", open.block, assumptions);
  if (exact !== undefined) return exact;
  const most = open.maxThreads ?? 256;
  const shapes: Readonly<Record<1 | 2 | 3, Dim3>> = {
    1: [most, 1, 1],
    2: most >= 256 ? [32, 8, 1] : [16, Math.max(1, most >> 4), 1],
    3: [8, 8, 4],
  };
  const shape = open.block === undefined ? shapes[use.dimensions] : merged(open.block, shapes[openSides(open.block)]);
  const why = open.maxThreads === undefined ? "256 threads is a common choice" : "the block __launch_bounds__ allows";
  assumptions.push({ what: "block", value: `(${shape.join(", ")})`, why: `${whyUnknown(open.block)}; ${why}` });
  return shape;
}

function openSides(sides: Triple<Value>): 1 | 2 | 3 {
  const count = sides.filter((side) => integerOf(side) === undefined).length;
  return count >= 3 ? 1 : count === 2 ? 2 : 1;
}

/** The sides that are known, the rest from the assumed shape. */
function merged(sides: Triple<Value>, shape: Dim3): Dim3 {
  const [x, y, z] = sides.map(integerOf);
  let room = Math.max(1, Math.floor(1024 / ((x ?? 1) * (y ?? 1) * (z ?? 1))));
  const fit = (side: number | undefined, wanted: number): number => {
    if (side !== undefined) return side;
    const taken = Math.max(1, Math.min(wanted, room));
    room = Math.max(1, Math.floor(room / taken));
    return taken;
  };
  return [fit(x, shape[0]), fit(y, shape[1]), fit(z, shape[2])];
}

function completeGrid(
  open: OpenLaunch,
  block: Dim3,
  use: KernelUse,
  device: DeviceProperties | undefined,
  assumptions: Assumption[],
): Dim3 {
  const exact = known(open.grid) ?? expected("grid", open.grid, assumptions);
  if (exact !== undefined) return exact;
  const perBlock = Math.max(1, block[0] * block[1] * block[2]);
  const resident =
    Math.max(1, Math.floor((device?.maxThreadsPerMultiProcessor ?? fallbackThreadsPerSm) / perBlock)) *
    (device?.multiProcessorCount ?? fallbackSms);
  const [x, y, z] = (open.grid ?? []).map(integerOf);
  const fixed = (x ?? 1) * (y ?? 1) * (z ?? 1);
  const wanted = Math.max(1, (resident * assumedWaves) / fixed);
  const count =
    open.grid === undefined
      ? use.dimensions
      : Math.max(
          1,
          [x, y, z].filter((side) => side === undefined).length === 3
            ? use.dimensions
            : [x, y, z].filter((side) => side === undefined).length,
        );
  const side = roundedSide(wanted ** (1 / count));
  const grid: Dim3 =
    open.grid === undefined
      ? sidesOf(side, count)
      : [x ?? side, y ?? (count > 1 || x !== undefined ? side : 1), z ?? (count > 2 || (x !== undefined && y !== undefined) ? side : 1)];
  assumptions.push({
    what: "grid",
    value: `(${grid.join(", ")})`,
    why: `${whyUnknown(open.grid)}; this fills the GPU about ${assumedWaves} times`,
  });
  return grid;
}

/** A power of two: what sizes mostly are. */
function roundedSide(side: number): number {
  return 2 ** Math.max(0, Math.round(Math.log2(side)));
}

function sidesOf(side: number, count: number): Dim3 {
  return [side, count > 1 ? side : 1, count > 2 ? side : 1];
}

function completeShared({ shared }: OpenLaunch, assumptions: Assumption[]): number {
  if (shared === undefined) return 0;
  const bytes = integerOf(shared);
  if (bytes !== undefined) return bytes;
  assumptions.push({ what: "dynamicSharedBytes", value: 0, why: reasonOf(shared) });
  return 0;
}

interface Completion {
  readonly args: readonly Argument[];
  readonly buffers: readonly Buffer[];
}

function completeArguments(
  open: OpenLaunch,
  directive: Directive,
  use: KernelUse,
  threads: Dim3,
  assumptions: Assumption[],
): Completion | { readonly problem: string } {
  const resized = isResized(open, directive);
  const buffers = open.captured.buffers.map(({ buffer: { bytes, ...buffer } }) =>
    bytes === undefined || resized ? buffer : { ...buffer, bytes },
  );
  const later = new Map<string, OpenValue>((directive.open ?? []).map((value) => [value.key, value]));
  const misfits: (string | undefined)[] = [];
  const args = open.captured.arguments.map((captured): Argument => {
    const given = directive.parameters.get(captured.name);
    if (given !== undefined) misfits.push(misfit(captured.name, takesOf(captured.type), given));
    if (typeof given === "number") return { kind: "scalar", value: scalarValue(given, captured.type) };
    if (given !== undefined) return withContent(captured, given, buffers);
    if (captured.argument.kind !== "unknown" || later.has(captured.name)) return captured.argument;
    return assumedArgument(captured, captured.argument.reason, use, threads, buffers, assumptions);
  });
  // What is said in terms of other arguments, now that those have values.
  const scope = new Map(open.captured.arguments.flatMap(({ name }, index) => (later.has(name) ? [] : scalarOf(name, args[index]))));
  for (const value of later.values()) {
    const index = open.captured.arguments.findIndex(({ name }) => name === value.key);
    const captured = open.captured.arguments[index];
    if (captured === undefined) continue;
    const resolved = resolveOpen(value, scope);
    if ("problem" in resolved) return resolved;
    const { value: given } = resolved;
    if (!Array.isArray(given)) misfits.push(misfit(captured.name, takesOf(captured.type), given as number | Content));
    if (typeof given === "number") {
      args[index] = { kind: "scalar", value: scalarValue(given, captured.type) };
      scope.set(value.key, given);
    } else if ("kind" in given) args[index] = withContent(captured, given, buffers);
  }
  const problem = misfits.find((each) => each !== undefined);
  if (problem !== undefined) return { problem };
  const unsized = open.captured.buffers.filter(({ buffer }) => resized || buffer.bytes === undefined);
  if (unsized.length > 0) {
    const reasons = new Set(
      unsized.map(({ buffer, sizeReason }) => (buffer.bytes === undefined ? sizeReason : otherSizes) ?? "not allocated here"),
    );
    const names = unsized.map(({ buffer }) => buffer.name).join(", ");
    assumptions.push({ what: `size of ${names}`, value: "all the kernel reaches", why: [...reasons].join("; ") });
  }
  return { args, buffers };
}

const otherSizes = "allocated for other arguments than those that are said";

/** Whether a number is said to be another than the host passes: what the host allocates is for its own. */
function isResized({ captured }: OpenLaunch, { parameters }: Directive): boolean {
  return captured.arguments.some(({ name, argument, type }) => {
    const given = parameters.get(name);
    return typeof given === "number" && type?.kind === "integer" && argument.kind === "scalar" && Number(argument.value) !== given;
  });
}

/** Scalar arguments by name, as the host code or the user gives them. */
function knownScalars({ captured }: OpenLaunch, { parameters }: Directive): Map<string, number> {
  const given = [...parameters].flatMap(([name, value]) => (typeof value === "number" ? [[name, value] as const] : []));
  return new Map([...captured.arguments.flatMap(({ name, argument }) => scalarOf(name, argument)), ...given]);
}

function scalarOf(name: string, argument: CapturedArgument["argument"] | undefined): [string, number][] {
  return argument?.kind === "scalar" ? [[name, Number(argument.value)]] : [];
}

/** 64-bit integers are bigints to the engine. */
function scalarValue(value: number, type: HostType | undefined): number | bigint {
  if (type?.kind !== "integer" || !Number.isInteger(value)) return value;
  return scalarType(type) === "i64" ? BigInt(value) : value | 0;
}

function withContent({ name, argument, type }: CapturedArgument, content: Content, buffers: Buffer[]): Argument {
  const element = type?.kind === "pointer" ? scalarType(type.to) : undefined;
  const old = argument.kind === "pointer" ? buffers[argument.buffer] : undefined;
  const index = buffers.push({ ...(old ?? { name, residence: "device", ...(element === undefined ? {} : { element }) }), content }) - 1;
  return { kind: "pointer", buffer: index, offset: argument.kind === "pointer" ? argument.offset : 0 };
}

function assumedArgument(
  { name, type, range }: CapturedArgument,
  reason: string,
  use: KernelUse,
  threads: Dim3,
  buffers: Buffer[],
  assumptions: Assumption[],
): Argument {
  if (type?.kind === "pointer" || type?.kind === "reference") {
    const element = scalarType(type.to);
    const index =
      buffers.push({ name, content: { kind: "unknown" }, residence: "device", ...(element === undefined ? {} : { element }) }) - 1;
    assumptions.push({ what: name, value: "a buffer of its own", why: reason });
    return { kind: "pointer", buffer: index, offset: 0 };
  }
  if (type?.kind === "integer" || type?.kind === "enum") {
    const random = range === undefined ? undefined : middle(...range);
    if (random !== undefined) {
      assumptions.push({ what: name, value: random, why: `${reason}; the middle of that` });
      return {
        kind: "scalar",
        value: scalarValue(random, type.kind === "enum" ? { kind: "integer", name: type.underlying } : type),
        assumed: true,
      };
    }
    const [value, why] = type.kind === "integer" && type.name === "bool" ? ([0, ""] as const) : assumedInteger(name, use, threads);
    assumptions.push({ what: name, value, why: why === "" ? reason : `${reason}; ${why}` });
    return {
      kind: "scalar",
      value: scalarValue(value, type.kind === "enum" ? { kind: "integer", name: type.underlying } : type),
      assumed: true,
    };
  }
  if (type?.kind === "floating") {
    assumptions.push({ what: name, value: 1, why: reason });
    return { kind: "scalar", value: 1, assumed: true };
  }
  return { kind: "unknown", reason };
}

function assumedInteger(name: string, use: KernelUse, threads: Dim3): readonly [value: number, why: string] {
  const role = use.roles.get(name);
  switch (role?.kind) {
    case "extent":
      return [threads[role.axis], "the kernel compares it with its thread index, so as many as there are threads"];
    case "pitch":
      return [threads[0], "the kernel multiplies an index by it, so a row of as many elements as there are threads in x"];
    case "trips":
      return [assumedTrips, "it bounds a loop"];
    case undefined:
      return [1, ""];
  }
}
