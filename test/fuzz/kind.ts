/** What all kinds of inputs have in common. */
import type { Corpus } from "./corpus.ts";
import type { Parts } from "./parts.ts";
import type { Random } from "./random.ts";

/** What an input did besides failing. */
export interface Tally {
  /** Edits that were applied, and compared. */
  readonly edits?: number;
  /** Messages that were sent. */
  readonly messages?: number;
  /** Of processor time. */
  readonly seconds?: number;
  /** Why it was not simulated, where it was not. */
  readonly said?: string;
}

/** What is wrong, as seen from outside: an input that fails otherwise than by throwing. */
export class Fault extends Error {
  override readonly name = "Fault";
}

/** A kind of inputs. Inputs are plain data, so that they can be sent, kept and made smaller. */
export interface Kind<Input> {
  /** How many are run in a turn: more of those that cost less. */
  readonly share: number;
  make(random: Random, corpus: Corpus): Input;
  /** Runs one input; in a process of its own, in which the grammar is loaded. Throws whatever is wrong. */
  run(input: Input): Promise<Tally>;
  /** How it is made smaller. */
  parts(input: Input): readonly Parts<Input>[];
}
