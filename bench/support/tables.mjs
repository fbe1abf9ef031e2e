/** The tables that `npm run bench` prints: what was measured, with the goal beside it. */
import { table } from "./report.mjs";

/** Milliseconds at the 95th percentile from a key to its findings, by the most lines that it holds for (sizes are round numbers). */
const goals = [
  [500, 15],
  [3_500, 25],
  [12_500, 60],
  [Number.POSITIVE_INFINITY, 150],
];
const goalOf = (lines) => goals.find(([most]) => lines <= most)?.[1];
const lensGoal = 250;
/** Findings of 1,000 lines: half of it is the parser's to load, so that it is asked of no longer file. */
const openGoal = (lines) => (lines <= 1_500 ? 300 : undefined);
const firstLensGoal = 1000;
const clangdGoal = 5;
const memoryGoal = 200;

/** The value that a share of the values does not exceed; those that are missing are the greatest. */
function quantile(values, share) {
  if (values.length === 0) return undefined;
  const ordered = values.map((value) => value ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.ceil(share * ordered.length) - 1)];
}

const number = (value) => (value === undefined ? "-" : value === Number.POSITIVE_INFINITY ? "never" : value.toFixed(value < 10 ? 1 : 0));
/** A figure, its goal, and a mark where it is missed. */
const against = (value, goal) =>
  goal === undefined || value === undefined ? number(value) : `${number(value)} (${goal})${value > goal ? " !" : ""}`;
const of = (samples, mode, which = "ms") => samples.filter((sample) => sample.mode === mode).map((sample) => sample[which]);

/** Opening, memory, and the lens of an edited kernel. */
export function summaryTable(results) {
  return table(
    ["file", "lines", "open: findings", "open: lens", "key: lens p50", "p95", "own simulation p95", "MB"],
    results.map(({ name, lines, opens, samples, memory }) => {
      const lens = of(samples, "lens");
      const own = quantile(of(samples, "lens", "own"), 0.95);
      const median = (which) =>
        quantile(
          opens.map((open) => open[which]),
          0.5,
        );
      return [
        name,
        lines,
        against(median("findings"), openGoal(lines)),
        against(median("lens"), firstLensGoal),
        number(quantile(lens, 0.5)),
        against(quantile(lens, 0.95), own === undefined ? undefined : lensGoal + Math.round(own)),
        number(own),
        number(memory),
      ];
    }),
  );
}

const modes = { keys: "one by one", simulating: "while simulating", burst: "8 a second" };

/** Key to findings, a row a file and mode. */
export function keyTable(results) {
  const rows = results.flatMap(({ name, lines, samples }) =>
    Object.entries(modes).flatMap(([mode, title]) => {
      const times = of(samples, mode);
      if (times.length === 0) return [];
      const busy = of(samples, mode, "busy").filter(Boolean).length;
      const shown = mode === "simulating" ? `${title} (${busy} of ${times.length})` : title;
      return [
        [
          name,
          lines,
          shown,
          times.length,
          number(quantile(times, 0.5)),
          against(quantile(times, 0.95), goalOf(lines)),
          number(Math.max(...times.map((ms) => ms ?? Number.POSITIVE_INFINITY))),
        ],
      ];
    }),
  );
  return table(["file", "lines", "keys come", "keys", "p50", "p95", "max"], rows);
}

/** clangd beside it, on the same edits of the same run. */
export function clangdTable(results) {
  const rows = results.flatMap(({ name, lines, samples }) => {
    const both = samples.filter(({ clangd }) => clangd !== undefined);
    if (both.length === 0) return [];
    const ratio = (share) => {
      const value =
        quantile(
          both.map(({ clangd }) => clangd),
          share,
        ) /
        quantile(
          both.map(({ ms }) => ms),
          share,
        );
      return `${value.toFixed(1)} (${clangdGoal})${value < clangdGoal ? " !" : ""}`;
    };
    const figures = (which) =>
      [0.5, 0.95].map((share) =>
        number(
          quantile(
            both.map((sample) => sample[which]),
            share,
          ),
        ),
      );
    return [[name, lines, both.length, ...figures("ms"), ...figures("clangd"), ratio(0.5), ratio(0.95)]];
  });
  return rows.length === 0
    ? undefined
    : table(["file", "lines", "keys", "p50", "p95", "clangd p50", "p95", "times faster, p50", "p95"], rows);
}

/** Key to findings by what was edited, over all files and modes but the typing. */
export function kindTable(results) {
  const groups = new Map();
  for (const sample of all(results)) {
    const kind = `${sample.where}: ${sample.kind}`;
    groups.set(kind, [...(groups.get(kind) ?? []), sample]);
  }
  const rows = [...groups].sort().map(([kind, samples]) => {
    const times = samples.map(({ ms }) => ms);
    const clangd = samples.flatMap((sample) => (sample.clangd === undefined ? [] : [sample.clangd]));
    return [kind, times.length, number(quantile(times, 0.5)), number(quantile(times, 0.95)), number(quantile(clangd, 0.5))];
  });
  return table(["edit", "keys", "p50", "p95", "clangd p50"], rows);
}

const all = (results) => results.flatMap(({ samples }) => samples.filter(({ mode }) => mode === "keys" || mode === "simulating"));

/** Where the time of keys that come one by one went; simulations that were begun and cancelled are in it. */
export function stageTable({ samples, stages }) {
  const keys = of(samples, "keys").length;
  const rows = stages
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ name, calls, ms }) => [name, (calls / keys).toFixed(1), (ms / keys).toFixed(2), (ms / calls).toFixed(2)]);
  return table(["stage", "calls a key", "ms a key", "ms a call"], rows);
}

export const memoryLine = ({ files, ms, memory }) =>
  `${files} files open: all simulated after ${number(ms)} ms, server ${against(memory, memoryGoal)} MB`;
export const settingLine = ({ lines, waits, ms }) =>
  `another GPU with ${lines} lines open: findings after ${number(ms)} ms, other requests wait ${number(waits)} ms at most`;
