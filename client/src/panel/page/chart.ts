/** A line over values of one knob: axes with ticks and units, the value under the pointer, and by the arrow keys. */
import { element } from "./dom.ts";
import { apart, linearTicks, logShare, logTicks } from "./scale.ts";
import { exportButton, shape } from "./svg.ts";

export interface ChartPoint {
  /** Greater than 0. */
  readonly x: number;
  /** Absent where there is none: the reason. */
  readonly y?: number;
  readonly why?: string;
  /** In words, for the line below: what it is, and its value or the reason. */
  readonly words: string;
}

export interface ChartSpec {
  readonly id: string;
  /** What the line tells, with its unit on the axis. */
  readonly title: string;
  readonly points: readonly ChartPoint[];
  /** The launch as it is: an index of the points. */
  readonly now: number;
  readonly xText: (x: number) => string;
  readonly yText: (y: number) => string;
  /** By powers of ten, where values are of all sizes; else from 0 on. */
  readonly isLog?: boolean;
  /** Points that are still to come: the axis has room for them. */
  readonly range: readonly [least: number, largest: number];
}

const height = 128;
const left = 60;
const right = 10;
const top = 10;
const bottom = 20;

/** At which value of a drawing the user looks, by its id: it stays when it is drawn anew. */
const looked = new Map<string, number>();

/** @param width in pixels of the page */
export function lineChart({ id, title, points, now, xText, yText, isLog = false, range }: ChartSpec, width: number): HTMLElement {
  const known = points.flatMap(({ y }) => y ?? []);
  const ticks = isLog && known.length > 0 ? logTicks(Math.min(...known), Math.max(...known)) : linearTicks(Math.max(...known, 0));
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const atX = (x: number): number => left + (width - left - right) * logShare(x, ...range);
  const atY = (y: number): number => height - bottom - (height - bottom - top) * (least > 0 ? logShare(y, least, most) : y / most);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot", "aria-hidden": "true" });
  for (const tick of ticks) {
    svg.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: atY(tick), y2: atY(tick) }));
    svg.append(shape("text", { class: "tick", x: left - 6, y: atY(tick) + 4, "text-anchor": "end" }, tick === 0 ? "0" : yText(tick)));
  }
  for (const { x } of apart(points, (point) => atX(point.x), 38)) {
    const anchor = atX(x) > width - 24 ? "end" : "middle";
    svg.append(shape("text", { class: "tick", x: anchor === "end" ? width : atX(x), y: height - 5, "text-anchor": anchor }, xText(x)));
  }
  const line = points.flatMap(({ x, y }, index) => {
    const starts = index === 0 || points[index - 1]?.y === undefined;
    return y === undefined ? [] : [`${starts ? "M" : "L"}${atX(x).toFixed(1)} ${atY(y).toFixed(1)}`];
  });
  svg.append(shape("path", { class: "edge", d: line.join("") }));
  const guide = shape("line", { class: "guide", y1: top, y2: height - bottom });
  svg.append(guide);
  const marks = points.map(({ x, y }, index) => {
    const [cx, cy] = [atX(x), y === undefined ? height - bottom : atY(y)];
    const mark =
      y === undefined
        ? shape("path", { class: "none", d: `M${cx - 3} ${cy - 3}l6 6m0 -6l-6 6` })
        : shape("circle", { class: index === now ? "point now" : "point", cx, cy, r: index === now ? 4 : 2.5 });
    svg.append(mark);
    return mark;
  });
  const readout = element("p", { class: "readout" });
  const plot = element("div", {
    id,
    class: "chart",
    role: "slider",
    tabindex: 0,
    "aria-label": `${title}. ${summaryOf(points, now)}`,
    "aria-valuemin": 0,
    "aria-valuemax": Math.max(0, points.length - 1),
    keydown: (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[(event as KeyboardEvent).key];
      const end = { Home: 0, End: points.length - 1 }[(event as KeyboardEvent).key];
      if (step === undefined && end === undefined) return;
      event.preventDefault();
      show(end ?? shown + (step ?? 0));
    },
    pointermove: (event) => {
      const x = (event as PointerEvent).clientX - plot.getBoundingClientRect().left;
      const nearest = points.reduce(
        (best, point, index) => (Math.abs(atX(point.x) - x) < Math.abs(atX(points[best]?.x ?? 1) - x) ? index : best),
        0,
      );
      show(nearest);
    },
  });
  let shown = points.findIndex(({ x }) => x === looked.get(id));
  const show = (index: number): void => {
    shown = Math.min(Math.max(index, 0), points.length - 1);
    const point = points[shown];
    if (!point) return;
    if (shown === now) looked.delete(id);
    else looked.set(id, point.x);
    for (const [each, mark] of marks.entries()) mark.classList.toggle("shown", each === shown);
    guide.setAttribute("x1", String(atX(point.x)));
    guide.setAttribute("x2", String(atX(point.x)));
    plot.setAttribute("aria-valuenow", String(shown));
    plot.setAttribute("aria-valuetext", point.words);
    readout.textContent = point.words;
  };
  plot.append(svg);
  show(shown < 0 ? now : shown);
  return element(
    "figure",
    {},
    element("figcaption", {}, element("span", {}, title), exportButton(`${id}-export`, title, svg)),
    plot,
    readout,
  );
}

/** The best, the launch's own, and what cannot be. */
function summaryOf(points: readonly ChartPoint[], now: number): string {
  const own = points[now]?.words;
  const missing = points.filter(({ why }) => why !== undefined).length;
  const all = points.map(({ words }) => words).join("; ");
  return `Now ${own ?? "not known"}. ${missing > 0 ? `${missing} cannot run. ` : ""}All: ${all}.`;
}
