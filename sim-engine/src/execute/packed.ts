/** Functions of words that hold two 16-bit integers, and of Hopper's instructions of three operands. */
import type { PackedFunction } from "../ir/kernel.ts";

type Word = (a: number, b: number, c: number) => number;
type Pick = "min" | "max";

/** What an operand is taken for: signed numbers as they are, unsigned ones without their sign. */
const readings = {
  s32: { halves: false, read: (word: number) => word | 0 },
  s16x2: { halves: true, read: (word: number) => (word << 16) >> 16 },
  u16x2: { halves: true, read: (word: number) => word & 0xffff },
} as const;

const byHalves = (half: Word): Word => {
  return (a, b, c) => ((half(a >>> 16, b >>> 16, c >>> 16) & 0xffff) << 16) | (half(a & 0xffff, b & 0xffff, c & 0xffff) & 0xffff);
};

function extreme(pick: Pick, first: "sum" | "all" | "two", type: keyof typeof readings, relu: boolean): Word {
  const { halves, read } = readings[type];
  const choose = Math[pick];
  const one: Word = (a, b, c) => {
    const left = first === "sum" ? read(a + b) : choose(read(a), read(b));
    const chosen = first === "two" ? left : choose(left, read(c));
    return relu ? Math.max(chosen, 0) : chosen;
  };
  return halves ? byHalves(one) : one;
}

const ofEachType = (pick: Pick): (readonly [PackedFunction, Word])[] =>
  (["s16x2", "u16x2", "s16x2.relu", "s32.relu"] as const).flatMap((type) => {
    const [base, relu] = type.split(".") as [keyof typeof readings, string | undefined];
    const of = (first: "sum" | "all" | "two"): Word => extreme(pick, first, base, relu !== undefined);
    return [[`${pick}.${type}`, of("two")] as const, [`${pick}3.${type}`, of("all")] as const, [`add${pick}.${type}`, of("sum")] as const];
  });

/** On i32. */
export const packedFunctions: Readonly<Partial<Record<string, Word>>> = Object.fromEntries<Word>([
  ["add.16x2", byHalves((a, b) => a + b)],
  ["sub.16x2", byHalves((a, b) => a - b)],
  ...ofEachType("min"),
  ...ofEachType("max"),
]);
