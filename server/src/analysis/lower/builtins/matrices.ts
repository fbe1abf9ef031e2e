/**
 * `wmma`: loads and stores of fragments, lane by lane, and products. Lane k holds words of row k / 4: row and column of each word
 * go in steps of 8 rows and 16 bytes, as `mma.sync` wants them (PTX ISA, matrix fragments), and nvcc reads and writes them so.
 *
 * nvcc finds out that a fragment is in shared or global memory only of the kinds that came with Volta and Turing: halves, bytes and what sums up
 * such. All others go through generic addresses, and halves of the other sort so without ldmatrix (nvcc 13.0: `matrices.test.ts`).
 */
import { type MatrixElement, type Op, type ScalarType, type Space, scalarBytes } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { decay, integerType, isTypeValue } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import { type Called, type Lowering, nothing } from "../emit/lowering.ts";
import { scalarOf } from "../emit/scalars.ts";
import { pointerSpace } from "../emit/spaces.ts";
import type { Use } from "./operands.ts";

/** Where a fragment stands in memory: lines one stride apart, of so many elements. */
interface Lines {
  readonly lines: number;
  readonly length: number;
  /** The lines run along the other side of the matrix than the words of a lane. */
  readonly turned: boolean;
}

const linesOf = (use: Use): Lines => {
  const { values } = use.resolved.substitution;
  return { lines: Number(values.get("L")), length: Number(values.get("C")), turned: values.get("T") === true || values.get("T") === 1n };
};

function elementOf(lowering: Lowering, pointer: Expression, use: Use): ScalarType {
  const type = decay(lowering.typeOf(pointer));
  const scalar = type.kind === "pointer" ? scalarOf(type.to) : undefined;
  return scalar ?? lowering.fail("a matrix of something that is no number", use.node);
}

/** The kinds of which nvcc finds out where they stand; `depth`: K of what a sum is of. */
const isInferred = (scalar: ScalarType, depth?: number): boolean =>
  depth === undefined ? scalar === "f16" || scalarBytes[scalar] === 1 : scalar !== "f64" && depth >= 16;

const placeOf = (lowering: Lowering, pointer: Op, inferred: boolean): { space: Space; how: { readonly uninferred?: true } } =>
  inferred ? { space: pointerSpace(lowering, pointer), how: {} } : { space: "generic", how: { uninferred: true } };

/** What of a place in a fragment depends on the lane, and what all lanes share. */
interface Place {
  /** Lines, one stride apart, and bytes along one. */
  readonly line: Op;
  readonly offset: Op;
  readonly lines: number;
  readonly bytes: number;
}

/**
 * `pointer + (line + lines) * stride + offset + bytes`, in bytes, `stride` in elements. The lane's own part is added to what the source
 * points to by ptxas, which no pass of NVVM sees; how far other words of it lie comes behind that.
 */
function addressOf(lowering: Lowering, pointer: Op, stride: Op, { line, offset, lines, bytes }: Place, element: number): Op {
  const { builder } = lowering;
  const own = builder.int("add", times(lowering, builder.int("mul", line, stride), element), offset);
  const start = builder.emit({ kind: "gep", scale: 1, offset: 0, ofLane: true }, "ptr", pointer, own);
  const row = lines === 0 ? start : builder.emit({ kind: "gep", scale: lines * element, offset: 0, ofLane: true }, "ptr", start, stride);
  return bytes === 0 ? row : builder.gep(row, lowering.constant("i32", 0), 1, bytes);
}

interface Lane {
  /** The lane's row of 8, and its place among the 4 that share one. */
  readonly row: Op;
  readonly column: Op;
}

function laneOf(lowering: Lowering): Lane {
  const { builder } = lowering;
  const lane = builder.special("laneid");
  return {
    row: builder.int("lshr", lane, lowering.constant("i32", 2)),
    column: builder.int("and", lane, lowering.constant("i32", 3)),
  };
}

const times = (lowering: Lowering, op: Op, by: number): Op => lowering.builder.int("mul", op, lowering.constant("i32", by));

/** Words that a lane holds of a fragment, of so many elements each. */
function wordsOf(use: Use, each: number): number {
  const { lines, length } = linesOf(use);
  return (lines * length) / 32 / each;
}

/** To NVVM a part of what loads or stores the fragment. */
const transposed = { kind: "matrix", op: "transpose", components: 1, ofFragment: 1 } as const;

/** Of a matrix a or b into `x`. */
export function matrixLoad(lowering: Lowering, use: Use): Called {
  const { builder } = lowering;
  const [x, from, by] = use.args;
  if (!x || !from || !by) return lowering.fail("a fragment is loaded from nowhere", use.node);
  const scalar = elementOf(lowering, from, use);
  const bytes = scalarBytes[scalar];
  const { lines, length, turned } = linesOf(use);
  const [to, pointer, stride] = [lowering.value(x), lowering.value(from), lowering.valueAs(by, integerType("uint"))];
  lowering.visit(use.node);
  lowering.at(use.node);
  if (bytes === 1 && turned) return lowering.fail("a matrix of bytes that is stored the other way round is not simulated", use.node);
  const { space, how } = placeOf(lowering, pointer, isInferred(scalar));
  const word: ScalarType = bytes === 8 ? "f64" : "i32";
  const put = (index: number, op: Op): Op =>
    builder.store("local", builder.gep(to, lowering.constant("i32", index), scalarBytes[word], 0), [op]);
  if (bytes === 2 && space === "shared") {
    const rows = Math.min(lines, mostRows);
    const across = Math.min(length, mostRows);
    const components = ((rows * across) / 64) as 2 | 4;
    const address = (line: number, at: number): Op => matrixRow(lowering, pointer, stride, rows, { lines: line, bytes: at * bytes });
    let index = 0;
    for (let line = 0; line < lines; line += rows)
      for (let at = 0; at < length; at += across) {
        const how = { components, align: 16, matrix: true, ofFragment: (lines * length) / (rows * across) } as const;
        const loaded = builder.load("shared", "i32", address(line, at), how);
        for (let k = 0; k < components; k++) put(index++, builder.extract(loaded, k));
      }
    return nothing;
  }
  const lane = laneOf(lowering);
  const ofFragment = wordsOf(use, scalarBytes[word] / bytes);
  let index = 0;
  if (turned && bytes >= 4) {
    // Each word by itself: the lanes that share a row read lines of their own.
    for (let across = 0; across < length; across += 8)
      for (let along = 0; along < lines; along += 4) {
        const offset = times(lowering, lane.row, bytes);
        const place = { line: lane.column, offset, lines: along, bytes: across * bytes };
        const address = addressOf(lowering, pointer, stride, place, bytes);
        put(index++, builder.load(space, word, address, { ...how, ofFragment }));
      }
    return nothing;
  }
  for (let line = 0; line < lines; line += 8)
    for (let at = 0; at < length * bytes; at += 4 * scalarBytes[word]) {
      const offset = times(lowering, lane.column, scalarBytes[word]);
      const address = addressOf(lowering, pointer, stride, { line: lane.row, offset, lines: line, bytes: at }, bytes);
      const loaded = builder.load(space, word, address, { ...how, ofFragment });
      put(index++, turned ? builder.emit(transposed, "i32", loaded) : loaded);
    }
  return nothing;
}

/** Rows that lanes can name of matrices below each other, and elements of those beside each other: `ldmatrix` loads four at most. */
const mostRows = 16;

/** The row that each lane names of matrices of 8 by 8 halves: those below each other, of so many rows, then those beside them. */
function matrixRow(lowering: Lowering, pointer: Op, stride: Op, rows: number, { lines, bytes }: Pick<Place, "lines" | "bytes">): Op {
  const { builder } = lowering;
  const lane = builder.special("laneid");
  const line = builder.int("and", lane, lowering.constant("i32", rows - 1));
  const beside = builder.int("lshr", lane, lowering.constant("i32", Math.log2(rows)));
  return addressOf(lowering, pointer, stride, { line, offset: times(lowering, beside, 16), lines, bytes }, 2);
}

/** The pieces of an accumulator one lane holds: two elements side by side in each square of 8 by 8. */
function* pieces(
  lowering: Lowering,
  use: Use,
  pointer: Op,
  stride: Op,
  scalar: ScalarType,
): Generator<{ address: Op; first: number; count: 1 | 2; turn: boolean }> {
  const bytes = scalarBytes[scalar];
  const { lines, length, turned } = linesOf(use);
  const lane = laneOf(lowering);
  let first = 0;
  for (let across = 0; across < length; across += 8)
    for (let line = 0; line < lines; line += 8) {
      if (turned && bytes >= 4) {
        for (let k = 0; k < 2; k++) {
          const place = {
            line: times(lowering, lane.column, 2),
            offset: times(lowering, lane.row, bytes),
            lines: line + k,
            bytes: across * bytes,
          };
          yield {
            address: addressOf(lowering, pointer, stride, place, bytes),
            first: first + k,
            count: 1,
            turn: false,
          };
        }
      } else {
        const offset = times(lowering, lane.column, 2 * bytes);
        yield {
          address: addressOf(lowering, pointer, stride, { line: lane.row, offset, lines: line, bytes: across * bytes }, bytes),
          first,
          count: 2,
          turn: turned,
        };
      }
      first += 2;
    }
}

export function sumsLoad(lowering: Lowering, use: Use): Called {
  const { builder } = lowering;
  const [x, from, by] = use.args;
  if (!x || !from || !by) return lowering.fail("a fragment is loaded from nowhere", use.node);
  const scalar = elementOf(lowering, from, use);
  const [to, pointer, stride] = [lowering.value(x), lowering.value(from), lowering.valueAs(by, integerType("uint"))];
  lowering.visit(use.node);
  lowering.at(use.node);
  const { space, how } = placeOf(lowering, pointer, isInferred(scalar, Number(use.resolved.substitution.values.get("K"))));
  const [word, each] = wordOf(scalar);
  for (const { address, first, count, turn } of pieces(lowering, use, pointer, stride, scalar)) {
    const components = Math.max(1, count / each);
    const align = scalarBytes[word] * components;
    const loaded = builder.load(space, word, address, { components, align, ...how, ofFragment: wordsOf(use, each) / components });
    for (let k = 0; k < components; k++) {
      const op = components === 1 ? loaded : builder.extract(loaded, k);
      const turnedOp = turn ? builder.emit(transposed, "i32", op) : op;
      builder.store("local", builder.gep(to, lowering.constant("i32", first / each + k), scalarBytes[word], 0), [turnedOp]);
    }
  }
  return nothing;
}

export function sumsStore(lowering: Lowering, use: Use): Called {
  const { builder } = lowering;
  const [to, x, by] = use.args;
  if (!x || !to || !by) return lowering.fail("a fragment is stored nowhere", use.node);
  const scalar = elementOf(lowering, to, use);
  const [pointer, from, stride] = [lowering.value(to), lowering.value(x), lowering.valueAs(by, integerType("uint"))];
  lowering.visit(use.node);
  lowering.at(use.node);
  const { space, how } = placeOf(lowering, pointer, isInferred(scalar, Number(use.resolved.substitution.values.get("K"))));
  const [word, each] = wordOf(scalar);
  for (const { address, first, count, turn } of pieces(lowering, use, pointer, stride, scalar)) {
    const components = Math.max(1, count / each);
    const values = Array.from({ length: components }, (_, k) => {
      const op = builder.load("local", word, builder.gep(from, lowering.constant("i32", first / each + k), scalarBytes[word], 0));
      return turn ? builder.emit(transposed, "i32", op) : op;
    });
    builder.store(space, address, values, { align: scalarBytes[word] * components, ...how });
  }
  return nothing;
}

/** What a lane moves of an accumulator at once, and its elements in it: two halves are one word. */
const wordOf = (scalar: ScalarType): readonly [word: ScalarType, elements: number] =>
  scalarBytes[scalar] === 2 ? ["i32", 2] : [scalar, 1];

/** One step of `mma.sync` on fragments, and how deep it is. */
const products: Readonly<Record<string, { readonly of: MatrixElement; readonly rows: number; readonly depth: number }>> = {
  half: { of: "f16", rows: 16, depth: 16 },
  bfloat16: { of: "bf16", rows: 16, depth: 16 },
  tf32: { of: "tf32", rows: 16, depth: 4 },
  schar: { of: "s8", rows: 16, depth: 16 },
  char: { of: "s8", rows: 16, depth: 16 },
  uchar: { of: "s8", rows: 16, depth: 16 },
  double: { of: "f64", rows: 8, depth: 4 },
};

function elementName(type: unknown): string {
  if (typeof type !== "object" || type === null || !isTypeValue(type as Type)) return "";
  const known = type as Type;
  return known.kind === "record"
    ? lastName(known.record.template.name)
    : known.kind === "integer" || known.kind === "floating"
      ? known.name
      : "";
}

/** As many steps as it takes: 16 rows by 8 columns each, one after the other along the depth. */
export function matrixProduct(lowering: Lowering, use: Use): Called {
  const { builder } = lowering;
  const { values } = use.resolved.substitution;
  const [m, n, k] = ["M", "N", "K"].map((name) => Number(values.get(name))) as [number, number, number];
  const step = products[elementName(values.get("E"))] ?? lowering.fail("a matrix product of these elements is not simulated", use.node);
  const [d, a, b, c] = use.args;
  if (!d || !a || !b || !c) return lowering.fail("a matrix product of nothing", use.node);
  const sum = elementOf(lowering, d, use);
  const [to, left, right, from] = [d, a, b, c].map((each) => lowering.value(each)) as [Op, Op, Op, Op];
  lowering.visit(use.node);
  lowering.at(use.node);
  const word: ScalarType = step.of === "f64" ? "f64" : "i32";
  const perWord = step.of === "f64" || step.of === "tf32" ? 1 : step.of === "s8" ? 4 : 2;
  const read = (x: Op, type: ScalarType, index: number): Op =>
    builder.load("local", type, builder.gep(x, lowering.constant("i32", index), scalarBytes[type], 0));
  const words = (x: Op, count: number): Op[] => Array.from({ length: count }, (_, index) => read(x, word, index));
  const [as, bs] = [words(left, (m * k) / 32 / perWord), words(right, (k * n) / 32 / perWord)];
  const [sumWord, each] = wordOf(sum);
  const tiles = (m * n) / (step.rows * 8);
  const depths = k / step.depth;
  const perTile = (m * n) / 32 / each / tiles;
  for (let tile = 0; tile < tiles; tile++) {
    let sums = Array.from({ length: perTile }, (_, index) => read(from, sumWord, tile * perTile + index));
    for (let depth = 0; depth < depths; depth++) {
      // The side of more than one tile is divided among them; both are divided along the depth.
      const own = (all: readonly Op[], divided: boolean): readonly Op[] => {
        const mine = divided ? share(all, tile, tiles) : all;
        return share(mine, depth, depths);
      };
      const operands = [...own(as, n <= 8 && tiles > 1), ...own(bs, n > 8 && tiles > 1), ...sums];
      const shape = `m${step.rows}n8k${step.depth}` as const;
      const action = { kind: "matrix", op: "multiply", shape, of: step.of, components: perTile, ofFragment: tiles * depths } as const;
      const made = builder.emit(action, sumWord, ...operands);
      sums = sums.map((_, index) => builder.extract(made, index));
    }
    for (const [index, op] of sums.entries())
      builder.store("local", builder.gep(to, lowering.constant("i32", tile * perTile + index), scalarBytes[sumWord], 0), [op]);
  }
  return nothing;
}

function share(all: readonly Op[], part: number, parts: number): readonly Op[] {
  const length = Math.max(1, all.length / parts);
  return all.slice(Math.floor(part * length), Math.floor(part * length) + length);
}
