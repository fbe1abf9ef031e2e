/** Places that are found once, and used more than once. */
import type { Known } from "./arithmetic.ts";
import type { Writer } from "./compiled/writer.ts";
import type { List } from "./lists.ts";
import {
  type Code,
  type Compilable,
  compilable,
  GivenUp,
  type Item,
  type Machine,
  newSlot,
  type Run,
  type Slot,
  type Target,
  type Thing,
  Unsupported,
} from "./machine.ts";

export interface Settled {
  readonly target: Target;
  readonly begin: Begin;
}

/** Finds it. Its instructions leave nothing. */
export interface Begin extends Compilable {
  (): unknown;
}

/** Declares a variable, and gives it a value. @param store into it */
export const givenTo = (slot: Slot, { run }: Code, store: Compilable & ((value: Known) => unknown)): Begin =>
  compilable(
    () => store(run()),
    (w) => {
      w.declare(slot, true);
      w.write(run);
      w.write(store);
      w.op("drop");
    },
  );

/** It is found already. */
export const noBegin: Begin = compilable(
  () => undefined,
  () => undefined,
);

/** What an expression designates, for code that reads and stores it: where finding it has an effect, it is found once. */
export function foundOnce(machine: Machine, find: () => Target): Settled {
  const { effects } = machine;
  const target = find();
  if (machine.effects === effects) return { target, begin: noBegin };
  if (machine.nest) throw new Unsupported();
  return settled(machine, target);
}

/** Where it leads is settled when this is come to, whatever becomes of the index. */
export function settled(machine: Machine, target: Target): Settled {
  switch (target.kind) {
    case "elements": {
      const at = newSlot(machine, "long");
      const { slots } = machine;
      const { offset } = target;
      let local: number | undefined;
      const localOf = (w: Writer): number => {
        local ??= w.local("i64");
        return local;
      };
      const settledOffset = compilable(
        () => slots[at.index],
        (w) => w.get(localOf(w)),
      );
      const begin = compilable(
        () => {
          slots[at.index] = offset();
        },
        (w) => {
          w.write(offset);
          w.set(localOf(w));
        },
      );
      return { target: { ...target, offset: settledOffset }, begin };
    }
    case "numbers": {
      const { list } = target;
      let now: List | undefined;
      return {
        target: { ...target, list: () => now ?? giveUp() },
        begin: () => {
          now = list();
        },
      };
    }
    case "item":
      return settledItem(target);
    case "record":
      return settledRecord(target);
    default:
      return { target, begin: noBegin };
  }
}

/** The index is asked for once, though each number of the record stands at it. */
function settledRecord(record: Thing): Settled {
  const found = new Map<Run, Known>();
  const items: { readonly at: Run; readonly begin: Begin }[] = [];
  const locals = new Map<Run, number>();
  const members = [...record.members].map(([path, member]): readonly [string, Slot | Item] => {
    if (member.kind === "slot") return [path, member];
    const { at } = member;
    const atOnce = compilable(
      () => found.get(at),
      (w) => w.get(locals.get(at) ?? giveUp()),
    );
    const { target, begin } = settledItem({ ...member, at: atOnce });
    items.push({ at, begin });
    return [path, target];
  });
  const begin = compilable(
    () => {
      found.clear();
      for (const { at, begin } of items) {
        if (!found.has(at)) found.set(at, at());
        begin();
      }
    },
    (w) => {
      locals.clear();
      for (const { at, begin } of items) {
        if (!locals.has(at)) {
          const local = w.local("i64");
          w.write(at);
          w.set(local);
          locals.set(at, local);
        }
        w.write(begin);
      }
    },
  );
  return { target: { ...record, members: new Map(members) }, begin };
}

function settledItem(item: Item): { readonly target: Item; readonly begin: Begin } {
  const { list, at } = item;
  let now: { readonly list: List; readonly index: ReturnType<Run> } | undefined;
  let local: number | undefined;
  const localOf = (w: Writer): number => {
    local ??= w.local("i64");
    return local;
  };
  const settledAt = compilable(
    () => now?.index,
    (w) => w.get(localOf(w)),
  );
  const begin = compilable(
    () => {
      now = { list: list(), index: at() };
    },
    (w) => {
      w.write(at);
      w.set(localOf(w));
    },
  );
  return { target: { ...item, list: () => now?.list ?? giveUp(), at: settledAt }, begin };
}

function giveUp(): never {
  throw new GivenUp();
}
