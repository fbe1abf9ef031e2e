/** One branch of a warp: which of its lanes go one way, which the other, and which take no part. */
import type { WatchedExecution } from "@warplens/server/protocol";
import { laneSlider } from "./lane-slider.ts";
import { shape } from "./svg.ts";
import { lanesIn } from "./warp-lanes.ts";

const warpSize = 32;
const rowHeight = 34;
const side = 12;

type BranchExecution = Extract<WatchedExecution, { readonly taken: number }>;

/** @param lines that lanes come to one way and the other @param width in pixels of the page @param first lane to look at */
export function branchPicture(
  { lanes, taken }: BranchExecution,
  lines: readonly (number | null)[] | undefined,
  title: string,
  width: number,
  first?: number,
): HTMLElement {
  const [one = "one way", other = "the other way"] = (lines ?? []).map((line) => (line === null ? undefined : `on to line ${line}`));
  const rows = [
    { words: one, mask: taken, kind: "slot" },
    { words: other, mask: lanes & ~taken, kind: "slot other" },
    { words: "not here", mask: ~lanes, kind: "slot off" },
  ].filter(({ mask }, row) => row < 2 || mask !== 0);
  const height = rows.length * rowHeight;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot", "aria-hidden": "true" });
  const step = width / warpSize;
  const columns = Array.from({ length: warpSize }, (_, lane) =>
    rows.map(({ mask, kind }, row) => {
      const isIn = ((mask >>> lane) & 1) === 1;
      const size = { width: Math.max(2, step - 2), height: side, rx: 1 };
      const square = shape("rect", { class: isIn ? kind : "slot empty", x: lane * step + 1, y: row * rowHeight + 16, ...size });
      svg.append(square);
      return square;
    }),
  );
  const count = (mask: number): string => {
    const found = lanesIn(mask).length;
    return `${found} lane${found === 1 ? "" : "s"}`;
  };
  const hex = (mask: number): string => `0x${(mask >>> 0).toString(16).padStart(8, "0")}`;
  for (const [row, { words, mask }] of rows.entries()) {
    const y = row * rowHeight + 11;
    svg.append(shape("text", { class: "tick", x: 0, y }, `${words}: ${count(mask)}`));
    if (mask !== 0) svg.append(shape("text", { class: "tick", x: width, y, "text-anchor": "end" }, hex(mask)));
  }
  const summary = rows.map(({ words, mask }) => `${count(mask)} ${words}`).join(", ");
  const parts = taken !== 0 && taken >>> 0 !== lanes >>> 0;
  const verdict = parts ? "the warp goes both ways, one after the other" : "the warp stays together";
  const whole = `${summary}: ${verdict}.`;
  const wordsOf = (lane: number): string => `Lane ${lane}: ${rows.find(({ mask }) => (mask >>> lane) & 1)?.words ?? "not here"}`;
  const indexAt = (across: number): number => Math.floor(warpSize * across);
  return laneSlider({ svg, title, label: `${title}. ${whole}`, whole, marks: columns, wordsOf, indexAt }, first);
}
