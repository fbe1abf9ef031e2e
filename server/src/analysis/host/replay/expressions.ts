/** Expressions of host code as closures over numbers. */

import type { Expression, FunctionDeclaration } from "../../../syntax/ast.ts";
import { leftChain, withoutParentheses } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";
import { commonName, isFloatName, promotedName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import { hostType } from "../memory/host-types.ts";
import { isOrderTold } from "../resolve/order.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { numberOf } from "../values/values.ts";
import { searchIndex, searchResult } from "./algorithms.ts";
import { conversion, isComparison, type Known, type NumberName, type Operation, operation, shift } from "./arithmetic.ts";
import { lambdaAt, methodAt, ownMethod } from "./called.ts";
import { callCode } from "./calls.ts";
import { valueType, writeConstant, writeConversion, writeOperation, writeShift, writeTruth } from "./compiled/numbers.ts";
import type { Writer } from "./compiled/writer.ts";
import { combinedLine, constantLine, type Line } from "./lines.ts";
import { compilable, GivenUp, type Machine, type Run, spend, type Target, Unsupported } from "./machine.ts";
import { declared, numberType } from "./numbers.ts";
import { copiedRecord } from "./records.ts";
import { foundOnce } from "./settled.ts";
import { type Code, lineTo, loadOf, storeTo, targetOf } from "./targets.ts";
import { isWide, reduced, wideOperation, wideShift } from "./wide.ts";

/** @throws Unsupported */
export function codeOf(machine: Machine, written: Expression): Code {
  const e = machine.host.semantics.clarify(written);
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
    case "subscript": {
      const target = targetOf(machine, e, code);
      const load = loadOf(machine, target);
      const column = target.kind === "elements" ? machine.columns.get(target.allocation) : undefined;
      if (column) machine.loads.set(e, column);
      return load;
    }
    case "unary":
      return unaryCode(machine, e);
    case "postfix": {
      const { target, begin } = foundOnce(machine, () => targetOf(machine, e.operand, code));
      const load = loadOf(machine, target);
      const next = operation(e.op === "++" ? "+" : "-", load.type);
      const store = storeTo(machine, target, { type: load.type }, true);
      if (!next) throw new Unsupported();
      return {
        type: load.type,
        run: compilable(
          () => {
            begin?.();
            const before = load.run();
            store(before === undefined ? undefined : next(before, 1));
            return before;
          },
          (w) => {
            if (begin) w.write(begin);
            const before = w.valueLocal(load.type);
            w.write(load.run);
            w.tee(before);
            writeConstant(w, 1, load.type);
            writeOperation(w, e.op === "++" ? "+" : "-", load.type);
            w.write(store);
            w.op("drop");
            w.get(before);
          },
        ),
      };
    }
    case "binary":
      return binaryCode(machine, e);
    case "assign": {
      const find = (): Target => targetOf(machine, e.left, code);
      const { effects: sought } = machine;
      const { target, begin } = e.op === "" ? { target: find(), begin: undefined } : foundOnce(machine, find);
      if (target.kind === "record") {
        if (e.op !== "" || !isOrderTold(e.left, e.right)) throw new Unsupported();
        return copiedRecord(machine, target, e.right);
      }
      const { effects } = machine;
      const right = code(e.right);
      // What stands on the right is made before what is on the left is looked for and read.
      const isFirst = e.op !== "" && (sought !== effects || machine.effects !== effects);
      let made: Known;
      let local: number | undefined;
      const madeLocal = (w: Writer): number => {
        local ??= w.valueLocal(right.type);
        return local;
      };
      const first = compilable(
        () => made,
        (w) => w.get(madeLocal(w)),
      );
      const added = isFirst ? { type: right.type, run: first } : right;
      const value = e.op === "" ? right : combined(machine, e.op, loadOf(machine, target), added);
      const type =
        target.kind === "elements" ? numberType(target.type) : target.kind === "slot" || target.kind === "item" ? target.type : undefined;
      if (!type) throw new Unsupported();
      const store = storeTo(machine, target, value, true);
      const to = target.kind === "slot" ? target.index : target.kind === "elements" ? machine.columns.get(target.allocation) : undefined;
      if (e.op === "" && to !== undefined) machine.assigned.push({ to, left: e.left, right: e.right });
      return {
        type,
        run: compilable(
          () => {
            if (isFirst) made = right.run();
            begin?.();
            return store(value.run());
          },
          (w) => {
            if (isFirst) {
              w.write(right.run);
              w.set(madeLocal(w));
            }
            if (begin) w.write(begin);
            w.write(value.run);
            w.write(store);
          },
        ),
      };
    }
    case "conditional": {
      const condition = code(e.condition);
      const { effects } = machine;
      const [then, otherwise] = [code(e.then), code(e.else)];
      const isPure = machine.effects === effects;
      if (!isPure) perhaps(machine);
      const type = commonName(then.type, otherwise.type);
      const [first, second] = [converted(then, type), converted(otherwise, type)];
      return {
        type,
        run: compilable(
          () => {
            const chosen = condition.run();
            if (chosen === undefined && !isPure) throw new GivenUp();
            return chosen === undefined ? undefined : chosen !== 0 ? first() : second();
          },
          (w) => {
            w.write(condition.run);
            writeTruth(w, condition.type);
            w.open("if", valueType(type));
            w.write(first);
            w.otherwise();
            w.write(second);
            w.close();
          },
        ),
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
  return compilable(
    () => {
      const value = run();
      return value === undefined ? undefined : convert(value);
    },
    (w) => {
      w.write(run);
      writeConversion(w, type, to);
    },
  );
}

/** Beyond 2^53 a double holds not every integer. */
const isHeld = (value: number, type: NumberName): boolean => isFloatName(type) || !Number.isInteger(value) || Number.isSafeInteger(value);

/** What does not change as the loop runs. */
function constant(machine: Machine, e: Expression): Code {
  const { host } = machine;
  const made = host.evaluate(e);
  const type = numberType(typeOfValue(made));
  const value = numberOf(made);
  if (!machine.nest && type && made.kind === "int" && typeof made.value === "bigint") {
    const wide = reduced(made.value);
    return {
      type,
      run: compilable(
        () => wide,
        (w) => writeConstant(w, made.value, type),
      ),
    };
  }
  if (type === undefined || value === undefined || !isHeld(value, type)) throw new Unsupported();
  machine.nest?.constants.push(value);
  return {
    type,
    run: compilable(
      () => value,
      (w) => writeConstant(w, value, type),
    ),
    line: constantLine(value),
  };
}

/** A variable, rather than a constant or a function. */
function isPlace(machine: Machine, e: Expression & { readonly kind: "name" | "member" }): boolean {
  if (e.kind === "member") return true;
  if (e.name.parts.length === 1 && declared(machine, lastName(e.name))) return true;
  try {
    targetOf(machine, e, (inner) => codeOf(machine, inner));
    return true;
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

const number = (value: number): Run =>
  compilable(
    () => value,
    (w) => w.i32(value),
  );

/** From 0 an integer, from -0 a floating-point number: of 0 it makes -0, as a change of sign does. */
function negated(machine: Machine, operand: Code): Code {
  const { type } = operand;
  if (!isFloatName(type)) return combined(machine, "-", { type: "int", run: number(0), line: constantLine(0) }, operand);
  const zero = compilable(
    () => -0,
    (w) => writeConstant(w, -0, type),
  );
  return combined(machine, "-", { type, run: zero }, operand);
}

function unaryCode(machine: Machine, e: Expression & { readonly kind: "unary" }): Code {
  const code = (inner: Expression): Code => codeOf(machine, inner);
  switch (e.op) {
    case "++":
    case "--": {
      const { target, begin } = foundOnce(machine, () => targetOf(machine, e.operand, code));
      const load = loadOf(machine, target);
      const value = combined(machine, e.op === "++" ? "+" : "-", load, { type: "int", run: number(1), line: constantLine(1) });
      const store = storeTo(machine, target, value, true);
      return {
        type: load.type,
        run: compilable(
          () => {
            begin?.();
            return store(value.run());
          },
          (w) => {
            if (begin) w.write(begin);
            w.write(value.run);
            w.write(store);
          },
        ),
      };
    }
    case "*":
      return loadOf(machine, targetOf(machine, e, code));
    case "+":
      return code(e.operand);
    case "-":
      return negated(machine, code(e.operand));
    case "~":
      return combined(machine, "^", { type: "int", run: number(-1), line: constantLine(-1) }, code(e.operand));
    case "!": {
      const { type, run } = code(e.operand);
      return {
        type: "bool",
        run: compilable(
          () => {
            const value = run();
            return value === undefined ? undefined : value === 0 ? 1 : 0;
          },
          (w) => {
            w.write(run);
            writeTruth(w, type);
            w.op("i32.eqz");
          },
        ),
      };
    }
    default:
      throw new Unsupported();
  }
}

function binaryCode(machine: Machine, e: Expression & { readonly kind: "binary" }): Code {
  if (e.op === "&&" || e.op === "||") {
    const { effects } = machine;
    const left = codeOf(machine, e.left);
    const between = machine.effects;
    const right = codeOf(machine, e.right);
    if (between !== effects && machine.nest) throw new Unsupported();
    const isPure = machine.effects === between;
    if (!isPure) perhaps(machine);
    const decisive = e.op === "||";
    return {
      type: "bool",
      run: compilable(
        () => {
          const first = left.run();
          if (first !== undefined && (first !== 0) === decisive) return first === 0 ? 0 : 1;
          if (first === undefined && !isPure) throw new GivenUp();
          const second = right.run();
          if (second !== undefined && (second !== 0) === decisive) return second === 0 ? 0 : 1;
          return first === undefined || second === undefined ? undefined : decisive ? 0 : 1;
        },
        (w) => {
          w.write(left.run);
          writeTruth(w, left.type);
          w.open("if", "i32");
          if (decisive) w.i32(1);
          else {
            w.write(right.run);
            writeTruth(w, right.type);
          }
          w.otherwise();
          if (decisive) {
            w.write(right.run);
            writeTruth(w, right.type);
          } else w.i32(0);
          w.close();
        },
      ),
    };
  }
  // A long sum stands to the left, as deep as it has terms.
  const index = e.op === "-" ? searchIndex(machine, e.left, e.right) : undefined;
  if (index) return index;
  const isMissing = e.op === "==" || e.op === "!=" ? searchResult(machine, e.left, e.right) : undefined;
  if (isMissing) return e.op === "==" ? isMissing : { type: "bool", run: () => 1 - (isMissing.run() ?? 0) };
  const chain = leftChain(e, ({ op }) => op !== "&&" && op !== "||");
  let made = codeOf(machine, (chain[0] ?? e).left);
  for (const each of chain) {
    const left = made;
    const { effects } = machine;
    const right = codeOf(machine, each.right);
    // What stands on the left may be read before or behind what the right does to it.
    if (machine.effects !== effects && each.op !== "," && !isUntouched(machine, each === chain[0] ? each.left : undefined, each.right))
      throw new Unsupported();
    made =
      each.op === ","
        ? {
            type: right.type,
            run: compilable(
              () => {
                left.run();
                return right.run();
              },
              (w) => {
                w.write(left.run);
                w.op("drop");
                w.write(right.run);
              },
            ),
          }
        : combined(machine, each.op, left, right);
  }
  return made;
}

/** Whether a variable, where it is one, is none that an expression that follows it changes. */
function isUntouched(machine: Machine, left: Expression | undefined, right: Expression): boolean {
  if (left === undefined || !isPlaceLike(withoutParentheses(left))) return true;
  let calls = false;
  walk(right, (node) => {
    if (node.kind === "call") calls ||= isOwnCall(machine, node.callee);
    return !calls;
  });
  return !calls && isOrderTold(right, left);
}

/** A call that may store to variables around it: by a reference that it is given, or one that it has taken along. */
function isOwnCall(machine: Machine, callee: Expression): boolean {
  if (callee.kind === "member") return methodAt(machine, callee) !== undefined;
  if (callee.kind !== "name") return true;
  const { host } = machine;
  const takes = ({ parameters }: FunctionDeclaration): boolean =>
    parameters.some(({ type }) => type.kind === "reference" && !type.to.const);
  return (
    lambdaAt(machine, callee) !== undefined ||
    host.globals.functions(callee.name, host.frame.path).some(takes) ||
    ownMethod(machine, lastName(callee.name)) !== undefined
  );
}

const isPlaceLike = (e: Expression): boolean =>
  e.kind === "name" || e.kind === "subscript" || e.kind === "member" || (e.kind === "unary" && e.op === "*");

/** What has an effect is run or not, as the operand before it tells. @throws Unsupported */
function perhaps({ random, nest }: Machine): void {
  if (nest) throw new Unsupported();
  random?.flow.decidesHere();
}

function combined(machine: Machine, op: string, left: Code, right: Code): Code {
  if (op === "<<" || op === ">>") {
    if (isFloatName(left.type) || isFloatName(right.type)) throw new Unsupported();
    const near = shift(op, left.type);
    const operate =
      !machine.nest && isWide(promotedName(left.type)) ? wideShift(op, promotedName(left.type), near, () => wideCost(machine)) : near;
    const line = left.line && right.line && folded(operate, left.line, right.line);
    const [name, count] = [left.type, right.type];
    const write = (w: Writer): void => writeShift(w, op, name, count);
    return { ...both(machine, promotedName(left.type), left.run, right.run, operate, write), line };
  }
  const type = commonName(left.type, right.type);
  const near = operation(op, type);
  if (!near) throw new Unsupported();
  const operate = !machine.nest && isWide(type) ? wideOperation(op, type, near, () => wideCost(machine)) : near;
  const write = (w: Writer): void => writeOperation(w, op, type);
  const made = both(machine, isComparison(op) ? "bool" : type, converted(left, type), converted(right, type), operate, write);
  const [a, b] = machine.nest ? [lineTo(left.line, left.type, type), lineTo(right.line, right.type, type)] : [];
  return { ...made, line: a && b && (combinedLine(op, type, a, b) ?? folded(operate, a, b)) };
}

/** Operations besides, of one on integers that no double holds. */
function wideCost(machine: Machine): void {
  machine.left -= 15;
}

/** Of two numbers that do not change. */
function folded(operate: Operation, a: Line, b: Line): Line | undefined {
  if (a.terms.size > 0 || b.terms.size > 0) return undefined;
  const value = operate(a.constant, b.constant);
  return value === undefined ? undefined : constantLine(value);
}

/** @param write the same as `operate` on two numbers that are on the stack */
function both(
  machine: Machine,
  type: NumberName,
  left: Run,
  right: Run,
  operate: (a: number, b: number) => Known,
  write: (w: Writer) => void,
): Code {
  return {
    type,
    run: compilable(
      () => {
        spend(machine);
        const a = left();
        const b = right();
        return a === undefined || b === undefined ? undefined : operate(a, b);
      },
      (w) => {
        w.write(left);
        w.write(right);
        write(w);
      },
    ),
  };
}
