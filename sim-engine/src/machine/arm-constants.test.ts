/** Code as nvcc 13.0 writes it for 9.0. */
import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { optimise } from "../passes/index.ts";
import { select } from "./select.ts";

/** Of `before; if (i + k < n) s += in[(i + k) * pitch] * f`, for two k, and `after`: its constants, `@` where under a predicate. */
function constantsOf(before: string, after: string, bound = "%i"): string[] {
  const arm = (k: number): string => `
  %k${k}: i32 = const ${k}
  %at${k}: i32 = add ${bound}, %k${k}
  %inside${k}: i1 = icmp.slt %at${k}, %n
  branch %inside${k}, arm${k}, join${k}
arm${k}:
  %row${k}: i32 = mul %at${k}, %pitch
  %p${k}: ptr = gep %in, %row${k}, scale 4
  %v${k}: f32 = load.global %p${k}, align 4
  %t${k}: f32 = fmul %v${k}, %f
  %u${k}: f32 = fadd %t${k}, %s${k - 1}
  jump join${k}
join${k}:
  %s${k}: f32 = phi [%u${k}, arm${k}], [%s${k - 1}, ${k === 1 ? "entry" : `join${k - 1}`}]`;
  const kernel = parseKernel(`kernel @k(%n: i32, %pitch: i32, %f: f32, %in: ptr f32, %out: ptr f32) {
entry:
  %n: i32 = param 0
  %pitch: i32 = param 1
  %f: f32 = param 2
  %in: ptr = param 3
  %out: ptr = param 4
  %i: i32 = special tid.x
  %b: i32 = special ctaid.x
  %s0: f32 = const 0
  ${before}${arm(1)}${arm(2)}
  ${after}
  %o: ptr = gep %out, %i, scale 4
  store.global %o, %s2, align 4
  return
}`);
  optimise(kernel);
  const { blocks } = select(kernel, 90);
  const code = [...blocks.values()].flatMap(({ instructions }) => instructions);
  return code
    .flatMap(({ opcode, predicated }) => (/^U?LDC/.test(opcode) && opcode !== "ULDC.64" ? `${predicated ? "@" : ""}${opcode}` : []))
    .sort();
}

/** The stack, `out` and `n`. */
const usual = ["LDC", "LDC.64", "ULDC"];

test("arms load what only they need, each for itself", () => {
  expect(constantsOf("", "")).toEqual([...["@LDC", "@LDC", "@LDC", "@LDC", "@LDC.64", "@LDC.64"], ...usual]);
});

test("what code before them has loaded they find there, what code behind them loads they do not", () => {
  const store = `%q: ptr = gep %out, %pitch, scale 4
  store.global %q, %f, align 4`;
  // %n and %pitch stand beside each other: `ULDC.64`, which is not told from that of the descriptor.
  expect(constantsOf(store, "")).toEqual(["@LDC.64", "@LDC.64", "LDC", "LDC.64", "ULDC"]);
  expect(constantsOf("", store).filter((opcode) => opcode.startsWith("@"))).toEqual(["@LDC", "@LDC", "@LDC", "@LDC", "@LDC.64", "@LDC.64"]);
});

test("so do arms that the whole warp goes through or not", () => {
  expect(constantsOf("", "", "%b").filter((opcode) => opcode.startsWith("@"))).toEqual([
    "@LDC",
    "@LDC",
    "@LDC",
    "@LDC",
    "@LDC.64",
    "@LDC.64",
  ]);
});
