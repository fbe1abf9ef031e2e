import type { LaunchReport } from "@warplens/server/protocol";
import { formatBound, formatPercent, formatTime } from "@warplens/server/units";
import { bar, element, section } from "./dom.ts";

/** Parts that matter: a twentieth of the launch or more, the largest few. */
const smallest = 0.05;
const most = 6;

/** What the profiler's short names stand for. */
const about: Readonly<Record<string, string>> = {
  adu: "Address divergence unit: constant loads, special registers, barriers",
  alu: "Integer and logic instructions",
  atomics: "Atomic operations on one address wait for each other",
  "block-launch": "Starting the blocks",
  cbu: "Control flow: branches and convergence",
  fma: "Floating-point multiply and add",
  "host-link": "The link to the host's memory, PCI Express or NVLink",
  issue: "The schedulers, which issue one instruction a clock each",
  "l2-port": "The SM's port to L2",
  lsu: "Load and store unit: memory instructions and shuffles",
  uniform: "Instructions done once for the whole warp",
  xu: "Special functions and conversions",
};

/** What each resource would need alone, against the time of the launch: the longest may bound it. */
export function timeSection({ time: estimate }: LaunchReport): HTMLElement | undefined {
  if (!estimate) return undefined;
  const shown = estimate.parts.filter(({ ns }) => ns >= smallest * estimate.ns).slice(0, most);
  const rows = shown.map(({ name, ns }) =>
    element(
      "li",
      about[name] ? { title: about[name] } : {},
      element("span", { class: "name" }, formatBound(name)),
      element("span", { class: "value" }, `${formatTime(ns)}, ${formatPercent((100 * ns) / estimate.ns)}`),
      bar(ns / estimate.ns, name === estimate.boundBy ? "bound" : "part"),
    ),
  );
  return section(
    "Time",
    element("p", { class: "lead" }, "Bound by ", element("strong", {}, formatBound(estimate.boundBy))),
    element("ul", { class: "parts", "aria-label": "What each resource would need alone" }, ...rows),
  );
}
