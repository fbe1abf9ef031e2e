/** `for (x : list)` in replayed code. */

import type { Statement } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { hostType } from "../memory/host-types.ts";
import type { Known } from "./arithmetic.ts";
import type { Column } from "./columns.ts";
import type { Writer } from "./compiled/writer.ts";
import { bindMembers } from "./declarations.ts";
import { Foresight } from "./foresight.ts";
import { fruitless } from "./fruitless.ts";
import { arrayRange } from "./iterators.ts";
import { itemOf, listOf } from "./list-targets.ts";
import { lengthOf, Row } from "./lists.ts";
import {
  type AnyList,
  compilable,
  type Ending,
  type Execute,
  ending,
  Fruitless,
  type Item,
  type Machine,
  newSlot,
  type Slot,
  spend,
  type Target,
  TooLong,
  Unsupported,
} from "./machine.ts";
import { inOrder } from "./methods.ts";
import { numberType } from "./numbers.ts";
import { firstOf, secondOf } from "./pairs.ts";
import { newRecord } from "./records.ts";
import { type Begin, givenTo, noBegin } from "./settled.ts";
import { loadOf, storeTo } from "./targets.ts";

type RangeFor = Statement & { readonly kind: "range-for" };

const { normal, breaks, returns } = ending;

/** @throws Unsupported */
export function rangeCode(machine: Machine, s: RangeFor): Execute {
  if (!machine.random) throw new Unsupported();
  const { inQuestion } = machine;
  machine.foresees = false;
  machine.inQuestion = undefined;
  const found = s.range.kind === "list" ? undefined : (listOf(machine, s.range, true) ?? arrayRange(machine, s.range));
  if (!found) throw new Unsupported();
  const at = newSlot(machine, "long");
  const { slots } = machine;
  const { begin, element } = elementOf(machine, found, at);
  const enter = variable(machine, s, element);
  const body = machine.statement(s.body);
  const isFruitless = inQuestion && fruitless(machine, inQuestion);
  const run = (): Ending => {
    const length = lengthOf(found);
    begin();
    const foresight = new Foresight(machine);
    for (let k = 0; k < length; k++) {
      spend(machine);
      if (isFruitless?.(k)) throw new Fruitless();
      if (foresight.isTold(k) && foresight.isTooMuch(length - k)) throw new TooLong();
      slots[at.index] = k;
      enter();
      const end = body();
      if (end === breaks) return normal;
      if (end === returns) return end;
    }
    return normal;
  };
  const array = found.kind === "numbers" ? found.column : found.kind === "records" ? [...found.fields.values()][0]?.column : undefined;
  return array ? compilable(run, (w) => writeRange(w, { machine, array, at, enter, body })) : run;
}

interface Range {
  readonly machine: Machine;
  readonly array: Column;
  /** The index of the element. */
  readonly at: Slot;
  /** Makes the variable the element. */
  readonly enter: Begin;
  readonly body: Execute;
}

function writeRange(w: Writer, { machine, array, at, enter, body }: Range): void {
  const { length } = array;
  const foresight = new Foresight(machine);
  const tell = (turn: number): number => {
    if (foresight.isTold(turn) && foresight.isTooMuch(length - turn)) throw new TooLong();
    return foresight.next;
  };
  const put = (): void => {
    w.store(at);
    w.op("drop");
  };
  w.declare(at, true);
  w.i64(0n);
  put();
  // Who makes it longer meanwhile goes through what was there.
  const behind = w.local("i64");
  w.get(w.array(array).length);
  w.set(behind);
  const foresee = w.foreseen(tell, () => w.float(0, "f64"));
  w.loop({
    condition: () => {
      w.load(at);
      w.get(behind);
      w.op("i64.lt_s");
    },
    body: () => {
      foresee();
      w.write(enter);
      w.write(body);
    },
    step: () => {
      w.load(at);
      w.i64(1n);
      w.op("i64.add");
      put();
    },
    testedLast: false,
  });
}

/** An element of a list by its index, and what is to be done before the first. */
function elementOf(machine: Machine, list: AnyList, at: Slot): { readonly element: Target; readonly begin: () => void } {
  const { slots } = machine;
  const index = compilable(
    (): Known => slots[at.index],
    (w) => w.load(at),
  );
  if (list.kind !== "set") return { element: itemOf(list, index), begin: () => undefined };
  if (!list.isOrdered) throw new Unsupported();
  const { source, pair } = list;
  const parts = pair
    ? pair.map(([name, type], k) => ({ name, type, of: k === 0 ? firstOf : secondOf, row: new Row() }))
    : [{ name: "", type: list.type, of: (number: number) => number, row: new Row() }];
  machine.random?.flow.readsList(source);
  const items = parts.map((part): readonly [string, Item] => [
    part.name,
    { kind: "item", list: () => part.row, at: index, type: part.type, source },
  ]);
  const [only] = items;
  if (!only) throw new Unsupported();
  return {
    element: pair ? { kind: "record", type: undefined, members: new Map(items) } : only[1],
    begin: () => {
      const numbers = inOrder(list);
      for (const part of parts) part.row = new Row(numbers.map(part.of));
    },
  };
}

/** The loop's variable: the element itself, or a copy of it. */
function variable(machine: Machine, { variable: declared }: RangeFor, element: Target): Begin {
  const { type, bindings } = declared;
  const isReference = type.kind === "reference";
  if (bindings) {
    const bind = bindMembers(machine, element, bindings, isReference);
    return compilable(
      () => {
        bind();
      },
      (w) => w.write(bind),
    );
  }
  const scope = machine.scopes.at(-1);
  const name = lastName(declared.name);
  if (isReference || element.kind === "numbers") {
    // A row that is copied would have to be.
    if (!isReference) throw new Unsupported();
    scope?.set(name, element);
    return noBegin;
  }
  if (element.kind === "record") {
    const { target, begin } = newRecord(
      machine,
      new Map([...element.members].map(([member, { type: of }]) => [member, of] as const)),
      undefined,
    );
    const copies = [...element.members].map(([member, from]) => {
      const own = target.members.get(member);
      if (!own) throw new Unsupported();
      const code = loadOf(machine, from);
      const store = storeTo(machine, own, code);
      return { code, store };
    });
    scope?.set(name, target);
    return compilable(
      () => {
        begin();
        for (const { code, store } of copies) store(code.run());
      },
      (w) => {
        w.write(begin);
        for (const { code, store } of copies) {
          w.write(code.run);
          w.write(store);
          w.op("drop");
        }
      },
    );
  }
  const code = loadOf(machine, element);
  const own = newSlot(machine, numberType(type.kind === "auto" ? undefined : hostType(machine.host, type)) ?? code.type);
  const store = storeTo(machine, own, code);
  scope?.set(name, own);
  return givenTo(own, code, store);
}
