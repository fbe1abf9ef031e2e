import type { OccupancySweep } from "@warplens/server/protocol";
import { element } from "./dom.ts";

const svg = "http://www.w3.org/2000/svg";
const height = 100;

/**
 * A step line of occupancy from 0 to 100 %, as wide as its place, with the launch's own value marked. What it is at others is told under
 * the pointer, and by the arrow keys, which go from step to step.
 * @param tell called with a value and the occupancy there, and with nothing when nobody looks any more
 */
export function stepChart(
  { now, to, steps }: OccupancySweep,
  label: string,
  tell: (value?: number, occupancyPct?: number) => void,
): HTMLElement {
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
  const percentAt = (value: number): number => steps.findLast(([from]) => from <= value)?.[1] ?? steps[0]?.[1] ?? 0;
  const percent = percentAt(now);
  const mark = element("div", { class: "now" });
  mark.style.left = `${x(now)}%`;
  const dot = element("div", { class: "dot" });
  dot.style.left = mark.style.left;
  dot.style.top = `${height - percent}%`;
  const places = [...new Set([...steps.map(([value]) => value), now])].sort((a, b) => a - b);
  const plot = element("div", {
    class: "steps",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "aria-valuemin": from,
    "aria-valuemax": to,
    pointermove: (event) => {
      const { left, width } = plot.getBoundingClientRect();
      look(Math.round(from + ((to - from) * ((event as PointerEvent).clientX - left)) / Math.max(1, width)));
    },
    pointerleave: () => leave(),
    blur: () => leave(),
    keydown: (event) => {
      const { key } = event as KeyboardEvent;
      const next = key === "ArrowRight" || key === "ArrowUp" ? places.find((value) => value > looked) : undefined;
      const before = key === "ArrowLeft" || key === "ArrowDown" ? places.findLast((value) => value < looked) : undefined;
      const at = next ?? before;
      if (at === undefined) return;
      event.preventDefault();
      look(at);
    },
  });
  let looked = now;
  const look = (value: number): void => {
    looked = Math.min(Math.max(value, from), to);
    mark.style.left = `${x(looked)}%`;
    dot.style.left = mark.style.left;
    dot.style.top = `${height - percentAt(looked)}%`;
    plot.setAttribute("aria-valuenow", String(looked));
    plot.setAttribute("aria-valuetext", `${looked}: ${Math.round(percentAt(looked))} %`);
    tell(looked, percentAt(looked));
  };
  const leave = (): void => {
    look(now);
    tell();
  };
  plot.setAttribute("aria-valuenow", String(now));
  plot.setAttribute("aria-valuetext", `${now}: ${Math.round(percent)} %`);
  plot.append(chart, mark, dot);
  return plot;
}
