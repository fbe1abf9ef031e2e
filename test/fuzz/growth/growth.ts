/** How the cost of each construct grows with its number: measured, and how it ends where it does not go on. */
import type { Watched } from "../watched.ts";
import { constructs } from "./constructs.ts";

/** Worse than n log n, with room for what a clock shows. */
const steepest = 1.3;
/** Seconds: below it a clock shows nothing of how a cost grows. */
const shortest = 0.25;
/** Seconds of processor time for any size. */
const budget = 10;
/** Seconds that are not worth to be measured again: other programs disturb them little. */
const long = 0.3;
const repeats = 3;

interface Growth {
  readonly name: string;
  /** Processor time by size, the least of several times; undefined where there is none. */
  readonly seconds: readonly (number | undefined)[];
  /** What was said of the largest. */
  readonly said: string;
  /** Between the two largest sizes, of what is beyond an empty file's; undefined where it is too short to be told. */
  readonly exponent: number | undefined;
  readonly fault: string | undefined;
}

/**
 * Measures all constructs, and prints a line for each as it is done.
 * @param filter only those with this in their name
 * @returns how many fail
 */
export async function measureGrowth(watched: Watched, sizes: readonly number[], filter = ""): Promise<number> {
  console.log(
    `${"construct".padEnd(44)}${sizes.map((size) => `×${size.toLocaleString("en")}`.padStart(10)).join("")}  exponent  the largest ends`,
  );
  let wrong = 0;
  // The first of all pays for what is compiled on the way.
  for (const { source } of constructs.slice(0, 20)) await watched.run("programs", { text: source(10), gpu: "h200", steps: 400 });
  const empty = (await measured(watched, "", [0, 0, 0], () => "", 0)).seconds.at(-1) ?? 0;
  const chosen = constructs.filter(({ name }) => name.includes(filter));
  for (const { name, source } of chosen) {
    const growth = await measured(watched, name, sizes, source, empty);
    const { exponent, fault } = growth;
    if (fault !== undefined) wrong++;
    const times = growth.seconds.map((each) => (each === undefined ? "" : `${(1000 * each).toFixed(0)} ms`).padStart(10)).join("");
    console.log(
      `${name.padEnd(44)}${times}${(exponent?.toFixed(2) ?? "").padStart(10)}  ${fault === undefined ? growth.said : `! ${fault}`}`,
    );
  }
  console.log(`${chosen.length} constructs, ${wrong} grow too fast or fail`);
  return wrong;
}

/** @param empty seconds that nothing takes */
async function measured(
  watched: Watched,
  name: string,
  sizes: readonly number[],
  source: (n: number) => string,
  empty: number,
): Promise<Growth> {
  const seconds: (number | undefined)[] = [];
  let said = "";
  let fault: string | undefined;
  for (const size of sizes) {
    const input = { text: source(size), gpu: "h200", steps: 400, seconds: budget };
    let least: number | undefined;
    for (let left = sizes.length > 1 ? repeats : 1; left > 0 && (least === undefined || least < long); left--) {
      const verdict = await watched.run("programs", input, 4 * budget);
      if ("fault" in verdict) {
        fault = `×${size}: ${verdict.fault.split("\n", 1)[0]}`;
        break;
      }
      least = Math.min(least ?? Number.POSITIVE_INFINITY, verdict.tally.seconds ?? 0);
      said = verdict.tally.said ?? "";
    }
    seconds.push(least);
    if (fault !== undefined) break;
  }
  const exponent = exponentOf(seconds, sizes, empty);
  const grows = exponent !== undefined && exponent > steepest;
  return { name, seconds, said, exponent, fault: fault ?? (grows ? `grows by the power of ${exponent.toFixed(2)}` : undefined) };
}

function exponentOf(seconds: readonly (number | undefined)[], sizes: readonly number[], empty: number): number | undefined {
  const [before, last] = seconds.slice(-2);
  const [smaller = 1, larger = 1] = sizes.slice(-2);
  if (before === undefined || last === undefined || seconds.length < sizes.length || last < shortest || seconds.length < 3)
    return undefined;
  return Math.log((last - empty) / Math.max(before - empty, 0.001)) / Math.log(larger / smaller);
}
