import type { OccupancySweep } from "@warplens/server/protocol";
import { element } from "./dom.ts";

const svg = "http://www.w3.org/2000/svg";
const height = 100;

/** A step line of occupancy from 0 to 100 %, as wide as its place, with the launch's own value marked. */
export function stepChart({ now, to, steps }: OccupancySweep, label: string): HTMLElement {
  const from = steps[0]?.[0] ?? 0;
  const x = (value: number): number => (100 * (Math.min(Math.max(value, from), to) - from)) / Math.max(1, to - from);
  const corners = steps.flatMap(([value, percent], index) => [
    `${index === 0 ? "M" : "H"}${x(value)}${index === 0 ? ` ${height - percent}` : ""}`,
    `V${height - percent}`,
  ]);
  const line = `${corners.join("")}H100`;
  const chart = document.createElementNS(svg, "svg");
  chart.setAttribute("viewBox", `0 0 100 ${height}`);
  chart.setAttribute("preserveAspectRatio", "none");
  for (const [name, path] of [
    ["area", `${line}V${height}H0Z`],
    ["edge", line],
  ] as const) {
    const drawn = document.createElementNS(svg, "path");
    drawn.setAttribute("class", name);
    drawn.setAttribute("d", path);
    chart.append(drawn);
  }
  const percent = steps.findLast(([value]) => value <= now)?.[1] ?? steps[0]?.[1] ?? 0;
  const mark = element("div", { class: "now" });
  mark.style.left = `${x(now)}%`;
  const dot = element("div", { class: "dot" });
  dot.style.left = mark.style.left;
  dot.style.top = `${height - percent}%`;
  const plot = element("div", { class: "steps", role: "img", "aria-label": label }, mark, dot);
  plot.prepend(chart);
  return plot;
}
