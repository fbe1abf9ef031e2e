/** How what memory holds varies: by what is written to each of its objects. */

import { gcd } from "../execute/divisors.ts";
import type { Program } from "../execute/program.ts";
import type { MemoryObject } from "../execute/provenance.ts";
import type { Op } from "../ir/kernel.ts";
import type { Delta } from "./deltas.ts";

interface Writer {
  readonly op: Op;
  readonly objects: ReadonlySet<MemoryObject>;
}

/** What is written to an object. */
interface Written {
  stores: number;
  /** The change of stored values; NaN where a store's address changes. */
  delta: Delta;
  /** Writers that are no stores. */
  readonly others: Op[];
}

/** The change of what a load finds of what has been written where it reads, of the change of its address; 0 where nothing has. */
export type StoredDelta = (load: Op, address: Delta, objects: ReadonlySet<MemoryObject>) => Delta;

/** Looks for the writers once; the result is asked again as the changes of their values become known. */
export function storedDeltas({ kernel, provenance, slice }: Program): (of: (op: Op) => Delta | undefined) => StoredDelta {
  const writers: Writer[] = [];
  for (const block of kernel.blocks) {
    for (const op of block.ops) {
      const [target] = op.args;
      if (target && slice.acts(op)) writers.push({ op, objects: provenance.of(target) });
    }
  }
  return (of) => {
    const all: Written = { stores: 0, delta: 0, others: [] };
    const byObject = new Map<MemoryObject, Written>();
    for (const { op, objects } of writers) {
      const [target, ...values] = op.args;
      let delta: Delta = target && (of(target) ?? 0) !== 0 ? Number.NaN : 0;
      for (const value of values) delta = gcd(delta, of(value) ?? 0);
      for (const object of ["all" as const, ...objects]) {
        const to = object === "all" ? all : (byObject.get(object) ?? { stores: 0, delta: 0, others: [] });
        if (object !== "all") byObject.set(object, to);
        if (op.action.kind === "store") {
          to.stores++;
          to.delta = gcd(to.delta, delta);
        } else to.others.push(op);
      }
    }
    return (load, address, objects) => {
      const met = objects.has("any") ? [all] : ["any" as const, ...objects].flatMap((object) => byObject.get(object) ?? []);
      let sum: Delta = 0;
      for (const { stores, delta, others } of met) {
        if (others.some((op) => op !== load) || (address !== 0 && stores > 0)) return Number.NaN;
        sum = gcd(sum, delta);
      }
      return sum;
    };
  };
}
