/** Expressions of host code as closures over numbers. */
import type { Expression, FunctionDeclaration } from "../../../syntax/ast.ts";
import { leftChain } from "../../../syntax/terms.ts";
import { commonName, isFloatName, promotedName } from "../../sema/arithmetic-types.ts";
import { mathFunctions } from "../library/math.ts";
import { hostType } from "../memory/host-types.ts";
import { lastText } from "../resolve/names.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { float, int, integerOf, numberOf } from "../values/values.ts";
import { conversion, isComparison, type Known, type NumberName, type Operation, operation, shift } from "./arithmetic.ts";
import { combinedLine, constantLine, type Line } from "./lines.ts";
import { ending, type Machine, newSlot, type Run, spend, type Target, Unsupported } from "./machine.ts";
import { arrayOf, type Code, declared, lineTo, loadOf, numberType, storeTo, targetOf } from "./targets.ts";

/** Calls within calls that are replayed. */
const mostCalls = 8;

/** @throws Unsupported */
export function codeOf(machine: Machine, e: Expression): Code {
  const code = (inner: Expression): Code => codeOf(machine, inner);
  switch (e.kind) {
    case "integer":
    case "float":
    case "char":
    case "bool":
    case "sizeof":
      return constant(machine, e);
    case "parenthesized":
      return code(e.inner);
    case "name":
    case "member":
      return isPlace(machine, e) ? loadOf(machine, targetOf(machine, e, code)) : constant(machine, e);
    case "subscript":
      return loadOf(machine, targetOf(machine, e, code));
    case "unary":
      return unaryCode(machine, e);
    case "postfix": {
      const target = targetOf(machine, e.operand, code);
      const load = loadOf(machine, target);
      const next = operation(e.op === "++" ? "+" : "-", load.type);
      const store = storeTo(machine, target, { type: load.type });
      if (!next) throw new Unsupported();
      return {
        type: load.type,
        run: () => {
          const before = load.run();
          store(before === undefined ? undefined : next(before, 1));
          return before;
        },
      };
    }
    case "binary":
      return binaryCode(machine, e);
    case "assign": {
      const target = targetOf(machine, e.left, code);
      const right = code(e.right);
      const value = e.op === "" ? right : combined(machine, e.op, loadOf(machine, target), right);
      const type = target.kind === "slot" ? target.type : numberType(target.type);
      if (!type) throw new Unsupported();
      const store = storeTo(machine, target, value);
      return { type, run: () => store(value.run()) };
    }
    case "conditional": {
      const condition = code(e.condition);
      const { effects } = machine;
      const [then, otherwise] = [code(e.then), code(e.else)];
      if (machine.effects !== effects) throw new Unsupported();
      const type = commonName(then.type, otherwise.type);
      const [first, second] = [converted(then, type), converted(otherwise, type)];
      return {
        type,
        run: () => {
          const chosen = condition.run();
          return chosen === undefined ? undefined : chosen !== 0 ? first() : second();
        },
      };
    }
    case "cast": {
      const [operand] = e.operands;
      const type = numberType(hostType(machine.host, e.type));
      if (!operand || e.operands.length > 1 || !type || e.style === "reinterpret") throw new Unsupported();
      const made = code(operand);
      machine.nest?.constants.push(type);
      return { type, run: converted(made, type), line: lineTo(made.line, made.type, type) };
    }
    case "call":
      return callCode(machine, e);
    default:
      throw new Unsupported();
  }
}

export function converted({ type, run }: Code, to: NumberName): Run {
  if (type === to) return run;
  const convert = conversion(type, to);
  return () => {
    const value = run();
    return value === undefined ? undefined : convert(value);
  };
}

/** What does not change as the loop runs. */
function constant(machine: Machine, e: Expression): Code {
  const { host } = machine;
  const made = host.evaluate(e);
  const type = numberType(typeOfValue(made));
  const value = numberOf(made);
  if (type === undefined || value === undefined || (Number.isInteger(value) && !Number.isSafeInteger(value))) throw new Unsupported();
  machine.nest?.constants.push(value);
  return { type, run: () => value, line: constantLine(value) };
}

/** A variable, rather than a constant or a function. */
function isPlace(machine: Machine, e: Expression & { readonly kind: "name" | "member" }): boolean {
  if (e.kind === "member") return true;
  if (e.name.parts.length === 1 && declared(machine, lastText(e.name))) return true;
  try {
    targetOf(machine, e, (inner) => codeOf(machine, inner));
    return true;
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

function unaryCode(machine: Machine, e: Expression & { readonly kind: "unary" }): Code {
  const code = (inner: Expression): Code => codeOf(machine, inner);
  switch (e.op) {
    case "++":
    case "--": {
      const target = targetOf(machine, e.operand, code);
      const load = loadOf(machine, target);
      const value = combined(machine, e.op === "++" ? "+" : "-", load, { type: "int", run: () => 1, line: constantLine(1) });
      const store = storeTo(machine, target, value);
      return { type: load.type, run: () => store(value.run()) };
    }
    case "*":
      return loadOf(machine, targetOf(machine, e, code));
    case "+":
      return code(e.operand);
    case "-":
      return combined(machine, "-", { type: "int", run: () => 0, line: constantLine(0) }, code(e.operand));
    case "~":
      return combined(machine, "^", { type: "int", run: () => -1, line: constantLine(-1) }, code(e.operand));
    case "!": {
      const { run } = code(e.operand);
      return {
        type: "bool",
        run: () => {
          const value = run();
          return value === undefined ? undefined : value === 0 ? 1 : 0;
        },
      };
    }
    default:
      throw new Unsupported();
  }
}

function binaryCode(machine: Machine, e: Expression & { readonly kind: "binary" }): Code {
  if (e.op === "&&" || e.op === "||") {
    const { effects } = machine;
    const [left, right] = [codeOf(machine, e.left), codeOf(machine, e.right)];
    if (machine.effects !== effects) throw new Unsupported();
    const decisive = e.op === "||";
    return {
      type: "bool",
      run: () => {
        const first = left.run();
        if (first !== undefined && (first !== 0) === decisive) return first === 0 ? 0 : 1;
        const second = right.run();
        if (second !== undefined && (second !== 0) === decisive) return second === 0 ? 0 : 1;
        return first === undefined || second === undefined ? undefined : decisive ? 0 : 1;
      },
    };
  }
  // A long sum stands to the left, as deep as it has terms.
  const chain = leftChain(e, ({ op }) => op !== "&&" && op !== "||");
  let made = codeOf(machine, (chain[0] ?? e).left);
  for (const each of chain) {
    const left = made;
    const right = codeOf(machine, each.right);
    made =
      each.op === ","
        ? {
            type: right.type,
            run: () => {
              left.run();
              return right.run();
            },
          }
        : combined(machine, each.op, left, right);
  }
  return made;
}

function combined(machine: Machine, op: string, left: Code, right: Code): Code {
  if (op === "<<" || op === ">>") {
    if (isFloatName(left.type) || isFloatName(right.type)) throw new Unsupported();
    const operate = shift(op, left.type);
    const line = left.line && right.line && folded(operate, left.line, right.line);
    return { ...both(machine, promotedName(left.type), left.run, right.run, operate), line };
  }
  const type = commonName(left.type, right.type);
  const operate = operation(op, type);
  if (!operate) throw new Unsupported();
  const made = both(machine, isComparison(op) ? "bool" : type, converted(left, type), converted(right, type), operate);
  const [a, b] = machine.nest ? [lineTo(left.line, left.type, type), lineTo(right.line, right.type, type)] : [];
  return { ...made, line: a && b && (combinedLine(op, type, a, b) ?? folded(operate, a, b)) };
}

/** Of two numbers that do not change. */
function folded(operate: Operation, a: Line, b: Line): Line | undefined {
  if (a.terms.size > 0 || b.terms.size > 0) return undefined;
  const value = operate(a.constant, b.constant);
  return value === undefined ? undefined : constantLine(value);
}

function both(machine: Machine, type: NumberName, left: Run, right: Run, operate: (a: number, b: number) => Known): Code {
  return {
    type,
    run: () => {
      spend(machine);
      const a = left();
      const b = right();
      return a === undefined || b === undefined ? undefined : operate(a, b);
    },
  };
}

// ---------------------------------------------------------------- calls

type Call = Expression & { readonly kind: "call" };

function callCode(machine: Machine, e: Call): Code {
  const { callee } = e;
  const { host } = machine;
  if (callee.kind === "member") {
    if (lastText(callee.name) === "at")
      return loadOf(
        machine,
        targetOf(machine, e, (inner) => codeOf(machine, inner)),
      );
    if (lastText(callee.name) !== "size" || e.arguments.length > 0) throw new Unsupported();
    if (callee.base.kind !== "name" && callee.base.kind !== "member") throw new Unsupported();
    const elements = host.evaluate(callee.base);
    const size = elements.kind === "container" ? integerOf(elements.size) : undefined;
    if (size === undefined) throw new Unsupported();
    machine.nest?.constants.push(size);
    return { type: "ulong", run: () => size, line: constantLine(size) };
  }
  if (callee.kind !== "name") throw new Unsupported();
  const name = lastText(callee.name);
  const candidates = callee.name.parts.length === 1 ? host.globals.functions(callee.name, host.frame.path) : [];
  const [fn] = candidates;
  if (fn) {
    if (candidates.length > 1) throw new Unsupported();
    return functionCode(machine, fn, e.arguments);
  }
  const library = mathFunctions.get(name);
  if (!library) throw new Unsupported();
  const args = e.arguments.map((argument) => codeOf(machine, argument));
  const numberAs = (value: number, type: NumberName) => (isFloatName(type) ? float(value, type) : int(value, type));
  const call = (values: readonly number[]) =>
    library(
      host,
      values.map((value, k) => ({ value: numberAs(value, args[k]?.type ?? "int") })),
      e,
    );
  const sample = call(args.map(() => 1));
  const type = numberType(typeOfValue(sample));
  if (!type) throw new Unsupported();
  if (sample.kind === "range") {
    if (machine.nest) throw new Unsupported();
    return { type, run: () => undefined };
  }
  return {
    type,
    run: () => {
      spend(machine);
      const values = args.map(({ run }) => run());
      return values.some((value) => value === undefined) ? undefined : numberOf(call(values.map((value) => value ?? 0)));
    },
  };
}

/** A function of the program that numbers and arrays are given to. */
function functionCode(machine: Machine, fn: FunctionDeclaration, args: readonly Expression[]): Code {
  const { host, scopes } = machine;
  const { body } = fn;
  const type = numberType(hostType(host, fn.result));
  const plain = body && !fn.templateParameters && !fn.specifiers.global && !fn.variadic && fn.parameters.length === args.length;
  const isHere = (host.linker?.unitOf(fn) ?? host.unit) === host.unit;
  if (!plain || !type || !isHere || machine.depth >= mostCalls) throw new Unsupported();
  const own = new Map<string, Target>();
  const assigned: Run[] = [];
  for (const [k, parameter] of fn.parameters.entries()) {
    const argument = args[k];
    if (!argument || !parameter.name) throw new Unsupported();
    const declaredType = hostType(host, parameter.type);
    const byReference = parameter.type.kind === "reference" && !parameter.type.to.const;
    const number = numberType(declaredType?.kind === "reference" ? declaredType.to : declaredType);
    if (number && !byReference) {
      const slot = newSlot(machine, number);
      const value = codeOf(machine, argument);
      const store = storeTo(machine, slot, value);
      assigned.push(() => store(value.run()));
      own.set(parameter.name, slot);
    } else if (number)
      own.set(
        parameter.name,
        targetOf(machine, argument, (inner) => codeOf(machine, inner)),
      );
    else
      own.set(
        parameter.name,
        arrayOf(machine, argument, (inner) => codeOf(machine, inner)),
      );
  }
  const outer = { resultType: machine.resultType, depth: machine.depth };
  // The body sees its parameters and what stands outside of functions; of the host's own frame nothing.
  const { frame } = host;
  host.frame = { ...frame, function: fn, result: fn.result, scopes: [new Map()], path: host.globals.pathOf(fn), self: undefined };
  machine.scopes = [own];
  machine.resultType = type;
  machine.depth += 1;
  try {
    const execute = machine.nest ? machine.nest.called(fn, () => machine.statement(body)) : machine.statement(body);
    return {
      type,
      run: () => {
        for (const assign of assigned) assign();
        spend(machine);
        machine.result = undefined;
        return execute() === ending.returns ? machine.result : undefined;
      },
    };
  } finally {
    host.frame = frame;
    machine.scopes = scopes;
    machine.resultType = outer.resultType;
    machine.depth = outer.depth;
  }
}
