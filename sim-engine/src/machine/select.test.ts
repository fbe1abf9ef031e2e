/** Code as nvcc 13.0 writes it, for kernels small enough to compare line by line. */
import { describe, expect, test } from "vitest";
import { expansion, opcodesOf } from "../compilers/expansions.ts";
import { parseKernel } from "../ir/text.ts";
import { optimise } from "../passes/index.ts";
import { select } from "./select.ts";

/** `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { body }`, as a front end lowers it. */
const guarded = (
  body: string,
  parameters = "%n: i32, %a: f32, %x: ptr const f32, %y: ptr f32",
  attributes = "",
): string => `kernel @k(${parameters})${attributes} {
b0:
  %i: ptr = alloca 4, align 4, "i"
  %1: i32 = special ctaid.x
  %2: i32 = special ntid.x
  %3: i32 = mul %1, %2
  %4: i32 = special tid.x
  %5: i32 = add %3, %4
  store.local %i, %5, align 4
  %6: i32 = load.local %i, align 4
  %7: i32 = param 0
  %8: i1 = icmp.slt %6, %7
  branch %8, b1, b2
b1:
  %10: i32 = load.local %i, align 4
  ${body.trim().split("\n").join("\n  ")}
  jump b2
b2:
  return
}
`;

const saxpy = guarded(`
%11: ptr = param 2
%12: ptr = gep %11, %10, scale 4, offset 0
%13: f32 = load.generic %12, align 4
%14: f32 = param 1
%15: f32 = fmul %14, %13
%16: ptr = param 3
%17: ptr = gep %16, %10, scale 4, offset 0
%18: f32 = load.generic %17, align 4
%19: f32 = fadd %15, %18
%20: ptr = gep %16, %10, scale 4, offset 0
store.generic %20, %19, align 4`);

function code(text: string, computeCapability: number): { readonly opcodes: string[]; readonly registers: number } {
  const kernel = parseKernel(text);
  optimise(kernel);
  const machine = select(kernel, computeCapability);
  return {
    opcodes: [...machine.blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode)),
    registers: machine.registers.value,
  };
}

const sorted = (text: string): string[] => text.trim().split(/\s+/).sort();

test("saxpy for 9.0", () => {
  expect(code(saxpy, 90).opcodes.sort()).toEqual(
    sorted("LDC S2R S2UR ULDC IMAD ULDC ISETP EXIT LDC.64 ULDC.64 ULDC LDC.64 IMAD.WIDE LDG.E IMAD.WIDE LDG.E FFMA STG.E EXIT"),
  );
});

test("saxpy for 8.0: operands come from the constant bank", () => {
  expect(code(saxpy, 80).opcodes.sort()).toEqual(
    sorted("IMAD.MOV S2UR S2R IMAD ISETP EXIT HFMA2 ULDC.64 IMAD.WIDE LDG.E IMAD.WIDE LDG.E FFMA STG.E EXIT"),
  );
});

// nvcc 13.0: `min(min(a, b), c)` is VIMNMX3, `min(min(a, b), min(c, d))` VIMNMX and that; `max(min(a, b), c)` stays two, as on 8.0 and 12.0 all do; `max(0, …)` of any of them is none more.
test.each([
  ["smin %20, %21\n%31: i32 = smin %30, %22", 90, ["VIMNMX3"]],
  ["smin %20, %21\n%31: i32 = smin %30, %22", 80, ["VIMNMX", "VIMNMX"]],
  ["smin %20, %21\n%31: i32 = smin %30, %22", 120, ["VIMNMX", "VIMNMX"]],
  ["smin %20, %21\n%31: i32 = smax %30, %22", 90, ["VIMNMX", "VIMNMX"]],
  ["smin %20, %21\n%32: i32 = smin %22, %23\n%31: i32 = smin %30, %32", 90, ["VIMNMX", "VIMNMX3"]],
  ["umax %20, %21\n%32: i32 = umax %30, %22\n%31: i32 = umax %32, %23", 90, ["VIMNMX", "VIMNMX3"]],
  ["add %20, %21\n%32: i32 = smax %30, %22\n%31: i32 = smax %32, %23", 90, ["VIADDMNMX", "VIMNMX"]],
  ["smin %20, %21\n%33: i32 = const 0\n%31: i32 = smax %33, %30", 90, ["VIMNMX.RELU"]],
  ["add %20, %21\n%32: i32 = smax %30, %22\n%33: i32 = const 0\n%31: i32 = smax %33, %32", 90, ["VIADDMNMX.RELU"]],
  ["smax %20, %21\n%32: i32 = smax %30, %22\n%33: i32 = const 0\n%31: i32 = smax %33, %32", 90, ["VIMNMX3.RELU"]],
  ["const 0\n%32: i32 = smax %20, %30\n%31: i32 = smin %32, %21", 90, ["VIMNMX", "VIMNMX"]],
])("extremes of three are one instruction where there is one: %s for %i", (chosen, computeCapability, expected) => {
  const loads = [0, 1, 2, 3].map(
    (k) => `%12${k}: ptr = gep %11, %10, scale 4, offset ${4096 * k}\n%2${k}: i32 = load.generic %12${k}, align 4`,
  );
  const body = `
%11: ptr = param 1
${loads.join("\n")}
%30: i32 = ${chosen}
%13: ptr = param 2
%14: ptr = gep %13, %10, scale 4, offset 0
store.generic %14, %31, align 4`;
  const { opcodes } = code(guarded(body, "%n: i32, %x: ptr const i32, %y: ptr i32"), computeCapability);
  expect(opcodes.filter((opcode) => opcode.includes("MNMX")).sort()).toEqual(expected.toSorted());
});

test("loads start before what waits for any of them", () => {
  const { opcodes } = code(saxpy, 90);
  const [first, second] = opcodes.flatMap((opcode, at) => (opcode === "LDG.E" ? [at] : []));
  expect(second).toBeLessThan(opcodes.indexOf("FFMA"));
  expect(opcodes.slice(first, second).filter((opcode) => opcode.startsWith("F"))).toEqual([]);
});

test("no kernel is given fewer than 16 registers, nor more than its bounds allow", () => {
  expect(code(saxpy, 90).registers).toBe(16);
  const wide = guarded(
    Array.from(
      { length: 80 },
      (_, k) =>
        `%c${k}: i32 = const ${k * 4096}\n%j${k}: i32 = add.exact %10, %c${k}\n%q${k}: i32 = mul.exact %j${k}, %7\n%p${k}: ptr = gep %11, %q${k}, scale 4, offset 0\n%v${k}: f32 = load.generic %p${k}, align 4`,
    )
      .join("\n")
      .replace(/^/, "%11: ptr = param 2\n") +
      `\n%16: ptr = param 3\n${Array.from({ length: 80 }, (_, k) => `%o${k}: ptr = gep %16, %10, scale 4, offset ${k * 4}\nstore.generic %o${k}, %v${k}, align 4`).join("\n")}`,
  );
  expect(code(wide, 90).registers).toBeGreaterThan(64);
  expect(code(wide.replace(") {", ") max_threads 1024 {"), 90).registers).toBeLessThanOrEqual(64);
  expect(code(wide.replace(") {", ") max_registers 40 {"), 90).registers).toBeLessThanOrEqual(40);
});

/** `if (v > a) { v = v * c + a, k times; y[i + 99] = v; }` and a store behind. */
const arm = (length: number): string =>
  guarded("jump b2", "%n: i32, %a: f32, %y: ptr f32").replace(
    /b1:[\s\S]*/,
    `b1:
  %10: i32 = load.local %i, align 4
  %11: ptr = param 2
  %12: ptr = gep %11, %10, scale 4, offset 0
  %13: f32 = load.generic %12, align 4
  %14: f32 = param 1
  %15: i1 = fcmp.ogt %13, %14
  branch %15, b3, b4
b3:
${Array.from({ length }, (_, k) => `  %c${k}: f32 = const ${k + 1.5}\n  %m${k}: f32 = fmul ${k === 0 ? "%13" : `%s${k - 1}`}, %c${k}\n  %s${k}: f32 = fadd %m${k}, %14`).join("\n")}
  %29: i32 = const 0
  %30: ptr = gep %12, %29, scale 1, offset 396
  store.generic %30, %s${length - 1}, align 4
  jump b4
b4:
  %40: f32 = fadd %13, %13
  store.generic %12, %40, align 4
  jump b2
b2:
  return
}
`,
  );

test.each([
  [7, 0],
  [8, 1],
])("an arm of %i sums and a store: %i branches", (length, branches) => {
  const { opcodes } = code(arm(length), 90);
  expect(opcodes.filter((opcode) => opcode === "BRA")).toHaveLength(branches);
  expect(opcodes.filter((opcode) => opcode === "BSSY")).toHaveLength(branches);
});

test("a loop ends with one branch, and leaves by an exit that counts once", () => {
  const kernel = parseKernel(
    guarded(
      `
%11: ptr = param 2
%12: i32 = param 0
jump b5`,
      "%n: i32, %a: f32, %y: ptr i32",
    ).replace(
      "  jump b2\nb2:",
      `b5:
  %20: i32 = load.local %i, align 4
  %21: ptr = gep %11, %20, scale 4, offset 0
  %22: i32 = atomic.global.device.add %21, %20
  %23: i32 = add %20, %2
  store.local %i, %23, align 4
  %24: i1 = icmp.slt %23, %12
  branch %24, b5, b2
b2:`,
    ),
  );
  optimise(kernel);
  const machine = select(kernel, 90);
  const loop = [...machine.blocks.values()].find(({ block }) => block.end.kind === "branch" && block.end.then === block);
  expect(loop?.instructions.map(({ opcode }) => opcode)).toEqual(["IMAD.WIDE", "RED", "IADD3", "ISETP", "BRA"]);
});

describe("library functions and divisions take as many instructions as were measured on an H200", () => {
  test.each([
    ["div", 10],
    ["rcp", 10],
    ["sqrt", 10],
    ["rsqrt", 4],
    ["exp", 9],
    ["exp2", 4],
    ["log", 28],
    ["log2", 30],
    ["log10", 29],
    ["sin", 28],
    ["cos", 29],
    ["tan", 25],
    ["tanh", 17],
    ["cosh", 16],
    ["atan", 19],
    ["asin", 25],
    ["acos", 26],
    ["cbrt", 16],
    ["hypot", 25],
    ["round", 4],
  ])("%s of floats: %i", (name, count) => {
    expect(expansion(name, "f32", false)).toHaveLength(count);
  });
  test.each([
    ["exp", 5],
    ["log", 4],
    ["sin", 2],
    ["cos", 2],
    ["div", 5],
    ["pow", 9],
  ])("fast %s: %i", (name, count) => {
    expect(expansion(name, "f32", true)).toHaveLength(count);
  });
  test.each([
    ["div", 16],
    ["sqrt", 18],
    ["rsqrt", 14],
    ["log", 84],
    ["min", 8],
  ])("%s of doubles: %i", (name, count) => {
    expect(expansion(name, "f64", false)).toHaveLength(count);
  });
  test.each([
    ["udiv", "reciprocal", 18],
    ["urem", "reciprocal", 17],
    ["sdiv", "signedReciprocal", 24],
    ["srem", "signedReciprocal", 22],
  ])("%s with its %s: %i", (name, reciprocal, count) => {
    expect((opcodesOf(`i32.${name}`)?.length ?? 0) + (opcodesOf(`i32.${reciprocal}`)?.length ?? 0)).toBe(count);
  });
});

describe("arms without branches (heat3dMarch of validation/h200-programs)", () => {
  /** `tile[0] = x[i]; if (i > 1) tile[1] = x[i + 100]; if (i > 2) tile[2] = x[i + 200]; __syncthreads(); y[i] = tile[0] + x[i + 300];` */
  const halo = (restrict: string): string =>
    `kernel @k(%x: ptr const f32${restrict}, %y: ptr f32${restrict}) {
shared @tile 4096 align 4 dims 32x32 element 4
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special tid.x
  %4: ptr = gep %1, %3, scale 4, offset 0
  %5: ptr = shared.address 0
  %6: f32 = load.generic %4, align 4
  %7: i32 = const 0
  store.shared %5, %6, align 4
  %8: i32 = const 1
  %9: i1 = icmp.sgt %3, %8
  branch %9, b1, b2
b1:
  %10: ptr = gep %4, %7, scale 1, offset 400
  %11: f32 = load.generic %10, align 4
  %12: ptr = gep %5, %7, scale 1, offset 4
  store.shared %12, %11, align 4
  jump b2
b2:
  %20: i32 = const 2
  %21: i1 = icmp.sgt %3, %20
  branch %21, b3, b4
b3:
  %22: ptr = gep %4, %7, scale 1, offset 800
  %23: f32 = load.generic %22, align 4
  %24: ptr = gep %5, %7, scale 1, offset 8
  store.shared %24, %23, align 4
  jump b4
b4:
  barrier
  %30: ptr = gep %4, %7, scale 1, offset 1200
  %31: f32 = load.generic %30, align 4
  %32: f32 = load.shared %5, align 4
  %33: f32 = fadd %31, %32
  %34: ptr = gep %2, %3, scale 4, offset 0
  store.generic %34, %33, align 4
  return
}
`;
  const order = (restrict: string): string =>
    code(halo(restrict), 90)
      .opcodes.filter((each) => /^(LDG|STS|BAR|BRA)/.test(each))
      .join(" ");

  test("load together, before anything of them is stored", () => expect(order("")).toBe("LDG.E LDG.E LDG.E STS STS STS BAR.SYNC LDG.E"));

  test("and what nobody writes is loaded before a barrier that stands in front of it", () =>
    expect(order(" restrict")).toBe("LDG.E LDG.E LDG.E LDG.E STS STS STS BAR.SYNC"));
});

test("a pipelined loop loads the next step's words where the phis that take them stand", () => {
  const code = select(
    parseKernel(`kernel @k(%x: ptr f32, %y: ptr f32, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = const 0
  %5: i32 = const 1
  %6: f32x2 = load.global %1, align 8
  %7: f32 = extract %6, 0
  %8: f32 = extract %6, 1
  jump b1
b1:
  %10: i32 = phi [%4, b0], [%20, b1]
  %11: f32 = phi [%7, b0], [%17, b1]
  %12: f32 = phi [%8, b0], [%18, b1]
  %13: f32 = fadd %11, %12
  %14: ptr = gep %2, %10, scale 4, offset 0
  store.global %14, %13, align 4
  %15: ptr = gep %1, %10, scale 8, offset 8
  %16: f32x2 = load.global %15, align 8
  %17: f32 = extract %16, 0
  %18: f32 = extract %16, 1
  %20: i32 = add %10, %5
  %21: i1 = icmp.slt %20, %3
  branch %21, b1, b2
b2:
  return
}
`),
    90,
  );
  const loop = [...code.blocks.values()][1]?.instructions.map(({ opcode }) => opcode) ?? [];
  expect(loop).toContain("LDG.E.64");
  expect(loop.filter((opcode) => opcode.startsWith("IMAD.MOV"))).toEqual([]);
});

/** A row's offset, which a guarded arm reads by `arm`, and what goes on behind it by `behind`. */
const row = (behind: string) => `kernel @k(%n: i32, %pitch: i32, %x: ptr f32) {
b0:
  %1: i32 = special ctaid.x
  %2: i64 = sext %1
  %3: i32 = param 1
  %4: i64 = sext %3
  %5: i64 = mul.exact %2, %4
  %6: i32 = special tid.x
  %7: i32 = param 0
  %8: ptr = param 2
  %9: i64 = zext %6
  %10: i64 = add.exact %5, %9
  ${behind}
  %11: i1 = icmp.slt %6, %7
  branch %11, b1, b2
b1:
  %19: i64 = zext %7
  %20: i64 = add.exact %5, %19
  %21: ptr = gep %8, %20, scale 8, offset 0
  %22: f32 = load.global %21, align 4
  %23: f32 = fadd %22, %22
  store.global %21, %23, align 4
  jump b2
b2:
  return
}
`;

test("a long that all lanes need, and other blocks too, is computed by the warp's datapath; one that some lanes need lane by lane", () => {
  const read =
    "%30: ptr = gep %8, %10, scale 4, offset 0\n  %31: f32 = load.global %30, align 4\n  %32: f32 = fadd %31, %31\n  store.global %30, %32, align 4";
  expect(code(row(read), 90).opcodes).toContain("UIMAD.WIDE");
  expect(code(row(""), 90).opcodes.filter((opcode) => /^U(?!LDC)/.test(opcode))).toEqual([]);
  // There is no such datapath before 7.5.
  expect(code(row(read), 70).opcodes.filter((opcode) => opcode.startsWith("U"))).toEqual([]);
});
