/**
 * Where a texel lies. Rows of linear and pitched memory follow one another. The texels of a CUDA array lie in tiles of 64 bytes by
 * 8 rows, in which 16 bytes by 2 rows are one sector: the "block linear" layout of NVIDIA's Tegra X1 technical reference manual,
 * taken for that of all GPUs. Tiles are taken to follow one another in rows.
 */
import type { Action, Image, Op } from "../ir/kernel.ts";
import type { Environment } from "./environment.ts";
import { globalBase } from "./memory.ts";
import type { Doubles, Registers, Slot, Step } from "./registers.ts";
import { NotExecutable } from "./values.ts";

type Texel = Extract<Action, { kind: "texel" }>;

const tileBytes = 64;
const tileRows = 8;

/** Bytes from an image's start to a texel, given in texels. */
function texelOffset({ extent: [width, height], texelBytes, pitch }: Image, x: number, y: number, z: number): number {
  const at = x * texelBytes;
  if (pitch !== undefined) return (z * height + y) * pitch + at;
  // An array of one row has nothing to gain from tiles.
  if (height === 1) return z * Math.ceil((width * texelBytes) / 512) * 512 + at;
  const tilesPerRow = Math.ceil((width * texelBytes) / tileBytes);
  const tile = (z * Math.ceil(height / tileRows) + Math.floor(y / tileRows)) * tilesPerRow + Math.floor(at / tileBytes);
  const inRow = at % tileBytes;
  return tile * tileBytes * tileRows + tileOffset(inRow, y % tileRows);
}

const tileOffset = (at: number, row: number): number =>
  Math.floor(at / 32) * 256 + (row >> 1) * 64 + Math.floor((at % 32) / 16) * 32 + (row & 1) * 16 + (at % 16);

/** An image of which only the accesses tell: so large that coordinates do not leave it. */
export function unknownImage({ fetch, shape, layered, bytes }: Texel): Image {
  const rest = { texelBytes: bytes, normalized: false, wraps: false };
  if (shape === "1d" && fetch === "fetch") return { extent: [2 ** 27, 1, 1], pitch: 2 ** 27 * bytes, ...rest };
  if (shape === "1d") return { extent: [2 ** 14, 1, layered ? 2 ** 11 : 1], ...rest };
  if (shape === "3d") return { extent: [2 ** 10, 2 ** 10, 2 ** 10], ...rest };
  if (shape === "2d" && !layered) return { extent: [2 ** 14, 2 ** 14, 1], ...rest };
  return { extent: [2 ** 10, 2 ** 10, 2 ** 10], ...rest };
}

/** The texel nearest to a coordinate, along one side of an image. */
function nearest(coordinate: number, length: number, { normalized, wraps }: Image): number {
  let at = normalized ? coordinate * length : coordinate;
  at = Number.isFinite(at) ? Math.floor(at) : 0;
  if (normalized && wraps) return ((at % length) + length) % length;
  return Math.max(0, Math.min(length - 1, at));
}

const clamped = (at: number, length: number): number => Math.max(0, Math.min(length - 1, at));

/** The face of a cube map that a direction meets, and where, from 0 to 1 (CUDA C++ Programming Guide, Cubemap Textures). */
function cubeFace(x: number, y: number, z: number): readonly [face: number, s: number, t: number] {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const [face, m, s, t] =
    ax > ay && ax > az
      ? x >= 0
        ? ([0, ax, -z, -y] as const)
        : ([1, ax, z, -y] as const)
      : ay > az
        ? y >= 0
          ? ([2, ay, x, z] as const)
          : ([3, ay, x, -z] as const)
        : z >= 0
          ? ([4, az, x, -y] as const)
          : ([5, az, -x, -y] as const);
  return m === 0 ? [face, 0, 0] : [face, (s / m + 1) / 2, (t / m + 1) / 2];
}

/** The step that computes a texel's address for `n` lanes. */
export function texelStep(op: Op, registers: Registers, environment: Environment, n: number): Step {
  const [object, ...coordinates] = op.args;
  if (op.action.kind !== "texel" || !object) throw new NotExecutable("a texture access without a texture");
  const { action } = op;
  const base = registers.doubles(object);
  const out = registers.doubles(op);
  const read = coordinates.map((each) => numbers(registers.slot(each)));
  const unknown = unknownImage(action);
  return (o) => {
    for (let i = o; i < o + n; i++) {
      // What no pointer leads to is not known either: a handle from an array, say.
      const known = base[i]! >= globalBase;
      const image = (known ? environment.imageAt(base[i]!) : undefined) ?? unknown;
      const at = (k: number): number => read[k]?.(i) ?? 0;
      out[i] = (known ? base[i]! : environment.unknownImageStart) + texel(action, image, at);
    }
  };
}

function texel({ fetch, shape, layered }: Texel, image: Image, at: (k: number) => number): number {
  const [width, height, depth] = image.extent;
  if (shape === "cube") {
    const [face, s, t] = cubeFace(at(0), at(1), at(2));
    const layer = layered ? at(3) : 0;
    return texelOffset(image, clamped(Math.floor(s * width), width), clamped(Math.floor(t * height), height), layer * 6 + face);
  }
  const sides = shape === "1d" ? 1 : shape === "2d" ? 2 : 3;
  const layer = layered ? clamped(at(sides), depth) : 0;
  if (fetch === "sample" || fetch === "gather") {
    const x = nearest(at(0), width, image);
    const y = sides > 1 ? nearest(at(1), height, image) : 0;
    return texelOffset(image, x, y, sides > 2 ? nearest(at(2), depth, image) : layer);
  }
  const x = fetch === "surface" ? Math.floor(at(0) / image.texelBytes) : at(0);
  const y = sides > 1 ? clamped(at(1), height) : 0;
  return texelOffset(image, clamped(x, width), y, sides > 2 ? clamped(at(2), depth) : layer);
}

function numbers(slot: Slot): (i: number) => number {
  if (slot.kind === "long") {
    const { lo, hi } = slot.data;
    return (i) => hi[i]! * 0x1_0000_0000 + (lo[i]! >>> 0);
  }
  const data: Doubles | Int32Array = slot.data;
  return (i) => data[i]!;
}
