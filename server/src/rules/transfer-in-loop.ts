import type { Expression, Node, ParameterDeclaration } from "../syntax/ast.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { countersOf } from "./support/counters.ts";
import { textAt } from "./support/edits.ts";
import { type Call, libraryName } from "./support/library-calls.ts";
import { type Loop, loopsAround } from "./support/loops.ts";
import { type RuntimeCall, runtimeCalls } from "./support/runtime-calls.ts";
import { type SyntaxIndex, sameSpan } from "./support/syntax-index.ts";
import { type Variable, Variables } from "./support/variables.ts";

export default defineRule({
  id: "transfer-in-loop",
  group: "host",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.1" },
  summary: "A loop that copies between host and device what could stay where it is, or go in one copy.",
  why: "The link to the host is many times slower than the device's memory, each copy costs some microseconds before its first byte moves, and nothing else runs meanwhile.",
  remedy:
    "Copy before the loop what it only reads, and behind it what is read only then. Of pieces, one `cudaMemcpy` of the whole array; `cudaMemcpy2D` where they are rows of a wider one.",
  fix: "none",
  notes:
    "Found where both sides of a blocking copy go on by the loop's counter within an array, and the loop launches nothing. Of loops that launch kernels: arrays that come back to the host and go to the device again in the next turn, or come back to be overwritten, or go to kernels that only read them, while nothing else in the loop mentions the host's array.",
  example: {
    bad: `void upload(float *device, const float *host, int rows, int width) {
  for (int row = 0; row < rows; row++)
    cudaMemcpy(device + row * width, host + row * width, width * sizeof(float), cudaMemcpyHostToDevice);
}`,
    good: `void upload(float *device, const float *host, int rows, int width) {
  cudaMemcpy(device, host, rows * width * sizeof(float), cudaMemcpyHostToDevice);
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const variables = new Variables(syntax, program.semantics);
    const launches = syntax.expressions("call").filter(({ launch }) => launch !== undefined);
    for (const { call, name } of runtimeCalls(context)) {
      const [to, from, size] = call.arguments;
      const [loop] = name === "cudaMemcpy" ? loopsAround(syntax, call) : [];
      if (!to || !from || loop?.kind !== "for" || launches.some((each) => each.start >= loop.start && each.end <= loop.end)) continue;
      const counters = countersOf(loop, variables).map(({ variable }) => variable);
      const mentions = (node: Node): boolean =>
        syntax
          .expressions("name")
          .some((each) => each.start >= node.start && each.end <= node.end && counters.some((counter) => variables.of(each) === counter));
      if (!mentions(to) || !mentions(from) || !goesOn(to) || !goesOn(from)) continue;
      const bytes = size && program.semantics.constant(size);
      const each = typeof bytes === "bigint" ? ` of ${formatCapacity(Number(bytes))}` : "";
      yield { span: call, message: `A copy${each} a turn, of pieces of one array: one copy of all of them pays for its beginning once.` };
    }
    yield* repeatedCopies(context, variables);
  },
});

/** `cudaMemcpy` of one array from or to the host, in a loop that launches kernels. */
interface Copy {
  readonly call: Call;
  readonly loop: Loop;
  readonly up: boolean;
  readonly host: Variable;
  readonly device: Variable;
  /** Of the array of the host. */
  readonly name: string;
  readonly deviceName: string;
}

function* repeatedCopies(context: RuleContext, variables: Variables): Generator<Finding> {
  const { program } = context;
  const copies = runtimeCalls(context).flatMap((each) => copyOf(context, each, variables) ?? []);
  const told = new Set<Copy>();
  for (const copy of copies) {
    const { loop, host, device, up, name } = copy;
    if (told.has(copy)) continue;
    const within = ({ start, end }: Node, outer: Node): boolean => start >= outer.start && end <= outer.end;
    const pair = copies.filter((each) => each.loop === loop && each.host === host);
    const mentions = (variable: Variable): Expression[] =>
      variables.uses(variable).filter((use) => within(use, loop) && !pair.some(({ call }) => within(use, call)));
    // Another name of the array, or a part of the program that knows it, may be used there.
    if (mentions(host).length > 0) continue;
    if (hasOtherNames(context, host, variables) || (isKnownElsewhere(context, host, variables) && callsOthers(context, loop))) continue;
    const other = pair.find((each) => each.device !== device);
    if (other) {
      if (!passesThroughHost(copy, other, pair, mentions) || !isSameSize(context, copy, other)) continue;
      for (const each of pair) told.add(each);
      yield {
        span: copy.call,
        message: `What the kernels leave in \`${other.deviceName}\` goes to the host in each turn, and from \`${name}\` to \`${copy.deviceName}\` in the next, though the host does nothing with it in between. Copy it before the loop and back behind it, and exchange the two pointers in each turn.`,
        related: [{ at: other.call, message: "comes back here" }],
      };
      continue;
    }
    const launched = mentions(device);
    const ofKernels = launched.map((use) => parameterOf(context, use));
    if (launched.length === 0 || ofKernels.some((each) => each === undefined)) continue;
    for (const each of pair) told.add(each);
    const bytes = program.semantics.constant(copy.call.arguments[2] ?? copy.call);
    const size = typeof bytes === "bigint" ? `, ${formatCapacity(Number(bytes))} a turn` : "";
    const [first, last] = [launched[0]?.start ?? 0, launched.at(-1)?.start ?? 0];
    const back = pair.find((each) => !each.up);
    if (up && back && pair.length === 2 && copy.call.start < first && back.call.start > last) {
      yield {
        span: copy.call,
        message: `\`${name}\` comes back to the host in each turn and goes to the device again in the next${size} each way, though the host does nothing with it in between. Copy it before the loop, and back behind it.`,
        related: [{ at: back.call, message: "comes back here" }],
      };
    } else if (pair.length > 1) continue;
    else if (!up)
      yield {
        span: copy.call,
        message: `\`${name}\` is copied to the host in each turn${size}, over what the turn before has copied, which nobody has read. Copy it behind the loop.`,
      };
    else if (ofKernels.every((each) => each?.type.kind === "pointer" && each.type.to.const))
      yield {
        span: copy.call,
        message: `\`${name}\` is copied to the device in each turn${size}, though nothing in the loop changes it on either side. Copy it before the loop.`,
      };
  }
}

/** As they are written: of sizes that are written otherwise it is not known. */
function isSameSize({ program: { reading } }: RuleContext, ...copies: readonly [Copy, Copy]): boolean {
  const [a, b] = copies.map(({ call: { arguments: given } }) => given[2] && textAt(reading, reading.locate(given[2].start, given[2].end)));
  return a !== undefined && a.replace(/\s+/g, "") === b?.replace(/\s+/g, "");
}

/** One array goes to the device, kernels follow, and another one comes back to where it came from. */
function passesThroughHost(up: Copy, back: Copy, pair: readonly Copy[], mentions: (variable: Variable) => Expression[]): boolean {
  const read = mentions(up.device).map(({ start }) => start);
  const written = mentions(back.device).map(({ start }) => start);
  return (
    pair.length === 2 &&
    up.up &&
    !back.up &&
    read.length > 0 &&
    written.length > 0 &&
    [...read, ...written].every((at) => up.call.start < at && at < back.call.start)
  );
}

function copyOf({ syntax }: RuleContext, { call, name }: RuntimeCall, variables: Variables): Copy | undefined {
  const [to, from, , kind] = call.arguments;
  const [loop] = name === "cudaMemcpy" ? loopsAround(syntax, call) : [];
  const isAlways =
    loop &&
    [...syntax.ancestors(call)].every(
      ({ node }) => node.start < loop.start || node.end > loop.end || !("kind" in node && /^(if|switch|conditional)$/.test(node.kind)),
    );
  if (!isAlways) return undefined;
  const direction = kind?.kind === "name" ? kind.name.parts.at(-1)?.text : undefined;
  const up = direction === "cudaMemcpyHostToDevice";
  if (!loop || !to || !from || !(up || direction === "cudaMemcpyDeviceToHost")) return undefined;
  const [host, device] = [arrayIn(up ? from : to), arrayIn(up ? to : from)];
  const [ofHost, ofDevice] = [variables.of(host), variables.of(device)];
  const [hostName, deviceName] = [nameOf(host), nameOf(device)];
  return ofHost && ofDevice && hostName !== undefined && deviceName !== undefined
    ? { call, loop, up, host: ofHost, device: ofDevice, name: hostName, deviceName }
    : undefined;
}

const nameOf = (node: Expression): string | undefined => (node.kind === "name" ? node.name.parts.at(-1)?.text : undefined);

/** What holds all that a pointer begins: `h` of `h.data()` and of `&h[0]`. */
function arrayIn(node: Expression): Expression {
  if (node.kind === "parenthesized") return arrayIn(node.inner);
  if (node.kind === "call" && node.arguments.length === 0 && node.callee.kind === "member" && nameOfMember(node.callee) === "data")
    return node.callee.base;
  if (node.kind !== "unary" || node.op !== "&" || node.operand.kind !== "subscript") return node;
  const { base, indices } = node.operand;
  const [only] = indices;
  return indices.length === 1 && only?.kind === "integer" && only.value === 0n ? base : node;
}

const nameOfMember = ({ name }: Expression & { readonly kind: "member" }): string | undefined => name.parts.at(-1)?.text;

/** Whether something else in the function may have the array by now: the variable is of no function, an initialiser, assigned, or its address is taken. */
function hasOtherNames({ syntax, program: { semantics } }: RuleContext, variable: Variable, variables: Variables): boolean {
  if (semantics.enclosingFunction(variable) === undefined) return true;
  return variables.uses(variable).some((use) => {
    const pointer = pointerOf(syntax, use);
    const around = syntax.parent(pointer);
    if (around?.role === "declaration") return true;
    if (around?.role !== "expression") return false;
    const { node } = around;
    return node.kind === "list" || (node.kind === "unary" && node.op === "&") || (node.kind === "assign" && sameSpan(pointer, node.right));
  });
}

/** What is made of an array to lead to its elements: `h.data()`, `h.begin()`, `&h[1]`, `h + 1`; else the array itself. */
function pointerOf(syntax: SyntaxIndex, array: Expression): Expression {
  const around = syntax.parent(array);
  if (around?.role !== "expression") return array;
  const { node } = around;
  if (node.kind === "parenthesized" || node.kind === "cast" || (node.kind === "binary" && /^[+-]$/.test(node.op)))
    return pointerOf(syntax, node);
  const outer = syntax.parent(node);
  if (outer?.role !== "expression") return array;
  const { node: whole } = outer;
  if (
    node.kind === "member" &&
    whole.kind === "call" &&
    sameSpan(whole.callee, node) &&
    /^(data|c?r?begin|c?r?end)$/.test(nameOfMember(node) ?? "")
  )
    return pointerOf(syntax, whole);
  return node.kind === "subscript" && sameSpan(node.base, array) && whole.kind === "unary" && whole.op === "&"
    ? pointerOf(syntax, whole)
    : array;
}

/** Whether other functions may have the array by now: it came from one, or was given to one. */
const isKnownElsewhere = ({ syntax }: RuleContext, variable: Variable, variables: Variables): boolean =>
  !("kind" in variable) ||
  variables.uses(variable).some((use) => {
    const around = syntax.parent(pointerOf(syntax, use));
    return around?.role === "expression" && around.node.kind === "call" && !isOfRuntime(around.node);
  });

/** What the runtime and the library of C do with an array they have done when they return. */
const isOfRuntime = (call: Call): boolean => /^(cuda[A-Z]\w*|free|memset|memcpy|printf|fprintf)$/.test(libraryName(call) ?? "");

/** Whether the loop calls what may know of arrays that it is not given. */
const callsOthers = ({ syntax }: RuleContext, loop: Loop): boolean =>
  syntax.expressions("call").some((call) => call.start >= loop.start && call.end <= loop.end && !call.launch && !isOfRuntime(call));

/** The parameter of a kernel that it is given to; undefined where it is used otherwise. */
function parameterOf({ syntax, program: { semantics } }: RuleContext, use: Expression): ParameterDeclaration | undefined {
  const around = syntax.parent(use);
  const call = around?.role === "expression" && around.node.kind === "call" && around.node.launch ? around.node : undefined;
  const index = call?.arguments.findIndex((each) => sameSpan(each, use)) ?? -1;
  return call && index >= 0 ? semantics.callee(call)?.function.parameters[index] : undefined;
}

/** Within one array: a pointer and an offset, or the address of an element. */
function goesOn(node: Expression): boolean {
  if (node.kind === "parenthesized") return goesOn(node.inner);
  if (node.kind === "cast") return node.operands.length === 1 && node.operands.every(goesOn);
  return (node.kind === "binary" && node.op === "+") || (node.kind === "unary" && node.op === "&" && node.operand.kind === "subscript");
}
