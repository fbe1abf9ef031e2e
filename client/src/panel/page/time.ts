import { boundMeaning } from "@warplens/server/bound-text";
import type { LaunchReport, Pinned } from "@warplens/server/protocol";
import { formatBound, formatPercent, formatTime } from "@warplens/server/units";
import { bar, element, ghostOf, section } from "./dom.ts";

/** Parts that matter: a twentieth of the launch or more, the largest few. */
const smallest = 0.05;
const most = 6;

/** What each resource would need alone, against the time of the launch: the longest may bound it. Behind each what it was before. */
export function timeSection({ time: estimate }: LaunchReport, before?: Pinned): HTMLElement | undefined {
  if (!estimate) return undefined;
  const was = (name: string): number | undefined => before?.parts?.find((part) => part.name === name)?.ns;
  const longest = Math.max(estimate.ns, before?.ns ?? 0);
  const matters = ({ ns, name }: { readonly ns: number; readonly name: string }): boolean =>
    ns >= smallest * estimate.ns || (was(name) ?? 0) >= smallest * longest;
  const rows = estimate.parts
    .filter(matters)
    .slice(0, most)
    .map(({ name, ns }) => {
      const track = bar(ns / longest, name === estimate.boundBy ? "bound" : "part");
      const ghost = was(name);
      if (ghost !== undefined) track.append(ghostOf(ghost / longest));
      return element(
        "li",
        { title: boundMeaning(name) },
        element("span", { class: "name" }, formatBound(name)),
        element(
          "span",
          { class: "value" },
          `${formatTime(ns)}, ${formatPercent((100 * ns) / estimate.ns)}`,
          ghost !== undefined && formatTime(ghost) !== formatTime(ns) && element("span", { class: "pinned" }, ` was ${formatTime(ghost)}`),
        ),
        track,
      );
    });
  const meaning = boundMeaning(estimate.boundBy);
  return section(
    "Time",
    element(
      "p",
      { class: "lead" },
      "Bound by ",
      element("strong", {}, formatBound(estimate.boundBy)),
      meaning !== undefined && element("span", { class: "quiet" }, `: ${meaning}`),
    ),
    element("ul", { class: "parts", "aria-label": "What each resource would need alone" }, ...rows),
  );
}
