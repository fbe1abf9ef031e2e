/** Integers that the datapath of the warp computes, which uniform registers hold. */
import type { Op } from "../ir/kernel.ts";
import { findComparedWords } from "./compared-words.ts";
import type { Shape } from "./shape.ts";
import type { Target } from "./target.ts";
import { findUniformLongs } from "./uniform-longs.ts";

export class UniformValues {
  readonly #shape: Shape;
  readonly #target: Target;
  #longs: ReadonlySet<Op> | undefined;
  #compared: ReadonlySet<Op> | undefined;

  constructor(shape: Shape, target: Target) {
    this.#shape = shape;
    this.#target = target;
  }

  has(op: Op): boolean {
    if (!this.#target.uniform) return false;
    if (op.type !== "i64") return op.type === "i32" && this.#isWord(op);
    this.#longs ??= findUniformLongs(this.#shape, (word) => this.#isWord(word));
    return this.#longs.has(op);
  }

  /** Loaded into a thread's register, for a comparison reads it. */
  isCompared(op: Op): boolean {
    this.#compared ??= findComparedWords(this.#shape);
    return this.#compared.has(op);
  }

  #isWord(op: Op): boolean {
    const { action } = op;
    return (
      !this.isCompared(op) &&
      this.#shape.isUniform(op) &&
      ((action.kind === "int" && !/div|rem|min|max/.test(action.op)) ||
        (action.kind === "phi" && op.args.every((arg) => arg.action.kind !== "load")))
    );
  }
}
