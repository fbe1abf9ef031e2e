import type { LaunchReport } from "@warplens/server/protocol";
import { bar, element, section } from "./dom.ts";
import { percent, time, words } from "./format.ts";

/** What each resource would need alone: the longest bounds the launch. */
export function timeSection({ time: estimate }: LaunchReport): HTMLElement | undefined {
  if (!estimate) return undefined;
  const longest = Math.max(...estimate.parts.map((part) => part.ns), Number.MIN_VALUE);
  const shown = estimate.parts.filter((part) => part.ns >= longest * 0.005);
  return section(
    "Time",
    element("p", { class: "lead" }, "Bound by ", element("strong", {}, words(estimate.boundBy))),
    element(
      "ul",
      { class: "parts", "aria-label": "What each resource would need alone" },
      ...shown.map(({ name, ns }) =>
        element(
          "li",
          { title: `${percent((100 * ns) / estimate.ns)} of the launch` },
          element("span", { class: "name" }, words(name)),
          element("span", { class: "value" }, time(ns)),
          bar(ns / longest, ns === longest ? "bound" : "part"),
        ),
      ),
    ),
  );
}
