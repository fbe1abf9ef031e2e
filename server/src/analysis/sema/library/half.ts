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

const of = ({ type, pair, float2, back }: (typeof kinds)[number]): Entry[] => {
  const each = (recipe: Recipe): Recipe => ({ kind: "componentwise", recipe });
  const short = type === "half" ? "half" : "bfloat16";
  return [
    ...arithmetic.flatMap(([name, op, sign]): Entry[] => [
      [{ kind: "float", op }, `${type} __h${name}(${type}, ${type})`, `${type} __h${name}_rn(${type}, ${type})`],
      [
        each({ kind: "float", op }),
        `${pair} __h${name}2(${pair}, ${pair})`,
        `${pair} __h${name}2_rn(${pair}, ${pair})`,
        `${pair} operator${sign}(${pair}, ${pair})`,
      ],
    ]),
    [{ kind: "float", op: "fdiv" }, `${type} __hdiv(${type}, ${type})`],
    [each({ kind: "float", op: "fdiv" }), `${pair} __h2div(${pair}, ${pair})`, `${pair} operator/(${pair}, ${pair})`],
    [{ kind: "negate" }, `${type} __hneg(${type})`],
    [each({ kind: "negate" }), `${pair} __hneg2(${pair})`, `${pair} operator-(${pair})`],
    [{ kind: "absolute" }, `${type} __habs(${type})`],
    [each({ kind: "absolute" }), `${pair} __habs2(${pair})`],
    [{ kind: "fma" }, `${type} __hfma(${type}, ${type}, ${type})`, `${type} __hfma_relu(${type}, ${type}, ${type})`],
    [each({ kind: "fma" }), `${pair} __hfma2(${pair}, ${pair}, ${pair})`],
    [{ kind: "extreme", which: "max" }, `${type} __hmax(${type}, ${type})`],
    [{ kind: "extreme", which: "min" }, `${type} __hmin(${type}, ${type})`],
    [each({ kind: "extreme", which: "max" }), `${pair} __hmax2(${pair}, ${pair})`],
    [each({ kind: "extreme", which: "min" }), `${pair} __hmin2(${pair}, ${pair})`],
    ...comparisons.flatMap(([name, op]): Entry[] => [
      [{ kind: "operator", op }, `bool __h${name}(${type}, ${type})`],
      [each({ kind: "operator", op }), `${pair} __h${name}2(${pair}, ${pair})`],
      [{ kind: "special form", name: `both ${op}` }, `bool __hb${name}2(${pair}, ${pair})`],
    ]),
    [{ kind: "classify", fn: "isnan" }, `bool __hisnan(${type})`],
    [{ kind: "classify", fn: "isinf" }, `int __hisinf(${type})`],
    ...functions.flatMap((fn): Entry[] => [
      [{ kind: "math", fn, precision: "fast" }, `${type} h${fn}(${type})`],
      [each({ kind: "math", fn, precision: "fast" }), `${pair} h2${fn}(${pair})`],
    ]),
    [
      { kind: "convert" },
      `${type} __${float2}(float)`,
      `${type} __${float2}_rn(float)`,
      `${type} __${float2}_rz(float)`,
      `${type} __double2${short}(double)`,
      `float __${back}(${type})`,
      ...integers.flatMap(([name, integer]) => [`${type} __${name}2${short}_rn(${integer})`, `${integer} __${short}2${name}_rz(${type})`]),
    ],
    [{ kind: "convert", rounding: "n" }, ...integers.map(([name, integer]) => `${integer} __${short}2${name}_rn(${type})`)],
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
    [{ kind: "special form", name: "swap halves" }, `${pair} __lowhigh2highlow(${pair})`],
    [{ kind: "special form", name: "low low" }, `${pair} __low2${short}2(${pair})`],
    [{ kind: "special form", name: "high high" }, `${pair} __high2${short}2(${pair})`],
  ];
};

export const halfFunctions: readonly Entry[] = kinds.flatMap(of);
