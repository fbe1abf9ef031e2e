/** Where what comparisons read stands: of loops whose counter and bound are the same for all threads. */
import { expect, test } from "vitest";
import { compiledFor } from "../compiled.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";

/** `float a = 0; for (int i = 0; i < last; i++) a = a * x + i;`, not unrolled. */
const loop = (last: string): string => `kernel @k(%n: i32, %x: f32, %o: ptr f32) {
b0:
  %1: i32 = const 0
  %2: f32 = const 0
  %3: f32 = param 1
  %4: i32 = param 0
  %5: i32 = const 3
  %6: i32 = ${last}
  jump b1
b1: unroll 1
  %10: i32 = phi [%1, b0], [%16, b2]
  %11: f32 = phi [%2, b0], [%14, b2]
  %12: i1 = icmp.slt %10, %6
  branch %12, b2, b3
b2:
  %13: f32 = sitofp %10
  %14: f32 = fma %11, %3, %13
  %15: i32 = const 1
  %16: i32 = add %10, %15
  jump b1
b3:
  %20: ptr = param 2
  store.global %20, %11, align 4
  return
}
`;

function comparison(last: string): string {
  const { machine } = compiledFor(parseKernel(loop(last)), 90, new Work());
  const ends = [...machine.blocks].flatMap(([block, { instructions }]) =>
    block.end.kind === "branch" && block.predecessors.includes(block) ? [instructions] : [],
  );
  const [{ uses } = { uses: [] }] = (ends[0] ?? []).filter(({ opcode }) => opcode === "ISETP");
  return uses.map(({ file }) => file).join(" ");
}

test.each([
  ["const 100", "R"],
  ["param 0", "R UR"],
  ["and %4, %5", "R UR"],
])("a counter below `%s` is compared as %s", (last, files) => {
  expect(comparison(last).split(" ").sort().join(" ")).toBe(files);
});

test("fields of a parameter that is passed by value are loaded for the warp, pointers among them for each thread", () => {
  const { machine } = compiledFor(
    parseKernel(`kernel @k(%p: bytes 16) {
b0:
  %9: i32 = const 0
  %1: ptr = param.address 0
  %2: ptr = load.param %1, align 8
  %3: ptr = gep %1, %9, scale 1, offset 8
  %4: f32 = load.param %3, align 4
  %5: i32 = special tid.x
  %6: ptr = gep %2, %5, scale 4, offset 0
  %7: f32 = load.global %6, align 4
  %8: f32 = fmul %7, %4
  store.global %6, %8, align 4
  return
}
`),
    90,
    new Work(),
  );
  const loads = [...machine.blocks.values()].flatMap(({ instructions }) => instructions.filter(({ op }) => op?.action.kind === "load"));
  expect(loads.map(({ opcode, defs }) => `${opcode} ${defs.map(({ file }) => file).join(" ")}`).sort()).toEqual([
    "LDC.64 R",
    "LDG.E R",
    "ULDC UR",
  ]);
});
