/**
 * The user's settings, in whichever of the protocol's ways a client tells them: asked for (`workspace/configuration`), told with a change
 * (`workspace/didChangeConfiguration`), or with its first words (`initializationOptions`).
 */
export class ClientSettings {
  #atStart: unknown;
  #pushed: unknown;

  /** @param options a client's `initializationOptions` */
  start(options: unknown): void {
    this.#atStart = sectionOf(options);
  }

  /** @param settings what came with a change: nothing, where the client wants to be asked */
  push(settings: unknown): void {
    this.#pushed = sectionOf(settings) ?? this.#pushed;
  }

  /** @param pulled what the client answered, where it can be asked. What it says then goes before what it said before. */
  section(pulled: unknown): unknown {
    return (isEmpty(pulled) ? undefined : pulled) ?? this.#pushed ?? this.#atStart ?? pulled;
  }
}

/** Clients that have no settings of ours say so with an empty table, too. */
const isEmpty = (told: unknown): boolean => typeof told === "object" && told !== null && Object.keys(told).length === 0;

/** Of all sections ours, and as it is where a client tells ours alone. */
function sectionOf(told: unknown): unknown {
  if (typeof told !== "object" || told === null || isEmpty(told)) return undefined;
  return "warplens" in told ? told.warplens : told;
}
