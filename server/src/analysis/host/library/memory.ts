/** Allocating and moving memory: the C library's and the CUDA runtime's. */

import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { dereferenced } from "../memory/pointees.ts";
import { sizeOf, write } from "../memory/read-write.ts";
import { copyMemory, fillMemory } from "../memory/transfer.ts";
import { placeOf } from "../resolve/places.ts";
import { arithmetic } from "../values/arithmetic.ts";
import { Allocation, Cell, type Residence, type Value } from "../values/model.ts";
import { int, integerOf, pointer, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

const success = int(0);

/** Memory of `size` bytes; nothing was written to it yet. */
function allocate(residence: Residence, size: Value, zeroed = false): Allocation {
  const bytes = integerOf(size);
  return new Allocation("", residence, undefined, {
    bytes,
    why: size,
    content: zeroed ? zeroContent : unknownContent,
    ...(zeroed ? {} : { reason: "memory that nothing was written to" }),
  });
}

/** `cudaMalloc(&p, bytes)`: stores the new pointer where the first argument says. */
function allocateAt(host: Interpreter, where: Value, residence: Residence, size: Value): Allocation {
  const made = allocate(residence, size);
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
  return (host, args) => {
    allocateAt(host, argumentValue(args, 0), residence, argumentValue(args, 1));
    return success;
  };
}

const copy: LibraryFunction = (host, args) => {
  copyMemory(host, argumentValue(args, 0), argumentValue(args, 1), argumentValue(args, 2));
  return success;
};
const fill: LibraryFunction = (host, args) => {
  fillMemory(host, argumentValue(args, 0), argumentValue(args, 1), argumentValue(args, 2));
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

export const memoryFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["malloc", (_host, args) => pointer(allocate("host", argumentValue(args, 0)), undefined)],
  ["alloca", (_host, args) => pointer(allocate("host", argumentValue(args, 0)), undefined)],
  ["_mm_malloc", (_host, args) => pointer(allocate("host", argumentValue(args, 0)), undefined)],
  ["aligned_alloc", (_host, args) => pointer(allocate("host", argumentValue(args, 1)), undefined)],
  ["calloc", (_host, args) => pointer(allocate("host", arithmetic("*", argumentValue(args, 0), argumentValue(args, 1)), true), undefined)],
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
    (host, args) => {
      allocateAt(host, argumentValue(args, 0), "host", argumentValue(args, 2));
      return success;
    },
  ],
  ["strdup", (_host, args) => argumentValue(args, 0)],
  ["cudaMalloc", allocator("device")],
  ["cudaMallocAsync", allocator("device")],
  ["cudaMallocFromPoolAsync", allocator("device")],
  ["cuMemAlloc", allocator("device")],
  ["cudaMallocManaged", allocator("managed")],
  ["cudaMallocHost", allocator("pinned")],
  ["cudaHostAlloc", allocator("pinned")],
  [
    "cudaMallocPitch",
    (host, args) => {
      const pitch = pitched(argumentValue(args, 2));
      allocateAt(host, argumentValue(args, 0), "device", arithmetic("*", pitch, argumentValue(args, 3)));
      const place = dereferenced(host, argumentValue(args, 1));
      if (place !== undefined) write(host, place, pitch);
      return success;
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
  ["cudaMemcpy", copy],
  ["cudaMemcpyAsync", copy],
  [
    "memcpy",
    (host, args, call) => {
      copy(host, args, call);
      return argumentValue(args, 0);
    },
  ],
  ["memmove", copy],
  [
    "cudaMemcpyPeer",
    (host, args) => {
      copyMemory(host, argumentValue(args, 0), argumentValue(args, 2), argumentValue(args, 4));
      return success;
    },
  ],
  [
    "cudaMemcpy2D",
    (host, args) => {
      copyMemory(host, argumentValue(args, 0), argumentValue(args, 2), arithmetic("*", argumentValue(args, 1), argumentValue(args, 5)));
      return success;
    },
  ],
  [
    "cudaMemcpy2DAsync",
    (host, args) => {
      copyMemory(host, argumentValue(args, 0), argumentValue(args, 2), arithmetic("*", argumentValue(args, 1), argumentValue(args, 5)));
      return success;
    },
  ],
  ["cudaMemset", fill],
  ["cudaMemsetAsync", fill],
  ["memset", fill],
  [
    "cudaMemset2D",
    (host, args) => {
      fillMemory(host, argumentValue(args, 0), argumentValue(args, 2), arithmetic("*", argumentValue(args, 1), argumentValue(args, 4)));
      return success;
    },
  ],
  [
    "cudaMemcpyToSymbol",
    (host, args) => {
      copyMemory(host, symbol(host, args, 0), argumentValue(args, 1), argumentValue(args, 2));
      return success;
    },
  ],
  [
    "cudaMemcpyToSymbolAsync",
    (host, args) => {
      copyMemory(host, symbol(host, args, 0), argumentValue(args, 1), argumentValue(args, 2));
      return success;
    },
  ],
  [
    "cudaMemcpyFromSymbol",
    (host, args) => {
      copyMemory(host, argumentValue(args, 0), symbol(host, args, 1), argumentValue(args, 2));
      return success;
    },
  ],
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
  ["cudaFree", () => success],
  ["cudaFreeHost", () => success],
  ["cudaFreeAsync", () => success],
  ["free", () => success],
]);
