/** Arithmetic intensity against operations a second, under the ceilings of the GPU, on logarithmic axes. */
import type { GpuSummary, LaunchReport, Pinned } from "@warplens/server/protocol";
import { arithmeticNames, type RooflinePoint, rooflinePoint } from "@warplens/server/roofline";
import { formatBandwidth, formatCount, formatOperations, formatPercent, significant } from "@warplens/server/units";
import { element } from "./dom.ts";
import { apart, logShare, logTicks } from "./scale.ts";
import { exportButton, shape } from "./svg.ts";

const height = 190;
const left = 78;
const right = 10;
const top = 16;
const bottom = 34;

/** What bytes come from, and how fast they do at most, in GB/s. */
interface Source {
  readonly name: "DRAM" | "L2";
  readonly gigabytes: number;
  intensity(point: RooflinePoint): number | undefined;
}

const sourcesOf = ({ dramGBs, l2GBs }: GpuSummary): Source[] => [
  ...(l2GBs === undefined ? [] : [{ name: "L2", gigabytes: l2GBs, intensity: ({ perL2Byte }: RooflinePoint) => perL2Byte } as const]),
  ...(dramGBs === undefined
    ? []
    : [{ name: "DRAM", gigabytes: dramGBs, intensity: ({ perDramByte }: RooflinePoint) => perDramByte } as const]),
];

/** @param width in pixels of the page */
export function roofline(report: LaunchReport, gpu: GpuSummary, before: Pinned | undefined, width: number): HTMLElement[] {
  const point = rooflinePoint(report);
  const { arithmetic = [] } = report;
  const [main] = arithmetic;
  if (!point || !main)
    return [element("p", { class: "quiet" }, report.time ? "This launch does no floating-point operations." : "Its time is not known.")];
  const sources = sourcesOf(gpu).filter((source) => source.intensity(point) !== undefined);
  const words = sources.map((source) => wordsOf(source, point, main));
  const kinds = arithmetic.map(({ kind, operations }) => `${arithmeticNames[kind]} ${formatCount(operations)}`).join(", ");
  const summary = `${formatOperations(point.gflops)}, ${formatPercent((100 * point.gflops) / main.peakGflops)} of the ${arithmeticNames[main.kind]} peak`;
  const was = before?.roofline;
  const label = `Roofline. ${summary}. ${words.join(". ")}.${was ? ` Before: ${formatOperations(was.gflops)}.` : ""}`;
  const svg = drawing(report, point, sources, was, width);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  return [
    element(
      "figure",
      {},
      element(
        "figcaption",
        {},
        element("span", {}, "Operations a second by operations a byte"),
        exportButton("roofline-export", "Roofline", svg),
      ),
      svg,
    ),
    element("p", {}, summary),
    ...words.map((text) => element("p", { class: "quiet" }, text)),
    element("p", { class: "quiet" }, `Operations: ${kinds}.`),
  ];
}

/** `4.2 a byte of DRAM: at most 20.6 TFLOP/s there, 31 % reached` */
function wordsOf({ name, gigabytes, intensity }: Source, point: RooflinePoint, { kind, peakGflops }: Peak): string {
  const per = intensity(point) ?? 0;
  const roof = Math.min(gigabytes * per, peakGflops);
  const bound = roof < peakGflops ? `${formatBandwidth(gigabytes)} of ${name}` : `the ${arithmeticNames[kind]} peak`;
  return `${significant(per)} a byte of ${name}: at most ${formatOperations(roof)} by ${bound}, ${formatPercent((100 * point.gflops) / roof)} reached`;
}

type Peak = NonNullable<LaunchReport["arithmetic"]>[number];

function drawing(
  report: LaunchReport,
  point: RooflinePoint,
  sources: readonly Source[],
  was: RooflinePoint | undefined,
  width: number,
): SVGElement {
  const { arithmetic = [] } = report;
  const points = [point, ...(was ? [was] : [])];
  const peak = Math.max(...arithmetic.map(({ peakGflops }) => peakGflops));
  const ridges = sources.map(({ gigabytes }) => peak / gigabytes);
  const intensities = sources.flatMap((source) => points.flatMap((each) => source.intensity(each) ?? []));
  const reached = points.map(({ gflops }) => gflops);
  const ticksX = logTicks(Math.min(...intensities, ...ridges) / 2, Math.max(...intensities, ...ridges) * 2);
  const ticksY = logTicks(Math.min(...reached) / 1.5, Math.max(peak, ...reached) * 1.1);
  const [x0 = 1, x1 = 10, y0 = 1, y1 = 10] = [ticksX[0], ticksX.at(-1), ticksY[0], ticksY.at(-1)];
  const atX = (x: number): number => left + (width - left - right) * logShare(x, x0, x1);
  const atY = (y: number): number => height - bottom - (height - bottom - top) * logShare(y, y0, y1);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot" });
  for (const tick of ticksY) svg.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: atY(tick), y2: atY(tick) }));
  for (const tick of apart([...ticksY].reverse(), (each) => atY(each), 14))
    svg.append(shape("text", { class: "tick", x: left - 6, y: atY(tick) + 4, "text-anchor": "end" }, formatOperations(tick)));
  for (const tick of apart(ticksX, atX, 34))
    svg.append(
      shape("text", { class: "tick", x: atX(tick), y: height - 19, "text-anchor": tick === x1 ? "end" : "middle" }, significant(tick)),
    );
  svg.append(shape("text", { class: "tick", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "operations a byte"));
  const fastest = Math.max(...sources.map(({ gigabytes }) => gigabytes));
  for (const { name, gigabytes } of sources) {
    const [from, to] = [Math.max(x0, y0 / gigabytes), Math.min(x1, peak / gigabytes)];
    svg.append(
      shape("line", {
        class: `roof ${name.toLowerCase()}`,
        x1: atX(from),
        y1: atY(from * gigabytes),
        x2: atX(to),
        y2: atY(to * gigabytes),
      }),
    );
    // Beside the line, on the side where there is no other.
    const isFastest = gigabytes === fastest;
    const at = Math.sqrt(from * to);
    svg.append(
      shape(
        "text",
        {
          class: "tick",
          x: atX(at) + (isFastest ? -5 : 6),
          y: atY(at * gigabytes) + (isFastest ? -3 : 11),
          "text-anchor": isFastest ? "end" : "start",
        },
        name,
      ),
    );
  }
  const drawn = apart(
    [...arithmetic].sort((a, b) => b.peakGflops - a.peakGflops),
    ({ peakGflops }) => atY(peakGflops),
    12,
  );
  for (const { kind, peakGflops } of drawn) {
    svg.append(
      shape("line", {
        class: "roof",
        x1: atX(Math.max(x0, peakGflops / fastest)),
        y1: atY(peakGflops),
        x2: width - right,
        y2: atY(peakGflops),
      }),
    );
    svg.append(shape("text", { class: "tick", x: width - right, y: atY(peakGflops) - 4, "text-anchor": "end" }, arithmeticNames[kind]));
  }
  const mark = (each: RooflinePoint, of: string): void => {
    for (const source of sources) {
      const x = source.intensity(each);
      if (x === undefined) continue;
      const circle = shape("circle", { class: `mark-point ${of} ${source.name.toLowerCase()}`, cx: atX(x), cy: atY(each.gflops), r: 4.5 });
      circle.append(
        shape("title", {}, `${of === "was" ? "before, " : ""}${significant(x)} a byte of ${source.name}, ${formatOperations(each.gflops)}`),
      );
      svg.append(circle);
    }
  };
  if (was) mark(was, "was");
  mark(point, "is");
  return svg;
}
