/**
 * Runs random programs through the optimiser and holds the results against the reference interpreter, for as long as asked.
 *
 *   node sim-engine/scripts/fuzz.mjs [--seconds 60] [--seed 1]
 *
 * Prints each fault's pass with the smallest program found that shows it, one a pass.
 */
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" }, seed: { type: "string", default: "1" } } });
const source = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "src");
const outfile = path.join(tmpdir(), `warplens-fuzz-${process.pid}.mjs`);
await build({
  stdin: {
    contents: `export { faultOf } from "./passes/testing/compare.ts"; export * from "./passes/testing/random-program.ts";`,
    resolveDir: source,
    loader: "ts",
  },
  bundle: true,
  platform: "node",
  format: "esm",
  outfile,
});
const { faultOf, programLaunch, randomProgram } = await import(pathToFileURL(outfile).href);

const end = Date.now() + Number(values.seconds) * 1000;
const found = new Map();
let programs = 0;
for (let seed = Number(values.seed); Date.now() < end; seed++) {
  programs++;
  const random = generator(seed);
  const choices = Array.from({ length: 60 + (random() % 500) }, random);
  const shape = [[1, 3, 5][random() % 3], 1 + (random() % 2), random() % 10, random() % 2 === 0];
  const pass = random();
  const fault = faultIn(choices, shape, pass);
  const name = fault?.slice(0, fault.indexOf(":"));
  if (!fault || (found.get(name) ?? 0) >= 3) continue;
  found.set(name, (found.get(name) ?? 0) + 1);
  const small = reduced(choices, shape, pass, name);
  console.log(`seed ${seed}, [${shape}]: ${faultIn(small, shape, pass)}\n`);
}
console.log(`${programs} programs; faults: ${[...found].map(([name, count]) => `${name} ${count}`).join(", ") || "none"}`);

function faultIn(choices, shape, pass) {
  try {
    return faultOf(randomProgram(choices), programLaunch(...shape), pass);
  } catch (error) {
    return `throws: ${error.stack}`;
  }
}

/** Leaves out and zeroes choices while the same pass fails. */
function reduced(choices, shape, pass, name) {
  let best = choices;
  const until = Date.now() + 20_000;
  for (let size = best.length >> 1; size >= 1 && Date.now() < until; ) {
    let shorter = false;
    for (let at = 0; at < best.length && Date.now() < until; at += size) {
      for (const tried of [best.toSpliced(at, size), best.with(at, 0), best.map((each, k) => (k >= at && k < at + size ? 0 : each))]) {
        if (tried.every((each, k) => each === best[k]) && tried.length === best.length) continue;
        if (!faultIn(tried, shape, pass)?.startsWith(`${name}:`)) continue;
        best = tried;
        shorter = true;
        break;
      }
    }
    if (!shorter) size >>= 1;
  }
  return best;
}

/** Mulberry32. */
function generator(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return (t ^ (t >>> 14)) >>> 1;
  };
}
