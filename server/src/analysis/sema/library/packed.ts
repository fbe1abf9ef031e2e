/** CUDA's intrinsics of words that hold two or four integers, and of DPX: by name what each does of what, for lower/builtins/packed. */
import type { Recipe } from "./recipe.ts";

type Entry = readonly [recipe: Recipe, ...signatures: string[]];

const unary = ["abs", "absss", "neg", "negss"];
const comparisons = ["eq", "ne", ...["ge", "gt", "le", "lt"].flatMap((each) => [`${each}s`, `${each}u`])];
const binary = [
  ...["add", "addss", "addus", "sub", "subss", "subus", "avgs", "avgu", "haddu", "maxs", "maxu", "mins", "minu"],
  ...["absdiffs", "absdiffu", "sads", "sadu"],
  ...["cmp", "set"].flatMap((kind) => comparisons.map((each) => `${kind}${each}`)),
];

const wordFunctions = (["2", "4"] as const).flatMap((lanes) => {
  const entry = (name: string, operands: string): Entry => [
    { kind: "special form", name: `packed ${name} ${lanes}` },
    `unsigned __v${name}${lanes}(${operands})`,
  ];
  return [...unary.map((name) => entry(name, "unsigned")), ...binary.map((name) => entry(name, "unsigned, unsigned"))];
});

/** Of DPX: `__viaddmax_s16x2_relu` and so on, by `addmax s16x2 relu`. */
const extremes = ["max", "min"].flatMap((which) => {
  const types = ["s32", "u32", "s16x2", "u16x2"];
  const of = (type: string): string => (type === "s32" ? "int" : "unsigned");
  const entry = (kind: string, type: string, relu: boolean): Entry => {
    const operands = Array.from({ length: kind === which ? 2 : 3 }, () => of(type)).join(", ");
    return [
      { kind: "special form", name: `dpx ${kind} ${type}${relu ? " relu" : ""}` },
      `${of(type)} __vi${kind}_${type}${relu ? "_relu" : ""}(${operands})`,
    ];
  };
  const told = types.map((type): Entry => {
    const flags = type.endsWith("x2") ? "bool*, bool*" : "bool*";
    return [
      { kind: "special form", name: `dpx told ${which} ${type}` },
      `${of(type)} __vib${which}_${type}(${of(type)}, ${of(type)}, ${flags})`,
    ];
  });
  return [
    ...[`add${which}`, `${which}3`].flatMap((kind) => types.map((type) => entry(kind, type, false))),
    ...[`add${which}`, `${which}3`, which].flatMap((kind) => ["s32", "s16x2"].map((type) => entry(kind, type, true))),
    ...told,
  ];
});

export const packedFunctions: readonly Entry[] = [...wordFunctions, ...extremes];
