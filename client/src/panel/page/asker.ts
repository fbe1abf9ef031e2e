/** Questions to the server, by numbers: what comes back is told to whoever asked. */
import type { WhatIfAnswer } from "@warplens/server/protocol";
import type { Asked, FromPage } from "../messages.ts";

export interface Asking {
  /** `null` where the text is another one by now, or it was cancelled. */
  readonly answer: Promise<WhatIfAnswer | null>;
  cancel(): void;
}

export class Asker {
  readonly #post: (message: FromPage) => void;
  readonly #waiting = new Map<number, (answer: WhatIfAnswer | null) => void>();
  #last = 0;

  constructor(post: (message: FromPage) => void) {
    this.#post = post;
  }

  ask(asked: Asked): Asking {
    const id = ++this.#last;
    const answer = new Promise<WhatIfAnswer | null>((come) => this.#waiting.set(id, come));
    this.#post({ type: "imagine", id, asked });
    return { answer, cancel: () => this.#waiting.has(id) && this.#post({ type: "cancel", id }) };
  }

  answered(id: number, answer: WhatIfAnswer | null): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}
