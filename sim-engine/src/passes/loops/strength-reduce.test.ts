import { expect, test } from "vitest";
import { fold } from "../fold/fold.ts";
import { common, counted, runPasses } from "../testing/run-passes.ts";
import { hoistInvariants } from "./licm.ts";
import { reduceStrength } from "./strength-reduce.ts";

test("an address that moves on by a stride becomes a pointer that does", () => {
  const body =
    "%20: i32 = mul.exact %10, %3\n  %21: i32 = add.exact %20, %4\n  %22: ptr = gep %2, %21, scale 4, offset 0\n  store.global %22, %8, align 4";
  const text = runPasses(counted(body), reduceStrength);
  const loop = text.slice(text.indexOf("phi"));
  expect(loop).toMatch(/ptr = phi/);
  expect(loop).toMatch(/gep %\d+, %3, scale 4/);
  expect(loop).not.toMatch(/mul/);
  // What may wrap is computed anew each time.
  expect(runPasses(counted(body.replaceAll(".exact", "")), reduceStrength)).not.toMatch(/ptr = phi/);
});

test("rows very far apart have a pointer each", () => {
  const row = (first: number, offset: number) =>
    `%${first}: i32 = const ${offset}\n  %${first + 1}: i32 = add.exact %10, %${first}\n  %${first + 2}: i32 = mul.exact %${first + 1}, %3\n` +
    `  %${first + 3}: ptr = gep %2, %${first + 2}, scale 4, offset 0\n  store.global %${first + 3}, %8, align 4`;
  const text = runPasses(counted(`${row(20, 0)}\n  ${row(30, 1)}\n  ${row(40, 900_000_000)}`), hoistInvariants, reduceStrength);
  expect(text.match(/ptr = phi/g)?.length).toBe(2);
});

test("a row of a row of a tensor is reached by a pointer too", () => {
  // ((n * tid + i) * (n * tid)) * 4
  const text = runPasses(
    counted(
      "%20: i32 = mul.exact %3, %4\n  %21: i64 = sext %20\n  %22: i64 = sext %10\n  %23: i64 = add %21, %22\n  %24: i64 = mul %23, %21\n  %25: ptr = gep %2, %24, scale 4, offset 0\n  store.global %25, %8, align 4",
    ),
    hoistInvariants,
    reduceStrength,
  );
  expect(text.slice(text.indexOf("phi"))).not.toMatch(/mul/);
});

test("a long index that moves on by what the loop does not change becomes a pointer, but not one that the loop is tested by", () => {
  const plane = "%20: i64 = sext %3\n  %21: i64 = sext %4";
  const loop = (test: string) => `b0:${common}
  ${plane}
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%30, b1]
  %11: i64 = phi [%21, b0], [%31, b1]
  %22: ptr = gep %2, %11, scale 4, offset 0
  store.global %22, %8, align 4
  %30: i32 = add.exact %10, %6
  %31: i64 = add.exact %11, %20
  %32: i1 = icmp.slt ${test}
  branch %32, b1, b2
b2:
  return`;
  const text = runPasses(loop("%30, %3"), reduceStrength);
  expect(text).toMatch(/ptr = phi/);
  expect(text).not.toMatch(/i64 = phi/);
  expect(runPasses(loop("%31, %20"), reduceStrength)).not.toMatch(/ptr = phi/);
});

test("every eighth row of a turn is reached from the one before in one step", () => {
  const row = (first: number, ahead: number) =>
    `%${first}: i32 = const ${ahead}\n  %${first + 1}: i32 = add.exact %10, %${first}\n  %${first + 2}: i32 = mul.exact %${first + 1}, %3\n` +
    `  %${first + 3}: ptr = gep %2, %${first + 2}, scale 4, offset 0\n  store.global %${first + 3}, %8, align 4`;
  const byEight = counted(`${row(20, 0)}\n  ${row(30, 8)}\n  ${row(40, 24)}`).replace(
    "%11: i32 = add.exact %10, %6",
    "%11: i32 = add.exact %10, %7",
  );
  const text = runPasses(byEight, hoistInvariants, reduceStrength);
  expect(text.match(/ptr = phi/g)?.length).toBe(1);
  expect(text.slice(text.indexOf("ptr = phi")).match(/= gep/g)?.length).toBeLessThanOrEqual(4);
});

const pitched = (first: number, row: number) =>
  `%${first}: i32 = const ${row}\n  %${first + 1}: i32 = mul.exact %4, %${first}\n  %${first + 2}: i32 = add.exact %10, %${first + 1}\n` +
  `  %${first + 3}: ptr = gep %2, %${first + 2}, scale 4, offset 0\n  store.global %${first + 3}, %8, align 4`;

test("rows of a tile are reached from the row before, and one pointer is advanced", () => {
  const rows = counted(`${pitched(20, 0)}\n  ${pitched(30, 1)}\n  ${pitched(40, 2)}\n  ${pitched(50, 4)}`);
  const text = runPasses(rows, fold, hoistInvariants, reduceStrength);
  expect(text.match(/ptr = phi/g)?.length).toBe(1);
  expect(text.match(/gep %\d+, %4, scale 4/g)?.length).toBe(2);
});

test("rows that were taken out of a loop before it was unrolled have a pointer each", () => {
  const rows = counted(`${pitched(20, 0)}\n  ${pitched(30, 1)}`).replace("b1:", "b1: unroll 0");
  expect(runPasses(rows, fold, hoistInvariants, reduceStrength).match(/ptr = phi/g)?.length).toBe(2);
});

test("rows that are read before the loop, too, have a pointer each", () => {
  const before = [20, 30]
    .map((first, row) =>
      pitched(first, row)
        .replaceAll("%10", "%5")
        .replaceAll(/%([23]\d)\b/g, "%1$1"),
    )
    .join("\n  ");
  const rows = counted(`${pitched(20, 0)}\n  ${pitched(30, 1)}`).replace("jump b1", `${before}\n  jump b1`);
  expect(runPasses(rows, fold, hoistInvariants, reduceStrength).match(/ptr = phi/g)?.length).toBe(2);
});

test("where several fragments of a matrix begin in a turn stays an index, that of one alone becomes a pointer", () => {
  const fragment = (first: number, ahead: number) =>
    `%${first}: i32 = const ${ahead}\n  %${first + 1}: i32 = add.exact %10, %${first}\n  %${first + 2}: ptr = gep %2, %${first + 1}, scale 4, offset 0\n` +
    `  %${first + 3}: i32 = special laneid\n  %${first + 4}: ptr = gep %${first + 2}, %${first + 3}, scale 4, lane\n  store.global %${first + 4}, %8, align 4`;
  expect(runPasses(counted(fragment(20, 0)), hoistInvariants, reduceStrength)).toMatch(/ptr = phi/);
  expect(runPasses(counted(`${fragment(20, 0)}\n  ${fragment(30, 16)}`), hoistInvariants, reduceStrength)).not.toMatch(/ptr = phi/);
});

test("what lies beside a pointer that goes on by planes is computed from it in each turn, and that pointer alone is advanced", () => {
  const beside = (first: number, op: string) =>
    `%${first}: i64 = ${op}.exact %11, %21\n  %${first + 1}: ptr = gep %2, %${first}, scale 4, offset 0\n  store.global %${first + 1}, %8, align 4`;
  const planes = `b0:${common}
  %20: i64 = sext %3
  %21: i64 = sext %4
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%50, b1]
  %11: i64 = phi [%21, b0], [%51, b1]
  %22: ptr = gep %2, %11, scale 4, offset 0
  store.global %22, %8, align 4
  ${beside(30, "add")}
  ${beside(40, "sub")}
  %50: i32 = add.exact %10, %6
  %51: i64 = add.exact %11, %20
  %52: i1 = icmp.slt %50, %3
  branch %52, b1, b2
b2:
  return`;
  const text = runPasses(planes, reduceStrength);
  expect(text.match(/ptr = phi/g)?.length).toBe(1);
  // Their distances in bytes are made before the loop.
  const loop = text.slice(text.indexOf("phi"));
  expect(loop.match(/gep %\d+, %\d+, scale 1/g)?.length).toBe(2);
  expect(loop).not.toMatch(/mul/);
});
