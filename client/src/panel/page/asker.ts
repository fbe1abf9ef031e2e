/** Questions to the server, by numbers: what comes back is told to whoever asked. */
import type { WarpQuestion, WarpSeen, WhatIfAnswer } from "@warplens/server/protocol";
import type { Asked, FromPage } from "../messages.ts";

export interface Asking<Answer> {
  /** `null` where the text is another one by now, or it was cancelled. */
  readonly answer: Promise<Answer | null>;
  cancel(): void;
}

export class Asker {
  readonly #post: (message: FromPage) => void;
  readonly #waiting = new Map<number, (answer: never) => void>();
  #last = 0;

  constructor(post: (message: FromPage) => void) {
    this.#post = post;
  }

  /** What a launch would do with other values. */
  ask(asked: Asked): Asking<WhatIfAnswer> {
    return this.#ask((id) => ({ type: "imagine", id, asked }));
  }

  /** What one of its warps does. */
  watch(asked: Asked, warp: WarpQuestion): Asking<WarpSeen> {
    return this.#ask((id) => ({ type: "watch", id, asked, warp }));
  }

  answered({ id, answer }: { readonly id: number; readonly answer: WhatIfAnswer | WarpSeen | null }): void {
    this.#waiting.get(id)?.(answer as never);
    this.#waiting.delete(id);
  }

  #ask<Answer>(question: (id: number) => FromPage): Asking<Answer> {
    const id = ++this.#last;
    const answer = new Promise<Answer | null>((come) => this.#waiting.set(id, come));
    this.#post(question(id));
    return { answer, cancel: () => this.#waiting.has(id) && this.#post({ type: "cancel", id }) };
  }
}
