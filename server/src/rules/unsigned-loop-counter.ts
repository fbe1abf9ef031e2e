import type { Semantics } from "../analysis/sema/index.ts";
import { lastName } from "../analysis/sema/scope.ts";
import type { Type } from "../analysis/sema/types.ts";
import type { Expression, Node } from "../syntax/ast.ts";
import { defineRule, type Finding, type Fix, type RuleContext } from "./rule.ts";
import { type Counter, countersOf } from "./support/counters.ts";
import { all, excerpt, replace } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { combine, intMax, type Range, Ranges, unqualified } from "./support/ranges.ts";
import { type Doubt, SignChange } from "./support/sign-change.ts";
import { sameSpan } from "./support/syntax-index.ts";
import { type Variable, Variables } from "./support/variables.ts";

export default defineRule({
  id: "unsigned-loop-counter",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.2" },
  alsoIn: [{ document: "maxwell", section: "1.4.1.4" }],
  summary: "A 32-bit unsigned loop counter that takes part in addressing.",
  why: "Unsigned arithmetic wraps at 2^32 by definition, so the compiler must compute `stride * i` and the 64-bit address anew in each iteration. Signed overflow is undefined, which lets it add a constant to a running address instead (strength reduction), and unroll the loop: nvcc 13.0 makes 1.2 to 2.1 times as many instructions of the unsigned one.",
  remedy: "Declare the counter `int`, or use a 64-bit counter where the bound may exceed 2147483647.",
  notes: `Found are 32-bit unsigned counters of \`for\` loops in device code that count by a constant and from which an address in global memory is computed, where the machine code of the two differs (\`sim-engine/validation/compiler/counterTypes.json\` has what nvcc makes of 39 loops). Left alone is what comes out the same: loops of a constant number of turns that are unrolled, sums that stay unsigned for another operand's sake (\`threadIdx.x + i\`), steps only known when the kernel runs (\`i += blockDim.x\`), arrays in shared memory, \`#pragma unroll 1\`, and addresses of the counter alone that counts from 0 by 1. So are 64-bit counters, whose address needs no conversion; loops by factors (\`s >>= 1\`); and counters that are divided or taken modulo, which is cheaper unsigned.

The fix is safe where the values of the counter and of every expression it makes signed provably stay between 0 and 2147483647; otherwise its title names what may not. There is none where wrapping around may be meant: where a first value, a step or a difference may fall below 0 with ordinary values, where bits or comparisons of what may wrap count, or where the counter is set in the loop's body. A loop that ends only by wrapping, such as \`for (unsigned i = n - 1; i < n; i--)\`, is left alone.`,
  fix: "safe",
  example: {
    bad: `__global__ void columnSum(float *out, const float *in, unsigned int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (unsigned int row = 0; row < rows; ++row) sum += in[row * columns + column];
  out[column] = sum;
}`,
    good: `__global__ void columnSum(float *out, const float *in, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) sum += in[row * columns + column];
  out[column] = sum;
}`,
  },
  *check(context) {
    const { program, syntax } = context;
    const variables = new Variables(syntax, program.semantics);
    const loops = syntax.statements("for").filter((loop) => syntax.inDevice(loop));
    const byVariable = groupBy(
      loops.flatMap((loop) => countersOf(loop, variables)),
      ({ variable }) => variable,
    );
    const unsigned = new Set([...byVariable.keys()].filter((variable) => isUnsigned(context, variable)));
    for (const variable of unsigned) {
      const counters = byVariable.get(variable) ?? [];
      const left = counters.find((counter) => countsByConstant(context, counter) && !keepsItsAddress(counter));
      const found = left && finding(context, left, counters, variables, unsigned);
      if (found) yield found;
    }
  },
});

/** A step that is only known when the kernel runs makes the same code of either counter. */
const countsByConstant = ({ program: { semantics } }: RuleContext, { step }: Counter): boolean =>
  step === undefined || semantics.constant(step) !== undefined;

/** `#pragma unroll 1`: one address a turn is all there is, and it is as cheap either way. */
const keepsItsAddress = ({ loop: { unroll } }: Counter): boolean =>
  typeof unroll === "object" && unroll.kind === "integer" && unroll.value === 1n;

function isUnsigned({ program: { semantics } }: RuleContext, variable: Variable): boolean {
  const type = semantics.declaredType(variable);
  return "kind" in variable && type?.kind === "integer" && type.name === "uint";
}

/** The number of turns, where first value, bound and step are constants. */
function turnsOf({ program: { semantics } }: RuleContext, { bound, first, step, up }: Counter): number | undefined {
  const [from, to, by] = [first, bound?.limit, step].map((each) => each && semantics.constant(each));
  if (typeof from !== "bigint" || typeof to !== "bigint" || (step && typeof by !== "bigint")) return undefined;
  return Math.ceil(Number(up ? to - from : from - to) / Number(by ?? 1n));
}

/** Of so many turns or fewer nvcc leaves no loop (`loops.json` of sim-engine/validation/compiler has up to 32 of small bodies). */
const mostUnrolled = 32;

/** What the type of an expression would be if these variables were an `int` each: still unsigned? */
function staysUnsigned(semantics: Semantics, node: Expression, variables: Variables, signed: ReadonlySet<Variable>): boolean {
  if (node.kind === "parenthesized") return staysUnsigned(semantics, node.inner, variables, signed);
  if (node.kind === "binary" && /^[-+*/%&|^]$/.test(node.op))
    return [node.left, node.right].some((each) => staysUnsigned(semantics, each, variables, signed));
  const variable = variables.of(node);
  if (variable && signed.has(variable)) return false;
  const type = unqualified(semantics.typeOf(node));
  return type?.kind === "integer" && type.name === "uint";
}

/** @param counters all loops that the variable counts, this one among them */
function finding(
  context: RuleContext,
  counter: Counter,
  counters: readonly Counter[],
  variables: Variables,
  unsigned: ReadonlySet<Variable>,
): Finding | undefined {
  const { variable, loop } = counter;
  const { reading } = context.program;
  const why = addressing(context, counter, variables, unsigned);
  if (!why || !("kind" in variable)) return undefined;
  const { doubts, wraps } = judge(context, counters, variables);
  if (doubts.some(({ kind }) => kind === "unwanted")) return undefined;
  const [held] = wraps;
  const name = lastName(variable.name);
  return {
    span: { start: variable.type.start, end: Math.max(variable.type.end, variable.name.end) },
    message: `Loop counter \`${name}\` is unsigned: because it must wrap at 2^32, the compiler cannot turn \`${excerpt(reading, why, 40)}\` into a running address. Make it \`int\`${held ? ` if that is right: ${held.reason}` : ""}.`,
    ...(held ? {} : { fix: fixOf(context, variable, name, doubts, variables) }),
    ...(variable.start < loop.start
      ? { related: [{ at: { start: loop.start, end: loop.body.start }, message: `\`${name}\` counts this loop` }] }
      : {}),
  };
}

/**
 * The expression that would gain: an address in global memory that is computed from the counter. None where the sum stays unsigned for
 * another operand's sake, where it is of constants and their number of turns is known, or where nothing is added to the counter at all.
 */
function addressing(context: RuleContext, counter: Counter, variables: Variables, unsigned: ReadonlySet<Variable>): Expression | undefined {
  const { program, syntax } = context;
  const { semantics } = program;
  const { variable, loop, stepAt, bound, first } = counter;
  const turns = turnsOf(context, counter);
  if ((turns !== undefined && turns <= mostUnrolled) || (loop.unroll === "full" && turns !== undefined)) return undefined;
  const fromZero = first !== undefined && semantics.constant(first) === 0n && counter.step === undefined && counter.up && bound?.op === "<";
  const isPointer = (node: Expression): boolean => /^(pointer|array)$/.test(unqualified(semantics.typeOf(node))?.kind ?? "");
  const isGlobal = (base: Expression): boolean => isPointer(base) && !isOwnArray(base, variables);
  const search = (of: Variable, depth: number): Expression | undefined => {
    for (const use of variables.uses(of)) {
      if (use.start < loop.start || use.end > loop.end || (use.start >= stepAt.start && use.end <= stepAt.end)) continue;
      let node: Expression = use;
      let sum: Expression | undefined;
      /** Something only known when the kernel runs takes part. */
      let runs = depth > 0;
      const gains = (): boolean => runs || (turns === undefined && (sum !== undefined || !fromZero));
      for (let item = syntax.parent(node); item; item = syntax.parent(node)) {
        if (item.role === "declaration") {
          const goesOn = item.node.kind === "variable" && depth < 2 && !isUnsignedInt(semantics, item.node);
          const derived = goesOn && item.node.kind === "variable" ? search(item.node, depth + 1) : undefined;
          if (derived) return sum ?? derived;
        }
        if (item.role !== "expression") break;
        const parent: Expression = item.node;
        if (parent.kind === "subscript") {
          if (!sameSpan(node, parent.base) && isGlobal(parent.base) && gains()) return sum ?? parent;
          break;
        }
        if (parent.kind === "assign" && sameSpan(node, parent.right) && parent.op === "") {
          const target = variables.of(parent.left);
          const derived = target && target !== of && depth < 2 && !isUnsignedInt(semantics, target) ? search(target, depth + 1) : undefined;
          if (derived) return sum ?? derived;
        }
        if (parent.kind === "binary" && /^[-+*]$/.test(parent.op)) {
          const other = sameSpan(node, parent.left) ? parent.right : parent.left;
          if (parent.op !== "*" && isPointer(other)) {
            if (isGlobal(other) && gains()) return sum ?? parent;
            break;
          }
          if (staysUnsigned(semantics, other, variables, unsigned)) break;
          sum = parent;
          runs ||= semantics.constant(other) === undefined;
        } else if (parent.kind !== "parenthesized" && !(parent.kind === "cast" && !isUnsignedCast(semantics, parent))) break;
        node = parent;
      }
    }
    return undefined;
  };
  return search(variable, 0);
}

const isUint = (type: Type | undefined): boolean => {
  const plain = unqualified(type);
  return plain?.kind === "integer" && plain.name === "uint";
};

const isUnsignedInt = (semantics: Semantics, variable: Variable): boolean => isUint(semantics.declaredType(variable));
const isUnsignedCast = (semantics: Semantics, cast: Expression & { readonly kind: "cast" }): boolean =>
  isUint(semantics.typeFrom(cast.type));

/** An array of the block or the thread, whose addresses have 32 bits. */
function isOwnArray(base: Expression, variables: Variables): boolean {
  const inner = base.kind === "subscript" ? base.base : base;
  const variable = inner.kind === "subscript" ? undefined : variables.of(inner);
  if (!variable) return inner.kind === "subscript" && isOwnArray(inner, variables);
  return "kind" in variable && (variable.type.kind === "array" || variable.specifiers.shared === true) && !variable.specifiers.device;
}

/** Why a signed counter might not do the same, and why not even with the values it ordinarily has. */
interface Judgement {
  readonly doubts: readonly Doubt[];
  readonly wraps: readonly Doubt[];
}

/** Values that nobody wonders at: of counters, and of what only the type is known of. */
const ordinaryCounts: Range = { min: 0, max: 2 ** 20 };
const ordinaryValues: Range = { min: -(2 ** 10), max: 2 ** 10 };

/** Everything that a signed counter might change, in all loops that it counts. */
function judge(context: RuleContext, counters: readonly Counter[], variables: Variables): Judgement {
  const doubts = changesOf(context, counters, variables, undefined);
  const always = doubts.filter(({ kind }) => kind !== "differs" && kind !== "wraps");
  const ordinary = changesOf(context, counters, variables, ordinaryValues);
  return { doubts, wraps: [...always, ...ordinary.filter(({ kind }) => kind !== "differs")] };
}

/** @param ordinary what is taken of values of which only the type is known; absent: all that the type has */
function changesOf(context: RuleContext, counters: readonly Counter[], variables: Variables, ordinary: Range | undefined): Doubt[] {
  const [first] = counters;
  if (!first) return [];
  const { variable } = first;
  const { semantics } = context.program;
  const values = counters.map((counter) => valuesOf(counter, new Ranges(semantics, variables, undefined, ordinary), variables));
  const changes = values.flatMap((each) => ("reason" in each ? [each] : []));
  const unknown = ordinary ? ordinaryCounts : { min: 0, max: 2 ** 32 - 1 };
  const known = values.map((each) => ("reason" in each ? unknown : each));
  const range: Range = { min: Math.min(...known.map(({ min }) => min)), max: Math.max(...known.map(({ max }) => max)) };
  const ranges = new Ranges(semantics, variables, new Map([[variable, range]]), ordinary);
  const change = new SignChange(context, variables, variable, ranges, range);
  const inside = ({ start, end }: Node, outer: Node): boolean => start >= outer.start && end <= outer.end;
  for (const use of variables.uses(variable)) {
    if (counters.some(({ stepAt, loop }) => inside(use, stepAt) || isFirstAssignment(context.syntax.parent(use)?.node, loop.init, use)))
      continue;
    const judged = change.of(use);
    const bounds = counters.find(({ bound }) => use === bound?.counter);
    // The bound itself is judged by `valuesOf`, but for a negative one: then the loop ran until it wrapped.
    if (judged.kind !== "same") changes.push(bounds?.up && judged.kind === "wraps" ? { ...judged, kind: "differs" } : judged);
    else if (!bounds && !counters.some(({ loop }) => inside(use, loop)) && "kind" in variable && variable.start < first.loop.start)
      changes.push({ kind: "differs", reason: "it is also used outside the loop" });
  }
  return changes;
}

const isFirstAssignment = (parent: Node | undefined, init: Node | undefined, use: Expression): boolean =>
  parent !== undefined &&
  init !== undefined &&
  parent.start >= init.start &&
  parent.end <= init.end &&
  "left" in parent &&
  parent.left === use;

/** The counter's values from its first to the one that ends the loop; or why a signed one may have others. */
function valuesOf(counter: Counter, ranges: Ranges, variables: Variables): Range | Doubt {
  const { first, step, bound } = counter;
  if (!bound) return { kind: "wraps", reason: "what ends its loop is not known" };
  const start = first && ranges.of(first);
  const limit = ranges.of(bound.limit);
  let by = step ? ranges.of(step) : { min: 1, max: 1 };
  let { up } = counter;
  if (by && by.max < 0) [by, up] = [{ min: -by.max, max: -by.min }, !up];
  if (endsByWrapping(counter, up, start, limit, variables)) return { kind: "unwanted", reason: "its loop ends by wrapping around" };
  if (!by || by.min < 1) return { kind: "wraps", reason: "its step may be 0 or negative" };
  if (!start || !first) return { kind: "wraps", reason: "its first value is not known" };
  if (!limit) return { kind: "differs", reason: "its values are not known" };
  if (start.min < 0 && up) return { kind: "wraps", reason: "its first value may be negative" };
  if (up && ranges.fallsBelow(first)) return { kind: "wraps", reason: "its first value may fall below 0" };
  if (start.min < 0 || start.max > intMax) return { kind: "differs", reason: "its first value may exceed 2147483647" };
  return up ? upwards(start, limit, by, bound.op) : downwards(start, limit, by, bound.op);
}

/**
 * The loop is of a kind that only unsigned arithmetic ends: it counts away from its bound, from or up to what `int` cannot hold, or
 * compares the counter with itself.
 */
function endsByWrapping(
  { variable, bound }: Counter,
  up: boolean,
  start: Range | undefined,
  limit: Range | undefined,
  variables: Variables,
): boolean {
  if (!bound) return false;
  const isOutside = (range: Range | undefined): boolean => range !== undefined && (range.max < 0 || range.min > intMax);
  const { op, limit: end } = bound;
  const away = up ? op === ">" || op === ">=" : op === "<" || op === "<=";
  const passed = op === "!=" && start !== undefined && limit !== undefined && (up ? start.min > limit.max : start.max < limit.min);
  const ofItself = variables.uses(variable).some((use) => use.start >= end.start && use.end <= end.end);
  return away || passed || ofItself || isOutside(start) || isOutside(limit);
}

function upwards(start: Range, limit: Range, by: Range, op: string): Range | Doubt {
  const least = op === "!=" && (by.max > 1 || start.max > limit.min);
  const most = op === "<=" ? limit.max : limit.max - 1;
  const end = least ? undefined : combine("+", { min: most, max: most }, by);
  if (!end || end.max > intMax) return { kind: "differs", reason: "its bound may bring it past 2147483647" };
  return { min: start.min, max: Math.max(start.max, end.max) };
}

function downwards(start: Range, limit: Range, by: Range, op: string): Range | Doubt {
  if (op === "!=") {
    if (by.max > 1 || start.min < limit.max) return { kind: "wraps", reason: "it may step past its bound" };
    return { min: limit.min, max: start.max };
  }
  const last = (op === ">" ? limit.min + 1 : limit.min) - by.max;
  return last < 0 ? { kind: "wraps", reason: "its last step may go below 0" } : { min: last, max: start.max };
}

function fixOf(
  { program: { reading }, syntax }: RuleContext,
  variable: Variable,
  name: string,
  doubts: readonly Doubt[],
  variables: Variables,
): Fix | undefined {
  if (!("kind" in variable)) return undefined;
  const declared = syntax.parent(variable)?.node;
  const together = declared && "declarations" in declared ? declared.declarations : [];
  // One type stands for all variables of a declaration.
  if (together.length !== 1 || variables.uses(variable).length === 0) return undefined;
  const text = reading.textOf(variable.type.start, variable.type.end);
  if (!/^[\w:\s]+$/.test(text) || /\b(const|auto|decltype)\b/.test(text)) return undefined;
  const signed = /^((std::)?)uint32_t$/.test(text) ? text.replace("uint", "int") : "int";
  const edits = all(replace(reading, variable.type, signed));
  const reason = doubts[0]?.reason;
  return (
    edits && {
      title: reason === undefined ? `Make \`${name}\` an \`${signed}\`` : `Make \`${name}\` an \`${signed}\` (${reason})`,
      safe: reason === undefined,
      edits,
    }
  );
}
