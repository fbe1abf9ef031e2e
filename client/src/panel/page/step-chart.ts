import type { OccupancySweep } from "@warplens/server/protocol";
import { formatPercent } from "@warplens/server/units";
import { element } from "./dom.ts";
import { apart, binaryTicks } from "./scale.ts";
import { shape } from "./svg.ts";

const left = 42;
const right = 4;
const top = 6;
const plotHeight = 40;
const bottom = 16;
const height = top + plotHeight + bottom;
/** Between the values on the axis, and before the last one, which has the unit behind it. */
const leastApart = 34;

interface StepChartSpec {
  readonly sweep: OccupancySweep;
  readonly label: string;
  /** A value as the axis has it. */
  readonly xText: (value: number) => string;
  /** Behind the last value: `a thread`. */
  readonly unit: string;
  /** Pixels of the page. */
  readonly width: number;
  /** Called with a value and the occupancy there, and with nothing when nobody looks any more. */
  readonly tell: (value?: number, occupancyPct?: number) => void;
}

/**
 * A step line of occupancy from 0 to 100 %, with the launch's own value marked. What it is at others is told under the pointer, and by the
 * arrow keys, which go from step to step.
 */
export function stepChart({ sweep: { now, to, steps }, label, xText, unit, width, tell }: StepChartSpec): HTMLElement {
  const from = steps[0]?.[0] ?? 0;
  const within = (value: number): number => Math.min(Math.max(value, from), to);
  const atX = (value: number): number => left + ((width - left - right) * (within(value) - from)) / Math.max(1, to - from);
  const atY = (percent: number): number => top + plotHeight * (1 - percent / 100);
  const percentAt = (value: number): number => steps.findLast(([from]) => from <= value)?.[1] ?? steps[0]?.[1] ?? 0;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot", "aria-hidden": "true" });
  for (const tick of [0, 50, 100]) {
    svg.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: atY(tick), y2: atY(tick) }));
    svg.append(shape("text", { class: "tick", x: left - 5, y: atY(tick) + 4, "text-anchor": "end" }, formatPercent(tick)));
  }
  const end = `${xText(to)} ${unit}`;
  // The last value takes the room of its unit, too.
  const endsAt = width - right - 6 * end.length - 12;
  for (const tick of apart(binaryTicks(from, to).slice(0, -1), atX, leastApart).filter((each) => atX(each) + leastApart / 2 < endsAt))
    svg.append(
      shape("text", { class: "tick", x: atX(tick), y: height - 3, "text-anchor": tick === from ? "start" : "middle" }, xText(tick)),
    );
  svg.append(shape("text", { class: "tick", x: width - right, y: height - 3, "text-anchor": "end" }, end));
  const corners = steps.flatMap(([value, percent], index) => [
    `${index === 0 ? "M" : "H"}${atX(value).toFixed(1)}${index === 0 ? ` ${atY(percent).toFixed(1)}` : ""}`,
    `V${atY(percent).toFixed(1)}`,
  ]);
  const line = `${corners.join("")}H${width - right}`;
  svg.append(shape("path", { class: "area", d: `${line}V${atY(0)}H${left}Z` }), shape("path", { class: "edge", d: line }));
  const guide = shape("line", { class: "guide", y1: top, y2: atY(0) });
  const dot = shape("circle", { class: "point now", r: 3.5 });
  svg.append(guide, dot);
  const places = [...new Set([...steps.map(([value]) => value), now])].sort((a, b) => a - b);
  const plot = element("div", {
    class: "steps chart",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "aria-valuemin": from,
    "aria-valuemax": to,
    pointermove: (event) => {
      const x = (event as PointerEvent).clientX - plot.getBoundingClientRect().left;
      tell(...look(Math.round(from + ((to - from) * (x - left)) / Math.max(1, width - left - right))));
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
      tell(...look(at));
    },
  });
  let looked = now;
  const look = (value: number): [number, number] => {
    looked = within(value);
    const percent = percentAt(looked);
    for (const side of ["x1", "x2"]) guide.setAttribute(side, String(atX(looked)));
    dot.setAttribute("cx", String(atX(looked)));
    dot.setAttribute("cy", String(atY(percent)));
    plot.setAttribute("aria-valuenow", String(looked));
    plot.setAttribute("aria-valuetext", `${looked}: ${Math.round(percent)} %`);
    return [looked, percent];
  };
  const leave = (): void => {
    look(now);
    tell();
  };
  plot.append(svg);
  look(now);
  return plot;
}
