import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { select } from "./select.ts";

/** The arithmetic of halves and what puts them together, as nvcc 13.0 compiles it for 9.0; `%x0 %x1` and `%y0 %y1` are words of two. */
const code = (ops: string, computeCapability = 90): string => {
  const text = `kernel @k(%a: ptr f16) {
b0:
  %1: ptr = param 0
  %2: i32 = special tid.x
  %3: ptr = gep %1, %2, scale 4
  %4: ptr = gep %3, %2, scale 0, offset 64
  %5: f16x2 = load.global %3, align 4
  %6: f16 = extract %5, 0
  %7: f16 = extract %5, 1
  %8: f16x2 = load.global %4, align 4
  %9: f16 = extract %8, 0
  %10: f16 = extract %8, 1
  ${ops.split("; ").join("\n  ")}
}
`;
  const { blocks } = select(parseKernel(text), computeCapability);
  const opcodes = [...blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode));
  return opcodes.filter((opcode) => /^(H|F2FP|PRMT|LOP3|SHF)/.test(opcode)).join(" ");
};

const both = "%20: f16 = fma %6, %9, %9 !0/5:1-9; %21: f16 = fma %7, %10, %10 !0/5:1-9";
const neighbours = "store.global %3, %20, %21, align 4; return";

test.each([
  ["halves of the same words", `${both}; ${neighbours}`, "HFMA2.MMA"],
  [
    "one after the other",
    `${both}; %22: f16 = fadd %20, %6; %23: f16 = fadd %21, %7; store.global %3, %22, %23, align 4; return`,
    "HFMA2.MMA HADD2",
  ],
  ["by one that both take", `%20: f16 = fmul %6, %9; %21: f16 = fmul %7, %9; ${neighbours}`, "HMUL2"],
  [
    "what is not stored side by side, but of one call",
    `${both}; store.global %3, %20, align 2; store.global %4, %21, align 2; return`,
    "HFMA2.MMA",
  ],
  [
    "of other calls",
    `${both.replace("1-9;", "11-19;")}; store.global %3, %20, align 2; store.global %4, %21, align 2; return`,
    "HFMA2 HFMA2",
  ],
  ["halves of two words", `%20: f16 = fadd %6, %9; %21: f16 = fadd %10, %7; ${neighbours}`, "HADD2 HADD2"],
  ["the upper before the lower", `%20: f16 = fadd %7, %10; %21: f16 = fadd %6, %9; ${neighbours}`, "HADD2 HADD2"],
  ["of different kinds", `%20: f16 = fadd %6, %9; %21: f16 = fmul %7, %10; ${neighbours}`, "HADD2 HMUL2"],
])("%s", (_, ops, expected) => {
  expect(code(ops)).toBe(expected);
});

test("sums that go through a loop take one register for two", () => {
  const turn = `jump b1
b1:
  %30: f16 = phi [%6, b0], [%20, b1]
  %31: f16 = phi [%7, b0], [%21, b1]
  %20: f16 = fma %30, %9, %9
  %21: f16 = fma %31, %10, %10
  %40: i1 = icmp.slt %2, %2
  branch %40, b1, b2
b2:
  store.global %3, %20, %21, align 4
  return`;
  expect(code(turn.split("\n  ").join("; "))).toBe("HFMA2.MMA");
});

test.each([
  ["minima", "f16", "%20: f16 = fmin %6, %9; %21: f16 = fmin %7, %10", 80, "HMNMX2"],
  // As nvcc 13.0 compiles them for 7.5: there is no instruction for two.
  ["minima", "f16", "%20: f16 = fmin %6, %9; %21: f16 = fmin %7, %10", 75, "HMNMX2 HMNMX2"],
  ["sums", "f16", "%20: f16 = fadd %6, %9; %21: f16 = fadd %7, %10", 75, "HADD2"],
])("%s of %s", (_, __, ops, computeCapability, expected) => {
  // The size of a word is moved by one of them, too.
  expect(code(`${ops}; ${neighbours}`, computeCapability).replace(/^HFMA2 /, "")).toBe(expected);
});

test("a chain that leads to no word costs no more a link the longer it is", () => {
  const cost = (links: number): number => {
    const chain = Array.from({ length: links }, (_, k) =>
      [0, 1].map((half) => {
        // The first two are halves of two words; each link is a call of its own.
        const before = k === 0 ? ["%6", "%10"][half] : `%${100 + 2 * (k - 1) + half}`;
        return `  %${100 + 2 * k + half}: f16 = fadd ${before}, %9 !0/5:${10 * k + 1}-${10 * k + 9}`;
      }),
    );
    const text = `kernel @k(%a: ptr f16) {
b0:
  %1: ptr = param 0
  %5: f16x2 = load.global %1, align 4
  %6: f16 = extract %5, 0
  %9: f16 = extract %5, 1
  %8: f16x2 = load.global %1, align 4
  %10: f16 = extract %8, 1
${chain.flat().join("\n")}
  store.global %1, %${98 + 2 * links}, %${99 + 2 * links}, align 4
  return
}
`;
    const work = new Work();
    select(parseKernel(text), 90, work);
    return work.taken;
  };
  expect(cost(2000) / cost(500)).toBeLessThan(4.5);
});
