/** Loops whose number of turns is known before the first: a counter, a step and a bound that do not change. */

import type { Expression, Statement } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { commonName, isFloatName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import { hostType } from "../memory/host-types.ts";
import { bounds } from "../values/values.ts";
import type { NumberName } from "./arithmetic.ts";
import { codeOf } from "./expressions.ts";
import { type Counter, counterLine } from "./lines.ts";
import { type Execute, ending, type Machine, newSlot, type Slot, spend } from "./machine.ts";
import type { Nest } from "./nest.ts";
import { numberType } from "./numbers.ts";
import { type Code, lineTo, targetOf } from "./targets.ts";

type For = Statement & { readonly kind: "for" };

const { normal, breaks, returns } = ending;

interface Counted {
  readonly counter: Counter;
  readonly execute: Execute;
}

/** A loop that stands in the code, from its beginning; undefined where its turns cannot be counted. */
export function innerLoop(machine: Machine, nest: Nest, s: For): Execute | undefined {
  const { init } = s;
  const [declaration] = init?.kind === "declaration" ? init.declarations : [];
  if (init?.kind !== "declaration" || init.declarations.length !== 1 || declaration?.kind !== "variable") return undefined;
  const name = lastName(declaration.name);
  const [value] = declaration.init?.values ?? [];
  if (!value || declaration.init?.values.length !== 1 || declaration.bindings || stepOf(s)?.name !== name) return undefined;
  const made = codeOf(machine, value);
  const type = declaration.type.kind === "auto" ? made.type : numberType(hostType(machine.host, declaration.type));
  const start = type && constantOf(made, type);
  if (type === undefined || start === undefined) return undefined;
  const slot = newSlot(machine, type);
  machine.scopes.push(new Map([[name, slot]]));
  try {
    return turnsFrom(machine, nest, s, slot, start, 0)?.execute;
  } finally {
    machine.scopes.pop();
  }
}

/** The loop that is under way, `done` of its turns behind it; undefined where its turns cannot be counted. */
export function outerLoop(machine: Machine, nest: Nest, s: For, done: number): (Counted & { readonly slot: Slot }) | undefined {
  const step = stepOf(s);
  if (step === undefined) return undefined;
  const slot = targetOf(machine, step.target, (inner) => codeOf(machine, inner));
  const now = slot.kind === "slot" ? machine.slots[slot.index] : undefined;
  if (slot.kind !== "slot" || now === undefined || !Number.isInteger(now)) return undefined;
  const made = turnsFrom(machine, nest, s, slot, now, done);
  return made && { ...made, slot };
}

function turnsFrom(machine: Machine, nest: Nest, s: For, slot: Slot, now: number, done: number): Counted | undefined {
  const step = stepOf(s);
  if (step === undefined || isFloatName(slot.type) || slot.type === "bool") return undefined;
  const by = step.by === undefined ? 1 : constantOf(codeOf(machine, step.by), "long");
  const bound = boundOf(machine, s.condition?.kind === "variable" ? undefined : s.condition, step.name);
  if (by === undefined || bound === undefined) return undefined;
  const change = by * step.sign;
  const { op, code } = bound;
  const compared = commonName(slot.type, code.type);
  const end = isFloatName(compared) ? undefined : constantOf(code, compared);
  const left = end === undefined ? undefined : turnsUntil(op, now, change, end);
  if (left === undefined || left + done < 1) return undefined;
  const start = now - done * change;
  const behind = start + (left + done) * change;
  if (![start, behind].every((each) => isOf(each, slot.type) && isOf(each, compared))) return undefined;
  const counter: Counter = { slot: slot.index, start, step: change, turns: left + done };
  nest.counters.add(slot.index);
  nest.lines.set(slot.index, counterLine(counter));
  nest.constants.push(slot.index, start, change, counter.turns);
  const stores = nest.stores.length;
  const inside = machine.slots.length;
  const body = nest.loop(counter, () => machine.statement(s.body));
  const cells = new Set([...machine.cells.values()].map(({ index }) => index));
  // What it leaves in variables has to be there for what follows; what it leaves in arrays is asked for by itself.
  const isNeeded = nest.stores.slice(stores).some((stored) => stored < inside || cells.has(stored));
  const { slots } = machine;
  const { aims } = nest;
  const { turns } = counter;
  const execute: Execute = () => {
    const aim = aims.get(counter);
    if (aim !== undefined) {
      slots[slot.index] = start + change * aim;
      const how = body();
      return how === returns ? how : normal;
    }
    if (!isNeeded) return normal;
    for (let turn = 0; turn < turns; turn++) {
      spend(machine);
      slots[slot.index] = start + change * turn;
      const how = body();
      if (how === breaks) return normal;
      if (how === returns) return how;
    }
    return normal;
  };
  return { counter, execute };
}

interface Step {
  readonly name: string;
  readonly target: Expression;
  readonly sign: 1 | -1;
  /** 1 where it is left out. */
  readonly by?: Expression;
}

function stepOf({ step }: For): Step | undefined {
  const e = step && withoutParentheses(step);
  if ((e?.kind === "unary" || e?.kind === "postfix") && (e.op === "++" || e.op === "--")) return named(e.operand, e.op === "++" ? 1 : -1);
  if (e?.kind === "assign" && (e.op === "+" || e.op === "-")) return named(e.left, e.op === "+" ? 1 : -1, e.right);
  return undefined;
}

function named(target: Expression, sign: 1 | -1, by?: Expression): Step | undefined {
  const name = nameOf(target);
  return name === undefined ? undefined : { name, target, sign, ...(by ? { by } : {}) };
}

function nameOf(written: Expression): string | undefined {
  const e = withoutParentheses(written);
  return e.kind === "name" && e.name.parts.length === 1 ? e.name.parts[0]?.text : undefined;
}

const mirrored: Readonly<Record<string, string>> = { "<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!=" };

/** What the counter is compared with, it standing to the left. */
function boundOf(
  machine: Machine,
  written: Expression | undefined,
  name: string,
): { readonly op: string; readonly code: Code } | undefined {
  const e = written && withoutParentheses(written);
  if (e?.kind !== "binary" || mirrored[e.op] === undefined) return undefined;
  if (nameOf(e.left) === name) return { op: e.op, code: codeOf(machine, e.right) };
  return nameOf(e.right) === name ? { op: mirrored[e.op] ?? e.op, code: codeOf(machine, e.left) } : undefined;
}

/** A number that is the same in every turn, as one of an integer type. */
function constantOf(code: Code, type: NumberName): number | undefined {
  const line = lineTo(code.line, code.type, type);
  return line === undefined || line.terms.size > 0 || !Number.isInteger(line.constant) ? undefined : line.constant;
}

function isOf(value: number, type: NumberName): boolean {
  if (isFloatName(type) || !Number.isSafeInteger(value)) return false;
  const [least, most] = bounds(type);
  return value >= least && value <= most;
}

function turnsUntil(op: string, now: number, step: number, end: number): number | undefined {
  const distance = (end - now) / step;
  switch (op) {
    case "<":
    case ">":
      if (op === "<" ? now >= end : now <= end) return 0;
      return step > 0 === (op === "<") && step !== 0 ? Math.ceil(distance) : undefined;
    case "<=":
    case ">=":
      if (op === "<=" ? now > end : now < end) return 0;
      return step > 0 === (op === "<=") && step !== 0 ? Math.floor(distance) + 1 : undefined;
    case "!=":
      return Number.isInteger(distance) && distance >= 0 ? distance : undefined;
    default:
      return undefined;
  }
}
