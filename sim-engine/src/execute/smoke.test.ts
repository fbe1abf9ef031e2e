import { expect, test } from "vitest";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { Work } from "../work.ts";
import { compile } from "./compile.ts";
import { Runner } from "./run.ts";
import { wholeKernel } from "./slice.ts";

const transpose = parseKernel(`kernel @transpose(%out: ptr f32, %in: ptr const f32, %n: i32) {
shared @tile 4096 align 4 dims 32x32 element 4
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %n: i32 = param 2
  %tx: i32 = special tid.x
  %ty: i32 = special tid.y
  %bx: i32 = special ctaid.x
  %by: i32 = special ctaid.y
  %c32: i32 = const 32
  %zero: i32 = const 0
  %eight: i32 = const 8
  %x0: i32 = mul %bx, %c32
  %x: i32 = add %x0, %tx
  %y0: i32 = mul %by, %c32
  %y: i32 = add %y0, %ty
  %tile: ptr = shared.address 0
  jump loop
loop:
  %j: i32 = phi [%zero, entry], [%j2, loop]
  %yj: i32 = add %y, %j
  %row: i32 = mul %yj, %n
  %i: i32 = add %row, %x
  %p: ptr = gep %in, %i, scale 4
  %v: f32 = load.global %p, align 4 !20
  %tyj: i32 = add %ty, %j
  %trow: ptr = gep %tile, %tyj, scale 128
  %tp: ptr = gep %trow, %tx, scale 4
  store.shared %tp, %v, align 4 !20
  %j2: i32 = add %j, %eight
  %more: i1 = icmp.slt %j2, %c32
  branch %more, loop, middle
middle:
  barrier
  %x1: i32 = add %y0, %tx
  %y1: i32 = add %x0, %ty
  jump loop2
loop2:
  %k: i32 = phi [%zero, middle], [%k2, loop2]
  %yk: i32 = add %y1, %k
  %orow: i32 = mul %yk, %n
  %oi: i32 = add %orow, %x1
  %op: ptr = gep %out, %oi, scale 4
  %tyk: i32 = add %ty, %k
  %srow: ptr = gep %tile, %tx, scale 128
  %sp: ptr = gep %srow, %tyk, scale 4
  %sv: f32 = load.shared %sp, align 4 !25
  store.global %op, %sv, align 4 !25
  %k2: i32 = add %k, %eight
  %more2: i1 = icmp.slt %k2, %c32
  branch %more2, loop2, done
done:
  return
}`);

const launch: Launch = {
  grid: [4, 4, 1],
  block: [32, 8, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "pointer", buffer: 1, offset: 0 },
    { kind: "scalar", value: 128 },
  ],
  buffers: [
    { name: "out", bytes: 65536, element: "f32", content: { kind: "zero" } },
    { name: "in", bytes: 65536, element: "f32", content: { kind: "linear", stride: 1, start: 0 } },
  ],
};

test.each([true, false])("a transpose through shared memory (all values: %s)", (whole) => {
  expect(verifyKernel(transpose)).toEqual([]);
  const program = compile(transpose, launch, whole ? { slice: wholeKernel } : {});
  const runner = new Runner(program, new Work(1e6));
  for (let y = 0; y < 4; y++) for (let x = 0; x < 4; x++) runner.runBlock([x, y, 0]);
  const counted = [...program.counters].map(([op, [counter]]) => [
    op.span.line,
    counter?.operation,
    counter?.space,
    counter?.requests,
    counter?.transactions,
    counter?.ideal,
  ]);
  expect(counted).toEqual([
    [20, "load", "global", 512, 2048, 2048],
    [20, "store", "shared", 512, 512, 512],
    [25, "load", "shared", 512, 16384, 512],
    [25, "store", "global", 512, 2048, 2048],
  ]);
  if (whole) {
    const start = program.environment.bufferStarts[0] ?? 0;
    for (const [row, column] of [
      [0, 0],
      [3, 70],
      [127, 1],
    ] as const)
      expect(program.environment.read(start + 4 * (row * 128 + column), "f32", 0)).toBe(column * 128 + row);
  }
});
