/**
 * `npm run fuzz -- --minutes N`: inputs made at random, of all kinds in turn, each run in a process that is watched. What fails is
 * made smaller and kept in test/fuzz/cases.
 *
 *   --minutes N        how long (1)               --inputs N   in place of that: how many
 *   --jobs N           inputs at once (half of what the machine has for them)
 *   --seed S           the same seed makes the same inputs; without, the clock's
 *   --only KIND,...    programs, edits, together, messages, projects; or `growth`: how the cost of each construct of the grammar grows
 *   --sizes N,...      for growth (10,100,1000,10000);  --filter TEXT  only constructs with this in their name
 *   --corpus DIR,...   folders of other sources, beside the repository's own
 *   --keep DIR         where failures go, in place of test/fuzz/cases; "" for nowhere
 */
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { loadGrammarFromDisk } from "../../server/src/grammar.ts";
import { keepCase } from "./cases.ts";
import { ownFolders, readCorpus } from "./corpus.ts";
import { measureGrowth } from "./growth/growth.ts";
import { isKind, type KindName, kinds } from "./kinds/index.ts";
import { smallest } from "./parts.ts";
import { Random } from "./random.ts";
import { type Verdict, Watched } from "./watched.ts";

interface Place {
  /** The repository. */
  readonly root: string;
  /** The bundled process. */
  readonly script: string;
}

interface Counts {
  inputs: number;
  edits: number;
  messages: number;
  crashes: number;
  over: number;
  differences: number;
}

/** Milliseconds between two tables of counts. */
const betweenCounts = 120_000;
/** How often an input that failed is tried again to make it smaller. */
const mostTries = 400;

/** @returns the exit code: 1 where something failed */
export async function main(argv: readonly string[], { root, script }: Place): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: "string", default: "1" },
      inputs: { type: "string" },
      jobs: { type: "string", default: String(Math.max(1, Math.trunc(availableParallelism() / 2))) },
      seed: { type: "string", default: String(Math.floor(Date.now() / 1000)) },
      only: { type: "string", default: Object.keys(kinds).join() },
      corpus: { type: "string", default: "" },
      sizes: { type: "string", default: "10,100,1000,10000" },
      filter: { type: "string", default: "" },
      keep: { type: "string", default: path.join(root, "test/fuzz/cases") },
    },
  });
  if (values.only === "growth") return growth(script, values.sizes, values.filter);
  const only = values.only.split(",").map((name) => {
    if (!isKind(name)) throw new Error(`there is no kind ${name}; there are ${Object.keys(kinds).join(", ")}`);
    return name;
  });
  const most = values.inputs === undefined ? Number.POSITIVE_INFINITY : positive("inputs", values.inputs);
  const until = values.inputs === undefined ? performance.now() + 60_000 * positive("minutes", values.minutes) : Number.POSITIVE_INFINITY;
  await loadGrammarFromDisk();
  const others = values.corpus === "" ? [] : values.corpus.split(",").map((folder) => path.resolve(folder));
  const corpus = readCorpus([...ownFolders.map((folder) => path.join(root, folder)), ...others]);
  console.log(`seed ${values.seed}, ${corpus.sources.length} sources`);

  const counts = new Map(only.map((name) => [name, { inputs: 0, edits: 0, messages: 0, crashes: 0, over: 0, differences: 0 }]));
  const turns = only.flatMap((name) => Array<KindName>(kinds[name].share).fill(name));
  const made = new Map<KindName, number>();
  const seen = new Set<string>();
  let told = performance.now();
  let turn = 0;

  /** Runs one input after another, until there are enough. */
  const work = async (): Promise<void> => {
    const watched = new Watched(script);
    try {
      while (turn < most && performance.now() < until) {
        const name = turns[turn++ % turns.length] ?? "programs";
        const index = made.get(name) ?? 0;
        made.set(name, index + 1);
        const kind = kinds[name];
        const input: unknown = kind.make(new Random(values.seed, name, index), corpus);
        const verdict = await watched.run(name, input);
        count(counts.get(name), verdict);
        if (performance.now() - told > betweenCounts) {
          told = performance.now();
          print(counts);
        }
        if (!("fault" in verdict)) continue;
        const signature = signatureOf(verdict);
        if (seen.has(signature)) continue;
        seen.add(signature);
        console.log(`\n${name} ${index}: ${verdict.fault}`);
        if (values.keep === "") continue;
        const small = await smallest(
          input,
          (each) => kind.parts(each as never),
          async (smaller) => signatureOf(await watched.run(name, smaller, "isEndless" in verdict ? 15 : undefined)) === signature,
          "isEndless" in verdict ? 40 : mostTries,
        );
        console.log(`kept as ${path.relative(root, keepCase(values.keep, { kind: name, showed: signature, input: small }))}`);
      }
    } finally {
      watched.end();
    }
  };
  await Promise.all(Array.from({ length: positive("jobs", values.jobs) }, work));
  print(counts);
  return seen.size > 0 ? 1 : 0;
}

async function growth(script: string, sizes: string, filter: string): Promise<number> {
  const watched = new Watched(script);
  try {
    return (await measureGrowth(
      watched,
      sizes.split(",").map((size) => positive("sizes", size)),
      filter,
    )) > 0
      ? 1
      : 0;
  } finally {
    watched.end();
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} should be a number above 0, not ${text}`);
  return value;
}

function count(counts: Counts | undefined, verdict: Verdict): void {
  if (!counts) return;
  counts.inputs++;
  if ("tally" in verdict) {
    counts.edits += verdict.tally.edits ?? 0;
    counts.messages += verdict.tally.messages ?? 0;
  } else if (/^over its budget|^no answer within/.test(verdict.fault)) counts.over++;
  else if (/^after edit/.test(verdict.fault)) counts.differences++;
  else counts.crashes++;
}

/** What is the same for all inputs that fail alike: the words of the fault and where it was, without numbers and quotations. */
function signatureOf(verdict: Verdict): string {
  if (!("fault" in verdict)) return "";
  const [words = "", ...lines] = verdict.fault.split("\n");
  const where = lines.find((line) => /^\s+at /.test(line))?.match(/at (?:async )?([\w.#<>]+)/)?.[1];
  const kind = words
    .replace(/`[^`]*`/g, "`…`")
    .replace(/after edit \d+ of \d+/, "after edits")
    .replace(/\d+(?:\.\d+)?/g, "N");
  return `${kind.replace(/ is .{0,400}, and of a fresh analysis .*/s, " differs").slice(0, 200)}${where ? ` (${where})` : ""}`;
}

function print(counts: ReadonlyMap<KindName, Counts>): void {
  const columns = ["inputs", "edits", "messages", "crashes", "over", "differences"] as const;
  const row = (name: string, cells: readonly string[]): string => name.padEnd(10) + cells.map((cell) => cell.padStart(15)).join("");
  console.log(`\n${row("", ["inputs", "edits", "messages", "crashes", "over budget", "differences"])}`);
  for (const [name, each] of counts)
    console.log(
      row(
        name,
        columns.map((column) => each[column].toLocaleString("en")),
      ),
    );
  const total = columns.map((column) => [...counts.values()].reduce((sum, each) => sum + each[column], 0).toLocaleString("en"));
  console.log(row("total", total));
}
