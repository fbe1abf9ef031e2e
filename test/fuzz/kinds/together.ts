/**
 * Files that rest on each other, edited by turns, opened, closed and changed on disk: what is said of each is what a fresh analysis says of
 * the same texts, and whoever shows one is told that it may say something else.
 */
import { isDeepStrictEqual } from "node:util";
import { gpus } from "@warplens/sim-engine";
import type { TextEdit } from "../../../server/src/worker/messages.ts";
import { JobRunner } from "../../../server/src/worker/run.ts";
import { apply, configuration, editFor, stepKinds } from "../../../server/src/worker/testing/edits.ts";
import type { Corpus } from "../corpus.ts";
import { Fault, type Kind } from "../kind.ts";
import { byMembers } from "../parts.ts";
import type { Random } from "../random.ts";
import { difference, saidBy } from "../said.ts";

type Act =
  | { readonly does: "open"; readonly path: string; readonly text: string }
  | ({ readonly does: "edit"; readonly path: string } & TextEdit)
  | { readonly does: "close" | "find"; readonly path: string }
  /** A file on disk is another now, or none. */
  | { readonly does: "disk"; readonly path: string; readonly text?: string }
  /** Given up when it has been asked so often whether it is still wanted. */
  | { readonly does: "settle" | "simulate"; readonly path: string; readonly questions: number }
  | { readonly does: "compare" };

interface TogetherInput {
  readonly disk: Readonly<Record<string, string>>;
  readonly gpu: string;
  readonly acts: readonly Act[];
}

const folder = "/project/src";
const [source, launching, first, second] = ["k.cu", "main.cu", "a.cuh", "b.cuh"].map((name) => `${folder}/${name}`) as [
  string,
  string,
  string,
  string,
];
/** What the steps that edit one file do not put there: it ends, cuts off or takes in what stands around it. */
const rough = [
  "/*",
  "*/",
  '"',
  "\n#if 0\n",
  "\n#else\n",
  "\n#endif\n",
  "\n#define n 4\n",
  "\n#define __global__\n",
  "}}",
  "template <",
  " ".repeat(700),
];

export const together: Kind<TogetherInput> = {
  share: 1,
  make: (random, corpus) => new Story(random, corpus).input(),

  run({ disk: before, gpu, acts }) {
    const disk = new Map(Object.entries(before));
    const open = new Map<string, string>();
    /** What was said of a file last; nothing where something of it has changed since that nobody need be told. */
    const lastSaid = new Map<string, unknown>();
    const made = new JobRunner(hostOf(disk));
    let version = 0;
    let compared = 0;
    let edits = 0;
    for (const [index, act] of acts.entries()) {
      // An input that was made smaller may ask of what is not open.
      if (act.does !== "open" && act.does !== "disk" && act.does !== "compare" && !open.has(act.path)) continue;
      switch (act.does) {
        case "open":
          open.set(act.path, act.text);
          lastSaid.delete(act.path);
          tell(made, act.path, ++version, act.text, gpu);
          break;
        case "edit": {
          const text = open.get(act.path) ?? "";
          const end = Math.min(act.end, text.length);
          const edit = { text: act.text, start: Math.min(act.start, end), end };
          open.set(act.path, apply(text, edit));
          lastSaid.delete(act.path);
          made.edit(act.path, ++version, [edit]);
          edits++;
          break;
        }
        case "close":
          open.delete(act.path);
          lastSaid.delete(act.path);
          made.close(act.path);
          break;
        case "disk":
          if (act.text === undefined) disk.delete(act.path);
          else disk.set(act.path, act.text);
          lastSaid.clear();
          made.filesChanged([act.path]);
          break;
        case "find":
          made.find(act.path);
          break;
        case "settle": {
          let left = act.questions;
          made.settle(act.path, () => left-- <= 0);
          break;
        }
        case "simulate": {
          let left = act.questions;
          for (const _ of made.simulate(act.path, {}, () => left-- <= 0));
          break;
        }
        case "compare": {
          const outdated = new Set(made.outdated());
          for (const path of open.keys()) {
            const fresh = new JobRunner(hostOf(disk));
            for (const [other, text] of open) tell(fresh, other, 1, text, gpu);
            const [now, anew] = [saidBy(made, path), saidBy(fresh, path)];
            if (now === undefined || anew === undefined) continue;
            const where = `after act ${index + 1} of ${acts.length}, ${path}`;
            if (!isDeepStrictEqual(now, anew)) throw new Fault(`${where}: ${difference(now, anew, "said")}`);
            const last = lastSaid.get(path);
            if (last !== undefined && !outdated.has(path) && !isDeepStrictEqual(now, last))
              throw new Fault(`${where}: nobody was told that something else is said: ${difference(now, last, "said")}`);
            lastSaid.set(path, now);
          }
          compared = edits;
        }
      }
    }
    return Promise.resolve({ edits: compared });
  },

  parts: (input) => [byMembers(input.acts, (acts) => ({ ...input, acts }))],
};

const hostOf = (disk: ReadonlyMap<string, string>) => ({
  read: (path: string) => disk.get(path),
  list: (of: string) => [...disk.keys()].flatMap((path) => (path.startsWith(`${of}/`) ? [path.slice(of.length + 1)] : [])),
});

function tell(made: JobRunner, path: string, version: number, text: string, gpu: string): void {
  made.open(path, version, text);
  made.configure(path, configuration(gpu, 1));
}

/** A source of the corpus, its beginning cut off into headers, beside another file that launches its kernels. */
class Story {
  readonly #random: Random;
  readonly #corpus: Corpus;
  readonly #disk = new Map<string, string>();
  readonly #open = new Map<string, string>();
  readonly #acts: Act[] = [];

  constructor(random: Random, corpus: Corpus) {
    this.#random = random;
    this.#corpus = corpus;
  }

  input(): TogetherInput {
    const random = this.#random;
    this.#write();
    const disk = Object.fromEntries(this.#disk);
    for (const path of [source, launching, first]) if (path === source || random.once(2)) this.#opens(path);
    for (let groups = 2 + random.below(2); groups > 0; groups--) {
      const before = new Map(this.#open);
      for (let left = 2 + random.below(6); left > 0; left--) this.#happens();
      this.#acts.push({ does: "compare" });
      // Undone in one go, most of the time: texts do not drift into noise.
      for (const [path, text] of before)
        if (this.#open.has(path) && !random.once(3)) this.#edits(path, { start: 0, end: this.#text(path).length, text });
    }
    this.#acts.push({ does: "compare" });
    return { disk, gpu: random.once(2) ? "h200" : random.pick(gpus).id, acts: this.#acts };
  }

  #write(): void {
    const random = this.#random;
    const { text } = random.pick(this.#corpus.sources.filter((each) => each.text.length < 3500));
    const lines = text.split("\n");
    const cut = random.below(lines.length);
    const to = cut + random.below(lines.length - cut);
    const kernels = [...text.matchAll(/__global__\s+void\s+(\w+)/g)].map(([, name]) => `${name}<<<32, 128>>>(x, 4096);`);
    this.#disk.set(first, `${lines.slice(0, cut).join("\n")}\n`);
    this.#disk.set(second, `#pragma once\n${lines.slice(cut, to).join("\n")}\n`);
    this.#disk.set(source, `#include "a.cuh"\n#include "b.cuh"\n${lines.slice(to).join("\n")}`);
    this.#disk.set(launching, `#include "a.cuh"\nint main() { float *x; cudaMalloc(&x, 4096 * 4); ${kernels.join(" ")} }\n`);
  }

  #text(path: string): string {
    return this.#open.get(path) ?? "";
  }

  #opens(path: string): void {
    const text = this.#disk.get(path) ?? "";
    this.#open.set(path, text);
    this.#acts.push({ does: "open", path, text });
  }

  #edits(path: string, edit: TextEdit): void {
    this.#open.set(path, apply(this.#text(path), edit));
    this.#acts.push({ does: "edit", path, ...edit });
  }

  #happens(): void {
    const random = this.#random;
    const path = random.pick([...this.#open.keys()]);
    const text = this.#text(path);
    const any = random.pick([source, launching, first, second]);
    const at = random.below(text.length + 1);
    switch (random.below(12)) {
      case 0:
        if (!this.#open.has(any)) this.#opens(any);
        else if (this.#open.size > 1) {
          this.#open.delete(any);
          this.#acts.push({ does: "close", path: any });
        }
        break;
      case 1: {
        const stored = this.#disk.get(any);
        const next = random.once(6) ? undefined : (this.#open.get(any) ?? stored ?? "");
        if (next === undefined) this.#disk.delete(any);
        else this.#disk.set(any, next);
        this.#acts.push({ does: "disk", path: any, ...(next === undefined ? {} : { text: next }) });
        break;
      }
      case 2:
        this.#acts.push({ does: "find", path });
        break;
      case 3:
        this.#acts.push({ does: random.once(2) ? "settle" : "simulate", path, questions: random.below(40) });
        break;
      case 4:
      case 5:
        this.#edits(path, { start: at, end: at, text: random.pick(rough) });
        break;
      case 6:
        this.#edits(path, { start: at, end: Math.min(text.length, at + random.below(200)), text: "" });
        break;
      default:
        this.#edits(path, editFor([random.pick(stepKinds), random.below(10_000), random.below(10_000)], text));
    }
  }
}
