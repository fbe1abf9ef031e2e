/** One request of a warp: its lanes onto sectors or banks, above what would do. */
import type { AccessReport, LaunchReport, PanelModel } from "@warplens/server/protocol";
import { formatRatio, significant } from "@warplens/server/units";
import { element } from "./dom.ts";
import { exportButton, shape } from "./svg.ts";
import { type WarpRequest, warpRequest } from "./warp-lanes.ts";

/** Accesses to choose from: those that need most beyond the ideal. */
const most = 12;
const laneY = 14;
const slotY = 92;
const idealY = 134;
const side = 10;
const height = idealY + side + 4;

/** Which access is looked at, by its place. */
let chosen: string | undefined;

const keyOf = ({ line, start, operation }: AccessReport): string => `${line} ${start} ${operation}`;
const unitOf = ({ space }: AccessReport): string => (space === "shared" ? "wavefronts" : "sectors");

/** @param changed to be called when another access is chosen @param width in pixels of the page */
export function warpView({ accesses }: LaunchReport, { source }: PanelModel, changed: () => void, width: number): HTMLElement[] {
  const shown = accesses
    .filter((access) => access.file === 0 && access.requests > 0 && warpRequest(access))
    .sort((a, b) => b.transactions - b.ideal - (a.transactions - a.ideal))
    .slice(0, most);
  const access = shown.find((each) => keyOf(each) === chosen) ?? shown[0];
  const request = access && warpRequest(access);
  if (!access || !request) return [element("p", { class: "quiet" }, "No access to global or shared memory was seen.")];
  const picker = element(
    "select",
    {
      id: "warp-access",
      "aria-label": "Access",
      change: ({ target }) => {
        chosen = (target as HTMLSelectElement).value;
        changed();
      },
    },
    ...shown.map((each) => element("option", { value: keyOf(each), selected: each === access }, nameOf(each))),
  );
  const code = source.lines[access.line];
  return [picker, ...(code === undefined ? [] : [element("code", { class: "source" }, code)]), drawn(access, request, width)];
}

const nameOf = (access: AccessReport): string =>
  `line ${access.line}, ${access.space} ${access.operation}: ${formatRatio(access.transactions / access.requests)} ${unitOf(access)}, ideal ${formatRatio(access.ideal / access.requests)}`;

/** What the request as a whole does, in words. */
function summaryOf(access: AccessReport, { slots, lanes }: WarpRequest): string {
  const stride = access.laneStride === undefined ? "" : `, neighbours ${access.laneStride} bytes apart`;
  const who = `${lanes.length} lane${lanes.length === 1 ? "" : "s"} of ${access.bytesPerLane} bytes${stride}`;
  if (access.space === "shared") {
    const worst = Math.max(...slots.map(({ used }) => used));
    const busy = slots.filter(({ used }) => used > 0).length;
    return `${who}, in ${busy} of 32 banks, up to ${worst} different word${worst === 1 ? "" : "s"} in one`;
  }
  const bytes = slots.reduce((sum, { used }) => sum + used, 0);
  return `${who}, in ${slots.length} sector${slots.length === 1 ? "" : "s"} of 32 bytes, ${significant((100 * bytes) / (32 * slots.length))} % of them asked for`;
}

function drawn(access: AccessReport, request: WarpRequest, width: number): HTMLElement {
  const { slots, lanes } = request;
  const isShared = access.space === "shared";
  const at = (index: number, of: number): number => ((index + 0.5) * width) / of;
  const box = (x: number, y: number, of: number, kind: string, opacity = 1): SVGElement => {
    const size = Math.max(2, Math.min(side * 2, width / of - 1));
    return shape("rect", { class: kind, x: x - size / 2, y, width: size, height: side, rx: 1, "fill-opacity": opacity });
  };
  const label = (text: string, y: number): SVGElement => shape("text", { class: "tick", x: 0, y }, text);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot", "aria-hidden": "true" });
  const worst = Math.max(...slots.map(({ used }) => used), 1);
  const links = lanes.map(({ slots: touched }, lane) => {
    const paths = touched.map((slot) => `M${at(lane, lanes.length)} ${laneY + side}L${at(slot, slots.length)} ${slotY}`);
    const link = shape("path", { class: "link-line", d: paths.join("") });
    svg.append(link);
    return link;
  });
  const squares = lanes.map((_, lane) => {
    const square = box(at(lane, lanes.length), laneY, lanes.length, "lane");
    svg.append(square);
    return square;
  });
  for (const [index, { used }] of slots.entries()) {
    svg.append(box(at(index, slots.length), slotY, slots.length, "slot empty"));
    if (used > 0)
      svg.append(
        box(
          at(index, slots.length),
          slotY,
          slots.length,
          isShared && used > 1 ? "slot bad" : "slot",
          isShared ? 0.35 + (0.65 * used) / worst : 0.25 + (0.75 * used) / 32,
        ),
      );
  }
  const ideal = Math.max(1, Math.round(access.ideal / access.requests));
  for (let index = 0; index < ideal; index++)
    svg.append(box(at(index, Math.max(slots.length, ideal)), idealY, Math.max(slots.length, ideal), "slot"));
  svg.append(
    label("lanes", laneY - 4),
    label(isShared ? "banks" : "sectors", slotY + side + 12),
    label(`ideal: ${ideal} ${ideal === 1 ? unitOf(access).slice(0, -1) : unitOf(access)}`, idealY - 4),
  );
  const summary = summaryOf(access, request);
  const readout = element("p", { class: "readout" }, `${summary}.`);
  const words = (lane: number): string => {
    const { byte, slots: touched } = lanes[lane] ?? { byte: 0, slots: [] };
    const where = touched.map((slot) => slots[slot]?.number ?? 0).join(" and ");
    return `Lane ${lane}: byte ${byte.toLocaleString("en-US")} from the lowest, ${isShared ? "bank" : "sector"} ${where}`;
  };
  const plot = element("div", {
    id: "warp-lanes",
    class: "chart",
    role: "slider",
    tabindex: 0,
    "aria-label": `One request of a warp, ${nameOf(access)}. ${summary}.`,
    "aria-valuemin": 0,
    "aria-valuemax": lanes.length - 1,
    "aria-valuenow": 0,
    "aria-valuetext": words(0),
    keydown: (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[(event as KeyboardEvent).key];
      if (step === undefined) return;
      event.preventDefault();
      look(looked === undefined ? 0 : looked + step);
    },
    pointermove: (event) => {
      const { left, width: across } = plot.getBoundingClientRect();
      look(Math.floor((lanes.length * ((event as PointerEvent).clientX - left)) / Math.max(1, across)));
    },
    pointerleave: () => look(undefined),
    blur: () => look(undefined),
  });
  let looked: number | undefined;
  const look = (lane: number | undefined): void => {
    looked = lane === undefined ? undefined : Math.min(Math.max(lane, 0), lanes.length - 1);
    for (const [each, link] of links.entries()) link.classList.toggle("shown", each === looked);
    for (const [each, square] of squares.entries()) square.classList.toggle("shown", each === looked);
    readout.textContent = looked === undefined ? `${summary}.` : `${words(looked)}.`;
    plot.setAttribute("aria-valuenow", String(looked ?? 0));
    plot.setAttribute("aria-valuetext", words(looked ?? 0));
  };
  plot.append(svg);
  return element(
    "figure",
    {},
    element(
      "figcaption",
      {},
      element("span", {}, "The costliest request that was looked at"),
      exportButton("warp-export", "Warp view", svg),
    ),
    plot,
    readout,
  );
}
