/** Calls of the CUDA runtime in host code, what waits for the device, and how a project checks them. */
import { lastName } from "../../analysis/sema/scope.ts";
import type { Expression, Node, Statement } from "../../syntax/ast.ts";
import type { Reading } from "../../syntax/reading.ts";
import { walk } from "../../syntax/walk.ts";
import type { RuleContext } from "../rule.ts";
import { groupBy } from "./group-by.ts";
import { type Call, libraryName } from "./library-calls.ts";
import { isOwn } from "./syntax-index.ts";

export interface RuntimeCall {
  readonly call: Call;
  readonly name: string;
}

/** Calls of functions `cuda...` that the program does not define, in host code. */
export function runtimeCalls({ program, syntax }: RuleContext): RuntimeCall[] {
  return syntax.expressions("call", /cuda[A-Z]/).flatMap((call): RuntimeCall[] => {
    const name = libraryName(call);
    if (name === undefined || !/^cuda[A-Z]/.test(name) || syntax.inDevice(call)) return [];
    return program.semantics.resolve(call.callee).some(isOwn) ? [] : [{ call, name }];
  });
}

/** The statement that a node stands in, and the block that it is one of; undefined in a header of a loop and the like. */
export function statementOf(
  { syntax }: RuleContext,
  node: Node,
): { readonly statement: Statement; readonly block: readonly Statement[] } | undefined {
  let statement: Statement | undefined;
  for (const { role, node: outer } of syntax.ancestors(node)) {
    if (role === "expression" && outer.kind === "lambda") return undefined;
    if (role !== "statement") continue;
    if (outer.kind === "block" && statement) return { statement, block: outer.body };
    statement = outer;
  }
  return undefined;
}

/** How something takes its time: not at all as seen from the host, on the device while the host goes on, or until the device is done. */
export type Waiting = "nothing" | "begins" | "waits";

/** Functions that return while the device works. */
const beginning = /^cuda(Memcpy\w*Async|Memset(2D|3D)?(Async)?|Launch\w*|GraphLaunch|MemPrefetchAsync)$/;
/** Functions that neither begin work nor wait for any. */
const idle =
  /^(cuda(EventRecord|GetLastError|PeekAtLastError|GetErrorString|FuncSet\w+|SetDevice|GetDevice\w*|StreamWaitEvent)|printf|fprintf|puts|fflush|exit|abort|rand|srand|sqrt|pow|fabs|min|max|swap|ceil|floor|now|duration_cast|count|size|data|get|begin|end|push_back|c_str|sizeof|assert|dim3)$/;

/** What a part of host code does to the device, as far as it matters to a clock: whoever is not known is taken to wait. */
export function waitingOf(context: RuleContext, node: Statement | Expression, depth = 0): Waiting {
  let waiting: Waiting = "nothing";
  walk(node, (each) => {
    if (each.kind === "lambda") return false;
    if (each.kind !== "call" || !("callee" in each)) return waiting !== "waits";
    const one = callWaiting(context, each, depth);
    if (one === "waits") waiting = "waits";
    else if (one === "begins" && waiting === "nothing") waiting = "begins";
    return waiting !== "waits";
  });
  return waiting;
}

const deepest = 3;

function callWaiting(context: RuleContext, call: Call, depth: number): Waiting {
  if (call.launch) return "begins";
  const { semantics } = context.program;
  const clear = semantics.clarify(call);
  if (clear.kind !== "call") return "nothing";
  const name = libraryName(call) ?? (call.callee.kind === "name" || call.callee.kind === "member" ? lastName(call.callee.name) : "");
  const found = semantics.resolve(call.callee).filter(isOwn);
  if (found.length === 0)
    return beginning.test(name) ? "begins" : idle.test(name) || isOfStandard(call) || isClock(context, call) ? "nothing" : "waits";
  const definition = semantics.callee(call)?.function;
  return definition?.body && depth < deepest ? waitingOf(context, definition.body, depth + 1) : "waits";
}

/** The standard library knows nothing of the device, but calls what it is given. */
const isOfStandard = ({ callee, arguments: given }: Call): boolean =>
  callee.kind === "name" && callee.name.parts[0]?.text === "std" && !given.some(({ kind }) => kind === "lambda" || kind === "name");

const explicit = /^cuda(Device|Thread|Stream|Event)Synchronize$/;

/** Whether a part of host code says that it waits for the device. */
export function saysThatItWaits(context: RuleContext, node: Statement | Expression, depth = 0): boolean {
  const { semantics } = context.program;
  let waits = false;
  walk(node, (each) => {
    if (each.kind !== "call" || !("callee" in each) || waits) return !waits;
    const body = semantics.resolve(each.callee).some(isOwn) ? semantics.callee(each)?.function.body : undefined;
    waits = explicit.test(libraryName(each) ?? "") || (body !== undefined && depth < deepest && saysThatItWaits(context, body, depth + 1));
    return !waits;
  });
  return waits;
}

const clocks = /^(gettimeofday|clock_gettime|clock|omp_get_wtime|MPI_Wtime|__rdtsc)$/;

/** A call that reads a clock of the host, directly or in a small function of the program. */
export function isClock({ program: { semantics } }: RuleContext, call: Call): boolean {
  const { callee } = call;
  if (callee.kind !== "name") return false;
  const parts = callee.name.parts.map(({ text }) => text);
  const last = parts.at(-1) ?? "";
  const own = semantics.resolve(callee).filter(isOwn);
  if (own.length === 0) return (parts.length === 1 && clocks.test(last)) || (last === "now" && parts.some((part) => /clock/i.test(part)));
  const body = semantics.callee(call)?.function.body;
  if (!body || body.body.length > longestClock) return false;
  let reads = false;
  walk(body, (each) => {
    if (each.kind === "call" && "callee" in each && each.callee.kind === "name") {
      const names = each.callee.name.parts.map(({ text }) => text);
      reads ||= clocks.test(names.at(-1) ?? "") || (names.at(-1) === "now" && names.some((part) => /clock/i.test(part)));
    }
    return !reads;
  });
  return reads;
}

const longestClock = 6;

/** The macro or function that the file puts around most of its calls of the runtime. */
export interface Checker {
  readonly name: string;
  readonly count: number;
  /** A call with it around, and what else it is given each time; undefined where that is another thing each time. */
  around(call: string): string | undefined;
}

const fewestChecks = 3;

/** Undefined: there is none that is used often enough to be the project's way. */
export function checkerOf(context: RuleContext, calls: readonly RuntimeCall[]): Checker | undefined {
  const checks = calls.flatMap(({ call }) => checkOf(context, call) ?? []);
  const [most] = [...groupBy(checks, ({ name }) => name).entries()].sort(([, a], [, b]) => b.length - a.length);
  if (!most || most[1].length < fewestChecks) return undefined;
  const [name, all] = most;
  const [besides, ...others] = new Set(all.map((check) => check.besides));
  return {
    name,
    count: all.length,
    around: (call) => (besides === undefined || others.length > 0 ? undefined : `${name}(${call}${besides})`),
  };
}

/** The macro or function that a call is given to, and the text of what it is given behind it; undefined where it is not given first. */
interface Check {
  readonly name: string;
  readonly besides: string | undefined;
}

/** The body of a macro spells it, rather than the user where the macro is used. */
function isOfMacro(reading: Reading, { start }: Node): boolean {
  const first = reading.spelled(start, start + 1);
  return first === undefined || first.macro !== undefined;
}

function checkOf({ program: { reading, semantics }, syntax }: RuleContext, call: Call): Check | undefined {
  if (isOfMacro(reading, call)) return undefined;
  const around = reading.expansion(call.start, call.end);
  if (around) {
    const { file, start, end } = around.place;
    const source = reading.sources[file] ?? "";
    const given = source.slice(start + around.name.length, end);
    // A macro that is given statements does something else with them.
    if (/[;{]/.test(given)) return undefined;
    const [first, last] = [reading.spelled(call.start, call.start + 1), reading.spelled(call.end - 1, call.end)];
    const isFirst = first?.file === file && last?.file === file && /^\s*\(\s*$/.test(source.slice(start + around.name.length, first.start));
    return { name: around.name, besides: isFirst ? behind(source.slice(last.end, end).replace(/\)\s*$/, "")) : undefined };
  }
  for (const { role, node } of syntax.ancestors(call)) {
    if (role === "declaration" && node.kind === "function") return undefined;
    if (role === "statement") return undefined;
    if (role === "expression" && node.kind === "call" && node.callee.kind === "name") {
      const isFunction = semantics.resolve(node.callee).some(isOwn);
      const name = node.callee.name.parts.at(-1)?.text;
      const isFirst = node.arguments[0]?.start === call.start && node.arguments[0].end === call.end;
      return isFunction && name !== undefined
        ? { name, besides: isFirst ? behind(writtenBehind(reading, call, node)) : undefined }
        : undefined;
    }
  }
  return undefined;
}

/** Further arguments, from their comma on. */
const behind = (text: string | undefined): string | undefined =>
  text !== undefined && /^\s*(,|$)/.test(text) ? text.trimEnd() : undefined;

/** What the user wrote between a call and the closing parenthesis of the one that it is given to. */
function writtenBehind(reading: Reading, call: Call, outer: Call): string | undefined {
  const [last, end] = [call, outer].map((each) => reading.spelled(each.end - 1, each.end));
  if (!last || !end || last.macro !== undefined || end.macro !== undefined || last.file !== end.file) return undefined;
  return (reading.sources[end.file] ?? "").slice(last.end, end.start);
}
