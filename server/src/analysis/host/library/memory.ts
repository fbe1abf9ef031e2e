/** Allocating and moving memory: the C library's and the CUDA runtime's. */

import type { Expression } from "../../../syntax/ast.ts";
import type { Residence } from "../../device-events.ts";
import { copyAsked, leftOut, setAsked } from "../memory/device-requests.ts";
import { forgetTarget } from "../memory/effects.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { freshContent, unknownContent, zeroContent } from "../memory/journal.ts";
import { dereferenced, targetOf } from "../memory/pointees.ts";
import { copyOf, sizeOf, write } from "../memory/read-write.ts";
import { copyMemory, fillMemory } from "../memory/transfer.ts";
import { type CopyCall, copies, copiesRows, freed, originOf } from "../memory/watch.ts";
import { placeOf } from "../resolve/places.ts";
import { arithmetic } from "../values/arithmetic.ts";
import { record } from "../values/convert.ts";
import { Allocation, Cell, type HostType, type Origin, type Value } from "../values/model.ts";
import { int, integerOf, pointer, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

const success = int(0);
const sizeType: HostType = { kind: "integer", name: "ulong" };

/** Memory of `size` bytes; nothing was written to it yet. */
function allocate(residence: Residence, size: Value, zeroed = false): Allocation {
  const bytes = integerOf(size);
  return new Allocation("", residence, undefined, {
    bytes,
    why: size,
    content: zeroed ? zeroContent : residence === "device" ? freshContent : unknownContent,
    ...(zeroed ? {} : { reason: "memory that nothing was written to" }),
  });
}

/** `cudaMalloc(&p, bytes)`: stores the new pointer where the first argument says. */
function allocateAt(host: Interpreter, where: Value, residence: Residence, size: Value, origin?: Origin): Allocation {
  const made = allocate(residence, size);
  made.origin = origin;
  const place = dereferenced(host, where);
  if (place === undefined) return made;
  if (place instanceof Cell) {
    adopt(host, made, place.type);
    write(host, place, pointer(made, undefined));
  } else {
    // The pointer was cast to void **; the array knows what it holds.
    const type = place.allocation.element ?? place.type;
    adopt(host, made, type);
    made.name ||= place.allocation.name;
    write(host, { ...place, type }, pointer(made, undefined));
  }
  return made;
}

function adopt(host: Interpreter, made: Allocation, type: Cell["type"]): void {
  if (type?.kind !== "pointer") return;
  made.element = type.to;
  const elementBytes = sizeOf(host, type.to);
  if (elementBytes !== undefined) made.summary = { ...made.summary, elementBytes };
}

function allocator(residence: Residence): LibraryFunction {
  return (host, args, call) => {
    allocateAt(host, argumentValue(args, 0), residence, argumentValue(args, 1), originOf(host, call, true, args[1]?.expression));
    return success;
  };
}

/** Memory of the C library: `size` is the index of its argument. */
function allocatorOfHost(size: number): LibraryFunction {
  return (host, args, call) => {
    const made = allocate("host", argumentValue(args, size));
    made.origin = originOf(host, call, true, args[size]?.expression);
    return pointer(made, undefined);
  };
}

const sideOf = (args: readonly Argument[], index: number): { readonly value: Value; readonly expression?: Expression | undefined } => ({
  value: argumentValue(args, index),
  expression: args[index]?.expression,
});

const directionOf = (args: readonly Argument[], index: number): NonNullable<CopyCall["direction"]> => ({
  value: integerOf(argumentValue(args, index)),
  expression: args[index]?.expression,
});

/** `cudaMemcpy(to, from, bytes, direction)`. */
function copier(async: boolean): LibraryFunction {
  return (host, args, call) => {
    const bytes = integerOf(argumentValue(args, 2));
    const size = args[2]?.expression;
    copies(host, {
      call,
      to: sideOf(args, 0),
      from: sideOf(args, 1),
      bytes,
      size,
      direction: directionOf(args, 3),
      async,
      stream: args[4]?.value,
    });
    copyAsked(host, call, [argumentValue(args, 0), argumentValue(args, 1)], bytes, {
      async,
      stream: args[4]?.value,
      direction: integerOf(argumentValue(args, 3)),
    });
    copyMemory(host, argumentValue(args, 0), argumentValue(args, 1), argumentValue(args, 2));
    return success;
  };
}

/** `memcpy`, `memmove`. */
const copyOnHost: LibraryFunction = (host, args, call) => {
  copies(host, { call, to: sideOf(args, 0), from: sideOf(args, 1), bytes: undefined, async: false, byHost: true });
  host.events?.worked();
  copyMemory(host, argumentValue(args, 0), argumentValue(args, 1), argumentValue(args, 2));
  return argumentValue(args, 0);
};

function filler(byHost: boolean): LibraryFunction {
  return (host, args, call) => {
    const bytes = integerOf(argumentValue(args, 2));
    const size = args[2]?.expression;
    copies(host, { call, to: sideOf(args, 0), bytes, size, async: false, ...(byHost ? { byHost } : {}) });
    if (!byHost) setAsked(host, call, bytes, args[3]?.value);
    fillMemory(host, argumentValue(args, 0), argumentValue(args, 1), argumentValue(args, 2));
    return byHost ? argumentValue(args, 0) : success;
  };
}

/** From one device to another; there is one. */
const copierToPeer =
  (name: string): LibraryFunction =>
  (host, args) => {
    leftOut(host, name);
    copyMemory(host, argumentValue(args, 0), argumentValue(args, 2), argumentValue(args, 4));
    return success;
  };

/** `cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, direction, stream)`. */
const copierOfRows =
  (async: boolean): LibraryFunction =>
  (host, args, call) => {
    const [toPitch, fromPitch, width, height] = [1, 3, 4, 5].map((k) => integerOf(argumentValue(args, k)));
    const parts = { call, bytes: undefined, async: false };
    copies(host, { ...parts, to: sideOf(args, 0), from: sideOf(args, 2), direction: directionOf(args, 6) });
    const rows = [
      { pitch: args[1]?.expression, bytes: toPitch },
      { pitch: args[3]?.expression, bytes: fromPitch },
    ];
    copiesRows(host, { ...parts, bytes: width, size: args[4]?.expression, to: sideOf(args, 0), from: sideOf(args, 2), rows });
    const reach = (pitch: number | undefined): { readonly bytes?: number } =>
      width === undefined || height === undefined || pitch === undefined ? {} : { bytes: (height - 1) * pitch + width };
    copies(host, { ...parts, to: { ...sideOf(args, 0), ...reach(toPitch) }, from: { ...sideOf(args, 2), ...reach(fromPitch) } });
    const all = width === undefined || height === undefined ? undefined : width * height;
    copyAsked(host, call, [argumentValue(args, 0), argumentValue(args, 2)], all, {
      async,
      stream: args[7]?.value,
      direction: integerOf(argumentValue(args, 6)),
    });
    copyMemory(host, argumentValue(args, 0), argumentValue(args, 2), arithmetic("*", argumentValue(args, 1), argumentValue(args, 5)));
    return success;
  };

/** `cudaMemcpyToSymbol(symbol, from, bytes, offset = 0)`. */
const copierToSymbol =
  (async: boolean): LibraryFunction =>
  (host, args, call) => {
    const to = { value: symbol(host, args, 0), expression: args[0]?.expression, skipped: skippedOf(args) };
    copies(host, { call, to, from: sideOf(args, 1), bytes: integerOf(argumentValue(args, 2)), size: args[2]?.expression, async: false });
    copyAsked(host, call, ["device", argumentValue(args, 1)], integerOf(argumentValue(args, 2)), { async, stream: args[5]?.value });
    const target = behind(to.value, to.skipped);
    if (target.kind === "unknown") forgetTarget(host, to.value, target.reason);
    else copyMemory(host, target, argumentValue(args, 1), argumentValue(args, 2));
    return success;
  };

const copierFromSymbol =
  (async: boolean): LibraryFunction =>
  (host, args, call) => {
    const from = { value: symbol(host, args, 1), expression: args[1]?.expression, skipped: skippedOf(args) };
    copies(host, { call, to: sideOf(args, 0), from, bytes: integerOf(argumentValue(args, 2)), size: args[2]?.expression, async: false });
    copyAsked(host, call, [argumentValue(args, 0), "device"], integerOf(argumentValue(args, 2)), { async, stream: args[5]?.value });
    copyMemory(host, argumentValue(args, 0), behind(from.value, from.skipped), argumentValue(args, 2));
    return success;
  };

/** A place so many bytes on. */
function behind(value: Value, skipped: number | undefined): Value {
  if (value.kind !== "pointer" || skipped === 0) return value;
  const target = targetOf(value);
  if (target === undefined || target instanceof Cell) return unknown("a part of a variable");
  const offset = skipped === undefined || target.offset === undefined ? undefined : target.offset + skipped;
  return { kind: "pointer", to: value.to, target: target.allocation, offset };
}

/** Bytes of the symbol before what is copied. */
const skippedOf = (args: readonly Argument[]): number | undefined => (args[3] === undefined ? 0 : integerOf(args[3].value));

const free: LibraryFunction = (host, args, call) => {
  freed(host, argumentValue(args, 0), call);
  return success;
};

/** The memory of a `__constant__` or `__device__` variable, given by name or address. */
function symbol(host: Interpreter, args: Parameters<LibraryFunction>[1], index: number): Value {
  const argument = args[index];
  const { value } = argument ?? { value: unknown("a symbol") };
  if (value.kind === "pointer") return value;
  if (argument?.place instanceof Cell) return pointer(argument.place, argument.place.type);
  if (value.kind === "string") {
    const name = { start: 0, end: 0, global: false, parts: [{ text: value.text }] };
    const place = placeOf(host, { kind: "name", start: 0, end: 0, name });
    if (place instanceof Cell) return place.value.kind === "pointer" ? place.value : pointer(place, place.type);
  }
  return unknown("a symbol that is not known");
}

/** Rows of `cudaMallocPitch` start at multiples of this many bytes. */
const pitchBytes = 512;

function pitched(width: Value): Value {
  const bytes = integerOf(width);
  return bytes === undefined ? width : int(Math.ceil(bytes / pitchBytes) * pitchBytes, "ulong");
}

const pitchedPointer = (p: Value, pitch: Value, width: Value, height: Value): Value =>
  record("cudaPitchedPtr", [
    ["ptr", p, undefined],
    ["pitch", pitch, sizeType],
    ["xsize", width, sizeType],
    ["ysize", height, sizeType],
  ]);

export const memoryFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["malloc", allocatorOfHost(0)],
  ["alloca", allocatorOfHost(0)],
  ["_mm_malloc", allocatorOfHost(0)],
  ["aligned_alloc", allocatorOfHost(1)],
  [
    "calloc",
    (host, args, call) => {
      const made = allocate("host", arithmetic("*", argumentValue(args, 0), argumentValue(args, 1)), true);
      made.origin = originOf(host, call, true, undefined, args[0]?.expression);
      return pointer(made, undefined);
    },
  ],
  [
    "realloc",
    (_host, args) => {
      const old = argumentValue(args, 0);
      if (old.kind !== "pointer" || !(old.target instanceof Allocation))
        return pointer(allocate("host", argumentValue(args, 1)), undefined);
      const made = allocate("host", argumentValue(args, 1));
      made.cells = new Map(old.target.cells);
      made.summary = { ...old.target.summary, bytes: made.summary.bytes };
      return pointer(made, old.to);
    },
  ],
  [
    "posix_memalign",
    (host, args, call) => {
      allocateAt(host, argumentValue(args, 0), "host", argumentValue(args, 2), originOf(host, call, true, args[2]?.expression));
      return success;
    },
  ],
  [
    "strdup",
    (_host, args) => {
      const value = argumentValue(args, 0);
      return value.kind === "pointer" && value.target instanceof Allocation ? { ...value, target: copyOf(value.target) } : value;
    },
  ],
  ["cudaMalloc", allocator("device")],
  ["cudaMallocAsync", allocator("device")],
  ["cudaMallocFromPoolAsync", allocator("device")],
  ["cuMemAlloc", allocator("device")],
  ["cudaMallocManaged", allocator("managed")],
  ["cudaMallocHost", allocator("pinned")],
  ["cudaHostAlloc", allocator("pinned")],
  [
    "cudaMallocPitch",
    (host, args, call) => {
      const pitch = pitched(argumentValue(args, 2));
      const bytes = arithmetic("*", pitch, argumentValue(args, 3));
      allocateAt(host, argumentValue(args, 0), "device", bytes, originOf(host, call, true));
      const place = dereferenced(host, argumentValue(args, 1));
      if (place !== undefined) write(host, place, pitch);
      return success;
    },
  ],
  [
    "cudaMalloc3D",
    (host, args, call) => {
      const extent = argumentValue(args, 1);
      const of = (name: string): Value =>
        (extent.kind === "record" ? extent.members.get(name)?.value : undefined) ?? unknown("an extent that is not known");
      const pitch = pitched(of("width"));
      const made = allocate("device", arithmetic("*", pitch, arithmetic("*", of("height"), of("depth"))));
      made.origin = originOf(host, call, true);
      const place = dereferenced(host, argumentValue(args, 0));
      if (place instanceof Cell && place.name) made.name = `${place.name}.ptr`;
      if (place !== undefined) write(host, place, pitchedPointer(pointer(made, undefined), pitch, of("width"), of("height")));
      return success;
    },
  ],
  [
    "make_cudaPitchedPtr",
    (_host, args) => {
      const [p, pitch, width, height] = [0, 1, 2, 3].map((k) => argumentValue(args, k));
      return p && pitch && width && height ? pitchedPointer(p, pitch, width, height) : unknown("a pitched pointer of nothing");
    },
  ],
  [
    "cudaHostGetDevicePointer",
    (host, args) => {
      const place = dereferenced(host, argumentValue(args, 0));
      if (place !== undefined) write(host, place, argumentValue(args, 1));
      return success;
    },
  ],
  [
    "cudaHostRegister",
    (host, args) => {
      const target = targetOf(argumentValue(args, 0));
      if (target !== undefined && !(target instanceof Cell))
        host.journal.summarise(target.allocation, { ...target.allocation.summary, registered: true });
      return success;
    },
  ],
  ["cudaMemcpy", copier(false)],
  ["cudaMemcpyAsync", copier(true)],
  ["memcpy", copyOnHost],
  ["memmove", copyOnHost],
  ["cudaMemcpyPeer", copierToPeer("cudaMemcpyPeer")],
  ["cudaMemcpyPeerAsync", copierToPeer("cudaMemcpyPeerAsync")],
  ["cudaMemcpy2D", copierOfRows(false)],
  ["cudaMemcpy2DAsync", copierOfRows(true)],
  ["cudaMemset", filler(false)],
  ["cudaMemsetAsync", filler(false)],
  ["memset", filler(true)],
  [
    "cudaMemset2D",
    (host, args, call) => {
      const [width, height] = [integerOf(argumentValue(args, 3)), integerOf(argumentValue(args, 4))];
      setAsked(host, call, width === undefined || height === undefined ? undefined : width * height);
      fillMemory(host, argumentValue(args, 0), argumentValue(args, 2), arithmetic("*", argumentValue(args, 1), argumentValue(args, 4)));
      return success;
    },
  ],
  ["cudaMemcpyToSymbol", copierToSymbol(false)],
  ["cudaMemcpyToSymbolAsync", copierToSymbol(true)],
  ["cudaMemcpyFromSymbol", copierFromSymbol(false)],
  [
    "cudaGetSymbolAddress",
    (host, args) => {
      const place = dereferenced(host, argumentValue(args, 0));
      if (place !== undefined) write(host, place, symbol(host, args, 1));
      return success;
    },
  ],
  [
    "bzero",
    (host, args) => {
      fillMemory(host, argumentValue(args, 0), int(0), argumentValue(args, 1));
      return success;
    },
  ],
  ["cudaFree", free],
  ["cudaFreeHost", free],
  ["cudaFreeAsync", free],
  ["cuMemFree", free],
  ["free", free],
]);
