/**
 * Whether all lanes of a warp certainly reach a place together: the same number of times, under conditions that have one
 * value for the whole warp. What cannot be proved is answered with the reason.
 */

import { lastName } from "../../analysis/sema/scope.ts";
import type { Expression, FunctionDeclaration, Node, Statement } from "../../syntax/ast.ts";
import { leftChain } from "../../syntax/terms.ts";
import type { RuleContext } from "../rule.ts";
import type { Item } from "./children.ts";
import { excerpt } from "./edits.ts";
import { type Code, type SyntaxIndex, sameSpan } from "./syntax-index.ts";
import { type Variable, Variables } from "./variables.ts";

/** Why lanes may part, and the text that makes them. */
export interface Divergence {
  readonly reason: string;
  readonly at: Node;
}

type Call = Expression & { readonly kind: "call" };

/** Built in values that every lane of a warp shares. */
const uniformNames = new Set(["blockIdx", "blockDim", "gridDim", "warpSize"]);
/** Functions whose result is the same in every lane that takes part. */
const votes = /^__(any|all|ballot|syncthreads_(and|or|count))(_sync)?$|^__reduce_\w+_sync$/;
/** Functions of their arguments alone. */
const pure = /^(min|max|abs|__?(mul24|umul24|popc|clz|ffs|brev)|(sqrt|fabs|floor|ceil|fmin|fmax|log2?|exp2?|pow)f?|__ldg)$/;
const maxDepth = 24;

export class Convergence {
  readonly #program: RuleContext["program"];
  readonly #syntax: SyntaxIndex;
  readonly #variables: Variables;
  readonly #callers = new Map<FunctionDeclaration, readonly Call[]>();

  readonly #ofBlock: boolean;

  /** @param ofBlock whether all threads of a block arrive, rather than all lanes of each warp */
  constructor(program: RuleContext["program"], syntax: SyntaxIndex, ofBlock = false) {
    this.#program = program;
    this.#syntax = syntax;
    this.#ofBlock = ofBlock;
    this.#variables = new Variables(syntax, program.semantics);
  }

  /** Undefined: all lanes of every warp arrive together. */
  divergence(node: Node, visiting: ReadonlySet<Node> = new Set()): Divergence | undefined {
    const code = this.#syntax.code(node);
    if (!code) return { reason: "it does not stand in a function", at: node };
    return this.#within(node, code.function, visiting) ?? this.#entry(code, visiting);
  }

  /** Whether lanes part between the start of a function or lambda and a node in it. */
  #within(node: Node, root: Node, visiting: ReadonlySet<Node>): Divergence | undefined {
    return this.#onTheWay(node, root, visiting) ?? this.#exits("return", node, root, visiting);
  }

  #atAncestor(item: Item, child: Node, visiting: ReadonlySet<Node>): Divergence | undefined {
    const { node } = item;
    if (item.role === "declaration") return undefined;
    switch (node.kind) {
      case "if":
        return sameSpan(child, node.then) || sameSpan(child, node.else) ? this.#condition(node.condition, visiting) : undefined;
      case "conditional":
        return sameSpan(child, node.condition) ? undefined : this.#condition(node.condition, visiting);
      case "binary":
        return (node.op === "&&" || node.op === "||") && sameSpan(child, node.right) ? this.#condition(node.left, visiting) : undefined;
      case "switch":
        return sameSpan(child, node.body) ? this.#condition(node.condition, visiting) : undefined;
      case "for":
        return sameSpan(child, node.init) ? undefined : this.#loop(node, visiting);
      case "while":
      case "do":
        return this.#loop(node, visiting);
      case "range-for":
        return sameSpan(child, node.body)
          ? { reason: "the number of iterations is not known to be the same in every lane", at: node.range }
          : undefined;
      default:
        return undefined;
    }
  }

  #condition(condition: Expression | Variable, visiting: ReadonlySet<Node>): Divergence | undefined {
    if ("kind" in condition && condition.kind !== "variable" && this.uniform(condition, visiting)) return undefined;
    return { reason: `\`${excerpt(this.#program.reading, condition)}\` may differ between the lanes of a warp`, at: condition };
  }

  #loop(loop: Statement & { kind: "for" | "while" | "do" }, visiting: ReadonlySet<Node>): Divergence | undefined {
    if (visiting.has(loop)) return undefined;
    const inside = new Set([...visiting, loop]);
    const found = loop.condition && this.#condition(loop.condition, inside);
    if (found) return { ...found, reason: `lanes may leave the loop at different iterations: ${found.reason}` };
    return this.#exits("break", undefined, loop, inside) ?? this.#exits("continue", undefined, loop, inside);
  }

  /** A `return` before a node, or a `break` or `continue` of a loop, that not all lanes take. */
  #exits(kind: "return" | "break" | "continue", before: Node | undefined, root: Node, visiting: ReadonlySet<Node>): Divergence | undefined {
    for (const exit of this.#syntax.statementsAround(root, kind)) {
      const leaves = kind === "return" ? this.#syntax.code(exit)?.function : this.#target(exit, kind);
      if (leaves !== root || visiting.has(exit)) continue;
      if (before && exit.start > before.start && !this.#sharesLoop(exit, before, root)) continue;
      const found = this.#onTheWay(exit, root, new Set([...visiting, exit]));
      if (found) return { reason: `some lanes may take the \`${kind}\` before it: ${found.reason}`, at: exit };
    }
    return undefined;
  }

  /** The innermost construct around a node, up to `root`, whose condition may part the lanes. */
  #onTheWay(node: Node, root: Node, visiting: ReadonlySet<Node>): Divergence | undefined {
    let child = node;
    for (const item of this.#syntax.ancestors(node)) {
      if (item.node === root) return undefined;
      const found = this.#atAncestor(item, child, visiting);
      if (found) return found;
      child = item.node;
    }
    return undefined;
  }

  #sharesLoop(exit: Node, node: Node, root: Node): boolean {
    for (const item of this.#syntax.ancestors(exit)) {
      if (item.node === root) return false;
      const isLoop = item.role === "statement" && /^(for|while|do|range-for)$/.test(item.node.kind);
      if (isLoop && item.node.start <= node.start && node.end <= item.node.end) return true;
    }
    return false;
  }

  #target(exit: Node, kind: "break" | "continue"): Node | undefined {
    for (const item of this.#syntax.ancestors(exit)) {
      if (item.role !== "statement") continue;
      if (/^(for|while|do|range-for)$/.test(item.node.kind) || (kind === "break" && item.node.kind === "switch")) return item.node;
    }
    return undefined;
  }

  /** Whether the warps enter a function whole. */
  #entry(code: Code, visiting: ReadonlySet<Node>): Divergence | undefined {
    const callee = code.function;
    if (callee.kind === "lambda") return { reason: "it is not known where the lambda is called", at: callee };
    if (callee.specifiers.global) return undefined;
    const name = lastName(callee.name);
    const calls = this.#callsOf(callee);
    if (calls.length === 0) return { reason: `it is not known who calls \`${name}\``, at: callee.nameSpan };
    if (visiting.has(callee) || visiting.size > maxDepth) return { reason: `\`${name}\` calls itself`, at: callee.nameSpan };
    for (const call of calls) {
      const found = this.divergence(call, new Set([...visiting, callee]));
      if (found) return { reason: `\`${name}\` is called where ${found.reason}`, at: call };
    }
    return undefined;
  }

  #callsOf(callee: FunctionDeclaration): readonly Call[] {
    const known = this.#callers.get(callee);
    if (known) return known;
    // Constructors are called by whatever names their type, operators by no name.
    const named =
      callee.role === undefined
        ? this.#syntax.expressionsMentioning(lastName(callee.name), "call")
        : this.#syntax.expressionsEverywhere("call");
    const calls = named.filter((call) => this.#program.semantics.callee(call)?.function === callee);
    this.#callers.set(callee, calls);
    return calls;
  }

  /** Whether an expression certainly has one value in all lanes of a warp. */
  uniform(node: Expression, visiting: ReadonlySet<Node> = new Set()): boolean {
    if (visiting.size > maxDepth) return false;
    const each = (...operands: readonly Expression[]): boolean => operands.every((operand) => this.uniform(operand, visiting));
    switch (node.kind) {
      case "integer":
      case "float":
      case "char":
      case "bool":
      case "null":
      case "sizeof":
        return true;
      case "parenthesized":
        return each(node.inner);
      case "unary":
        return node.op === "*" ? this.#readOnly(node) && each(node.operand) : /^[-+!~]$/.test(node.op) && each(node.operand);
      case "binary":
        return this.#uniformOperators(leftChain(node), visiting);
      case "conditional":
        return each(node.condition, node.then, node.else);
      case "cast":
        return each(...node.operands);
      case "subscript":
        return this.#readOnly(node) && each(node.base, ...node.indices);
      case "member":
        return node.arrow ? this.#readOnly(node) && each(node.base) : each(node.base);
      case "call":
        return this.#uniformCall(node, visiting);
      case "name":
        return this.#uniformName(node, visiting);
      default:
        return false;
    }
  }

  /** @param chain each is the left operand of the next */
  #uniformOperators(chain: readonly (Expression & { kind: "binary" })[], visiting: ReadonlySet<Node>): boolean {
    let uniform = chain[0] !== undefined && this.uniform(chain[0].left, visiting);
    for (const node of chain) uniform = (uniform && this.uniform(node.right, visiting)) || this.#warpIndex(node);
    return uniform;
  }

  /** Memory nobody writes: two lanes that read one address read one value. */
  #readOnly(node: Expression): boolean {
    return this.#program.semantics.typeOf(node)?.const === true;
  }

  #uniformCall(node: Call, visiting: ReadonlySet<Node>): boolean {
    if (node.callee.kind !== "name") return false;
    const name = lastName(node.callee.name);
    if (votes.test(name)) return !this.#ofBlock || name.startsWith("__syncthreads_");
    const isPure = pure.test(name) || this.#program.semantics.callee(node)?.function.specifiers.constexpr === true;
    return isPure && node.arguments.every((argument) => this.uniform(argument, visiting));
  }

  #uniformName(node: Expression & { kind: "name" }, visiting: ReadonlySet<Node>): boolean {
    const text = lastName(node.name);
    if (uniformNames.has(text)) return true;
    if (this.#program.semantics.constant(node) !== undefined) return true;
    const code = this.#syntax.code(node);
    const variable = this.#variables.of(node);
    if (!variable) return code?.function.kind === "function" && (code.function.templateParameters ?? []).some((each) => each.name === text);
    if (visiting.has(variable)) return true;
    const inside = new Set([...visiting, variable]);
    return this.#uniformOrigin(variable, inside) && this.#uniformWrites(variable, inside);
  }

  /** What a variable holds before anything is assigned to it. */
  #uniformOrigin(variable: Variable, visiting: ReadonlySet<Node>): boolean {
    if ("kind" in variable) {
      const { init, specifiers } = variable;
      if (specifiers.shared || specifiers.device) return false;
      if (specifiers.constant) return true;
      return init === undefined || init.values.every((value) => this.uniform(value, visiting));
    }
    const owner = this.#program.semantics.functions.find((each) => each.parameters.includes(variable));
    if (!owner) return false;
    if (owner.specifiers.global) return true;
    const index = owner.parameters.indexOf(variable);
    const calls = this.#callsOf(owner);
    return calls.length > 0 && calls.every((call) => call.arguments[index] !== undefined && this.uniform(call.arguments[index], visiting));
  }

  #uniformWrites(variable: Variable, visiting: ReadonlySet<Node>): boolean {
    return this.#variables.writes(variable).every((write) => {
      if (write.op === "&") return false;
      if (write.value && !this.uniform(write.value, visiting)) return false;
      return this.#onTheWay(write.at, this.#scopeOf(variable, write.at), visiting) === undefined;
    });
  }

  /** What holds both a variable's declaration and a write: lanes that part outside of it see their own variable change. */
  #scopeOf(variable: Variable, write: Node): Node {
    for (const { node } of this.#syntax.ancestors(write)) if (node.start <= variable.start && variable.end <= node.end) return node;
    return write;
  }

  /**
   * `threadIdx.x / 32` numbers the warps, but only where rows of the block end with a warp: then every launch that can
   * be seen must have one-dimensional blocks or rows of whole warps.
   */
  #warpIndex(node: Expression & { kind: "binary" }): boolean {
    const { op, left, right } = node;
    if (this.#ofBlock) return false;
    const divisor = right.kind === "name" && right.name.parts.at(-1)?.text === "warpSize" ? 32n : this.#program.semantics.constant(right);
    if (typeof divisor !== "bigint") return false;
    if (!(op === "/" && divisor > 0n && divisor % 32n === 0n) && !(op === ">>" && divisor >= 5n && divisor < 32n)) return false;
    return this.#isThreadIndex(left, new Set()) && this.#rowsOfWholeWarps(node);
  }

  #isThreadIndex(node: Expression, visiting: ReadonlySet<Node>): boolean {
    if (node.kind === "parenthesized") return this.#isThreadIndex(node.inner, visiting);
    if (node.kind === "member") {
      return node.base.kind === "name" && node.base.name.parts[0]?.text === "threadIdx" && node.name.parts[0]?.text === "x";
    }
    const variable = this.#variables.of(node);
    if (!variable || visiting.has(variable) || this.#variables.writes(variable).length > 0) return false;
    const initial = this.#variables.initial(variable);
    return initial !== undefined && this.#isThreadIndex(initial, new Set([...visiting, variable]));
  }

  #rowsOfWholeWarps(node: Node): boolean {
    const kernel = this.#syntax.code(node)?.function;
    const launches = this.#program.launches.filter((each) => each.kernel?.declaration === kernel);
    return (
      launches.length > 0 &&
      launches.every(
        ({ launch }) => launch !== undefined && (launch.block[0] % 32 === 0 || (launch.block[1] === 1 && launch.block[2] === 1)),
      )
    );
  }
}
