/** Random edits: what is said after them is what a fresh analysis says of the same text. */
import { isDeepStrictEqual } from "node:util";
import { gpus } from "@warplens/sim-engine";
import type { TextEdit } from "../../../server/src/worker/messages.ts";
import { JobRunner } from "../../../server/src/worker/run.ts";
import { apply, configuration, editFor, stepKinds } from "../../../server/src/worker/testing/edits.ts";
import { Fault, type Kind } from "../kind.ts";
import { mutated } from "../mutate.ts";
import { byLines, byMembers } from "../parts.ts";
import { difference, saidBy } from "../said.ts";

interface EditsInput {
  readonly text: string;
  readonly gpu: string;
  readonly edits: readonly (TextEdit & { readonly asks: Asks })[];
}

/** After an edit: nothing, findings, or all there is to say, compared with a fresh analysis. */
type Asks = "nothing" | "findings" | "all";

const path = "/project/edited.cu";

export const edits: Kind<EditsInput> = {
  share: 1,

  make(random, corpus) {
    const small = corpus.sources.filter(({ text }) => text.length < 4000);
    const source = random.pick(small);
    const text = random.once(3) ? mutated(source, random, corpus) : source.text;
    const made: EditsInput["edits"][number][] = [];
    let present = text;
    const add = (edit: TextEdit, asks: Asks): void => {
      made.push({ ...edit, asks });
      present = apply(present, edit);
    };
    const groups = 2 + random.below(3);
    for (let group = 0; group < groups; group++) {
      const before = present;
      for (let left = 2 + random.below(6); left > 0; left--)
        add(
          editFor([random.pick(stepKinds), random.below(10_000), random.below(10_000)], present),
          left === 1 ? "all" : random.once(4) ? "nothing" : "findings",
        );
      // Undone in one go, most of the time: texts do not drift into noise.
      if (!random.once(3)) add({ start: 0, end: present.length, text: before }, "all");
    }
    return { text, gpu: random.once(2) ? "h200" : random.pick(gpus).id, edits: made };
  },

  run({ text, gpu, edits: all }) {
    const edited = runner(text, gpu);
    saidBy(edited, path);
    let present = text;
    let compared = 0;
    for (const [index, { asks, ...wanted }] of all.entries()) {
      // An input that was made smaller may have edits that reach beyond its text.
      const end = Math.min(wanted.end, present.length);
      const edit = { ...wanted, start: Math.min(wanted.start, end), end };
      present = apply(present, edit);
      edited.edit(path, index + 2, [edit]);
      if (asks === "findings") edited.find(path);
      if (asks !== "all") continue;
      const [now, fresh] = [saidBy(edited, path), saidBy(runner(present, gpu), path)];
      if (now === undefined || fresh === undefined) continue;
      if (!isDeepStrictEqual(now, fresh)) throw new Fault(`after edit ${index + 1} of ${all.length}: ${difference(now, fresh, "said")}`);
      compared = index + 1;
    }
    return Promise.resolve({ edits: compared });
  },

  parts: (input) => [byMembers(input.edits, (left) => ({ ...input, edits: left })), byLines(input.text, (text) => ({ ...input, text }))],
};

function runner(text: string, gpu: string): JobRunner {
  const made = new JobRunner({ read: () => undefined, list: () => [] });
  made.open(path, 1, text);
  made.configure(path, configuration(gpu, 1));
  return made;
}
