/** Figures beside the code they belong to, only where they say something: an access that is not ideal, a conflict, a trip count, a size. */
import type { AccessReport, Assumption, LaunchReport } from "@warplens/sim-engine";
import { type InlayHint, InlayHintKind, type InlayHintLabelPart, type Range as LspRange } from "vscode-languageserver";
import { launchKeys } from "../analysis/directives.ts";
import { visible, visibleName } from "../foreign-text.ts";
import { formatCapacity, formatCount, formatRatio } from "../units.ts";
import { conflictWays, perRequest } from "./figures.ts";
import { inDocument, isSimulated, launchesOf, staleText, type View, type ViewKernel, worstLaunch } from "./view.ts";

/** Below this factor an access counts as ideal: alignment at the edges is not worth a word. */
const worthAWord = 1.05;
/** What an access needs beyond the ideal, as a share of all that the launch's accesses of its kind need, below which it does no harm. */
const harmless = 0.01;

export function inlayHints(view: View, shown: LspRange): InlayHint[] {
  const { document, settings, launches, kernels } = view;
  const from = document.offsetAt(shown.start);
  const to = document.offsetAt(shown.end);
  const hints = new Map<string, { readonly at: number; readonly text: string; readonly tooltip: string; readonly weight: number }>();
  // Several launches, or several copies of a line: the one that costs most speaks.
  const offer = (kind: string, at: number, text: string, tooltip: string, weight: number): void => {
    if (at < from || at > to) return;
    const key = `${kind}:${at}`;
    if ((hints.get(key)?.weight ?? Number.NEGATIVE_INFINITY) < weight) hints.set(key, { at, text, tooltip, weight });
  };
  const stale = (isStale: boolean): string => (isStale ? `. ${staleText(view)}` : "");
  for (const { report, kernelName, isStale } of launches.filter(isSimulated)) {
    const all = { global: needed(report, "global"), shared: needed(report, "shared") };
    for (const access of report.accesses.filter(inDocument)) {
      if ((access.space === "global" || access.space === "shared") && access.transactions - access.ideal < harmless * all[access.space])
        continue;
      const words = accessWords(access, settings["inlayHints.globalAccesses"], settings["inlayHints.sharedAccesses"]);
      if (words) offer("access", access.end, words.text, `${words.tooltip} in ${visibleName(kernelName)}${stale(isStale)}`, words.weight);
    }
    if (settings["inlayHints.loops"])
      for (const loop of report.loops.filter(inDocument)) {
        const begin = document.positionAt(loop.start);
        const line = document.getText({ start: begin, end: { line: begin.line + 1, character: 0 } });
        const end = loop.start + line.trimEnd().length;
        offer(
          "loop",
          end,
          `${formatCount(loop.trips)}${Number.isInteger(loop.trips) ? "" : " (mean)"} trip${loop.trips === 1 ? "" : "s"}`,
          `Iterations of a warp each time it enters${stale(isStale)}`,
          loop.trips,
        );
      }
  }
  if (settings["inlayHints.sharedArrays"])
    for (const kernel of kernels)
      for (const array of kernel.sharedArrays)
        offer("shared", array.end, formatCapacity(array.bytes), "Shared memory of one block", array.bytes);
  const costs = [...hints.values()].map(
    ({ at, text, tooltip }): InlayHint => ({
      position: document.positionAt(at),
      label: text,
      tooltip,
      kind: InlayHintKind.Type,
      paddingLeft: true,
    }),
  );
  const inView = kernels.filter(({ at }) => at.start <= to && from <= at.end);
  const assumed =
    settings["inlayHints.assumptions"] && view.progress !== "off" ? inView.flatMap((kernel) => assumedParameters(view, kernel)) : [];
  return [...costs, ...assumed.filter(({ at }) => from <= at && at <= to).map(({ hint }) => hint)];
}

/**
 * At each parameter of a kernel, the number that its launches were simulated with and nobody says, from the least to the most of them. A
 * click can say the slowest launch's where that is so of all its launches, in a directive above the kernel: where that has a line of its
 * own to stand on.
 */
function assumedParameters(view: View, kernel: ViewKernel): { readonly at: number; readonly hint: InlayHint }[] {
  const { document } = view;
  const launches = launchesOf(view, kernel);
  const { report, isStale } = worstLaunch(launches) ?? {};
  const start = document.positionAt(kernel.at.start);
  const before = document.getText({ start: { line: start.line, character: 0 }, end: start });
  return kernel.parameters.flatMap(({ name, at }) => {
    const numberIn = (assumptions: readonly Assumption[] = []) =>
      assumptions.find(({ what, value }) => what === name && typeof value === "number");
    const found = numberIn(report?.assumptions);
    // A configuration is assumed under these names.
    if (typeof found?.value !== "number" || launchKeys.some((key) => key === name)) return [];
    const canSay = before.trim() === "" && launches.every((launch) => numberIn(launch.report.assumptions));
    const stale = isStale ? ` ${staleText(view)}` : "";
    const all = launches.flatMap((launch) => {
      const value = numberIn(launch.report.assumptions)?.value;
      return typeof value === "number" ? [value] : [];
    });
    const [least, most, slowest] = [Math.min(...all), Math.max(...all), found.value].map(formatCount);
    const isOne = least === most;
    const part: InlayHintLabelPart = {
      value: `≈ ${isOne ? slowest : `${least} to ${most}`}, assumed`,
      tooltip: visible(
        `${found.why}.${isOne ? "" : ` The slowest launch has ${slowest}.`}${canSay ? " With Ctrl or Cmd a click says what it is." : ""}${stale}`,
      ),
    };
    if (canSay)
      part.command = {
        title: "Say what it is",
        command: "warplens.assume",
        arguments: [document.uri, document.version, start.line, name, found.value],
      };
    return [
      { at: at.end, hint: { position: document.positionAt(at.end), label: [part], kind: InlayHintKind.Parameter, paddingLeft: true } },
    ];
  });
}

const needed = ({ accesses }: LaunchReport, space: AccessReport["space"]): number =>
  accesses.reduce((sum, access) => sum + (access.space === space ? access.transactions : 0), 0);

function accessWords(
  access: AccessReport,
  global: boolean,
  shared: boolean,
): { text: string; tooltip: string; weight: number } | undefined {
  if (access.requests === 0) return undefined;
  const { actual, ideal } = perRequest(access);
  if (access.space === "shared") {
    const ways = conflictWays(access);
    if (!shared || ways < worthAWord) return undefined;
    return {
      text: `${formatRatio(ways)}-way conflict`,
      tooltip: `${formatRatio(actual)} wavefronts a request, ideal ${formatRatio(ideal)},`,
      weight: ways,
    };
  }
  if (access.space !== "global" || !global || actual <= ideal * worthAWord) return undefined;
  return {
    text: `${formatRatio(actual)} sectors/req, ideal ${formatRatio(ideal)}`,
    tooltip: `32-byte sectors of each warp's ${access.operation}`,
    weight: actual / ideal,
  };
}
