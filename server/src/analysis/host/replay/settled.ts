/** Places that are found once, and used more than once. */
import type { Known } from "./arithmetic.ts";
import type { List } from "./lists.ts";
import { GivenUp, type Item, type Machine, newSlot, type Run, type Slot, type Target, type Thing, Unsupported } from "./machine.ts";

export interface Settled {
  readonly target: Target;
  /** Finds it. */
  readonly begin: () => unknown;
}

/** What an expression designates, for code that reads and stores it: where finding it has an effect, it is found once. */
export function foundOnce(machine: Machine, find: () => Target): Settled {
  const { effects } = machine;
  const target = find();
  if (machine.effects === effects) return { target, begin: () => undefined };
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
      return {
        target: { ...target, offset: () => slots[at.index] },
        begin: () => {
          slots[at.index] = offset();
        },
      };
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
      return { target, begin: () => undefined };
  }
}

/** The index is asked for once, though each number of the record stands at it. */
function settledRecord(record: Thing): Settled {
  const found = new Map<Run, Known>();
  const items: (() => void)[] = [];
  const members = [...record.members].map(([path, member]): readonly [string, Slot | Item] => {
    if (member.kind === "slot") return [path, member];
    const { at } = member;
    const { target, begin } = settledItem({ ...member, at: () => found.get(at) });
    items.push(() => {
      if (!found.has(at)) found.set(at, at());
      begin();
    });
    return [path, target];
  });
  return {
    target: { ...record, members: new Map(members) },
    begin: () => {
      found.clear();
      for (const begin of items) begin();
    },
  };
}

function settledItem(item: Item): { readonly target: Item; readonly begin: () => void } {
  const { list, at } = item;
  let now: { readonly list: List; readonly index: ReturnType<Run> } | undefined;
  return {
    target: { ...item, list: () => now?.list ?? giveUp(), at: () => now?.index },
    begin: () => {
      now = { list: list(), index: at() };
    },
  };
}

function giveUp(): never {
  throw new GivenUp();
}
