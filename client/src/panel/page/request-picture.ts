/** One request of a warp: its lanes onto sectors or banks, above what would do. */
import type { AccessReport } from "@warplens/server/protocol";
import { significant } from "@warplens/server/units";
import { laneSlider } from "./lane-slider.ts";
import { shape } from "./svg.ts";
import type { WarpRequest } from "./warp-lanes.ts";

const laneY = 14;
const slotY = 92;
const idealY = 134;
const side = 10;
const height = idealY + side + 4;

export const unitOf = ({ space }: Pick<AccessReport, "space">): string => (space === "shared" ? "wavefronts" : "sectors");

/** As few sectors, or wavefronts, as its bytes could lie in. */
function idealOf({ space, bytesPerLane }: AccessReport, { slots, lanes }: WarpRequest): number {
  const bytes = lanes.length * bytesPerLane;
  const [needed, touched] = space === "shared" ? [bytes / 128, Math.max(...slots.map(({ used }) => used))] : [bytes / 32, slots.length];
  return Math.max(1, Math.min(Math.ceil(needed), touched));
}

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

/** @param title which request it is @param name of the access, in words @param width in pixels of the page @param first lane to look at */
export function requestPicture(
  access: AccessReport,
  request: WarpRequest,
  title: string,
  name: string,
  width: number,
  first?: number,
): HTMLElement {
  const { slots, lanes } = request;
  const isShared = access.space === "shared";
  // Lanes that take no part have their place, too, where it is known which they are.
  const all = Math.max(32, lanes.length);
  const at = (index: number, of: number): number => ((index + 0.5) * width) / of;
  const box = (x: number, y: number, of: number, kind: string, opacity = 1): SVGElement => {
    const size = Math.max(2, Math.min(side * 2, width / of - 1));
    return shape("rect", { class: kind, x: x - size / 2, y, width: size, height: side, rx: 1, "fill-opacity": opacity });
  };
  const label = (text: string, y: number): SVGElement => shape("text", { class: "tick", x: 0, y }, text);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot", "aria-hidden": "true" });
  const worst = Math.max(...slots.map(({ used }) => used), 1);
  const links = lanes.map(({ lane, slots: touched }) => {
    const paths = touched.map((slot) => `M${at(lane, all)} ${laneY + side}L${at(slot, slots.length)} ${slotY}`);
    return shape("path", { class: "link-line", d: paths.join("") });
  });
  const squares = lanes.map(({ lane }) => box(at(lane, all), laneY, all, "lane"));
  const places = Array.from({ length: all }, (_, lane) => box(at(lane, all), laneY, all, "slot empty"));
  svg.append(...links, ...places, ...squares);
  const marks = lanes.map((_, index) => [links[index], squares[index]].filter((mark) => mark !== undefined));
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
  const ideal = idealOf(access, request);
  for (let index = 0; index < ideal; index++)
    svg.append(box(at(index, Math.max(slots.length, ideal)), idealY, Math.max(slots.length, ideal), "slot"));
  svg.append(
    label("lanes", laneY - 4),
    label(isShared ? "banks" : "sectors", slotY + side + 12),
    label(`ideal: ${ideal} ${ideal === 1 ? unitOf(access).slice(0, -1) : unitOf(access)}`, idealY - 4),
  );
  const summary = summaryOf(access, request);
  const wordsOf = (index: number): string => {
    const { lane, byte, slots: touched } = lanes[index] ?? { lane: index, byte: 0, slots: [] };
    const where = touched.map((slot) => slots[slot]?.number ?? 0).join(" and ");
    return `Lane ${lane}: byte ${byte.toLocaleString("en-US")} from the lowest, ${isShared ? "bank" : "sector"} ${where}`;
  };
  const indexAt = (across: number): number => {
    const under = all * across - 0.5;
    const distance = (index: number): number => Math.abs((lanes[index]?.lane ?? 0) - under);
    return lanes.reduce((best, _, index) => (distance(index) < distance(best) ? index : best), 0);
  };
  const drawing = { svg, title, label: `${title}, ${name}. ${summary}.`, whole: `${summary}.`, marks, wordsOf, indexAt };
  return laneSlider(drawing, first);
}
