/** Square tiles in shared memory of what a sum of products loads, each value by one thread for all of its row or column of the block. */
import { lastName } from "../../analysis/sema/scope.ts";
import type { Edit, Fix, RuleContext } from "../../rules/rule.ts";
import { all, codeOf, excerpt, indentationAt, isBehindPragma, replaceWritten, textAt, writtenBetween } from "../../rules/support/edits.ts";
import { freshName } from "../../rules/support/fresh-name.ts";
import { unqualified } from "../../rules/support/ranges.ts";
import { type Variable, Variables } from "../../rules/support/variables.ts";
import type { Expression, FunctionDeclaration, Statement } from "../../syntax/ast.ts";
import { withoutComments } from "../../syntax/comments.ts";
import type { Reading } from "../../syntax/reading.ts";
import { termsOf, withoutParentheses } from "../../syntax/terms.ts";
import { walk } from "../../syntax/walk.ts";
import { type Counting, countingOf, type For, summedIn } from "./sum-loop.ts";
import { textWith } from "./text-with.ts";

/** Threads along a side of a block: fewer share too little, and no block has more. */
const [fewest, most] = [4, 32];
/** Variables that are made of each other. */
const deepest = 8;
/** How the elements of tiles are spelled, and their zero. */
const elements: Readonly<Record<string, readonly [name: string, zero: string]>> = {
  float: ["float", "0"],
  double: ["double", "0"],
  int: ["int", "0"],
  "unsigned int": ["unsigned", "0"],
  half: ["__half", "__float2half(0)"],
  bfloat16: ["__nv_bfloat16", "__float2bfloat16(0)"],
};

/** What makes a float of half of one. */
const toFloat: ReadonlySet<string> = new Set(["__half2float", "__bfloat162float"]);

type Axis = "x" | "y";
interface Load {
  readonly node: Expression;
  /** Which of the thread's coordinates it goes by. */
  readonly axis: Axis;
  readonly array: string;
  readonly element: readonly [name: string, zero: string];
}

/** One part of what decides whether a thread has a result. */
interface Condition {
  readonly axis: Axis;
  readonly text: string;
}

/** A kernel that is nothing but a sum of products, in its parts. */
interface Parts {
  readonly loop: For;
  readonly counting: Counting;
  /** `sum += …` */
  readonly sum: Expression & { readonly kind: "assign" };
  readonly loads: readonly [Load, Load];
  readonly conditions: readonly Condition[];
  /** `if (…) return;` or `if (…) { … }` around loop and stores. */
  readonly guard: Statement | undefined;
  readonly isAround: boolean;
  readonly before: readonly Statement[];
  readonly stores: readonly Statement[];
}

/** Undefined where the kernel does anything besides, or its launches do not share one square block. */
export function sharedTiles(context: RuleContext, kernel: FunctionDeclaration): { readonly loop: For; readonly fix: Fix } | undefined {
  const side = sideOf(context, kernel);
  const parts = side === undefined ? undefined : partsOf(context, kernel);
  const edits = side === undefined || !parts ? undefined : editsOf(context, parts, side);
  if (!parts || !edits) return undefined;
  const names = parts.loads.map(({ array }) => `\`${array}\``);
  return { loop: parts.loop, fix: { title: `Go through tiles of ${names.join(" and ")} in shared memory`, safe: false, edits } };
}

function sideOf({ launches }: RuleContext, kernel: FunctionDeclaration): number | undefined {
  const blocks = launches.filter(({ fact }) => fact.kernel?.declaration === kernel).map(({ report }) => report.block);
  const [[x = 0, y, z] = [], ...others] = blocks;
  const isSquare = x === y && z === 1 && x >= fewest && x <= most;
  return isSquare && others.every((each) => String(each) === String(blocks[0])) ? x : undefined;
}

function partsOf({ syntax, program: { reading, semantics } }: RuleContext, { body, specifiers }: FunctionDeclaration): Parts | undefined {
  const variables = new Variables(syntax, semantics);
  const statements = body?.body ?? [];
  const last = statements.at(-1);
  const isAround = last?.kind === "if" && !last.else && !last.init && last.then.kind === "block";
  const inner = isAround && last.then.kind === "block" ? [...statements.slice(0, -1), ...last.then.body] : statements;
  const loops = inner.filter((each): each is For => each.kind === "for");
  const [loop] = loops;
  const guards = inner.filter((each) => each.kind === "if");
  if (!specifiers.global || !loop || loops.length > 1 || guards.length + (isAround ? 1 : 0) > 1) return undefined;
  const guard = isAround ? last : guards[0];
  const conditions =
    guard?.kind === "if" && guard.condition.kind !== "variable" ? conditionsOf(guard.condition, !isAround, reading, variables) : [];
  if (guard?.kind === "if" && !isAround && (guard.else || !(guard.then.kind === "return" || isReturnBlock(guard.then)))) return undefined;
  const at = inner.indexOf(loop);
  const before = inner.slice(0, at).filter((each) => each !== guard);
  const stores = inner.slice(at + 1);
  // All threads come by what stands before the loop now: nothing may be loaded there.
  if (!conditions || !before.every((each) => each.kind === "declaration" && isFreeOfMemory(each))) return undefined;
  if (stores.length === 0 || !stores.every((each) => each.kind === "expression" && each.expression.kind === "assign")) return undefined;
  const counting = countingOf(loop, variables);
  const sum = counting && summedIn(loop, variables)?.assignment;
  const isSteady = counting && (counting.limit.kind === "integer" || isFixed(counting.limit, variables));
  const loads = sum && isSteady ? loadsOf(sum.right, counting, reading, semantics, variables) : undefined;
  return sum && loads ? { loop, counting, sum, loads, conditions, guard, isAround, before, stores } : undefined;
}

const isReturnBlock = (statement: Statement): boolean =>
  statement.kind === "block" && statement.body.length === 1 && statement.body[0]?.kind === "return";

/** Nobody writes to it but its declaration. */
const isFixed = (node: Expression, variables: Variables): boolean => {
  const variable = variables.of(node);
  return variable !== undefined && variables.writes(variable).length === 0;
};

function isFreeOfMemory(node: Statement): boolean {
  let free = true;
  walk(node, (each) => {
    if (/^(subscript|call|lambda|assign|postfix)$/.test(each.kind) || (each.kind === "member" && each.arrow)) free = false;
    if (each.kind === "unary" && /^(\*|&|\+\+|--)$/.test(each.op)) free = false;
    if (each.kind === "variable" && each.specifiers.shared) free = false;
    return free;
  });
  return free;
}

/** What a value follows from of the thread's coordinates, the counter set aside; undefined where it is not known, or both. */
function axisOf(node: Expression, variables: Variables, counter?: Variable): Axis | undefined {
  const found = new Set<string>();
  const follow = (each: Expression, depth: number): void => {
    walk(each, (inner) => {
      if (inner.kind === "member" && inner.base.kind === "name" && inner.base.name.parts.at(-1)?.text === "threadIdx") {
        found.add(lastName(inner.name));
        return false;
      }
      if (/^(call|lambda|assign|postfix)$/.test(inner.kind)) found.add("unknown");
      const variable = inner.kind === "name" ? variables.of(inner) : undefined;
      if (inner.kind !== "name" || !variable || variable === counter) return true;
      const value = variables.initial(variable);
      const isArray = node.kind === "subscript" && inner === node.base;
      if ((!isArray && variables.writes(variable).length > 0) || depth > deepest) found.add("unknown");
      else if (value) follow(value, depth + 1);
      return true;
    });
  };
  follow(node, 0);
  const [axis, ...others] = found;
  return others.length === 0 && (axis === "x" || axis === "y") ? axis : undefined;
}

/** `row < n && column < m`, or `row >= n || column >= m` where that leaves: each part by a coordinate of its own. */
function conditionsOf(condition: Expression, leaves: boolean, reading: Reading, variables: Variables): Condition[] | undefined {
  const found = termsOf(condition, (op) => op === (leaves ? "||" : "&&")).map((each): Condition | undefined => {
    const part = withoutParentheses(each);
    const axis = axisOf(part, variables);
    if (part.kind !== "binary" || part.op !== (leaves ? ">=" : "<") || !axis) return undefined;
    return { axis, text: `${codeOf(reading, part.left)} < ${codeOf(reading, part.right)}` };
  });
  return found.every((each) => each !== undefined) ? found : undefined;
}

/** What is converted, by a cast or by a function of the headers of halves. */
function uncast(expression: Expression): Expression {
  const inner = withoutParentheses(expression);
  const [only, ...more] = inner.kind === "cast" ? inner.operands : inner.kind === "call" ? inner.arguments : [];
  const converts =
    inner.kind === "cast" || (inner.kind === "call" && inner.callee.kind === "name" && toFloat.has(lastName(inner.callee.name)));
  return only && more.length === 0 && converts ? uncast(only) : inner;
}

/** The two loads of a product, one by each coordinate; undefined where the counter is used besides. */
function loadsOf(
  product: Expression,
  { variable }: Counting,
  reading: Reading,
  semantics: RuleContext["program"]["semantics"],
  variables: Variables,
): readonly [Load, Load] | undefined {
  const nodes: Expression[] = [];
  let isPlain = true;
  walk(product, (node) => {
    if (node.kind === "subscript") {
      nodes.push(node);
      return false;
    }
    if ((node.kind === "unary" && /^[*&]$/.test(node.op)) || (node.kind === "member" && node.arrow)) isPlain = false;
    if (node.kind === "name" && variables.of(node) === variable) isPlain = false;
    return isPlain;
  });
  const loads = nodes.map((node): Load | undefined => {
    const base = node.kind === "subscript" && node.base.kind === "name" ? node.base : undefined;
    const type = unqualified(semantics.typeOf(node));
    const element = type?.kind === "floating" || type?.kind === "integer" ? elements[type.name] : undefined;
    const axis = axisOf(node, variables, variable);
    return base && element && axis && namesIn(node, variable, variables).length > 0
      ? { node, axis, array: excerpt(reading, base, 100), element }
      : undefined;
  });
  const [first, second, ...more] = loads;
  if (!isPlain || !first || !second || more.length > 0 || first.axis === second.axis) return undefined;
  // Tiles go beyond the last turn with zeros, which leave a sum alone as factors of what is added, and as nothing else.
  const factors = termsOf(product, (op) => op === "*").map(uncast);
  if (![first, second].every(({ node }) => factors.includes(node))) return undefined;
  return [first, second];
}

function editsOf({ syntax, program: { reading, semantics } }: RuleContext, parts: Parts, side: number): readonly Edit[] | undefined {
  const { loop, counting, sum, loads, conditions, guard, isAround, before, stores } = parts;
  const variables = new Variables(syntax, semantics);
  const source = reading.sources[0] ?? "";
  const { counter, limit } = counting;
  const base = freshName(source, [`${counter}0`, `${counter}Tile`]);
  const tiles = loads.map(({ array }) => freshName(source, [`${array}Tile`, `${array}Shared`]));
  const loop0 = reading.locate(loop.start, loop.end);
  const outer = guard && isAround ? reading.locate(guard.start, guard.end) : loop0;
  const indentation = indentationAt(reading, outer);
  const written = [loop, sum, ...before, ...stores].map((each) => writtenBetween(reading, each));
  if (indentation === undefined || isBehindPragma(reading, loop0) || written.some((at) => at?.file !== 0)) return undefined;
  const declared = loads.map(({ element: [name] }, k) => `${name} ${tiles[k]}[${side}][${side}]`);
  const [one, other] = declared;
  const sameType = loads[0].element[0] === loads[1].element[0];
  const tile = sameType ? [`__shared__ ${one}, ${tiles[1]}[${side}][${side}];`] : [`__shared__ ${one};`, `__shared__ ${other};`];
  const copies = loads.map(({ node, axis, element: [, zero] }, k) => {
    const at = `${base} + threadIdx.${axis === "x" ? "y" : "x"}`;
    const own = conditions.filter((each) => each.axis === axis).map(({ text }) => `${text} && `);
    const value = textWith(
      reading,
      node,
      namesIn(node, counting.variable, variables).map((name) => ({ node: name, text: `(${at})` })),
    );
    return value && `${tiles[k]}[threadIdx.y][threadIdx.x] = ${own.join("")}${at} < ${codeOf(reading, limit)} ? ${value} : ${zero};`;
  });
  const inOrder = loads.map(({ node, axis }, k) => ({
    node,
    text: axis === "x" ? `${tiles[k]}[${counter}][threadIdx.x]` : `${tiles[k]}[threadIdx.y][${counter}]`,
  }));
  const added = textWith(reading, sum, inOrder);
  const texts = stores.map((each) => textWith(reading, each, []));
  if (added === undefined || [...copies, ...texts].some((each) => each === undefined)) return undefined;
  const lines = [
    ...tile,
    `for (int ${base} = 0; ${base} < ${codeOf(reading, limit)}; ${base} += ${side}) {`,
    ...copies.map((copy) => `  ${copy}`),
    "  __syncthreads();",
    `  for (int ${counter} = 0; ${counter} < ${side}; ++${counter}) ${added};`,
    "  __syncthreads();",
    "}",
  ];
  const has = conditions.map(({ text }) => text).join(" && ");
  const storing =
    has === "" ? texts : texts.length === 1 ? [`if (${has}) ${texts[0]}`] : [`if (${has}) {`, ...texts.map((text) => `  ${text}`), "}"];
  const joined = (all: readonly (string | undefined)[]): string => all.join(`\n${indentation}`);
  if (!guard) return all(replaceWritten(reading, loop, joined(lines)));
  if (!isAround) {
    const [first, last] = [stores[0], stores.at(-1)];
    const rest = first && last && { start: first.start, end: last.end };
    return all(
      removed(reading, guard),
      replaceWritten(reading, loop, joined(lines)),
      rest && replaceWritten(reading, rest, joined(storing)),
    );
  }
  // What is rebuilt has no place for remarks between its statements.
  if (guard.kind !== "if" || withoutComments(textAt(reading, outer)) !== textAt(reading, outer)) return undefined;
  const declarations = before.filter(({ start }) => start > guard.start).map((each) => textWith(reading, each, []));
  return all(replaceWritten(reading, guard, joined([...declarations, ...lines, ...storing])));
}

/** A statement that stands on lines of its own, with what ends them. */
function removed(reading: Reading, statement: Statement): Edit | undefined {
  const at = writtenBetween(reading, statement);
  const [source = ""] = reading.sources;
  if (at?.file !== 0 || indentationAt(reading, at) === undefined) return undefined;
  const start = source.lastIndexOf("\n", at.start - 1) + 1;
  const end = source.indexOf("\n", at.end);
  return end < 0 || source.slice(at.end, end).trim() !== "" ? undefined : { span: { file: 0, start, end: end + 1 }, newText: "" };
}

/** The mentions of a variable, in source order. */
function namesIn(node: Expression, variable: Variable, variables: Variables): Expression[] {
  const found: Expression[] = [];
  walk(node, (each) => {
    if (each.kind === "name" && variables.of(each) === variable) found.push(each);
    return true;
  });
  return found.sort((a, b) => a.start - b.start);
}
