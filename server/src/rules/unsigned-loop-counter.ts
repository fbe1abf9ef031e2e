import type { Expression, Node } from "../syntax/ast.ts";
import { defineRule, type Finding, type Fix, type RuleContext } from "./rule.ts";
import { type Counter, countersOf } from "./support/counters.ts";
import { all, excerpt, replace } from "./support/edits.ts";
import { combine, intMax, type Range, Ranges, unqualified } from "./support/ranges.ts";
import { type Change, SignChange } from "./support/sign-change.ts";
import { sameSpan } from "./support/syntax-index.ts";
import { type Variable, Variables } from "./support/variables.ts";

export default defineRule({
  id: "unsigned-loop-counter",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.2" },
  summary: "A 32-bit unsigned loop counter that takes part in addressing.",
  why: "Unsigned arithmetic wraps at 2^32 by definition, so the compiler must compute `stride * i` and the 64-bit address anew in each iteration. Signed overflow is undefined, which lets it add a constant to a running address instead (strength reduction).",
  remedy: "Declare the counter `int`, or use a 64-bit counter where the bound may exceed 2147483647.",
  notes: `Found are 32-bit unsigned counters of \`for\` loops in device code that count by an amount and from which an address or a product is computed. Left alone are 64-bit counters, whose address needs no conversion; loops by factors (\`s >>= 1\`); loops that \`#pragma unroll\` dissolves; and counters that are divided or taken modulo, which is cheaper unsigned.

The fix is safe where the values of the counter and of every expression it makes signed provably stay between 0 and 2147483647; otherwise its title names what may not.`,
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
    const seen = new Set<Variable>();
    for (const loop of syntax.statements("for")) {
      if (!syntax.inDevice(loop)) continue;
      for (const counter of countersOf(loop, variables)) {
        if (seen.has(counter.variable) || !isUnsigned(context, counter.variable) || isFullyUnrolled(context, counter)) continue;
        seen.add(counter.variable);
        const found = finding(context, counter, variables);
        if (found) yield found;
      }
    }
  },
});

function isUnsigned({ program: { semantics } }: RuleContext, variable: Variable): boolean {
  const type = semantics.declaredType(variable);
  return "kind" in variable && type?.kind === "integer" && type.name === "uint";
}

/** With `#pragma unroll` and constant bounds no counter is left. */
function isFullyUnrolled({ program: { semantics } }: RuleContext, { loop, bound, first }: Counter): boolean {
  return (
    loop.unroll === "full" &&
    bound !== undefined &&
    first !== undefined &&
    semantics.constant(bound.limit) !== undefined &&
    semantics.constant(first) !== undefined
  );
}

function finding(context: RuleContext, counter: Counter, variables: Variables): Finding | undefined {
  const { variable, loop } = counter;
  const { reading } = context.program;
  const why = addressing(context, counter, variables);
  if (!why || !("kind" in variable)) return undefined;
  const changes = judge(context, counter, variables);
  if (changes.some(({ kind }) => kind === "unwanted")) return undefined;
  const name = variable.name.parts.at(-1)?.text ?? "";
  return {
    span: { start: variable.type.start, end: Math.max(variable.type.end, variable.name.end) },
    message: `Loop counter \`${name}\` is unsigned: because it must wrap at 2^32, the compiler cannot turn \`${excerpt(reading, why, 40)}\` into a running address. Make it \`int\`.`,
    fix: fixOf(context, variable, name, changes, variables),
    ...(variable.start < loop.start
      ? { related: [{ at: { start: loop.start, end: loop.body.start }, message: `\`${name}\` counts this loop` }] }
      : {}),
  };
}

/** The expression that would gain: an address computed from the counter, or a product of it. */
function addressing(
  { program: { semantics }, syntax }: RuleContext,
  { variable, loop, stepAt }: Counter,
  variables: Variables,
): Expression | undefined {
  const isPointer = (node: Expression): boolean => /^(pointer|array)$/.test(unqualified(semantics.typeOf(node))?.kind ?? "");
  const search = (of: Variable, depth: number): Expression | undefined => {
    for (const use of variables.uses(of)) {
      if (use.start < loop.start || use.end > loop.end || (use.start >= stepAt.start && use.end <= stepAt.end)) continue;
      let node: Expression = use;
      let product: Expression | undefined;
      for (let item = syntax.parent(node); item; item = syntax.parent(node)) {
        if (item.role === "declaration") {
          const derived = item.node.kind === "variable" && depth < 2 ? search(item.node, depth + 1) : undefined;
          if (derived) return product ?? derived;
        }
        if (item.role !== "expression") break;
        const parent: Expression = item.node;
        if (parent.kind === "subscript") {
          if (!sameSpan(node, parent.base) && isPointer(parent.base)) return product ?? parent;
          break;
        }
        if (parent.kind === "assign" && sameSpan(node, parent.right) && parent.op === "") {
          const target = variables.of(parent.left);
          const derived = target && target !== of && depth < 2 ? search(target, depth + 1) : undefined;
          if (derived) return product ?? derived;
        }
        if (parent.kind === "binary" && /^[-+*]$/.test(parent.op)) {
          const other = sameSpan(node, parent.left) ? parent.right : parent.left;
          if (parent.op !== "*" && isPointer(other)) return product ?? parent;
          if (parent.op === "*") product ??= parent;
        } else if (parent.kind !== "parenthesized" && parent.kind !== "cast") break;
        node = parent;
      }
    }
    return undefined;
  };
  return search(variable, 0);
}

/** Everything that a signed counter might change. */
function judge({ program, syntax }: RuleContext, counter: Counter, variables: Variables): Change[] {
  const { variable, loop, stepAt, bound } = counter;
  const range = valuesOf(counter, new Ranges(program.semantics, variables));
  const ranges = new Ranges(program.semantics, variables, new Map([[variable, "reason" in range ? { min: 0, max: 2 ** 32 - 1 } : range]]));
  const change = new SignChange(program, syntax, ranges, "reason" in range ? { min: 0, max: 2 ** 32 - 1 } : range);
  const changes: Change[] = "reason" in range ? [range] : [];
  for (const use of variables.uses(variable)) {
    if (use.start >= stepAt.start && use.end <= stepAt.end) continue;
    if (isFirstAssignment(syntax.parent(use)?.node, loop.init, use)) continue;
    // The bound itself is judged by `valuesOf`, but for what a negative limit means.
    const judged = change.of(use);
    if (use === bound?.counter && judged.kind === "same") continue;
    if (judged.kind !== "same") changes.push(judged);
    if ((use.start < loop.start || use.end > loop.end) && judged.kind === "same" && "kind" in variable && variable.start < loop.start) {
      changes.push({ kind: "differs", reason: "it is also used outside the loop" });
    }
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

/** The counter's values from its first to the one that ends the loop; or why they may leave the range of `int`. */
function valuesOf({ first, step, up, bound }: Counter, ranges: Ranges): Range | (Change & { readonly reason: string }) {
  const start = first && ranges.of(first);
  const limit = bound && ranges.of(bound.limit);
  const by = step ? ranges.of(step) : { min: 1, max: 1 };
  if (!start || !limit || !by || !bound) return { kind: "differs", reason: "its values are not known" };
  if (start.min < 0 || start.max > intMax) return { kind: "differs", reason: "its first value may exceed 2147483647" };
  if (by.min < 1) return { kind: "differs", reason: "its step may be 0 or negative" };
  if (!up) {
    const least = bound.op === ">" ? limit.min + 1 : bound.op === ">=" ? limit.min : undefined;
    if (least === undefined || least - by.max < 0) return { kind: "differs", reason: "its last step may go below 0" };
    return { min: least - by.max, max: start.max };
  }
  const most =
    bound.op === "<"
      ? limit.max - 1
      : bound.op === "<="
        ? limit.max
        : bound.op === "!=" && by.max === 1 && start.max <= limit.min
          ? limit.max - 1
          : undefined;
  const end = most === undefined ? undefined : combine("+", { min: most, max: most }, by);
  if (!end || end.max > intMax) return { kind: "differs", reason: "its bound may bring it past 2147483647" };
  return { min: start.min, max: Math.max(start.max, end.max) };
}

function fixOf(
  { program: { reading }, syntax }: RuleContext,
  variable: Variable,
  name: string,
  changes: readonly Change[],
  variables: Variables,
): Fix | undefined {
  if (!("kind" in variable) || changes.some(({ kind }) => kind === "breaks")) return undefined;
  const declared = syntax.parent(variable)?.node;
  const together = declared && "declarations" in declared ? declared.declarations : [];
  // One type stands for all variables of a declaration.
  if (together.length !== 1 || variables.uses(variable).length === 0) return undefined;
  const text = reading.textOf(variable.type.start, variable.type.end);
  if (!/^[\w:\s]+$/.test(text) || /\b(const|auto|decltype)\b/.test(text)) return undefined;
  const signed = /^((std::)?)uint32_t$/.test(text) ? text.replace("uint", "int") : "int";
  const edits = all(replace(reading, variable.type, signed));
  const [reason] = changes.flatMap((change) => ("reason" in change ? [change.reason] : []));
  return (
    edits && {
      title: reason === undefined ? `Make \`${name}\` an \`${signed}\`` : `Make \`${name}\` an \`${signed}\` (${reason})`,
      safe: reason === undefined,
      edits,
    }
  );
}
