/** Built-in functions: what each recipe emits. */
import type { Op, ScalarType } from "@warplens/sim-engine";
import type { Expression, Node } from "../../../syntax/ast.ts";
import type { Resolved } from "../../sema/context.ts";
import type { Recipe } from "../../sema/library/recipe.ts";
import { lastName } from "../../sema/scope.ts";
import { boolType, decay, floatType, integerType, intType, isFloating, promote, referred, underlying } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import { binary, negate, type Typed } from "../emit/arithmetic.ts";
import { type Called, type Lowering, nothing, type Place, value } from "../emit/lowering.ts";
import { type Leaf, loadLeaves, part, store, storeLeaves } from "../emit/memory.ts";
import { functionPrecision } from "../emit/precision.ts";
import { constantOf, convert, isFloatScalar, isSignedType, scalarOf, truth } from "../emit/scalars.ts";
import { atomic, cachedLoad, cachedStore, copyAsync } from "./accesses.ts";
import { specialForm } from "./forms.ts";
import { extreme, fieldsOf, ignore, negated, shuffleOf, target, trap, type Use, values } from "./operands.ts";
import { surfaceWrite, textureFetch } from "./textures.ts";

export function runRecipe(
  lowering: Lowering,
  recipe: Recipe,
  resolved: Resolved,
  args: readonly Expression[],
  self: Place | undefined,
  node: Node,
  into: Place | undefined,
): Called {
  const { context, builder } = lowering;
  const name = lastName(resolved.function.name);
  const result = context.resultType(resolved.function, resolved.substitution) ?? lowering.fail(`what ${name} returns is not known`, node);
  const use: Use = { resolved, args, self, node, into, result: referred(result) };
  switch (recipe.kind) {
    case "special form":
      return specialForm(lowering, recipe.name, use);
    case "unsupported":
      return lowering.fail(`${name}: ${recipe.reason}`, node);
    case "ignore":
      for (const each of args) ignore(lowering, each);
      if (recipe.time !== undefined) lowering.assume(name, "taken to take no time", `it is not simulated: ${recipe.time}`);
      return result.kind === "void" ? nothing : value(constantOf(lowering, 0n, result));
    case "call": {
      const given =
        recipe.callee === "printf" ? args.slice(1).flatMap((each) => printed(lowering, each)) : values(lowering, use).map(({ op }) => op);
      lowering.visit(node);
      lowering.at(node);
      builder.emit({ kind: "call", callee: recipe.callee }, "void", ...given);
      return result.kind === "void" ? nothing : value(constantOf(lowering, BigInt(given.length), result));
    }
    case "trap":
      trap(lowering, node);
      return nothing;
    case "make":
      return make(lowering, use);
    case "splat": {
      const [only] = values(lowering, use);
      const place = target(lowering, use);
      for (const field of fieldsOf(lowering, place.type))
        store(
          lowering,
          part(lowering, place, field.offset, field.type, node),
          convert(lowering, only?.op ?? lowering.fail("no value", node), only?.type ?? field.type, field.type),
        );
      return { kind: "place", place };
    }
    case "componentwise":
      return componentwise(lowering, recipe, use);
    case "barrier": {
      const [predicate] = recipe.reduce ? values(lowering, use) : [];
      if (!recipe.reduce) for (const each of args) lowering.effect(each);
      lowering.visit(node);
      lowering.at(node);
      if (!recipe.reduce || !predicate) builder.barrier();
      else return value(builder.emit({ kind: "barrier", reduce: recipe.reduce }, "i32", predicate.op));
      return nothing;
    }
    case "syncwarp":
      for (const each of args) lowering.effect(each);
      lowering.visit(node);
      lowering.at(node);
      builder.emit({ kind: "syncwarp", ...warpMask(lowering, args[0]) }, "void");
      return nothing;
    case "fence":
      lowering.visit(node);
      lowering.at(node);
      builder.emit({ kind: "fence", scope: recipe.scope }, "void");
      return nothing;
    case "special": {
      lowering.visit(node);
      lowering.at(node);
      const op = builder.special(recipe.register);
      return value(convert(lowering, op, op.type === "i64" ? integerType("ulong") : integerType("uint"), result));
    }
    case "constant":
      return value(constantOf(lowering, recipe.value, result));
    case "load":
      return cachedLoad(lowering, recipe, use);
    case "store":
      return cachedStore(lowering, recipe, use);
    case "texture":
      return textureFetch(lowering, recipe, use);
    case "surface write":
      return surfaceWrite(lowering, recipe, use);
    case "atomic":
      return atomic(lowering, recipe, use);
    case "shuffle":
      return shuffle(lowering, recipe, use);
    case "copy.async":
      return copyAsync(lowering, use);
    case "copy.commit":
      lowering.visit(node);
      lowering.at(node);
      builder.emit({ kind: "copy.commit" }, "void");
      return nothing;
    case "copy.wait": {
      const pending = args[0] && context.constant(args[0], lowering.frame.substitution);
      if (pending === undefined) return lowering.fail("how many copies may stay under way is not constant", node);
      lowering.visit(node);
      lowering.at(node);
      builder.emit({ kind: "copy.wait", pending: Number(pending) }, "void");
      return nothing;
    }
    default:
      return value(onValues(lowering, recipe, values(lowering, use), use.result, node));
  }
}

/** What is printed, as C passes it: integers are `int` at least, floats `double`; of a text its address, which nobody reads here. */
function printed(lowering: Lowering, argument: Expression): Op[] {
  const expression = lowering.context.clarify(argument);
  if (expression.kind === "string") return [lowering.constant("ptr", textAddress)];
  const type = lowering.tryTypeOf(expression);
  const plain = type && decay(type);
  if (!plain || (!scalarOf(plain) && plain.kind !== "pointer")) {
    ignore(lowering, expression);
    return [];
  }
  const op = lowering.value(expression);
  return [convert(lowering, op, plain, isFloating(plain) ? floatType("double") : promote(underlying(plain)))];
}

/** Where no text stands: it is not a null pointer, which would be a register that is there already. */
const textAddress = 8;

/** The value of a recipe that only computes. */
function onValues(lowering: Lowering, recipe: Recipe, given: readonly Typed[], result: Type, node: Node): Op {
  const { builder } = lowering;
  lowering.visit(node);
  lowering.at(node);
  const [a, b] = given;
  const ops = given.map((each) => each.op);
  const scalar = scalarOf(result) ?? "i32";
  if (!a) return lowering.fail("a built-in function without arguments", node);
  switch (recipe.kind) {
    case "math": {
      // `pow(float, int)` and its like compute in their result's type.
      const wide =
        isFloatScalar(scalar) && recipe.fn !== "ldexp" && recipe.fn !== "scalbn"
          ? given.map((each) => convert(lowering, each.op, each.type, result))
          : ops;
      return builder.math(recipe.fn, recipe.precision ?? functionPrecision(lowering, recipe.fn, scalar), scalar, ...wide);
    }
    case "classify":
      return convert(lowering, builder.math(recipe.fn, "precise", "i1", a.op), boolType, result);
    case "float":
      return b ? builder.float(recipe.op, a.op, b.op, recipe.precision) : lowering.fail("one operand where two are needed", node);
    case "int":
      return b ? builder.int(recipe.op, a.op, b.op) : lowering.fail("one operand where two are needed", node);
    case "extreme": {
      const [x, y] = given.map((each) => convert(lowering, each.op, each.type, result));
      if (!x || !y) return lowering.fail("one operand where two are needed", node);
      return extreme(lowering, recipe.which, x, y, result);
    }
    case "absolute":
      return isFloating(a.type) ? builder.math("fabs", "precise", scalar, a.op) : builder.math("abs", "precise", scalar, a.op);
    case "negate":
      return negate(lowering, a, node).op;
    case "fma": {
      const [x, y, z] = ops;
      return x && y && z ? builder.fma(x, y, z) : lowering.fail("fma needs three operands", node);
    }
    case "operator": {
      if (!b) return lowering.fail("one operand where two are needed", node);
      if (recipe.op === "&&" || recipe.op === "||")
        return builder.int(recipe.op === "&&" ? "and" : "or", truth(lowering, a.op), truth(lowering, b.op));
      const computed = binary(lowering, recipe.op, a, b, node);
      return convert(lowering, recipe.negated ? negated(lowering, computed.op) : computed.op, computed.type, result);
    }
    case "relu":
      return isFloatScalar(scalar)
        ? builder.float("fmax", a.op, builder.constant(scalar, 0))
        : lowering.fail("relu of what is no floating-point number", node);
    case "then":
      return onValues(lowering, recipe.next, [{ op: onValues(lowering, recipe.first, given, result, node), type: result }], result, node);
    case "convert":
      return converted(lowering, recipe.rounding, a, result);
    case "bitcast":
      return a.op.type === scalar ? a.op : builder.convert("bitcast", a.op, scalar);
    case "vote":
      return vote(lowering, recipe, given, result);
    case "match":
      return b
        ? builder.emit({ kind: "match", mode: recipe.mode }, "i32", a.op, b.op)
        : lowering.fail("one operand where two are needed", node);
    case "reduce": {
      if (!b) return lowering.fail("one operand where two are needed", node);
      const suffix = isSignedType(b.type) ? "s" : "u";
      const op = recipe.op === "min" ? (`min.${suffix}` as const) : recipe.op === "max" ? (`max.${suffix}` as const) : recipe.op;
      return builder.emit({ kind: "reduce", op }, "i32", a.op, b.op);
    }
    default:
      return lowering.fail("a built-in function that does not compute a value", node);
  }
}

/** A conversion with the rounding its name says. */
function converted(lowering: Lowering, rounding: "n" | "z" | "d" | "u" | undefined, from: Typed, to: Type): Op {
  if (rounding === undefined || (rounding === "z" && isFloating(from.type) && !isFloating(to)))
    return convert(lowering, from.op, from.type, to);
  const scalar = scalarOf(to) ?? "i32";
  const { builder } = lowering;
  const [fromFloat, toFloat] = [isFloating(from.type), isFloating(to)];
  if (fromFloat && !toFloat) {
    const wide: ScalarType = scalar === "i64" ? "i64" : "i32";
    const op = builder.emit({ kind: "convert", op: isSignedType(to) ? "fptosi" : "fptoui", rounding }, wide, from.op);
    return wide === scalar ? op : builder.convert("trunc", op, scalar);
  }
  if (!fromFloat && toFloat)
    return builder.emit({ kind: "convert", op: isSignedType(from.type) ? "sitofp" : "uitofp", rounding }, scalar, from.op);
  return from.op.type === scalar ? from.op : convert(lowering, from.op, from.type, to);
}

function vote(lowering: Lowering, recipe: Recipe & { kind: "vote" }, given: readonly Typed[], result: Type): Op {
  const { builder } = lowering;
  const predicate = given.at(-1)?.op ?? lowering.fail("a vote on nothing");
  const mask = recipe.sync ? (given[0]?.op ?? lowering.constant("i32", -1)) : builder.special("activemask");
  const condition = truth(lowering, predicate);
  const op = builder.emit({ kind: "vote", mode: recipe.mode }, recipe.mode === "ballot" ? "i32" : "i1", mask, condition);
  return recipe.mode === "ballot" ? op : convert(lowering, op, boolType, result);
}

function make(lowering: Lowering, use: Use): Called {
  const given = values(lowering, use);
  const place = target(lowering, use);
  const leaves: { leaf: Leaf; op: Op }[] = [];
  for (const [index, field] of fieldsOf(lowering, place.type).entries()) {
    const each = given[index];
    const scalar = scalarOf(field.type);
    if (each && scalar)
      leaves.push({ leaf: { offset: field.offset, type: field.type, scalar }, op: convert(lowering, each.op, each.type, field.type) });
  }
  storeLeaves(lowering, place, leaves);
  return { kind: "place", place };
}

/** Arithmetic of pairs (`half2`, complex numbers), one component after the other. */
function componentwise(lowering: Lowering, recipe: Recipe & { kind: "componentwise" }, use: Use): Called {
  const operands = use.args.map((each) => lowering.place(each));
  const fields = fieldsOf(lowering, use.result);
  const loaded = operands.map((each) => loadLeaves(lowering, each).map((leaf) => leaf.op));
  const place = (recipe.assigned && operands[0]) || target(lowering, use);
  const computed = fields.map(({ offset, type }, index) => {
    const given = loaded.map((each): Typed => ({ op: each[index] ?? lowering.fail("a pair with one component", use.node), type }));
    return {
      leaf: { offset, type, scalar: scalarOf(type) ?? "f16" },
      op: onValues(lowering, recipe.recipe, given, type, use.node),
    } as const;
  });
  storeLeaves(lowering, place, computed);
  return { kind: "place", place };
}

function shuffle(lowering: Lowering, recipe: Recipe & { kind: "shuffle" }, use: Use): Called {
  const { args, node } = use;
  const [mask, shuffled, lane, width] = recipe.sync ? args : [undefined, ...args];
  if (!shuffled || !lane) return lowering.fail("a shuffle without operands", node);
  const segment = width ? lowering.context.constant(width, lowering.frame.substitution) : 32n;
  const maskOp = mask ? lowering.valueAs(mask, integerType("uint")) : undefined;
  const laneOp = (): Op => lowering.valueAs(lane, intType);
  if (segment === undefined && width)
    return shuffleOf(
      lowering,
      "idx",
      32,
      maskOp,
      shuffled,
      () => sourceLane(lowering, recipe.mode, laneOp(), lowering.valueAs(width, intType)),
      use,
    );
  return shuffleOf(lowering, recipe.mode, Number(segment), maskOp, shuffled, laneOp, use);
}

/** The lane a shuffle reads in segments of a width that only run time knows: its own where that would leave the segment. */
function sourceLane(lowering: Lowering, mode: (Recipe & { kind: "shuffle" })["mode"], by: Op, width: Op): Op {
  const { builder } = lowering;
  const lane = builder.special("laneid");
  const inside = builder.int("sub", width, lowering.constant("i32", 1));
  const start = builder.int("and", lane, builder.int("xor", inside, lowering.constant("i32", -1)));
  if (mode === "idx") return builder.int("or", start, builder.int("and", by, inside));
  const source = mode === "xor" ? builder.int("xor", lane, by) : builder.int(mode === "up" ? "sub" : "add", lane, by);
  const last = builder.int("or", start, inside);
  const outside = mode === "up" ? builder.icmp("slt", source, start) : builder.icmp("sgt", source, last);
  return builder.select(outside, lane, source);
}

/** The lanes that `__syncwarp(mask)` names; all where it names none. */
function warpMask({ context, frame }: Lowering, mask: Expression | undefined): { readonly mask?: number } {
  const named = mask === undefined ? 0xffffffffn : context.constant(mask, frame.substitution);
  return typeof named === "bigint" ? { mask: Number(BigInt.asIntN(32, named)) } : {};
}
