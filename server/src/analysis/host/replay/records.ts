/** Records of numbers, member by member: those the replayed code makes, copies and puts into lists. */
import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastText } from "../resolve/names.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import { asStatement, type Code, type Item, type Machine, newSlot, type Run, type Slot, type Thing, Unsupported } from "./machine.ts";
import { loadOf, storeTo, targetOf } from "./targets.ts";

/** The numbers that an expression gives a record's members, in order. @throws Unsupported */
export function partsOf(machine: Machine, written: Expression, names: readonly string[]): readonly Code[] {
  const e = withoutParentheses(written);
  const zero: Code = { type: "int", run: () => 0 };
  if (e.kind === "list") {
    if (e.elements.length > names.length || e.elements.some(({ designator }) => designator !== undefined)) throw new Unsupported();
    const values = e.elements.map(({ value }) => machine.code(value));
    return names.map((_, k) => values[k] ?? zero);
  }
  if (e.kind === "call" && e.callee.kind === "name" && e.arguments.length === names.length && isMaker(machine, e.callee))
    return lastFirst(e.arguments.map((argument) => machine.code(argument)));
  const target = targetOf(machine, e, machine.code);
  if (target.kind !== "record") throw new Unsupported();
  return names.map((name) => {
    const member = target.members.get(name);
    if (!member) throw new Unsupported();
    return loadOf(machine, member);
  });
}

/** Arguments of a call, which are asked for in order: as g++ does, the last is evaluated first. */
export function lastFirst(codes: readonly Code[]): readonly Code[] {
  if (codes.length < 2) return codes;
  const values: Known[] = [];
  const evaluate = (): void => {
    for (let k = codes.length - 1; k >= 0; k--) values[k] = codes[k]?.run();
  };
  return codes.map(({ type }, k): Code => {
    const run = (): Known => {
      if (k === 0) evaluate();
      return values[k];
    };
    return { type, run };
  });
}

/** `std::make_pair`, or a class without constructors of its own. */
function isMaker({ host }: Machine, { name }: Expression & { readonly kind: "name" }): boolean {
  const text = lastText(name);
  if (/^(make_pair|pair|make_[a-z]+[234])$/.test(text)) return true;
  return host.globals.record(name) !== undefined && host.globals.methods(text, text).length === 0;
}

/** Stores a record's members. */
function storesTo(machine: Machine, members: readonly (Slot | Item)[], parts: readonly Code[]): Run {
  const stores = members.map((member, k) => {
    const part = parts[k];
    if (!part) throw new Unsupported();
    return { store: storeTo(machine, member, part), run: part.run };
  });
  return () => {
    const values = stores.map(({ run }) => run());
    for (const [k, { store }] of stores.entries()) store(values[k]);
    return undefined;
  };
}

/** `record = other` */
export function copiedRecord(machine: Machine, { members }: Thing, right: Expression): Code {
  const run = storesTo(machine, [...members.values()], partsOf(machine, right, [...members.keys()]));
  return { type: "int", run };
}

/** A record of slots of its own, and what its declaration does. @param isDirect its values stand in parentheses */
export function newRecord(
  machine: Machine,
  types: ReadonlyMap<string, NumberName>,
  init: Expression | undefined,
  isDirect = false,
): { readonly target: Thing; readonly begin: Run } {
  const members = new Map([...types].map(([name, type]) => [name, newSlot(machine, type)] as const));
  const target: Thing = { kind: "record", members };
  if (!init) {
    return {
      target,
      begin: () => {
        for (const { index } of members.values()) machine.slots[index] = undefined;
        return undefined;
      },
    };
  }
  const parts = (): readonly Code[] => partsOf(machine, init, [...types.keys()]);
  return {
    target,
    begin: asStatement(machine, () => storesTo(machine, [...members.values()], isDirect ? lastFirst(parts()) : parts())),
  };
}
