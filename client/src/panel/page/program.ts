/** What a run of the whole program has the device do: a lane a stream, loops folded, and what takes longest by its place. */
import type { PanelProgram } from "@warplens/server/protocol";
import { taskText } from "@warplens/server/task-text";
import { formatPercent, formatTime } from "@warplens/server/units";
import { element } from "./dom.ts";
import { apart } from "./scale.ts";
import { shape } from "./svg.ts";

type Task = PanelProgram["tasks"][number];
type Span = Pick<Task, "from" | "to">;

const laneHeight = 18;
const barHeight = 12;
const axisHeight = 16;
/** Room of the lanes' names. */
const left = 62;
/** Pixels: so that what is short can be seen and clicked. */
const leastWidth = 2;
/** Between the times on the axis. */
const leastApart = 64;
/** Of two of which one ends where the other begins. */
const apartAtEnd = 2 * leastApart - 16;

const tones = { kernel: "kernel", "to device": "up", "from device": "down", "in device": "inside" } as const;

/** Nanoseconds without the turns of loops that are not drawn one by one, but for a part that shows that they are there. */
function folded({ ns, tasks, turns }: PanelProgram): { readonly at: (time: number) => number; readonly all: number } {
  // Beside others time has to go on as it does.
  const isAlone = ({ from, to }: Span): boolean => !tasks.some((task) => task.from < to && task.to > from);
  const folds = turns
    .filter(isAlone)
    .filter((each) => !turns.some((other) => other !== each && other.from <= each.from && other.to >= each.to))
    .toSorted((a, b) => a.from - b.from);
  const hidden = folds.reduce((sum, { from, to }) => sum + to - from, 0);
  const shown = Math.max(1, ns - hidden);
  // Each fold is as wide as a twelfth of what is drawn, or its own length where that is less.
  const width = (each: Span): number => Math.min(each.to - each.from, shown / 12);
  const at = (time: number): number =>
    folds.reduce((sum, each) => {
      if (time <= each.from) return sum;
      const within = Math.min(time, each.to) - each.from;
      return sum - within + (within / (each.to - each.from || 1)) * width(each);
    }, time);
  return { at, all: Math.max(1, at(ns)) };
}

export function programBody(program: PanelProgram, width: number, reveal: (line: number) => void): HTMLElement[] {
  const { ns, kernels, copies, overlap, notes, isStale } = program;
  const share = (part: number): string => (ns > 0 ? ` (${formatPercent((100 * part) / ns)})` : "");
  const sums = [
    kernels > 0 ? `kernels run for ${formatTime(kernels)}${share(kernels)}` : "no kernel runs",
    copies > 0 ? `copies for ${formatTime(copies)}${share(copies)}` : "",
    overlap > 0 ? `${formatTime(overlap)} of them beside a kernel` : kernels > 0 && copies > 0 ? "none of them beside a kernel" : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
  return [
    element("p", { class: "lead" }, `about ${formatTime(ns)}`, isStale && " (before your last edit)"),
    element("p", {}, `${sums.charAt(0).toUpperCase()}${sums.slice(1)}.`),
    drawing(program, width, reveal),
    legend(program),
    rows(program, reveal),
    element("ul", { class: "assumptions" }, ...notes.map((note) => element("li", {}, note))),
  ];
}

function drawing(program: PanelProgram, width: number, reveal: (line: number) => void): HTMLElement {
  const { tasks, turns, ns } = program;
  const streams = [...new Set(tasks.map(({ stream }) => stream))].sort((a, b) => a - b);
  const height = streams.length * laneHeight + axisHeight;
  const { at, all } = folded(program);
  const x = (time: number): number => left + ((width - left - 1) * at(time)) / all;
  const svg = shape("svg", { width, height, class: "timeline", role: "img", "aria-label": label(program) });
  for (const [lane, stream] of streams.entries()) {
    const y = lane * laneHeight;
    svg.append(
      shape("text", { x: 0, y: y + barHeight - 1, class: "tick" }, stream === 0 ? "default" : `stream ${stream}`),
      shape("line", { x1: left, x2: width, y1: y + laneHeight - 3, y2: y + laneHeight - 3, class: "grid" }),
    );
  }
  for (const { times, from, to, stream } of turns) {
    const [begin, end] = [x(from), x(to)];
    if (end - begin < 1) continue;
    const [y, tall] = stream === undefined ? [0, height - axisHeight] : [streams.indexOf(stream) * laneHeight + 1, barHeight];
    const fold = shape("g", { class: "fold" });
    fold.append(
      shape("rect", { x: begin, y, width: end - begin, height: tall }),
      shape("title", {}, `${times.toLocaleString("en")} more turns, ${formatTime(to - from)}`),
    );
    if (end - begin > 28)
      fold.append(shape("text", { x: (begin + end) / 2, y: y + barHeight - 2, "text-anchor": "middle" }, `×${times.toLocaleString("en")}`));
    svg.append(fold);
  }
  for (const task of tasks) {
    const { from, to, engine, line, isUnknown, isUncertain } = task;
    const made = shape("rect", {
      x: x(from),
      y: streams.indexOf(task.stream) * laneHeight + 1,
      width: Math.max(leastWidth, x(to) - x(from)),
      height: barHeight,
      class: `task ${tones[engine]}${isUnknown || isUncertain ? " unsure" : ""}${line === undefined ? "" : " known"}`,
    });
    made.append(
      shape(
        "title",
        {},
        `${nameOf(task)}: ${isUncertain ? "it may not happen" : isUnknown ? "its time is not known" : formatTime(to - from)}, from ${formatTime(from)}`,
      ),
    );
    if (line !== undefined) made.addEventListener("click", () => reveal(line));
    svg.append(made);
  }
  const edges = [...new Set([0, ...turns.flatMap(({ from, to }) => [from, to]), ns])].sort((a, b) => a - b);
  // The end is told in any case.
  const told = [...apart(edges.slice(0, -1), x, leastApart).filter((time) => x(ns) - x(time) >= apartAtEnd), ns];
  for (const time of told) {
    const anchor = time === ns && ns > 0 ? "end" : "start";
    svg.append(shape("text", { x: x(time), y: height - 3, "text-anchor": anchor, class: "tick" }, formatTime(time)));
  }
  return element("div", { class: "drawing" }, svg);
}

const nameOf = (task: Task): string => taskText(task, task.name);

const label = ({ tasks, ns }: PanelProgram): string =>
  `Time line of the program: ${tasks.length} things in ${new Set(tasks.map(({ stream }) => stream)).size} streams, ${formatTime(ns)}. What takes longest is listed below.`;

function legend({ tasks }: PanelProgram): HTMLElement {
  const words = {
    kernel: "kernel",
    "to device": "copy to the device",
    "from device": "copy to the host",
    "in device": "memory of the device",
  } as const;
  const engines = (Object.keys(tones) as (keyof typeof tones)[]).filter((engine) => tasks.some((task) => task.engine === engine));
  const items = engines.map((engine) => element("li", {}, element("span", { class: `swatch ${tones[engine]}` }), words[engine]));
  return element("ul", { class: "legend program-legend" }, ...items);
}

function rows({ rows: all, ns }: PanelProgram, reveal: (line: number) => void): HTMLElement {
  const cells = all.map(({ task, streams, times, ns: took }, index) => {
    const { line, stream } = task;
    const isUnknown = task.isUnknown || task.isUncertain;
    const name = element("code", {}, nameOf(task));
    const more = [
      times > 1 ? ` × ${times.toLocaleString("en")}` : "",
      streams > 1 ? `, ${streams} streams` : stream > 0 ? `, stream ${stream}` : "",
    ].join("");
    const place =
      line === undefined
        ? undefined
        : element("button", { id: `program-${index}`, class: "link", click: () => reveal(line) }, `line ${line}`);
    return element(
      "tr",
      {},
      element("td", {}, name, more),
      element("td", { class: "number" }, isUnknown ? "?" : formatTime(took)),
      element("td", { class: "number" }, isUnknown || ns <= 0 ? "" : formatPercent((100 * took) / ns)),
      element("td", { class: "number" }, place ?? "elsewhere"),
    );
  });
  return element("table", { class: "program-rows" }, element("tbody", {}, ...cells));
}
