import { expect, test } from "vitest";
import { cloneKernel, linkBlocks } from "./builder.ts";
import { dominators, findLoops, postDominators, reversePostorder } from "./graph.ts";
import { parseKernel, printKernel } from "./text.ts";
import { verifyKernel } from "./verify.ts";

const sum = `kernel @sum<"float", "32">(%out: ptr f32 restrict, %in: ptr const f32, %n: i32, %box: bytes 24) max_threads 256 min_blocks 2 {
file "sum.cu"
shared @tile 4224 align 4 dims 32x33 element 4 !0/3:10-20
shared @rest dynamic align 16 dims - element 1
constant @table 64 align 4 at 68 f32 content {"kind":"linear","stride":1,"start":0}
b0:
  %1: ptr = alloca 4, align 4, "a, b"
  %2: i32 = special tid.x !4
  %3: i32 = param 2
  %4: ptr = param 1
  %5: f32 = const 0.5
  %6: i64 = const -7
  jump b7
b7: unroll 4
  %10: i32 = phi [%2, b0], [%14, b8]
  %11: f32 = phi [%5, b0], [%16, b8] !5
  %12: i1 = icmp.slt %10, %3
  branch %12, b8, b9 !0/5:30-40
b8:
  %13: ptr = gep %4, %10, scale 16, offset 4
  %15: f32x4 = load.global %13, align 16, volatile, atomic block, nc !6
  %17: f32 = extract %15, 2
  %16: f32 = fadd %11, %17
  %14: i32 = add.exact %10, %3
  jump b7
b9:
  %20: f32 = math.sqrt.fast %11
  %21: ptr = param 0
  %22: i32 = const -1
  %23: f32 = shuffle.down.32 %22, %20, %2
  %24: f32 = atomic.global.device.add %21, %23
  store.global %21, %23, %20, align 8
  barrier
  call.printf %3, %20
  %26: f32 = unknown "nobody \\"knows\\""
  return
}
`;

test("printing what was parsed gives the same text", () => {
  const kernel = parseKernel(sum);
  expect(verifyKernel(kernel)).toEqual([]);
  expect(printKernel(kernel)).toBe(sum);
  expect(printKernel(cloneKernel(kernel))).toBe(sum);
});

test("a clone shares no operation or block", () => {
  const kernel = parseKernel(sum);
  const clone = cloneKernel(kernel);
  for (const block of clone.blocks) {
    block.ops.length = 0;
    block.predecessors.length = 0;
  }
  expect(printKernel(kernel)).toBe(sum);
});

test("loops, dominance and orders", () => {
  const kernel = parseKernel(sum);
  const [entry, header, body, exit] = kernel.blocks;
  if (!entry || !header || !body || !exit) throw new Error("four blocks");
  expect(reversePostorder(kernel)).toEqual([entry, header, body, exit]);
  const tree = dominators(kernel);
  expect(tree.parent(body)).toBe(header);
  expect(tree.dominates(header, exit)).toBe(true);
  expect(tree.dominates(body, exit)).toBe(false);
  const post = postDominators(kernel);
  expect(post.parent(header)).toBe(exit);
  expect(post.parent(body)).toBe(header);
  expect(post.parent(exit)).toBeUndefined();
  const [loop] = findLoops(kernel);
  expect(loop?.header).toBe(header);
  expect([...(loop?.blocks ?? [])]).toEqual([header, body]);
  expect(loop?.exits).toEqual([{ from: header, to: exit }]);
});

test("linking drops unreachable blocks and their phi operands", () => {
  const kernel = parseKernel(sum);
  const [entry, header, body] = kernel.blocks;
  if (!entry || !header || !body) throw new Error("three blocks");
  body.end = { kind: "return" };
  linkBlocks(kernel);
  expect(header.predecessors).toEqual([entry]);
  expect(header.phis.map((phi) => phi.args.map((arg) => arg.id))).toEqual([[2], [5]]);
  expect(verifyKernel(kernel)).toEqual([]);
});

test("a loop without a way out still has post-dominators", () => {
  const kernel = parseKernel("kernel @forever() {\nb0:\n  jump b1\nb1:\n  jump b1\n}");
  const post = postDominators(kernel);
  expect(kernel.blocks.map((block) => post.has(block))).toEqual([true, true]);
});

test.each([
  ["a use before its definition", "b0:\n  %1: i32 = add %2, %2\n  %2: i32 = const 1", "does not dominate"],
  ["operands of another type", "b0:\n  %1: i32 = const 1\n  %2: i64 = add %1, %1", "operands are not all i64"],
  ["a branch on an integer", "b0:\n  %1: i32 = const 1\n  branch %1, b1, b1\nb1:\n  return", "not i1"],
  ["a narrowing sext", "b0:\n  %1: i32 = const 1\n  %2: i8 = sext %1", "no sext from i32 to i8"],
  ["a phi short of operands", "b0:\n  %1: i1 = const 1\n  branch %1, b1, b1\nb1:\n  %2: i1 = phi [%1, b0]", "phi of 1 operands"],
])("verify finds %s", (_name, body, problem) => {
  expect(verifyKernel(parseKernel(`kernel @k() {\n${body}\n}`)).join("\n")).toContain(problem);
});

test.each([
  ["an unknown operation", "b0:\n  %1: i32 = frobnicate"],
  ["an undefined value", "b0:\n  %1: i32 = add %7, %7"],
  ["a missing block", "b0:\n  jump b5"],
])("the parser names the line of %s", (_name, body) => {
  expect(() => parseKernel(`kernel @k() {\n${body}\n}`)).toThrow(/^line 3: /);
});
