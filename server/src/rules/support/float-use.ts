/** What becomes of a double constant: whether the computation it takes part in is otherwise single precision. */

import type { Semantics } from "../../analysis/sema/index.ts";
import type { Type } from "../../analysis/sema/types.ts";
import type { Declaration, Expression, Node, VariableDeclaration } from "../../syntax/ast.ts";
import { leftChain } from "../../syntax/terms.ts";
import type { RuleContext } from "../rule.ts";
import { unqualified } from "./ranges.ts";
import { isOwn, type SyntaxIndex, sameSpan } from "./syntax-index.ts";

type Literal = Expression & { readonly kind: "float" };
type Call = Expression & { readonly kind: "call" };

export interface Use {
  /** The constant meets float operands in an operation, rather than only being converted. */
  readonly computes: boolean;
  /** With the suffix the result is the same, bit for bit (unless the constant itself rounds differently). */
  readonly exact: boolean;
}

/** What a value is converted to in the end, and whether by computing with it (`x += value`). */
interface Target {
  readonly type: "single" | "other";
  readonly computes: boolean;
}

/** From a constant outwards: whether floats took part in what was computed with it so far, and how many operations that were. */
interface Way {
  readonly node: Expression;
  readonly computes: boolean;
  readonly operations: number;
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
  /** Precisions of sums. */
  readonly #sums = new WeakMap<Expression, Precision>();
  /** What becomes of the result of an operation, where floats took part so far and where not: the same for every constant in it. */
  readonly #uses = { computes: new Map<Expression, Use | undefined>(), other: new Map<Expression, Use | undefined>() };

  constructor(program: RuleContext["program"], syntax: SyntaxIndex) {
    this.#semantics = program.semantics;
    this.#syntax = syntax;
  }

  /** Undefined: the constant is rightly a double, or it cannot be told. */
  of(literal: Literal): Use | undefined {
    const passed: (readonly [known: Map<Expression, Use | undefined>, node: Expression])[] = [];
    const keep = (use: Use | undefined): Use | undefined => {
      for (const [known, node] of passed) known.set(node, use);
      return use;
    };
    let way: Way = { node: literal, computes: false, operations: 0 };
    for (;;) {
      if (way.operations > 0) {
        const known = way.computes ? this.#uses.computes : this.#uses.other;
        if (known.has(way.node)) return keep(known.get(way.node));
        passed.push([known, way.node]);
      }
      const next = this.#step(literal, way);
      if (!next || !("node" in next)) return keep(next);
      way = next;
    }
  }

  /** To the expression around it, or to the end. */
  #step(literal: Literal, { node, computes, operations }: Way): Way | Use | undefined {
    const item = this.#syntax.parent(node);
    if (item?.role !== "expression") return this.#sink(node, computes, operations);
    const parent: Expression = item.node;
    switch (parent.kind) {
      case "parenthesized":
        return { node: parent, computes, operations };
      case "unary":
        return parent.op === "-" || parent.op === "+" ? { node: parent, computes, operations } : undefined;
      case "conditional": {
        if (sameSpan(node, parent.condition)) return undefined;
        const other = this.#precision(sameSpan(node, parent.then) ? parent.else : parent.then);
        if (other === "double" || other === "unknown") return undefined;
        return { node: parent, computes: computes || (other === "single" && operations > 0), operations };
      }
      case "binary": {
        const other = this.#precision(sameSpan(node, parent.left) ? parent.right : parent.left);
        if (parent.op === ",") return sameSpan(node, parent.left) ? undefined : { node: parent, computes, operations };
        if (other === "double" || other === "unknown") return undefined;
        if (/^([<>]=?|[!=]=)$/.test(parent.op)) {
          if (other !== "single" && !computes) return undefined;
          // A float compared with a constant that is a float too compares the same at either precision.
          return { computes: true, exact: operations === 0 && Math.fround(literal.value) === literal.value };
        }
        if (!isArithmetic(parent.op)) return undefined;
        return { node: parent, computes: computes || other === "single", operations: operations + 1 };
      }
      case "call": {
        const name = builtInName(parent);
        if (name === undefined || !overloaded.test(name) || this.#own(parent)) return this.#sink(node, computes, operations);
        const others = parent.arguments.filter((argument) => !sameSpan(node, argument)).map((argument) => this.#precision(argument));
        if (others.some((other) => other === "double" || other === "unknown")) return undefined;
        return { node: parent, computes: computes || others.includes("single"), operations: operations + 1 };
      }
      default:
        return this.#sink(node, computes, operations);
    }
  }

  /** Where a value ends: what it is converted to decides. */
  #sink(node: Expression, computes: boolean, operations: number): Use | undefined {
    const target = this.#target(node);
    if (target === undefined) return undefined;
    // What is made of constants alone is computed while compiling: nothing is converted when it runs, and double is the better way.
    if (operations > 0 && !computes && !target.computes && this.#semantics.constant(node) !== undefined) return undefined;
    if (target.type === "single")
      return { computes: computes || operations > 0 || target.computes, exact: operations === 0 && !target.computes };
    // An explicit conversion, or one to an integer, still computed with floats at double precision on the way.
    return computes && target.type === "other" ? { computes: true, exact: false } : undefined;
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
        return type && { type: "other", computes: false };
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
    const name = builtInName(call);
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
        const name = builtInName(node);
        if (name === undefined || !overloaded.test(name) || this.#own(node)) return this.#typed(node);
        const joined = node.arguments.map((argument) => this.#precision(argument)).reduce(join, "integer");
        return joined === "integer" ? this.#typed(node) : joined;
      }
      default:
        return this.#typed(node);
    }
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

/** The plain name a call calls, `std::` set aside. */
function builtInName(call: Call): string | undefined {
  if (call.callee.kind !== "name") return undefined;
  const { parts } = call.callee.name;
  const qualified = parts.length === 2 && parts[0]?.text === "std";
  return parts.length === 1 || qualified ? parts.at(-1)?.text : undefined;
}

const order: readonly Precision[] = ["integer", "constant", "single", "double", "unknown"];
const join = (a: Precision, b: Precision): Precision => (order.indexOf(a) > order.indexOf(b) ? a : b);

/** `undefined` where the value stays double or the type is not known. */
function kindOf(given: Type | undefined): "single" | "other" | undefined {
  const type = unqualified(given);
  if (type?.kind === "floating") return type.name === "float" ? "single" : undefined;
  return type?.kind === "integer" || type?.kind === "enum" ? "other" : undefined;
}
