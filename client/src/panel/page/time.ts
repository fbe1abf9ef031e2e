import type { LaunchReport } from "@warplens/server/protocol";
import { formatBound, formatPercent, formatTime } from "@warplens/server/units";
import { bar, element, section } from "./dom.ts";

/** What each resource would need alone: the longest bounds the launch. */
export function timeSection({ time: estimate }: LaunchReport): HTMLElement | undefined {
  if (!estimate) return undefined;
  const longest = Math.max(...estimate.parts.map((part) => part.ns), Number.MIN_VALUE);
  const shown = estimate.parts.filter((part) => part.ns >= longest * 0.005);
  return section(
    "Time",
    element("p", { class: "lead" }, "Bound by ", element("strong", {}, formatBound(estimate.boundBy))),
    element(
      "ul",
      { class: "parts", "aria-label": "What each resource would need alone" },
      ...shown.map(({ name, ns }) =>
        element(
          "li",
          { title: `${formatPercent((100 * ns) / estimate.ns)} of the launch` },
          element("span", { class: "name" }, formatBound(name)),
          element("span", { class: "value" }, formatTime(ns)),
          bar(ns / longest, ns === longest ? "bound" : "part"),
        ),
      ),
    ),
  );
}
