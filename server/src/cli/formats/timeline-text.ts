/** The program's time line for people: what a run takes on the device, and what of it takes longest. */
import { visible, visibleName } from "../../foreign-text.ts";
import { taskText } from "../../task-text.ts";
import { type ProgramTimeline, rowsOf, type TaskRow } from "../../timeline/program-timeline.ts";
import { formatPercent, formatTime } from "../../units.ts";
import type { Style } from "../style.ts";

/** Calls and launches that are told, those that take longest. */
const mostRows = 12;

/** Nanoseconds: what starting anything takes is not among the figures. */
const shortest = 1000;

function rowText({ task, streams, times, ns }: TaskRow): string {
  const { name, line, stream, isUnknown, isUncertain } = task;
  const where = line === undefined ? "elsewhere" : `line ${line}`;
  const what = [
    taskText(task, visibleName(name)),
    times > 1 ? `, ${times.toLocaleString("en")} times` : "",
    streams > 1 ? `, in ${streams} streams` : stream > 0 ? `, stream ${stream}` : "",
    isUncertain ? ", if at all" : "",
  ].join("");
  return `    ${where.padEnd(13)} ${(isUnknown || isUncertain ? "?" : ns < shortest ? `< ${formatTime(shortest)}` : formatTime(ns)).padStart(8)}  ${what}`;
}

export function timelineText(program: ProgramTimeline, style: Style): string {
  const { ns, kernels, copies, overlap, notes } = program;
  const share = (part: number): string => (ns > 0 ? ` (${formatPercent((100 * part) / ns)})` : "");
  const parts = [
    kernels > 0 ? `kernels ${formatTime(kernels)}${share(kernels)}` : "",
    copies > 0 ? `copies ${formatTime(copies)}${share(copies)}` : "",
    overlap > 0 ? `${formatTime(overlap)} of them beside a kernel` : kernels > 0 && copies > 0 ? "none of them beside a kernel" : "",
  ].filter((part) => part !== "");
  const rows = rowsOf(program);
  const left = rows.length - mostRows;
  return [
    `  ${style("main", "bold")} on the device: about ${formatTime(ns)}`,
    `    ${parts.join(", ")}`,
    ...rows.slice(0, mostRows).map(rowText),
    ...(left > 0 ? [`    and ${left} more`] : []),
    ...notes.map((note) => `    ${style(visible(note), "dim")}`),
    "",
  ].join("\n");
}
