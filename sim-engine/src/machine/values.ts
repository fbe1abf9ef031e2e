/** The values that pass through the registers of a block: one for each write, and one for what a register holds before. */
import type { Instruction, Register } from "./machine.ts";

/** What one write leaves in a register until the next. */
export interface Value {
  /** Its number among those of the block. */
  readonly index: number;
  /** 32-bit registers of the file that counts; none in other files, and none where it is loaded anew by what reads it. */
  readonly words: number;
  /** Words that an instruction that reads it takes for it, when it is loaded anew. */
  readonly reloaded?: number;
}

/** What an instruction reads and makes. */
export interface ReadsAndMakes {
  /** Each once. */
  readonly reads: readonly Value[];
  readonly makes: readonly Value[];
}

export interface BlockValues {
  /** How many there are. */
  readonly count: number;
  readonly of: readonly ReadsAndMakes[];
  /** Live before the first and behind the last instruction. */
  readonly into: ReadonlySet<Value>;
  readonly out: ReadonlySet<Value>;
}

/**
 * `merged`: registers that a write under a predicate adds to, rather than replaces. `reloadable`: those that need not be kept for this
 * block or through it, as they are filled from the constant bank. `recomputable`: those that need not be kept through a block that does
 * not read them.
 */
export function blockValues(
  instructions: readonly Instruction[],
  out: ReadonlySet<Register>,
  merged: ReadonlySet<Register>,
  reloadable: ReadonlySet<Register> = new Set(),
  recomputable: ReadonlySet<Register> = new Set(),
): BlockValues {
  const held = new Map<Register, Value>();
  const into = new Set<Value>();
  let count = 0;
  const newValue = ({ file, words }: Register): Value => ({ index: count++, words: file === "R" ? words : 0 });
  const valueIn = (register: Register): Value => {
    const known = held.get(register);
    if (known) return known;
    const value = reloadable.has(register) ? { index: count++, words: 0, reloaded: register.words } : newValue(register);
    held.set(register, value);
    into.add(value);
    return value;
  };
  const of = instructions.map(({ defs, uses, predicated }): ReadsAndMakes => {
    const reads = [...new Set(uses.map(valueIn))];
    const makes = defs.map((def) => {
      if (predicated && merged.has(def)) return valueIn(def);
      const value = newValue(def);
      held.set(def, value);
      return value;
    });
    return { reads, makes };
  });
  for (const register of out) {
    if (held.has(register) || !recomputable.has(register)) continue;
    const value = { index: count++, words: 0 };
    held.set(register, value);
    into.add(value);
  }
  const leaving = new Set([...out].map(valueIn));
  return { count, of, into, out: leaving };
}
