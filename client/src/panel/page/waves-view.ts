/** Blocks on SMs: the waves of a launch one after another, and what each SM holds of the one that is looked at. */
import type { GpuSummary, LaunchReport } from "@warplens/server/protocol";
import { formatChange, formatCount, formatPercent, formatTime, unbroken } from "@warplens/server/units";
import { element } from "./dom.ts";
import { exportButton, shape } from "./svg.ts";
import { blocksOf, blocksOn, type Waves, wavesOf } from "./waves.ts";

/** Waves that are drawn one by one; of more the middle ones are folded. */
const mostDrawn = 12;
const drawnBefore = 4;
const stripY = 18;
const stripHeight = 26;
const gridY = stripY + stripHeight + 36;
const cellWidth = 14;
const cellHeight = 11;
const gap = 3;
/** Pixels that the words above the SMs take. */
const roomForWords = 230;

/** A wave that is drawn, or those alike that are folded. */
interface Column {
  readonly wave: number;
  readonly times: number;
}

/** Which wave is looked at, of which launch: it stays when it is drawn anew. */
let looked: { readonly key: string; readonly column: number } | undefined;

/** @param width in pixels of the page */
export function wavesView(report: LaunchReport, { multiprocessors }: GpuSummary, width: number): HTMLElement[] {
  const waves = wavesOf(report, multiprocessors);
  if (!waves) {
    const why = multiprocessors === undefined ? "How many SMs the GPU has is not known." : "No block fits on an SM.";
    return [element("p", { class: "quiet" }, why)];
  }
  return [element("div", { class: "paragraphs" }, element("p", {}, summaryOf(waves)), drawn(waves, width), ...tail(report, waves))];
}

/** `1,536 blocks in 2 waves: each of the 132 SMs holds 8 at once, 1,056 together` */
function summaryOf({ blocks, count, multiprocessors, perSm, atOnce }: Waves): string {
  const all = `${blocks.toLocaleString("en-US")} block${blocks === 1 ? "" : "s"}`;
  const room = `each of the ${multiprocessors} SMs holds ${perSm} at once, ${atOnce.toLocaleString("en-US")} together`;
  return count === 1 ? `${all}, all at once: ${room}.` : `${all} in ${count.toLocaleString("en-US")} waves: ${room}.`;
}

/** What the last wave costs, where it is known to cost something; and what the drawing leaves out. */
function tail({ costs = [], time }: LaunchReport, { count, last, atOnce }: Waves): HTMLElement[] {
  const cost = costs.find(({ kind }) => kind === "last wave");
  const change = cost && time && formatChange(time.ns, cost.ns);
  const words =
    cost && change !== undefined
      ? `Without the last wave it would take ${formatTime(cost.ns)}, ${change}.`
      : count > 1 && last < atOnce
        ? "Its last wave is not full; that costs little or nothing, as far as can be told."
        : undefined;
  return [
    ...(words === undefined ? [] : [element("p", {}, unbroken(words))]),
    element(
      "p",
      { class: "quiet" },
      "Drawn as if all blocks took alike long and were dealt out to the SMs in turn; the time is simulated.",
    ),
  ];
}

function columnsOf({ count }: Waves): Column[] {
  const one = (wave: number): Column => ({ wave, times: 1 });
  if (count <= mostDrawn) return Array.from({ length: count }, (_, wave) => one(wave));
  const before = Array.from({ length: drawnBefore }, (_, wave) => one(wave));
  return [...before, { wave: drawnBefore, times: count - drawnBefore - 1 }, one(count - 1)];
}

function wordsOf(waves: Waves, { wave, times }: Column): string {
  const { count, multiprocessors, atOnce, perSm } = waves;
  const blocks = blocksOf(waves, wave);
  const name =
    count === 1
      ? "The only wave"
      : times > 1
        ? `Waves ${(wave + 1).toLocaleString("en-US")} to ${(wave + times).toLocaleString("en-US")}, each`
        : wave === count - 1
          ? `Wave ${count.toLocaleString("en-US")}, the last`
          : `Wave ${wave + 1} of ${count.toLocaleString("en-US")}`;
  if (blocks === atOnce) return `${name}: ${blocks.toLocaleString("en-US")} blocks, ${perSm} on each SM, full`;
  const [most, least] = [blocksOn(waves, wave, 0), blocksOn(waves, wave, multiprocessors - 1)];
  const busy = Math.min(blocks, multiprocessors);
  const idle = multiprocessors - busy;
  const held = most === least ? `${most} on each SM` : least === 0 ? `1 on ${busy} SMs` : `${least} or ${most} on each SM`;
  const rest = idle > 0 ? `, ${idle} SM${idle === 1 ? " has" : "s have"} none` : "";
  const share = formatPercent((100 * blocks) / atOnce);
  return `${name}: ${blocks.toLocaleString("en-US")} block${blocks === 1 ? "" : "s"}, ${held}${rest}, ${share} of the room`;
}

function drawn(waves: Waves, width: number): HTMLElement {
  const { multiprocessors, perSm, count, last, atOnce } = waves;
  const columns = columnsOf(waves);
  const key = JSON.stringify(waves);
  // What a launch has of its own is at its end.
  let shown = Math.min(looked?.key === key ? looked.column : columns.length - 1, columns.length - 1);
  const perRow = Math.max(1, Math.floor((width + gap) / (cellWidth + gap)));
  const rows = Math.ceil(multiprocessors / perRow);
  const height = gridY + rows * (cellHeight + gap);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot waves", "aria-hidden": "true" });
  const step = width / columns.length;
  const bars = columns.map(({ wave, times }, index) => {
    const filled = (stripHeight * blocksOf(waves, wave)) / atOnce;
    const [x, across] = [index * step, Math.max(2, step - gap)];
    const isTail = count > 1 && wave === count - 1 && last < atOnce;
    const group = shape("g", {});
    group.append(
      shape("rect", { class: "slot empty", x, y: stripY, width: across, height: stripHeight, rx: 1 }),
      shape("rect", {
        class: isTail ? "slot bad" : times > 1 ? "slot folded" : "slot",
        x,
        y: stripY + stripHeight - filled,
        width: across,
        height: filled,
        rx: 1,
      }),
      shape("rect", { class: "frame", x: x - 1, y: stripY - 1, width: across + 2, height: stripHeight + 2, rx: 2 }),
    );
    const name = times > 1 ? `× ${formatCount(times)}` : String(wave + 1);
    const hasRoom = step >= 7 * name.length + 4 || index === 0 || index === columns.length - 1;
    if (hasRoom)
      group.append(shape("text", { class: "tick", x: x + across / 2, y: stripY + stripHeight + 13, "text-anchor": "middle" }, name));
    svg.append(group);
    return group;
  });
  const words = width < roomForWords ? "" : `, filled by their blocks of ${perSm}`;
  const label = shape("text", { class: "tick", x: 0, y: gridY - 6 }, `the ${multiprocessors} SMs${words}`);
  svg.append(shape("text", { class: "tick", x: 0, y: stripY - 6 }, "waves, filled by their blocks"), label);
  const fills = Array.from({ length: multiprocessors }, (_, sm) => {
    const [x, y] = [(sm % perRow) * (cellWidth + gap), gridY + Math.floor(sm / perRow) * (cellHeight + gap)];
    const fill = shape("rect", { class: "slot", x, width: cellWidth, rx: 1 });
    svg.append(shape("rect", { class: "slot empty", x, y, width: cellWidth, height: cellHeight, rx: 1 }), fill);
    return { fill, bottom: y + cellHeight };
  });
  const readout = element("p", { class: "readout" });
  const title = "Blocks on the SMs, wave by wave";
  const isOne = columns.length === 1;
  const plot = element("div", {
    id: "waves",
    class: "chart",
    role: isOne ? "img" : "slider",
    tabindex: isOne ? undefined : 0,
    "aria-label": `${title}. ${summaryOf(waves)} ${wordsOf(waves, columns.at(-1) ?? { wave: 0, times: 1 })}.`,
    "aria-valuemin": isOne ? undefined : 1,
    "aria-valuemax": isOne ? undefined : count,
    keydown: (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[(event as KeyboardEvent).key];
      const end = { Home: 0, End: columns.length - 1 }[(event as KeyboardEvent).key];
      if (by === undefined && end === undefined) return;
      event.preventDefault();
      show(end ?? shown + (by ?? 0));
    },
    pointermove: (event) => {
      const { left, top } = plot.getBoundingClientRect();
      const { clientX, clientY } = event as PointerEvent;
      if (clientY - top <= gridY - 12) show(Math.floor((clientX - left) / step));
    },
  });
  const show = (index: number): void => {
    shown = Math.min(Math.max(index, 0), columns.length - 1);
    looked = { key, column: shown };
    const column = columns[shown] ?? { wave: 0, times: 1 };
    for (const [each, bar] of bars.entries()) bar.classList.toggle("shown", each === shown && !isOne);
    for (const [sm, { fill, bottom }] of fills.entries()) {
      const filled = (cellHeight * blocksOn(waves, column.wave, sm)) / perSm;
      fill.setAttribute("y", String(bottom - filled));
      fill.setAttribute("height", String(filled));
    }
    readout.textContent = unbroken(`${wordsOf(waves, column)}.`);
    if (isOne) return;
    plot.setAttribute("aria-valuenow", String(column.wave + 1));
    plot.setAttribute("aria-valuetext", wordsOf(waves, column));
  };
  plot.append(svg);
  show(shown);
  return element(
    "figure",
    {},
    element("figcaption", {}, element("span", {}, title), exportButton("waves-export", title, svg)),
    plot,
    readout,
  );
}
