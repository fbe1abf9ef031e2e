import { expect, test } from "vitest";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { compareOutcomes } from "./compare.ts";

/** out[index] = value, for as many threads as elements. */
const storing = (index: string, value: string): ReturnType<typeof parseKernel> =>
  parseKernel(`kernel @k(%out: ptr f32, %in: ptr const f32, %n: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %n: i32 = param 2
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %width: i32 = special ntid.x
  %third: f32 = const 0.3333333432674408
  %three: f32 = const 3
  %two: f32 = const 2
  %one: i32 = const 1
  %from: i32 = mul %bx, %width
  %i: i32 = add %from, %tx
  %last: i32 = sub %n, %one
  %back: i32 = sub %last, %i
  %p: ptr = gep %in, %${index}, scale 4
  %v: f32 = load.global %p, align 4
  %product: f32 = fmul %v, %third
  %quotient: f32 = fdiv %v, %three
  %twice: f32 = fmul %v, %two
  %q: ptr = gep %out, %${index}, scale 4
  store.global %q, %${value}, align 4
  return
}`);

const launch = (blocks: number, threads: number, content: Launch["buffers"][number]["content"] = { kind: "unknown" }): Launch => ({
  grid: [blocks, 1, 1],
  block: [threads, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "pointer", buffer: 1, offset: 0 },
    { kind: "scalar", value: 1 << 20 },
  ],
  buffers: [
    { name: "out", bytes: 4 << 20, element: "f32", content: { kind: "unknown" } },
    { name: "in", bytes: 4 << 20, element: "f32", content },
  ],
});

const usual = launch(4096, 256);
const forth = { kernel: storing("i", "v"), launch: usual };

test.each([
  ["the same", forth, true, "equal"],
  ["other threads that store the same", { kernel: storing("back", "v"), launch: usual }, true, "equal"],
  ["blocks of another size", { kernel: storing("i", "v"), launch: launch(8192, 128) }, true, "equal"],
  ["another value", { kernel: storing("i", "twice"), launch: usual }, false, "differs"],
  // That nobody stores an element cannot be told from that nobody was found.
  ["half of the elements", { kernel: storing("i", "v"), launch: launch(2048, 256) }, true, "unknown"],
] as const)("%s", (_, after, exact, outcome) => {
  expect(compareOutcomes(forth, after, exact, new Work())).toMatchObject({ outcome });
});

test("of few blocks all are run: half of the elements", () => {
  const all = { kernel: storing("i", "v"), launch: launch(8, 256) };
  const half = { kernel: storing("i", "v"), launch: launch(4, 256) };
  expect(compareOutcomes(all, half, true, new Work())).toMatchObject({ outcome: "differs", buffer: "out", index: 1024 });
});

test("rounding is told from another result", () => {
  const [product, quotient] = [storing("i", "product"), storing("i", "quotient")].map((kernel) => ({ kernel, launch: usual }));
  if (!product || !quotient) throw new Error("no kernels");
  expect(compareOutcomes(product, quotient, true, new Work())).toMatchObject({ outcome: "differs", buffer: "out" });
  expect(compareOutcomes(product, quotient, false, new Work())).toMatchObject({ outcome: "equal" });
});

test("an array that the program fills with one number does not hide which element is read", () => {
  const constant = launch(4096, 256, { kind: "constant", value: 1 });
  const reversed = parseKernel(
    `kernel @k(%out: ptr f32, %in: ptr const f32, %n: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %tx: i32 = special tid.x
  %p: ptr = gep %in, %tx, scale 8
  %v: f32 = load.global %p, align 4
  %q: ptr = gep %out, %tx, scale 4
  store.global %q, %v, align 4
  return
}`,
  );
  const one = launch(1, 256, { kind: "constant", value: 1 });
  expect(compareOutcomes({ kernel: storing("i", "v"), launch: one }, { kernel: reversed, launch: one }, true, new Work())).toMatchObject({
    outcome: "differs",
  });
  expect(
    compareOutcomes({ ...forth, launch: constant }, { ...forth, launch: { ...constant, buffers: usual.buffers } }, true, new Work()),
  ).toEqual({ outcome: "unknown", why: "it is given other arguments" });
});

/** out[index] = in[index], of rows and columns of 16 by 16 threads in grids of so many blocks. */
const tiled = (
  row: "x" | "y",
  grid: Launch["grid"],
  body: string,
): { readonly kernel: ReturnType<typeof parseKernel>; readonly launch: Launch } => {
  const column = row === "x" ? "y" : "x";
  return {
    launch: { ...launch(1, 1), grid, block: [16, 16, 1] },
    kernel: parseKernel(`kernel @k(%out: ptr f32, %in: ptr const f32, %n: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %width: i32 = const 512
  %side: i32 = const 16
  %tr: i32 = special tid.${row}
  %br: i32 = special ctaid.${row}
  %tc: i32 = special tid.${column}
  %bc: i32 = special ctaid.${column}
  %rows: i32 = mul %br, %side
  %row: i32 = add %rows, %tr
  %columns: i32 = mul %bc, %side
  %column: i32 = add %columns, %tc
  %from: i32 = mul %row, %width
  %i: i32 = add %from, %column
  %p: ptr = gep %in, %i, scale 4
  %v: f32 = load.global %p, align 4
  %two: f32 = const 2
  %twice: f32 = fmul %v, %two
  %q: ptr = gep %out, %i, scale 4
${body}
  return
}`),
  };
};

const store = "  store.global %q, %v, align 4";
test.each([
  ["x for y, in a square grid", "y", [32, 32, 1], store, "equal"],
  ["x for y in the grid, too", "y", [32, 64, 1], store, "equal"],
  ["x for y, and another value", "y", [32, 64, 1], store.replace("%v", "%twice"), "differs"],
] as const)("%s", (_, row, grid, body, outcome) => {
  const [columns, rows] = grid;
  const forth = tiled("x", [rows, columns, 1], store);
  expect(compareOutcomes(forth, tiled(row, grid, body), true, new Work())).toMatchObject({ outcome });
});

test("a sum by atomics says nothing of what is stored besides it", () => {
  const summing = (value: string): ReturnType<typeof parseKernel> =>
    parseKernel(`kernel @k(%out: ptr f32, %in: ptr const f32, %n: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %tx: i32 = special tid.x
  %p: ptr = gep %in, %tx, scale 4
  %v: f32 = load.global %p, align 4
  %third: f32 = const 0.3333333432674408
  %three: f32 = const 3
  %product: f32 = fmul %v, %third
  %quotient: f32 = fdiv %v, %three
  %q: ptr = gep %out, %tx, scale 4, offset 4
  store.global %q, %${value}, align 4
  %old: f32 = atomic.global.device.add %out, %${value}
  return
}`);
  const one = launch(1, 256);
  expect(
    compareOutcomes({ kernel: summing("product"), launch: one }, { kernel: summing("quotient"), launch: one }, true, new Work()),
  ).toMatchObject({ outcome: "differs", buffer: "out" });
});
