/** How inputs are taken apart to be made smaller. */

/** The parts of an input that can be left out, and the input that is left of it with some of them, in their order. */
export interface Parts<Input> {
  readonly all: readonly unknown[];
  of(parts: readonly unknown[]): Input;
}

const byText =
  (pieces: RegExp) =>
  <Input>(text: string, of: (text: string) => Input): Parts<Input> => ({
    all: text.match(pieces) ?? [],
    of: (parts) => of(parts.join("")),
  });

export const byLines = byText(/[^\n]*\n|[^\n]+/g);
/** Words, numbers, single characters; blanks go with what stands before them. */
export const byTokens = byText(/(?:[\p{L}\d_]+|.)[ \t]*/gsu);

export function byMembers<Member, Input>(all: readonly Member[], of: (members: readonly Member[]) => Input): Parts<Input> {
  return { all, of: (parts) => of(parts as readonly Member[]) };
}

/**
 * A smaller input that still fails: parts are left out as long as it does, large stretches first.
 * @param partsOf the ways to take it apart
 * @param fails whether an input does
 * @param most how often it may be tried
 */
export async function smallest<Input>(
  input: Input,
  partsOf: (input: Input) => readonly Parts<Input>[],
  fails: (input: Input) => Promise<boolean>,
  most = 400,
): Promise<Input> {
  let left = most;
  let best = input;
  for (let way = 0; way < partsOf(best).length; way++) {
    let parts = partsOf(best)[way];
    for (
      let stretch = Math.ceil((parts?.all.length ?? 0) / 2);
      parts && stretch >= 1 && left > 0;
      stretch = stretch === 1 ? 0 : Math.ceil(stretch / 2)
    ) {
      for (let at = 0; at < parts.all.length && left > 0; ) {
        const smaller: Input = parts.of([...parts.all.slice(0, at), ...parts.all.slice(at + stretch)]);
        left--;
        if (await fails(smaller)) {
          best = smaller;
          parts = partsOf(best)[way] ?? parts;
        } else at += stretch;
      }
    }
  }
  return best;
}
