/**
 * What becomes of a double constant: whether the computation it takes part in is otherwise single precision, and whether double
 * arithmetic is left of it in machine code.
 *
 * nvcc computes one operation on floats in single precision where that gives the very same float: a sum, difference, product or quotient
 * of a float and a constant that is exactly a float, converted to float at once; and a comparison with such a constant. Of two operations
 * in a row, of other constants, of integers and of functions, the double arithmetic stays (`double-constant-in-float.test.ts` holds this
 * to what nvcc 13.0 was seen to do).
 */

import type { CodeOptions } from "../../analysis/nvcc-options.ts";
import type { Semantics } from "../../analysis/sema/index.ts";
import type { Type } from "../../analysis/sema/types.ts";
import type { Declaration, Expression, Node, VariableDeclaration } from "../../syntax/ast.ts";
import { leftChain } from "../../syntax/terms.ts";
import type { RuleContext } from "../rule.ts";
import { libraryName } from "./library-calls.ts";
import { sameWithFloat } from "./narrow-scaling.ts";
import { unqualified } from "./ranges.ts";
import { isOwn, type SyntaxIndex, sameSpan } from "./syntax-index.ts";

type Literal = Expression & { readonly kind: "float" };
type Call = Expression & { readonly kind: "call" };

export interface Use {
  /** The whole computation that the constant takes part in. */
  readonly root: Expression;
  /** With the suffix the result is the same, bit for bit. */
  readonly exact: boolean;
}

/** What a value is converted to in the end, and whether by computing with it (`x += value`). */
interface Target {
  readonly type: "single" | "other";
  readonly computes: boolean;
  /** A conversion that is written: to float all the same. */
  readonly cast?: "single" | "other";
}

/**
 * What is left of a computation, from a constant outwards, when the compiler is done: a constant; one operation that becomes one of
 * floats if its result is converted at once; or arithmetic in double precision.
 */
type Left = "constant" | "narrowed" | "double";

/** From a constant outwards: whether floats took part in what was computed with it so far, and what is left of that. */
interface Way {
  readonly node: Expression;
  readonly computes: boolean;
  /** Something was computed whose result may be rounded. */
  readonly rounded: boolean;
  readonly left: Left;
}

/** What an expression would be if every double constant in it were a float. "constant": made of such constants alone. */
type Precision = "constant" | "integer" | "single" | "double" | "unknown";

/** Math functions that have a float overload of the same name. */
const overloaded =
  /^(fabs|abs|sqrt|rsqrt|cbrt|rcbrt|exp|exp2|exp10|expm1|log|log2|log10|log1p|sin|cos|tan|sinpi|cospi|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|pow|hypot|rhypot|fmod|remainder|copysign|fdim|fma|floor|ceil|trunc|round|rint|nearbyint|fmin|fmax|min|max|erf|erfc|tgamma|lgamma|ldexp|saturate)$/;
/** Functions of floats alone, by C's names and CUDA's. */
const singleOnly =
  /^(?:(?:fabs|sqrt|rsqrt|cbrt|rcbrt|exp|exp2|exp10|expm1|log|log2|log10|log1p|sin|cos|tan|sinpi|cospi|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|pow|hypot|rhypot|fmod|remainder|copysign|fdim|fma|floor|ceil|trunc|round|rint|fmin|fmax|erf|erfc|erfinv|erfcinv|erfcx|normcdf|normcdfinv|tgamma|lgamma|fdivide)f|__(?:exp|exp10|log|log2|log10|sin|cos|tan|pow|fdivide)f|__(?:saturatef|fadd_r[nzud]|fsub_r[nzud]|fmul_r[nzud]|fdiv_r[nzud]|fmaf_r[nzud]|fsqrt_r[nzud]|frcp_r[nzud]|frsqrt_rn)|make_float[1-4])$/;

export class FloatUse {
  readonly #semantics: Semantics;
  readonly #syntax: SyntaxIndex;
  readonly #code: CodeOptions;
  /** Precisions of sums. */
  readonly #sums = new WeakMap<Expression, Precision>();
  /** What becomes of the result of an operation, by what is known of it so far: the same for every constant in it. */
  readonly #uses = new Map<string, Map<Expression, Use | undefined>>();

  constructor(program: RuleContext["program"], syntax: SyntaxIndex) {
    this.#semantics = program.semantics;
    this.#syntax = syntax;
    this.#code = program.code;
  }

  /** Undefined: the constant is rightly a double, no double arithmetic is left of it, or it cannot be told. */
  of(literal: Literal): Use | undefined {
    const passed: (readonly [known: Map<Expression, Use | undefined>, node: Expression])[] = [];
    const keep = (use: Use | undefined): Use | undefined => {
      for (const [known, node] of passed) known.set(node, use);
      return use;
    };
    let way: Way = { node: literal, computes: false, rounded: false, left: "constant" };
    for (;;) {
      if (way.left !== "constant") {
        const known = this.#usesKnown(way);
        if (known.has(way.node)) return keep(known.get(way.node));
        passed.push([known, way.node]);
      }
      const next = this.#step(way);
      if (!next || !("node" in next)) return keep(next);
      way = next;
    }
  }

  #usesKnown({ computes, rounded, left }: Way): Map<Expression, Use | undefined> {
    const key = `${left} ${computes} ${rounded}`;
    const known = this.#uses.get(key) ?? new Map<Expression, Use | undefined>();
    this.#uses.set(key, known);
    return known;
  }

  /** To the expression around it, or to the end. */
  #step(way: Way): Way | Use | undefined {
    const { node, computes, rounded, left } = way;
    const item = this.#syntax.parent(node);
    if (item?.role !== "expression") return this.#sink(way);
    const parent: Expression = item.node;
    switch (parent.kind) {
      case "parenthesized":
        return { ...way, node: parent };
      case "unary":
        return parent.op === "-" || parent.op === "+" ? { ...way, node: parent } : undefined;
      case "conditional": {
        if (sameSpan(node, parent.condition)) return undefined;
        const arm = sameSpan(node, parent.then) ? parent.else : parent.then;
        const other = this.#precision(arm);
        if (other === "double" || other === "unknown") return undefined;
        const stays = left === "constant" || (left === "narrowed" && other === "constant");
        return { node: parent, computes: computes || (other === "single" && left !== "constant"), rounded, left: stays ? left : "double" };
      }
      case "binary": {
        const beside = sameSpan(node, parent.left) ? parent.right : parent.left;
        const other = this.#precision(beside);
        if (parent.op === ",") return sameSpan(node, parent.left) ? undefined : { ...way, node: parent };
        if (other === "double" || other === "unknown") return undefined;
        const narrows = left === "constant" && this.#isFloat(node) && this.#typed(beside) === "single";
        if (/^([<>]=?|[!=]=)$/.test(parent.op)) {
          if ((other !== "single" && !computes) || narrows) return undefined;
          return { root: parent, exact: false };
        }
        if (!isArithmetic(parent.op)) return undefined;
        // Computed while compiling: the result is a constant as any.
        if (left === "constant" && this.#semantics.constant(parent) !== undefined) return { ...way, node: parent, rounded: true };
        return { node: parent, computes: computes || other === "single", rounded: true, left: narrows ? "narrowed" : "double" };
      }
      case "call": {
        const name = libraryName(parent);
        if (name === undefined || !overloaded.test(name) || this.#own(parent)) return this.#sink(way);
        const others = parent.arguments.filter((argument) => !sameSpan(node, argument)).map((argument) => this.#precision(argument));
        if (others.some((other) => other === "double" || other === "unknown")) return undefined;
        const chooses = /^f?(min|max)$/.test(name) && left === "constant" && this.#isFloat(node);
        return { node: parent, computes: computes || others.includes("single"), rounded: rounded || !chooses, left: "double" };
      }
      default:
        return this.#sink(way);
    }
  }

  /** A constant that a float holds exactly. */
  #isFloat(node: Expression): boolean {
    const value = this.#semantics.constant(node);
    return typeof value === "number" && Math.fround(value) === value;
  }

  /** Where a value ends: what it is converted to decides. */
  #sink({ node, computes, rounded, left }: Way): Use | undefined {
    const target = this.#target(node);
    if (target === undefined) return undefined;
    const single = (target.cast ?? target.type) === "single";
    if (left === "constant" && (!target.computes || (single && this.#isFloat(node)))) return undefined;
    if (left === "narrowed" && single && !target.computes) return undefined;
    // An explicit conversion, or one to an integer, still computed with floats at double precision on the way.
    if (target.type !== "single" && !computes) return undefined;
    const isNarrow = target.computes ? undefined : sameWithFloat(this.#semantics, node, single ? "single" : "integer", this.#code);
    // Scaled to an integer: one that comes out otherwise is what the double is for.
    if (isNarrow === false && !single) return undefined;
    if (isNarrow) return { root: node, exact: true };
    return { root: node, exact: !rounded && !target.computes };
  }

  #target(node: Expression): Target | undefined {
    const item = this.#syntax.parent(node);
    if (!item) return undefined;
    if (item.role === "declaration") return this.#initialised(item.node, []);
    if (item.role === "statement") return item.node.kind === "return" ? this.#returned(node) : undefined;
    const parent = item.node;
    switch (parent.kind) {
      case "assign": {
        if (!sameSpan(node, parent.right) || !/^[-+*/]?$/.test(parent.op)) return undefined;
        const target = kindOf(this.#semantics.typeOf(parent.left));
        return target && { type: target, computes: parent.op !== "" };
      }
      case "cast": {
        const type = kindOf(this.#semantics.typeFrom(parent.type));
        // `(float)0.5` says what it wants; `(float)(x * 0.5)` with a float x does not.
        return type && { type: "other", computes: false, cast: type };
      }
      case "call":
        return sameSpan(node, parent.callee) ? undefined : this.#argument(parent, node);
      case "list":
        return this.#element(parent, node, []);
      default:
        return undefined;
    }
  }

  #initialised(declaration: Declaration, path: readonly number[]): Target | undefined {
    if (declaration.kind !== "variable" || declaration.type.kind === "auto") return undefined;
    const type = kindOf(this.#elementType(declaration, path));
    return type && { type, computes: false };
  }

  /** The type of an element of a variable, by its position in nested braces. */
  #elementType(declaration: VariableDeclaration, path: readonly number[]): Type | undefined {
    let type = unqualified(this.#semantics.declaredType(declaration));
    for (const _ of path) {
      // A flat list may fill a nested array: what counts is the innermost element.
      if (type?.kind === "array") type = type.of;
      else if (type?.kind === "record" && /^float[1-4]$/.test(type.record.name)) return { kind: "floating", name: "float" };
      else if (type?.kind === "record") return undefined;
    }
    while (type?.kind === "array") type = type.of;
    return type;
  }

  #element(list: Expression & { kind: "list" }, node: Expression, inner: readonly number[]): Target | undefined {
    const path = [list.elements.findIndex((element) => sameSpan(node, element.value)), ...inner];
    if (list.type) {
      const type = unqualified(this.#semantics.typeFrom(list.type));
      if (type?.kind === "record") return /^float[1-4]$/.test(type.record.name) ? { type: "single", computes: false } : undefined;
      const kind = kindOf(type);
      return kind && { type: kind, computes: false };
    }
    const item = this.#syntax.parent(list);
    if (item?.role === "declaration") return this.#initialised(item.node, path);
    if (item?.role === "expression" && item.node.kind === "list") return this.#element(item.node, list, path);
    return undefined;
  }

  #returned(node: Node): Target | undefined {
    const owner = this.#syntax.code(node)?.function;
    if (!owner?.result || owner.result.kind === "auto") return undefined;
    const type = kindOf(this.#semantics.typeFrom(owner.result));
    return type && { type, computes: false };
  }

  #argument(call: Call, node: Expression): Target | undefined {
    const index = call.arguments.findIndex((argument) => sameSpan(node, argument));
    const name = libraryName(call);
    if (name !== undefined && !this.#own(call)) {
      if (singleOnly.test(name)) return { type: "single", computes: false };
      const [first] = call.arguments;
      if (/^atomic(Add|Exch)$/.test(name) && index === 1 && first) {
        const pointer = unqualified(this.#semantics.typeOf(first));
        const type =
          pointer?.kind === "pointer" || pointer?.kind === "array"
            ? kindOf(pointer.kind === "pointer" ? pointer.to : pointer.of)
            : undefined;
        return type && { type, computes: false };
      }
      return undefined;
    }
    const callee = this.#semantics.callee(call)?.function;
    // A template might deduce another type, an overload set choose another function.
    if (!callee || callee.templateParameters || this.#semantics.resolve(call.callee).length > 1) return undefined;
    const parameter = callee.parameters[index];
    const type = parameter && kindOf(this.#semantics.declaredType(parameter));
    return type && { type, computes: false };
  }

  #own(call: Call): boolean {
    return this.#semantics.resolve(call.callee).some(isOwn);
  }

  #precision(node: Expression): Precision {
    switch (node.kind) {
      case "float":
        return node.suffix === "" ? "constant" : node.suffix === "f" ? "single" : "double";
      case "parenthesized":
        return this.#precision(node.inner);
      case "unary":
        return /^[-+]$/.test(node.op) ? this.#precision(node.operand) : this.#typed(node);
      case "binary":
        return isArithmetic(node.op) ? this.#precisionOfSum(node) : this.#typed(node);
      case "conditional":
        return join(this.#precision(node.then), this.#precision(node.else));
      case "call": {
        const name = libraryName(node);
        if (name === undefined || !overloaded.test(name) || this.#own(node)) return this.#typed(node);
        const joined = node.arguments.map((argument) => this.#precision(argument)).reduce(join, "integer");
        return joined === "integer" ? this.#typed(node) : joined;
      }
      default:
        return this.#isNarrow(node) ? "single" : this.#typed(node);
    }
  }

  /** A number of 8 or 16 bits, as colours have: a float holds it exactly, and so what is computed with it need be no more. */
  #isNarrow(node: Expression): boolean {
    const type = unqualified(this.#semantics.typeOf(node));
    return type?.kind === "integer" && /^([su]?char|u?short)$/.test(type.name);
  }

  /** Of a long sum, each part is the left operand of the next: those of its literals ask for all of them. */
  #precisionOfSum(node: Expression & { kind: "binary" }): Precision {
    const chain = leftChain(node, (inner) => isArithmetic(inner.op) && !this.#sums.has(inner));
    let { left } = chain[0] ?? node;
    for (const part of chain) {
      const before = this.#sums.get(left) ?? this.#precision(left);
      this.#sums.set(part, join(before, this.#precision(part.right)));
      left = part;
    }
    return this.#sums.get(node) ?? "unknown";
  }

  #typed(node: Expression): Precision {
    const type = unqualified(this.#semantics.typeOf(node));
    if (type?.kind === "integer" || type?.kind === "enum") return "integer";
    if (type?.kind !== "floating") return "unknown";
    return type.name === "float" ? "single" : type.name === "double" ? "double" : "unknown";
  }
}

const isArithmetic = (op: string): boolean => /^[-+*/]$/.test(op);

const order: readonly Precision[] = ["integer", "constant", "single", "double", "unknown"];
const join = (a: Precision, b: Precision): Precision => (order.indexOf(a) > order.indexOf(b) ? a : b);

/** `undefined` where the value stays double or the type is not known. */
function kindOf(given: Type | undefined): "single" | "other" | undefined {
  const type = unqualified(given);
  if (type?.kind === "floating") return type.name === "float" ? "single" : undefined;
  return type?.kind === "integer" || type?.kind === "enum" ? "other" : undefined;
}
