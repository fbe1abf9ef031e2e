/** The sweeps of the panel: block size, problem size, and all GPUs side by side. */
import type { GpuSummary, PanelModel, ParameterKnob, WhatIfAnswer } from "@warplens/server/protocol";
import { formatBandwidth, formatBound, formatCount, formatTime, shortGpuName, significant } from "@warplens/server/units";
import { type ChartPoint, lineChart } from "./chart.ts";
import { bar, element } from "./dom.ts";
import type { Answered, SweepKind } from "./sweep.ts";
import { blockPoints, gpuPoints, type SweepPoint, sizePoints } from "./sweep-points.ts";
import { wrongThen } from "./wrong.ts";

/** @param width pixels that a drawing may take */
export const blockSweep = (width: () => number): SweepKind => ({
  title: "Time by block size",
  points: ({ knobs }, _, tried) => (knobs ? blockPoints(knobs, tried) : []),
  draw: (answers, points, { report }) => {
    const [x = 1, y = 1, z = 1] = report?.block ?? [];
    const spec = {
      points: answers.map((each) => pointOf(each, "time", `${each.point.x} threads`, report)),
      now: answers.findIndex(({ point }) => point.x === x * y * z),
      xText: String,
      range: rangeOf(points),
    };
    return [lineChart({ id: "chart-block", title: "Time by threads a block", yText: formatTime, ...shownAt(spec) }, width())];
  },
});

/** Powers of two around the problem's size; the parameter that is one is the user's choice. */
export function sizeSweep(width: () => number): SweepKind {
  let chosen: string | undefined;
  const chosenOf = (own: WhatIfAnswer): ParameterKnob | undefined => {
    const sizes = sizesOf(own);
    return sizes.find(({ name }) => name === chosen) ?? sizes[0];
  };
  let own: WhatIfAnswer | undefined;
  return {
    title: "Time by problem size",
    points(asked) {
      own = asked;
      const parameter = chosenOf(asked);
      return parameter ? sizePoints(parameter) : "No number that the kernel is given says how much there is to do.";
    },
    controls(asked, _, again) {
      const sizes = sizesOf(asked);
      if (sizes.length < 2) return undefined;
      const current = chosenOf(asked)?.name;
      return element(
        "select",
        {
          id: "size-parameter",
          "aria-label": "Parameter that is the problem's size",
          change: ({ target }) => {
            chosen = (target as HTMLSelectElement).value;
            again();
          },
        },
        ...sizes.map(({ name, value }) =>
          element("option", { value: name, selected: name === current }, `${name}, now ${formatCount(value)}`),
        ),
      );
    },
    draw(answers, points, model) {
      const { name = "n", value = 1 } = (own && chosenOf(own)) ?? {};
      const of = (what: "time" | "bandwidth") =>
        shownAt({
          points: answers.map((each) => pointOf(each, what, `${name} = ${each.point.x.toLocaleString("en-US")}`, model.report)),
          now: answers.findIndex(({ point }) => point.x === value),
          xText: powerText,
          range: rangeOf(points),
        });
      return [
        lineChart({ id: "chart-size-time", title: `Time by ${name}`, yText: formatTime, isLog: true, ...of("time") }, width()),
        lineChart({ id: "chart-size-bandwidth", title: `DRAM bandwidth by ${name}`, yText: formatBandwidth, ...of("bandwidth") }, width()),
      ];
    },
  };
}

/** @param gpus the models, once they are known */
export const gpuSweep = (gpus: () => readonly GpuSummary[]): SweepKind => ({
  title: "GPUs side by side",
  points: (_, { gpu }) => gpuPoints(gpus(), gpu.id),
  draw(answers, _, { gpu: own }) {
    const times = answers.flatMap(({ answer }) => answer.report?.time?.ns ?? []);
    const longest = Math.max(...times, 1);
    const base = answers.find(({ answer }) => answer.gpu.id === own.id)?.answer.report?.time?.ns;
    const inOrder = [...answers].sort(
      (a, b) => (a.answer.report?.time?.ns ?? Number.POSITIVE_INFINITY) - (b.answer.report?.time?.ns ?? Number.POSITIVE_INFINITY),
    );
    const rows = inOrder.map(({ answer: { gpu, report, reason } }) => {
      const time = report?.time;
      const factor =
        time && base !== undefined && gpu.id !== own.id ? `${significant(Number((time.ns / base).toPrecision(2)))}×` : undefined;
      return element(
        "tr",
        gpu.id === own.id ? { class: "own", "aria-current": "true" } : {},
        element("th", { scope: "row" }, shortGpuName(gpu.name)),
        element(
          "td",
          { class: time ? "" : "why" },
          time ? formatTime(time.ns) : (reason ?? "not simulated"),
          time && bar(time.ns / longest, gpu.id === own.id ? "bound" : "part"),
        ),
        element("td", { class: "quiet" }, factor ?? ""),
        element("td", {}, time ? formatBound(time.boundBy) : ""),
      );
    });
    const head = ["GPU", "Time", "Factor", "Bound by"].map((name) => element("th", { scope: "col" }, name));
    return [element("table", { class: "gpus" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))];
  },
});

/** `2²⁰` for large powers of two: they are what sizes mostly are. */
function powerText(size: number): string {
  const power = Math.log2(size);
  if (size < 1024 || !Number.isInteger(power)) return formatCount(size);
  return `2${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
}

const sizesOf = ({ knobs }: WhatIfAnswer): readonly ParameterKnob[] =>
  knobs?.parameters.filter(({ isSize, isReal, value }) => isSize && !isReal && value > 0) ?? [];

/** Where the launch's own point has not come yet, the first one is shown. */
const shownAt = <Spec extends { readonly now: number }>(spec: Spec): Spec => (spec.now < 0 ? { ...spec, now: 0 } : spec);

const rangeOf = (points: readonly SweepPoint[]): readonly [number, number] => {
  const all = points.map(({ x }) => x);
  return [Math.min(...all), Math.max(...all)];
};

/** @param own the launch as it is: where the kernel goes wrong in another way the point says so */
function pointOf(
  { point, answer: { report, reason } }: Answered,
  what: "time" | "bandwidth",
  name: string,
  own: PanelModel["report"],
): ChartPoint {
  const time = report?.time;
  const wrong = report && wrongThen(report, own);
  // Some threads more than the kernel looks out for cost what they cost; another problem than it can hold is none of its own.
  if (!time || (wrong !== undefined && point.overrides.parameters)) {
    const why = reason ?? wrong ?? "its time is not known";
    return { x: point.x, why, words: `${name}: ${why}` };
  }
  const value = what === "time" ? time.ns : time.dramGBs;
  const text = what === "time" ? `${formatTime(time.ns)}, bound by ${formatBound(time.boundBy)}` : formatBandwidth(time.dramGBs);
  return { x: point.x, y: value, words: `${name}: ${text}${wrong === undefined ? "" : `; ${wrong}`}` };
}
