/** Built-in functions that need more than one operation or an address. */
import { type Op, type Precision, sharedBase } from "@warplens/sim-engine";
import { lastName } from "../../sema/scope.ts";
import { integerType, unqualified } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import { binary } from "../emit/arithmetic.ts";
import { allocate } from "../emit/heap.ts";
import { type Called, type Lowering, nothing, value } from "../emit/lowering.ts";
import { copy, load, loadLeaves, part, spaceOf, store, storeLeaves } from "../emit/memory.ts";
import { divisionPrecision, functionPrecision } from "../emit/precision.ts";
import { convert, isSignedType, resize, scalarOf } from "../emit/scalars.ts";
import { moveBytes } from "./bytes.ts";
import { groupForm } from "./groups.ts";
import { matrixLoad, matrixProduct, sumsLoad, sumsStore } from "./matrices.ts";
import { extreme, fieldsOf, ignore, negated, pointedTo, target, type Use, values } from "./operands.ts";
import { dpxForm, packedForm } from "./packed.ts";

export function specialForm(lowering: Lowering, name: string, use: Use): Called {
  if (name.startsWith("group ")) return groupForm(lowering, name.slice(6), use);
  if (name.startsWith("packed ")) return packedForm(lowering, name.slice(7), use);
  if (name.startsWith("dpx ")) return dpxForm(lowering, name.slice(4), use);
  const form = forms[name] ?? comparisonForm(name);
  return form ? form(lowering, use) : lowering.fail(`${lastName(use.resolved.function.name)} is not simulated yet`, use.node);
}

type Form = (lowering: Lowering, use: Use) => Called;

/** Two results through pointers: `sincosf(x, &s, &c)`. */
const twoResults =
  (first: "sin" | "sinpi", second: "cos" | "cospi", precision?: Precision): Form =>
  (lowering, use) => {
    const [x] = values(lowering, { ...use, args: use.args.slice(0, 1) });
    const [, sine, cosine] = use.args;
    if (!x || !sine || !cosine) return lowering.fail("sincos needs three arguments", use.node);
    const scalar = scalarOf(x.type) ?? "f32";
    lowering.visit(use.node);
    lowering.at(use.node);
    const results = [first, second].map((fn) =>
      lowering.builder.math(fn, precision ?? functionPrecision(lowering, fn, scalar), scalar, x.op),
    );
    for (const [index, argument] of [sine, cosine].entries()) {
      const to = pointedTo(lowering, argument, undefined, use.node);
      const result = results[index];
      if (result) store(lowering, to, convert(lowering, result, x.type, to.type));
    }
    return nothing;
  };

const component =
  (index: number): Form =>
  (lowering, use) => {
    const [argument] = use.args;
    const place = argument ? lowering.place(argument) : lowering.fail("no argument", use.node);
    const field = fieldsOf(lowering, place.type)[index] ?? lowering.fail("no such component", use.node);
    return value(convert(lowering, load(lowering, part(lowering, place, field.offset, field.type, use.node)), field.type, use.result));
  };

/** A record of components picked from the arguments', which are counted on from one to the next. */
const pick =
  (...indices: readonly number[]): Form =>
  (lowering, use) => {
    const from = use.args.flatMap((each) => loadLeaves(lowering, lowering.place(each)));
    const place = target(lowering, use);
    const made = fieldsOf(lowering, place.type).map((field, index) => {
      const source = from[indices[index] ?? index] ?? lowering.fail("no such component", use.node);
      const scalar = scalarOf(field.type) ?? "f32";
      return { leaf: { offset: field.offset, type: field.type, scalar }, op: convert(lowering, source.op, source.leaf.type, field.type) };
    });
    storeLeaves(lowering, place, made);
    return { kind: "place", place };
  };

/** `both <`, `mask not <`: a comparison of two pairs, or that it does not hold, as one truth or as a word with a mask for each component. */
function comparisonForm(name: string): Form | undefined {
  const [, kind, not, op] = /^(both|mask) (not )?([=!<>]=?)$/.exec(name) ?? [];
  if (op === undefined) return undefined;
  return (lowering, use) => {
    const tests = comparedPairs(lowering, use, op).map((each) => (not ? negated(lowering, each) : each));
    return value(
      kind === "both"
        ? tests.reduce((all, each) => lowering.builder.int("and", all, each))
        : tests.map((each, index) => laneMask(lowering, each, index)).reduce((all, each) => lowering.builder.int("or", all, each)),
    );
  };
}

/** Of each component of two pairs, whether a comparison holds. */
function comparedPairs(lowering: Lowering, use: Use, op: string): Op[] {
  const [a, b] = use.args.map((each) => loadLeaves(lowering, lowering.place(each)));
  if (!a || !b) return lowering.fail("two pairs are needed", use.node);
  return a.map(({ leaf, op: left }, index) => {
    const right = b[index]?.op ?? lowering.fail("no such component", use.node);
    return binary(lowering, op, { op: left, type: leaf.type }, { op: right, type: leaf.type }, use.node).op;
  });
}

const laneMask = ({ builder }: Lowering, test: Op, lane: number): Op =>
  builder.select(test, builder.constant("i32", lane === 0 ? 0xffff : -0x10000), builder.constant("i32", 0));

/** `++pair`, and `pair++`, which has a second operand and gives what was there. */
const step =
  (op: "fadd" | "fsub"): Form =>
  (lowering, use) => {
    const [argument, isPostfix] = use.args;
    const place = lowering.place(argument ?? lowering.fail("no argument", use.node));
    const before = loadLeaves(lowering, place);
    lowering.visit(use.node);
    lowering.at(use.node);
    const { builder } = lowering;
    const after = before.map(({ leaf, op: each }) => ({ leaf, op: builder.float(op, each, builder.constant(leaf.scalar, 1)) }));
    const kept = isPostfix && target(lowering, use);
    if (kept) storeLeaves(lowering, kept, before);
    storeLeaves(lowering, place, after);
    return { kind: "place", place: kept ?? place };
  };

const squareSum = (lowering: Lowering, use: Use): { readonly sum: Op; readonly type: Type } => {
  const given = values(lowering, use);
  let sum: Op | undefined;
  for (const each of given) sum = sum ? lowering.builder.fma(each.op, each.op, sum) : lowering.builder.float("fmul", each.op, each.op);
  return { sum: sum ?? lowering.fail("a norm of nothing", use.node), type: use.result };
};

const word =
  (shift: number): Form =>
  (lowering, use) => {
    const [x] = values(lowering, use);
    const bits = lowering.builder.convert("bitcast", x?.op ?? lowering.fail("no argument", use.node), "i64");
    return value(
      lowering.builder.convert("trunc", shift ? lowering.builder.int("lshr", bits, lowering.constant("i32", shift)) : bits, "i32"),
    );
  };

/** A funnel shift whose count stops at 32. */
const clampedFunnel =
  (direction: "funnel.l" | "funnel.r"): Form =>
  (lowering, use) => {
    const [low, high, count] = values(lowering, use).map((each) => each.op);
    if (!low || !high || !count) return lowering.fail("a funnel shift needs three operands", use.node);
    const { builder } = lowering;
    const bounded = builder.int("umin", count, lowering.constant("i32", 32));
    const whole = builder.icmp("eq", bounded, lowering.constant("i32", 32));
    const shifted = builder.math(direction, "precise", "i32", low, high, bounded);
    return value(builder.select(whole, direction === "funnel.l" ? low : high, shifted));
  };

/** Complex numbers as pairs: the operands' components in a row, the result's components from them. */
const complex =
  (compute: (lowering: Lowering, parts: readonly Op[]) => readonly Op[]): Form =>
  (lowering, use) => {
    const loaded = use.args.flatMap((each) => loadLeaves(lowering, lowering.place(each)));
    lowering.visit(use.node);
    lowering.at(use.node);
    const made = compute(
      lowering,
      loaded.map((each) => each.op),
    );
    const [only] = made;
    if (made.length === 1 && only) return value(only);
    const place = target(lowering, use);
    storeLeaves(
      lowering,
      place,
      made.flatMap((op, index) => (loaded[index] ? [{ leaf: loaded[index].leaf, op }] : [])),
    );
    return { kind: "place", place };
  };

/** Half of a sum that has room for its carry; `rounded`: up. */
const average =
  (rounded: boolean): Form =>
  (lowering, use) => {
    const [a, b] = values(lowering, use);
    if (!a || !b) return lowering.fail("two operands are needed", use.node);
    const { builder } = lowering;
    const signed = isSignedType(a.type);
    const [x, y] = [resize(lowering, a.op, signed, "i64"), resize(lowering, b.op, signed, "i64")];
    const sum = builder.int("add", x, y);
    const whole = rounded ? builder.int("add", sum, lowering.constant("i64", 1n)) : sum;
    return value(builder.convert("trunc", builder.int(signed ? "ashr" : "lshr", whole, lowering.constant("i32", 1)), "i32"));
  };

const forms: Readonly<Record<string, Form>> = {
  "complex multiply": complex(({ builder }, [a, b, c, d]) =>
    a && b && c && d
      ? [
          builder.float("fsub", builder.float("fmul", a, c), builder.float("fmul", b, d)),
          builder.float("fadd", builder.float("fmul", a, d), builder.float("fmul", b, c)),
        ]
      : [],
  ),
  // As the header does it: scaled, so that nothing overflows on the way.
  "complex divide": complex((lowering, [a, b, c, d]) => {
    const { builder } = lowering;
    if (!a || !b || !c || !d || c.type === "void") return [];
    const { type } = c;
    const precision = divisionPrecision(lowering, type);
    const size = builder.float("fadd", builder.math("fabs", "precise", type, c), builder.math("fabs", "precise", type, d));
    const scale = builder.float("fdiv", builder.constant(type, 1), size, precision);
    const [as, bs, cs, ds] = [a, b, c, d].map((each) => builder.float("fmul", each, scale)) as [Op, Op, Op, Op];
    const norm = builder.float(
      "fdiv",
      builder.constant(type, 1),
      builder.float("fadd", builder.float("fmul", cs, cs), builder.float("fmul", ds, ds)),
      precision,
    );
    const real = builder.float("fadd", builder.float("fmul", as, cs), builder.float("fmul", bs, ds));
    const imaginary = builder.float("fsub", builder.float("fmul", bs, cs), builder.float("fmul", as, ds));
    return [builder.float("fmul", real, norm), builder.float("fmul", imaginary, norm)];
  }),
  // `__hcmadd`: the real part first, as its own sum.
  "complex multiply add": complex(({ builder }, [a, b, c, d, e, f]) =>
    a && b && c && d && e && f && b.type !== "void"
      ? [builder.fma(builder.math("fneg", "precise", b.type, b), d, builder.fma(a, c, e)), builder.fma(b, c, builder.fma(a, d, f))]
      : [],
  ),
  "complex conjugate": complex(({ builder }, [a, b]) =>
    a && b && b.type !== "void" ? [a, builder.math("fneg", "precise", b.type, b)] : [],
  ),
  "complex magnitude": complex(({ builder }, [a, b]) =>
    a && b && a.type !== "void" ? [builder.math("hypot", "precise", a.type, a, b)] : [],
  ),
  // x = fraction * 2 ^ exponent with 0.5 <= |fraction| < 1.
  frexp: (lowering, use) => {
    const [x] = values(lowering, { ...use, args: use.args.slice(0, 1) });
    const [, pointer] = use.args;
    const scalar = x && scalarOf(x.type);
    if (!x || !pointer || !scalar) return lowering.fail("frexp needs two arguments", use.node);
    const { builder } = lowering;
    const isZero = builder.fcmp("oeq", x.op, builder.constant(scalar, 0));
    const exponent = builder.int("add", builder.math("ilogb", "precise", "i32", x.op), builder.constant("i32", 1));
    const kept = builder.select(isZero, builder.constant("i32", 0), exponent);
    store(lowering, pointedTo(lowering, pointer, undefined, use.node), kept);
    return value(
      builder.select(isZero, x.op, builder.math("ldexp", "precise", scalar, x.op, builder.int("sub", builder.constant("i32", 0), kept))),
    );
  },
  sincos: twoResults("sin", "cos"),
  sincospi: twoResults("sinpi", "cospi"),
  "fast sincos": twoResults("sin", "cos", "fast"),
  modf: (lowering, use) => {
    const [x] = values(lowering, { ...use, args: use.args.slice(0, 1) });
    const [, pointer] = use.args;
    if (!x || !pointer) return lowering.fail("modf needs two arguments", use.node);
    const whole = lowering.builder.math("trunc", "precise", scalarOf(x.type) ?? "f32", x.op);
    store(lowering, pointedTo(lowering, pointer, undefined, use.node), whole);
    return value(lowering.builder.float("fsub", x.op, whole));
  },
  norm: (lowering, use) => {
    const { sum, type } = squareSum(lowering, use);
    const scalar = scalarOf(type) ?? "f32";
    return value(lowering.builder.math("sqrt", functionPrecision(lowering, "sqrt", scalar), scalar, sum));
  },
  "reciprocal norm": (lowering, use) => {
    const { sum, type } = squareSum(lowering, use);
    return value(lowering.builder.math("rsqrt", "precise", scalarOf(type) ?? "f32", sum));
  },
  "round to integer": (lowering, use) => {
    const [x] = values(lowering, use);
    if (!x) return lowering.fail("no argument", use.node);
    return value(convert(lowering, lowering.builder.math("round", "precise", scalarOf(x.type) ?? "f32", x.op), x.type, use.result));
  },
  clamp: (lowering, use) => {
    const [x, low, high] = values(lowering, use);
    if (!x || !low || !high) return lowering.fail("clamp needs three arguments", use.node);
    return value(extreme(lowering, "min", extreme(lowering, "max", x.op, low.op, x.type), high.op, x.type));
  },
  swap: (lowering, use) => {
    const [a, b] = use.args.map((each) => lowering.place(each));
    if (!a || !b) return lowering.fail("swap needs two arguments", use.node);
    const aside = lowering.temporary(unqualified(a.type), "swapped", use.node);
    copy(lowering, aside, a);
    copy(lowering, a, b);
    copy(lowering, b, aside);
    return nothing;
  },
  move: (lowering, use) => {
    const [argument] = use.args;
    return argument ? { kind: "place", place: lowering.place(argument) } : lowering.fail("move of nothing", use.node);
  },
  umul24: (lowering, use) => {
    const [a, b] = values(lowering, use).map((each) => lowering.builder.int("and", each.op, lowering.constant("i32", 0xffffff)));
    return a && b ? value(lowering.builder.int("mul", a, b)) : lowering.fail("two operands are needed", use.node);
  },
  average: average(false),
  "rounded average": average(true),
  "clamped funnel left": clampedFunnel("funnel.l"),
  "clamped funnel right": clampedFunnel("funnel.r"),
  "high word": word(32),
  "low word": word(0),
  words: (lowering, use) => {
    const [high, low] = values(lowering, use);
    if (!high || !low) return lowering.fail("two words are needed", use.node);
    const { builder } = lowering;
    const upper = builder.int("shl", builder.convert("zext", high.op, "i64"), lowering.constant("i32", 32));
    return value(builder.convert("bitcast", builder.int("or", upper, builder.convert("zext", low.op, "i64")), "f64"));
  },
  "match all": (lowering, use) => {
    const [mask, matched, predicate] = use.args;
    if (!mask || !matched || !predicate) return lowering.fail("__match_all_sync needs three arguments", use.node);
    const { builder } = lowering;
    const maskOp = lowering.valueAs(mask, integerType("uint"));
    const op = builder.emit({ kind: "match", mode: "all" }, "i32", maskOp, lowering.value(matched));
    store(
      lowering,
      pointedTo(lowering, predicate, undefined, use.node),
      builder.convert("zext", builder.icmp("ne", op, lowering.constant("i32", 0)), "i32"),
    );
    return value(op);
  },
  "lane mask lt": (lowering, use) => {
    lowering.visit(use.node);
    lowering.at(use.node);
    const { builder } = lowering;
    return value(
      builder.int("sub", builder.int("shl", lowering.constant("i32", 1), builder.special("laneid")), lowering.constant("i32", 1)),
    );
  },
  expect: (lowering, use) => value(values(lowering, use)[0]?.op ?? lowering.fail("no argument", use.node)),
  "assume aligned": (lowering, use) => {
    const [pointer] = use.args;
    return pointer ? value(lowering.value(pointer)) : lowering.fail("no argument", use.node);
  },
  // An address in shared memory counts from where its window starts in the generic addresses.
  "shared address": (lowering, use) => {
    const [pointer] = use.args;
    const generic = lowering.builder.convert("ptrtoint", pointer ? lowering.value(pointer) : lowering.fail("no argument", use.node), "i64");
    return value(lowering.builder.int("sub", generic, lowering.constant("i64", BigInt(sharedBase))));
  },
  "is shared": (lowering, use) => isIn(lowering, use, "shared"),
  "is global": (lowering, use) => isIn(lowering, use, "global"),
  low: component(0),
  high: component(1),
  "low low": pick(0, 0),
  "high high": pick(1, 1),
  "swap halves": pick(1, 0),
  "same pair": pick(0, 1),
  "step +": step("fadd"),
  "step -": step("fsub"),
  "both lows": pick(0, 2),
  "both highs": pick(1, 3),
  "pair from float2": pick(0, 1),
  "pair to float2": pick(0, 1),
  "matrix load": matrixLoad,
  "sums load": sumsLoad,
  "sums store": sumsStore,
  "matrix product": matrixProduct,
  "barrier wait": (lowering, use) => {
    lowering.assume("barrier objects", "barriers of the block", "who waits for one is taken to wait for all warps of the block");
    lowering.visit(use.node);
    lowering.at(use.node);
    lowering.builder.emit({ kind: "barrier", object: true }, "void");
    return nothing;
  },
  "barrier arrive": (lowering, use) => {
    lowering.visit(use.node);
    lowering.at(use.node);
    lowering.builder.emit({ kind: "barrier.arrive" }, "void");
    return nothing;
  },
  "device malloc": (lowering, use) => {
    const [bytes] = values(lowering, use);
    return value(allocate(lowering, bytes?.op ?? lowering.fail("memory of no size", use.node), use.node));
  },
  "device cudaMalloc": (lowering, use) => {
    const [where, size] = use.args;
    if (!where || !size) return lowering.fail("cudaMalloc needs two arguments", use.node);
    const bytes = lowering.valueAs(size, integerType("ulong"));
    store(lowering, pointedTo(lowering, where, undefined, use.node), allocate(lowering, bytes, use.node));
    return value(lowering.constant("i32", 0));
  },
  "runtime call": (lowering, use) => {
    for (const each of use.args) ignore(lowering, each);
    const name = lastName(use.resolved.function.name);
    lowering.assume(name, "nothing", "what the CUDA runtime does for a kernel is not simulated, nor are its instructions counted");
    return value(lowering.constant("i32", 0));
  },
  "current graph": (lowering) => value(lowering.constant("ptr", 0)),
  memcpy: (lowering, use) => moveBytes(lowering, use, true),
  memset: (lowering, use) => moveBytes(lowering, use, false),
};

function isIn(lowering: Lowering, use: Use, space: string): Called {
  const [argument] = use.args;
  const known = argument ? spaceOf(lowering.value(argument)) : "generic";
  return value(lowering.constant("i32", known === space ? 1 : 0));
}
