/** `__half`, `__nv_bfloat16` and their pairs. */
import type { Recipe } from "./recipe.ts";

type Entry = readonly [recipe: Recipe, ...signatures: string[]];

const arithmetic = [
  ["add", "fadd", "+"],
  ["sub", "fsub", "-"],
  ["mul", "fmul", "*"],
] as const;
const comparisons = [
  ["eq", "=="],
  ["ne", "!="],
  ["lt", "<"],
  ["gt", ">"],
  ["le", "<="],
  ["ge", ">="],
] as const;
/** Those that hold of what is not a number: what does not hold of it, the other way round. For `equ` the machine has a comparison of its own. */
const unordered: readonly (readonly [name: string, op: string, negated?: true])[] = [
  ["equ", "=="],
  ["neu", "!="],
  ["ltu", ">=", true],
  ["gtu", "<=", true],
  ["leu", ">", true],
  ["geu", "<", true],
];
const functions = [
  "exp",
  "exp2",
  "exp10",
  "log",
  "log2",
  "log10",
  "sin",
  "cos",
  "sqrt",
  "rsqrt",
  "rcp",
  "floor",
  "ceil",
  "trunc",
  "rint",
  "tanh",
] as const;

const kinds = [
  { type: "half", pair: "half2", float2: "float2half", back: "half2float" },
  { type: "__nv_bfloat16", pair: "__nv_bfloat162", float2: "float2bfloat16", back: "bfloat162float" },
] as const;

const integers = [
  ["int", "int"],
  ["uint", "unsigned"],
  ["short", "short"],
  ["ushort", "unsigned short"],
  ["ll", "long long"],
  ["ull", "unsigned long long"],
] as const;

const roundings = [
  ["rn", "n"],
  ["rz", "z"],
  ["rd", "d"],
  ["ru", "u"],
] as const;

const saturated = (first: Recipe): Recipe => ({ kind: "then", first, next: { kind: "math", fn: "saturate", precision: "precise" } });
const noLessThanZero = (first: Recipe): Recipe => ({ kind: "then", first, next: { kind: "relu" } });

/** `a + b` and `a += b` of pairs. */
const operators = (pair: string, sign: string, op: (Recipe & { kind: "float" })["op"]): Entry[] => [
  [{ kind: "componentwise", recipe: { kind: "float", op } }, `${pair} operator${sign}(${pair}, ${pair})`],
  [{ kind: "componentwise", recipe: { kind: "float", op }, assigned: true }, `${pair}& operator${sign}=(${pair}&, ${pair})`],
];

const of = ({ type, pair, float2, back }: (typeof kinds)[number]): Entry[] => {
  const each = (recipe: Recipe): Recipe => ({ kind: "componentwise", recipe });
  const short = type === "half" ? "half" : "bfloat16";
  /** A function and that of pairs, which has a 2 in its name. */
  const both = (recipe: Recipe, names: (two: "" | "2") => readonly string[], operands: number): Entry[] =>
    (["", "2"] as const).map((two): Entry => {
      const taken = two ? pair : type;
      const list = Array.from({ length: operands }, () => taken).join(", ");
      return [two ? each(recipe) : recipe, ...names(two).map((name) => `${taken} ${name}(${list})`)];
    });
  return [
    ...arithmetic.flatMap(([name, op, sign]): Entry[] => [
      ...both({ kind: "float", op }, (two) => [`__h${name}${two}`, `__h${name}${two}_rn`], 2),
      ...both(saturated({ kind: "float", op }), (two) => [`__h${name}${two}_sat`], 2),
      ...operators(pair, sign, op),
    ]),
    ...(["+", "-"] as const).map(
      (sign): Entry => [
        { kind: "special form", name: `step ${sign}` },
        `${pair}& operator${sign}${sign}(${pair}&)`,
        `${pair} operator${sign}${sign}(${pair}&, int)`,
      ],
    ),
    [{ kind: "special form", name: "same pair" }, `${pair} operator+(${pair})`],
    [{ kind: "float", op: "fdiv" }, `${type} __hdiv(${type}, ${type})`],
    [each({ kind: "float", op: "fdiv" }), `${pair} __h2div(${pair}, ${pair})`],
    ...operators(pair, "/", "fdiv"),
    [{ kind: "negate" }, `${type} __hneg(${type})`],
    [each({ kind: "negate" }), `${pair} __hneg2(${pair})`, `${pair} operator-(${pair})`],
    [{ kind: "absolute" }, `${type} __habs(${type})`],
    [each({ kind: "absolute" }), `${pair} __habs2(${pair})`],
    ...both({ kind: "fma" }, (two) => [`__hfma${two}`], 3),
    ...both(noLessThanZero({ kind: "fma" }), (two) => [`__hfma${two}_relu`], 3),
    ...both(saturated({ kind: "fma" }), (two) => [`__hfma${two}_sat`], 3),
    [{ kind: "special form", name: "complex multiply add" }, `${pair} __hcmadd(${pair}, ${pair}, ${pair})`],
    ...(["max", "min"] as const).flatMap((which) =>
      both({ kind: "extreme", which }, (two) => [`__h${which}${two}`, `__h${which}${two}_nan`], 2),
    ),
    ...[...comparisons, ...unordered].flatMap(([name, op, negated]): Entry[] => [
      [{ kind: "operator", op, ...(negated && { negated }) }, `bool __h${name}(${type}, ${type})`],
      [each({ kind: "operator", op, ...(negated && { negated }) }), `${pair} __h${name}2(${pair}, ${pair})`],
      [{ kind: "special form", name: `both ${negated ? "not " : ""}${op}` }, `bool __hb${name}2(${pair}, ${pair})`],
      [{ kind: "special form", name: `mask ${negated ? "not " : ""}${op}` }, `unsigned __h${name}2_mask(${pair}, ${pair})`],
    ]),
    ...comparisons.map(([, op]): Entry => [{ kind: "special form", name: `both ${op}` }, `bool operator${op}(${pair}, ${pair})`]),
    [{ kind: "classify", fn: "isnan" }, `bool __hisnan(${type})`],
    [each({ kind: "classify", fn: "isnan" }), `${pair} __hisnan2(${pair})`],
    [{ kind: "classify", fn: "isinf" }, `int __hisinf(${type})`],
    ...functions.flatMap((fn): Entry[] => [
      [{ kind: "math", fn, precision: "fast" }, `${type} h${fn}(${type})`],
      [each({ kind: "math", fn, precision: "fast" }), `${pair} h2${fn}(${pair})`],
    ]),
    ...both({ kind: "math", fn: "tanh", precision: "fast" }, (two) => [`h${two}tanh_approx`], 1),
    [
      { kind: "convert" },
      `${type} __${float2}(float)`,
      `${type} __double2${short}(double)`,
      `float __${back}(${type})`,
      `signed char __${short}2char_rz(${type})`,
      `unsigned char __${short}2uchar_rz(${type})`,
      ...roundings.map(([suffix]) => `${type} __${float2}_${suffix}(float)`),
      ...integers.flatMap(([name, integer]) => roundings.map(([suffix]) => `${type} __${name}2${short}_${suffix}(${integer})`)),
    ],
    ...roundings.map(
      ([suffix, rounding]): Entry => [
        { kind: "convert", rounding },
        ...integers.map(([name, integer]) => `${integer} __${short}2${name}_${suffix}(${type})`),
      ],
    ),
    [
      { kind: "bitcast" },
      `short __${short}_as_short(${type})`,
      `unsigned short __${short}_as_ushort(${type})`,
      `${type} __short_as_${short}(short)`,
      `${type} __ushort_as_${short}(unsigned short)`,
    ],
    [{ kind: "make" }, `${pair} __halves2${short}2(${type}, ${type})`, `${pair} make_${short}2(${type}, ${type})`],
    [{ kind: "make" }, `${pair} __floats2${short}2_rn(float, float)`],
    [{ kind: "splat" }, `${pair} __${short}2${short}2(${type})`, `${pair} __${float2}2_rn(float)`],
    [{ kind: "special form", name: "pair from float2" }, `${pair} __float22${short}2_rn(float2)`],
    [{ kind: "special form", name: "pair to float2" }, `float2 __${short}22float2(${pair})`],
    [{ kind: "special form", name: "low" }, `${type} __low2${short}(${pair})`],
    [{ kind: "special form", name: "high" }, `${type} __high2${short}(${pair})`],
    [{ kind: "special form", name: "low" }, `float __low2float(${pair})`],
    [{ kind: "special form", name: "high" }, `float __high2float(${pair})`],
    [{ kind: "special form", name: "both lows" }, `${pair} __lows2${short}2(${pair}, ${pair})`],
    [{ kind: "special form", name: "both highs" }, `${pair} __highs2${short}2(${pair}, ${pair})`],
    [{ kind: "special form", name: "swap halves" }, `${pair} __lowhigh2highlow(${pair})`],
    [{ kind: "special form", name: "low low" }, `${pair} __low2${short}2(${pair})`],
    [{ kind: "special form", name: "high high" }, `${pair} __high2${short}2(${pair})`],
  ];
};

export const halfFunctions: readonly Entry[] = kinds.flatMap(of);
