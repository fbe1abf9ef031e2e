import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { optimise } from "../passes/index.ts";
import { offsetOfParameter, pairConstants } from "./pair-constants.ts";
import { select } from "./select.ts";

/** Loads of constants for 9.0 of a kernel that scales by `uses` of its parameters or weights. */
function loadsOf(parameters: string, values: string, uses: readonly string[], globals = ""): string[] {
  const products = uses.map((use, k) => `  %s${k + 1}: f32 = fmul %s${k}, ${use}`).join("\n");
  const kernel = parseKernel(`kernel @k(%out: ptr f32, ${parameters}) {
${globals}entry:
  %out: ptr = param 0
${values}
  %i: i32 = special tid.x
  %o: ptr = gep %out, %i, scale 4
  %s0: f32 = load.global %o, align 4
${products}
  store.global %o, %s${uses.length}, align 4
  return
}`);
  optimise(kernel);
  const opcodes = [...select(kernel, 90).blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode));
  // Not the descriptor of global memory.
  const loads = opcodes.filter((opcode) => opcode.startsWith("ULDC"));
  loads.splice(loads.indexOf("ULDC.64"), 1);
  return loads.sort();
}

const floats = (names: string, from = 1): string => [...names].map((name, k) => `  %${name}: f32 = param ${k + from}`).join("\n");

test("neighbours on a multiple of eight bytes are loaded together, as nvcc 13.0 does", () => {
  // The pointer ends at 8.
  expect(loadsOf("%f: f32, %g: f32", floats("fg"), ["%f", "%g"])).toEqual(["ULDC.64"]);
  expect(loadsOf("%f: f32, %g: f32, %h: f32", floats("fgh"), ["%g", "%h"])).toEqual(["ULDC", "ULDC"]);
  expect(loadsOf("%f: f32, %g: f32, %h: f32", floats("fgh"), ["%f", "%g", "%h"])).toEqual(["ULDC", "ULDC.64"]);
});

test("so are elements of an array in constant memory, by where it begins", () => {
  const weight = (k: number): string =>
    `  %p${k}: ptr = gep %w, %zero, scale 1, offset ${4 * k}\n  %w${k}: f32 = load.constant %p${k}, align 4`;
  const four = `  %w: ptr = global.address 0\n  %zero: i32 = const 0\n${[0, 1, 2, 3].map(weight).join("\n")}`;
  const uses = ["%w0", "%w1", "%w2", "%w3"];
  expect(loadsOf("%n: i32", four, uses, "constant @w 16 align 4 at 0 f32\n")).toEqual(["ULDC.64", "ULDC.64"]);
  expect(loadsOf("%n: i32", four, uses, "constant @w 16 align 4 at 68 f32\n")).toEqual(["ULDC", "ULDC", "ULDC.64"]);
});

test("parameters stand on multiples of their own sizes", () => {
  const of = (...bytes: number[]) =>
    bytes.map((each, k) => ({ name: `p${k}`, bytes: each, type: each === 8 ? ("i64" as const) : ("i32" as const) }));
  const offsets = (parameters: ReturnType<typeof of>): number[] => parameters.map((_, k) => offsetOfParameter(parameters, k));
  expect(offsets(of(4, 8, 4, 4))).toEqual([0, 8, 16, 20]);
  expect(
    offsetOfParameter(
      [
        { name: "n", bytes: 4, type: "i32" },
        { name: "s", bytes: 24 },
      ],
      1,
    ),
  ).toBe(8);
});

test("code without constants stays as it is", () => {
  expect(pairConstants([], () => undefined)).toEqual([]);
});
