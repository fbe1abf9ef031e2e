/** CUDA arrays, texture and surface objects: an object is a pointer to the memory it is bound to, which knows how it is read. */
import type { Image } from "@warplens/sim-engine";
import { isTypeValue } from "../../sema/type-tools.ts";
import { templateValues } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent } from "../memory/journal.ts";
import { dereferenced } from "../memory/pointees.ts";
import { write } from "../memory/read-write.ts";
import { record } from "../values/convert.ts";
import { Allocation, Cell, type RecordValue, type Value } from "../values/model.ts";
import { int, integerOf, pointer, truth, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

const success = int(0);

function store(host: Interpreter, where: Value, value: Value): void {
  const place = dereferenced(host, where);
  if (place !== undefined) write(host, place, value);
}

/** The record a pointer leads to. */
function pointed(host: Interpreter, value: Value): RecordValue | undefined {
  const place = dereferenced(host, value);
  return place instanceof Cell && place.value.kind === "record" ? place.value : undefined;
}

function member(from: Value | undefined, ...path: readonly string[]): Value | undefined {
  let value = from;
  for (const name of path) value = value?.kind === "record" ? value.members.get(name)?.value : undefined;
  return value;
}

/** Bytes of a texel, from a `cudaChannelFormatDesc`. */
function texelBytes(description: Value | undefined): number | undefined {
  const bits = ["x", "y", "z", "w"].map((name) => integerOf(member(description, name) ?? int(0)));
  const sum = bits.reduce((all: number | undefined, each) => (all === undefined || each === undefined ? undefined : all + each), 0);
  return sum === undefined || sum === 0 ? undefined : sum / 8;
}

function channels(bits: readonly Value[]): Value {
  return record(
    "cudaChannelFormatDesc",
    ["x", "y", "z", "w"].map((name, k) => [name, bits[k] ?? int(0), { kind: "integer", name: "int" }] as const),
  );
}

/** `cudaCreateChannelDesc(x, y, z, w, kind)`, `cudaCreateChannelDesc<T>()` */
const channelDescription: LibraryFunction = (host, args, call) => {
  if (args.length >= 4) return channels(args.slice(0, 4).map(({ value }) => value));
  const [type] = call.callee.kind === "name" ? templateValues(host, call.callee.name) : [];
  const bytes = typeof type === "object" && isTypeValue(type) ? host.semantics.sizeOf(type) : undefined;
  // Which components they are of does not matter here.
  return bytes === undefined ? unknown("a channel format") : channels([int(bytes * 8)]);
};

/** An array of `sides` texels. */
function makeArray(host: Interpreter, where: Value, description: Value, sides: readonly (Value | undefined)[]): void {
  const bytes = texelBytes(pointed(host, description) ?? description);
  const [width, height, depth] = sides.map((side) => (side === undefined ? 1 : integerOf(side)));
  const extent = [width, height, depth].map((side) => (side === undefined ? undefined : Math.max(1, side)));
  const [x, y, z] = extent;
  const known = bytes !== undefined && x !== undefined && y !== undefined && z !== undefined;
  const why = sides.find((side) => side !== undefined && integerOf(side) === undefined);
  const made = new Allocation("", "device", undefined, {
    bytes: known ? x * y * z * bytes : undefined,
    ...(why === undefined ? {} : { why }),
    content: unknownContent,
    reason: "a CUDA array",
  });
  if (known) made.image = { extent: [x, y, z], texelBytes: bytes, normalized: false, wraps: false };
  store(host, where, pointer(made, undefined));
}

/** What a `cudaResourceDesc` names: memory, and how its texels lie. */
function resource(description: RecordValue): { readonly value: Value; readonly image?: Image } | undefined {
  const array = member(description, "res", "array", "array");
  if (array?.kind === "pointer" && array.target instanceof Allocation)
    return { value: array, ...(array.target.image ? { image: array.target.image } : {}) };
  const rest = { normalized: false, wraps: false };
  const pitched = member(description, "res", "pitch2D");
  const [width, height, pitch] = ["width", "height", "pitchInBytes"].map((name) => integerOf(member(pitched, name) ?? unknown("")));
  const rows = member(pitched, "devPtr");
  if (rows?.kind === "pointer") {
    const bytes = texelBytes(member(pitched, "desc"));
    if (width === undefined || height === undefined || pitch === undefined || bytes === undefined) return { value: rows };
    return { value: rows, image: { extent: [width, height, 1], texelBytes: bytes, pitch, ...rest } };
  }
  const linear = member(description, "res", "linear");
  const start = member(linear, "devPtr");
  if (start?.kind !== "pointer") return undefined;
  const size = integerOf(member(linear, "sizeInBytes") ?? unknown(""));
  const bytes = texelBytes(member(linear, "desc"));
  if (size === undefined || bytes === undefined) return { value: start };
  return { value: start, image: { extent: [Math.max(1, Math.floor(size / bytes)), 1, 1], texelBytes: bytes, pitch: size, ...rest } };
}

/** `cudaCreateTextureObject(&object, &resource, &texture, view)`, and a surface's without the last two. */
const bind: LibraryFunction = (host, args) => {
  const description = pointed(host, argumentValue(args, 1));
  const bound = description && resource(description);
  if (bound?.value.kind !== "pointer" || !(bound.value.target instanceof Allocation)) {
    store(host, argumentValue(args, 0), unknown("a texture bound to memory that is not known"));
    return success;
  }
  const { target } = bound.value;
  const texture = args[2] && pointed(host, args[2].value);
  const mode = integerOf(member(texture, "addressMode", "[0]") ?? int(1));
  const normalized = truth(member(texture, "normalizedCoords") ?? int(0));
  if (bound.image) target.image = { ...bound.image, normalized: normalized ?? false, wraps: mode === 0 };
  store(host, argumentValue(args, 0), bound.value);
  return success;
};

export const textureFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["cudaCreateChannelDesc", channelDescription],
  [
    "cudaMallocArray",
    (host, args) => {
      makeArray(host, argumentValue(args, 0), argumentValue(args, 1), [argumentValue(args, 2), args[3]?.value, undefined]);
      return success;
    },
  ],
  [
    "cudaMalloc3DArray",
    (host, args) => {
      const extent = argumentValue(args, 2);
      const sides = ["width", "height", "depth"].map((name) => member(extent, name) ?? unknown("an extent that is not known"));
      makeArray(host, argumentValue(args, 0), argumentValue(args, 1), sides);
      return success;
    },
  ],
  ["cudaCreateTextureObject", bind],
  ["cudaCreateSurfaceObject", bind],
]);
