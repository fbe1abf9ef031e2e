/** CUDA's mathematical functions: those of C, the intrinsics, and the overloads of <cmath>. */
import type { MathFunction } from "@warplens/sim-engine";
import { packedFunctions } from "./packed.ts";
import type { Recipe } from "./recipe.ts";

type Entry = readonly [recipe: Recipe, ...signatures: string[]];

const asTold = (fn: MathFunction): Recipe => ({ kind: "math", fn });
const precise = (fn: MathFunction): Recipe => ({ kind: "math", fn, precision: "precise" });
const fast = (fn: MathFunction): Recipe => ({ kind: "math", fn, precision: "fast" });

/** For double and float by overload, and the f-suffixed one. */
const unary: readonly MathFunction[] = [
  "sqrt",
  "rsqrt",
  "cbrt",
  "rcbrt",
  "exp",
  "exp2",
  "exp10",
  "expm1",
  "log",
  "log2",
  "log10",
  "log1p",
  "sin",
  "cos",
  "tan",
  "sinpi",
  "cospi",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "asinh",
  "acosh",
  "atanh",
  "floor",
  "ceil",
  "trunc",
  "round",
  "rint",
  "erf",
  "erfc",
  "erfinv",
  "erfcx",
  "normcdf",
  "normcdfinv",
  "tgamma",
  "lgamma",
  "j0",
  "j1",
  "y0",
  "y1",
  "logb",
  "fabs",
];
const binary: readonly MathFunction[] = ["atan2", "pow", "hypot", "rhypot", "fmod", "remainder", "copysign", "fdim"];

const both = (recipe: Recipe, name: string, operands: number): Entry => {
  const of = (type: string): string => Array.from({ length: operands }, () => type).join(", ");
  return [recipe, `double ${name}(${of("double")})`, `float ${name}(${of("float")})`, `float ${name}f(${of("float")})`];
};

const roundings = ["rn", "rz", "ru", "rd"] as const;
const letter = { rn: "n", rz: "z", ru: "u", rd: "d" } as const;
const integers: readonly (readonly [short: string, type: string])[] = [
  ["int", "int"],
  ["uint", "unsigned"],
  ["ll", "long long"],
  ["ull", "unsigned long long"],
];

const conversions: Entry[] = roundings.flatMap((rounding) => {
  const recipe: Recipe = { kind: "convert", rounding: letter[rounding] };
  const between = integers.flatMap(([short, type]) => [
    `${type} __float2${short}_${rounding}(float)`,
    `${type} __double2${short}_${rounding}(double)`,
    `float __${short}2float_${rounding}(${type})`,
    `double __${short}2double_${rounding}(${type})`,
  ]);
  return [[recipe, ...between, `float __double2float_${rounding}(double)`] as Entry];
});

const roundedArithmetic: Entry[] = roundings.flatMap((rounding): Entry[] => [
  [{ kind: "float", op: "fadd" }, `float __fadd_${rounding}(float, float)`, `double __dadd_${rounding}(double, double)`],
  [{ kind: "float", op: "fsub" }, `float __fsub_${rounding}(float, float)`, `double __dsub_${rounding}(double, double)`],
  [{ kind: "float", op: "fmul" }, `float __fmul_${rounding}(float, float)`, `double __dmul_${rounding}(double, double)`],
  [
    { kind: "float", op: "fdiv", precision: "precise" },
    `float __fdiv_${rounding}(float, float)`,
    `double __ddiv_${rounding}(double, double)`,
  ],
  [{ kind: "fma" }, `float __fmaf_${rounding}(float, float, float)`, `double __fma_${rounding}(double, double, double)`],
  [precise("sqrt"), `float __fsqrt_${rounding}(float)`, `double __dsqrt_${rounding}(double)`],
  [precise("rcp"), `float __frcp_${rounding}(float)`, `double __drcp_${rounding}(double)`],
]);

const integerTypes = ["int", "unsigned", "long", "unsigned long", "long long", "unsigned long long"] as const;

export const mathFunctions: readonly Entry[] = [
  ...unary.map((fn) => both(asTold(fn), fn, 1)),
  ...binary.map((fn) => both(asTold(fn), fn, 2)),
  both(precise("rint"), "nearbyint", 1),
  both({ kind: "fma" }, "fma", 3),
  both({ kind: "float", op: "fmin" }, "fmin", 2),
  both({ kind: "float", op: "fmax" }, "fmax", 2),
  // Mixed operands: the double decides, as <cmath> says.
  [
    asTold("pow"),
    "double pow(double, int)",
    "float pow(float, int)",
    "double pow(int, int)",
    "double powi(double, int)",
    "float powif(float, int)",
  ],
  [
    asTold("sqrt"),
    "double sqrt(int)",
    "double sqrt(unsigned)",
    "double sqrt(long)",
    "double sqrt(long long)",
    "double sqrt(unsigned long)",
    "double sqrt(unsigned long long)",
  ],
  [precise("ldexp"), "double ldexp(double, int)", "float ldexp(float, int)", "float ldexpf(float, int)"],
  [precise("scalbn"), "double scalbn(double, int)", "float scalbn(float, int)", "float scalbnf(float, int)", "float scalblnf(float, long)"],
  [precise("ilogb"), "int ilogb(double)", "int ilogb(float)", "int ilogbf(float)"],
  [
    { kind: "convert", rounding: "n" },
    "long lrint(double)",
    "long lrint(float)",
    "long lrintf(float)",
    "long long llrint(double)",
    "long long llrintf(float)",
  ],
  [
    { kind: "special form", name: "round to integer" },
    "long lround(double)",
    "long lround(float)",
    "long lroundf(float)",
    "long long llround(double)",
    "long long llroundf(float)",
  ],
  [
    { kind: "special form", name: "sincos" },
    "void sincos(double, double*, double*)",
    "void sincosf(float, float*, float*)",
    "void sincos(float, float*, float*)",
  ],
  [{ kind: "special form", name: "sincospi" }, "void sincospi(double, double*, double*)", "void sincospif(float, float*, float*)"],
  [{ kind: "special form", name: "fast sincos" }, "void __sincosf(float, float*, float*)"],
  [{ kind: "special form", name: "modf" }, "double modf(double, double*)", "float modf(float, float*)", "float modff(float, float*)"],
  [{ kind: "special form", name: "frexp" }, "double frexp(double, int*)", "float frexp(float, int*)", "float frexpf(float, int*)"],
  [
    { kind: "special form", name: "norm" },
    "float norm3df(float, float, float)",
    "double norm3d(double, double, double)",
    "float norm4df(float, float, float, float)",
    "double norm4d(double, double, double, double)",
  ],
  [
    { kind: "special form", name: "reciprocal norm" },
    "float rnorm3df(float, float, float)",
    "double rnorm3d(double, double, double)",
    "float rnorm4df(float, float, float, float)",
  ],
  [{ kind: "constant", value: Number.NaN }, "double nan(const char*)", "float nanf(const char*)"],
  [
    { kind: "classify", fn: "isnan" },
    "bool isnan(double)",
    "bool isnan(float)",
    "bool __isnanf(float)",
    "bool isnanf(float)",
    "bool __isnan(double)",
  ],
  [
    { kind: "classify", fn: "isinf" },
    "bool isinf(double)",
    "bool isinf(float)",
    "bool __isinff(float)",
    "bool isinff(float)",
    "bool __isinf(double)",
  ],
  [
    { kind: "classify", fn: "isfinite" },
    "bool isfinite(double)",
    "bool isfinite(float)",
    "bool __finitef(float)",
    "bool finite(double)",
    "bool finitef(float)",
  ],
  [{ kind: "classify", fn: "signbit" }, "bool signbit(double)", "bool signbit(float)"],

  // Integers, and what takes whichever type.
  [
    { kind: "absolute" },
    ...["int", "long", "long long", "double", "float"].map((type) => `${type} abs(${type})`),
    "long labs(long)",
    "long long llabs(long long)",
    "half abs(half)",
  ],
  ...(["min", "max"] as const).map(
    (which): Entry => [
      { kind: "extreme", which },
      ...integerTypes.map((type) => `${type} ${which}(${type}, ${type})`),
      ...mixedSigns(which),
      `double ${which}(double, double)`,
      `float ${which}(float, float)`,
      `double ${which}(double, float)`,
      `double ${which}(float, double)`,
      `half ${which}(half, half)`,
      `int i${which}(int, int)`,
      `unsigned u${which}(unsigned, unsigned)`,
      `long long ll${which}(long long, long long)`,
      `unsigned long long ull${which}(unsigned long long, unsigned long long)`,
    ],
  ),
  [{ kind: "special form", name: "clamp" }, "const T& clamp(const T&, const T&, const T&)"],
  [{ kind: "special form", name: "swap" }, "void swap(T&, T&)"],
  [{ kind: "special form", name: "move" }, "T&& move(T&)", "T&& forward(T&)"],
  [{ kind: "special form", name: "fma of long" }, "long long __fma_ll(long long, long long, long long)"],
  [{ kind: "math", fn: "popc", precision: "precise" }, "int __popc(unsigned)", "int __popcll(unsigned long long)"],
  [{ kind: "math", fn: "clz", precision: "precise" }, "int __clz(int)", "int __clzll(long long)"],
  [{ kind: "math", fn: "ffs", precision: "precise" }, "int __ffs(int)", "int __ffsll(long long)"],
  [{ kind: "math", fn: "brev", precision: "precise" }, "unsigned __brev(unsigned)", "unsigned long long __brevll(unsigned long long)"],
  [{ kind: "math", fn: "mul24", precision: "precise" }, "int __mul24(int, int)", "int mul24(int, int)"],
  [{ kind: "special form", name: "umul24" }, "unsigned __umul24(unsigned, unsigned)", "unsigned umul24(unsigned, unsigned)"],
  [{ kind: "math", fn: "byteperm", precision: "precise" }, "unsigned __byte_perm(unsigned, unsigned, unsigned)"],
  [
    { kind: "math", fn: "sad", precision: "precise" },
    "unsigned __sad(int, int, unsigned)",
    "unsigned __usad(unsigned, unsigned, unsigned)",
  ],
  [precise("dp4a"), "int __dp4a(int, int, int)"],
  [precise("dp4a.u"), "unsigned __dp4a(unsigned, unsigned, unsigned)"],
  ...packedFunctions,
  [{ kind: "math", fn: "funnel.l", precision: "precise" }, "unsigned __funnelshift_l(unsigned, unsigned, unsigned)"],
  [{ kind: "math", fn: "funnel.r", precision: "precise" }, "unsigned __funnelshift_r(unsigned, unsigned, unsigned)"],
  [{ kind: "special form", name: "clamped funnel left" }, "unsigned __funnelshift_lc(unsigned, unsigned, unsigned)"],
  [{ kind: "special form", name: "clamped funnel right" }, "unsigned __funnelshift_rc(unsigned, unsigned, unsigned)"],
  [{ kind: "int", op: "mulhi.s" }, "int __mulhi(int, int)", "long long __mul64hi(long long, long long)"],
  [
    { kind: "int", op: "mulhi.u" },
    "unsigned __umulhi(unsigned, unsigned)",
    "unsigned long long __umul64hi(unsigned long long, unsigned long long)",
  ],
  [{ kind: "special form", name: "average" }, "int __hadd(int, int)", "unsigned __uhadd(unsigned, unsigned)"],
  [{ kind: "special form", name: "rounded average" }, "int __rhadd(int, int)", "unsigned __urhadd(unsigned, unsigned)"],

  // The hardware's approximations.
  [fast("exp"), "float __expf(float)"],
  [fast("exp10"), "float __exp10f(float)"],
  [fast("exp2"), "float __exp2f(float)"],
  [fast("log"), "float __logf(float)"],
  [fast("log2"), "float __log2f(float)"],
  [fast("log10"), "float __log10f(float)"],
  [fast("sin"), "float __sinf(float)"],
  [fast("cos"), "float __cosf(float)"],
  [fast("tan"), "float __tanf(float)"],
  [fast("tanh"), "float __tanhf(float)"],
  [fast("pow"), "float __powf(float, float)"],
  [fast("rsqrt"), "float __frsqrt_rn(float)"],
  [{ kind: "float", op: "fdiv", precision: "fast" }, "float __fdividef(float, float)", "float fdividef(float, float)"],
  [precise("saturate"), "float __saturatef(float)", "float saturate(float)"],
  ...roundedArithmetic,

  // <cuComplex.h>
  ...(["float", "double"] as const).flatMap((real): Entry[] => {
    const [complex, suffix, name] = real === "float" ? ["float2", "f", "Float"] : ["double2", "", "Double"];
    return [
      [
        { kind: "make" },
        `${complex} make_cu${name}Complex(${real}, ${real})`,
        ...(real === "float" ? ["float2 make_cuComplex(float, float)"] : []),
      ],
      [{ kind: "special form", name: "low" }, `${real} cuCreal${suffix}(${complex})`],
      [{ kind: "special form", name: "high" }, `${real} cuCimag${suffix}(${complex})`],
      [{ kind: "componentwise", recipe: { kind: "float", op: "fadd" } }, `${complex} cuCadd${suffix}(${complex}, ${complex})`],
      [{ kind: "componentwise", recipe: { kind: "float", op: "fsub" } }, `${complex} cuCsub${suffix}(${complex}, ${complex})`],
      [{ kind: "special form", name: "complex multiply" }, `${complex} cuCmul${suffix}(${complex}, ${complex})`],
      [{ kind: "special form", name: "complex divide" }, `${complex} cuCdiv${suffix}(${complex}, ${complex})`],
      [{ kind: "special form", name: "complex conjugate" }, `${complex} cuConj${suffix}(${complex})`],
      [{ kind: "special form", name: "complex magnitude" }, `${real} cuCabs${suffix}(${complex})`],
    ];
  }),

  // Conversions and reinterpretations.
  ...conversions,
  [
    { kind: "bitcast" },
    "int __float_as_int(float)",
    "unsigned __float_as_uint(float)",
    "float __int_as_float(int)",
    "float __uint_as_float(unsigned)",
    "long long __double_as_longlong(double)",
    "double __longlong_as_double(long long)",
    "unsigned long long __double_as_ulonglong(double)",
    "double __ulonglong_as_double(unsigned long long)",
  ],
  [{ kind: "special form", name: "high word" }, "int __double2hiint(double)"],
  [{ kind: "special form", name: "low word" }, "int __double2loint(double)"],
  [{ kind: "special form", name: "words" }, "double __hiloint2double(int, int)"],
];

function mixedSigns(which: string): string[] {
  const widths = [
    ["int", "unsigned"],
    ["long", "unsigned long"],
    ["long long", "unsigned long long"],
  ] as const;
  return widths.flatMap(([signed, unsigned]) => [
    `${unsigned} ${which}(${signed}, ${unsigned})`,
    `${unsigned} ${which}(${unsigned}, ${signed})`,
  ]);
}
