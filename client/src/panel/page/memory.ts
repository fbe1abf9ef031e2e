import { type MemoryLevel, memoryLevels } from "@warplens/server/memory-levels";
import type { LaunchReport, Pinned } from "@warplens/server/protocol";
import { formatPercent, formatTraffic } from "@warplens/server/units";
import { element, section } from "./dom.ts";

const about: Readonly<Record<MemoryLevel["name"], string>> = {
  Requested: "Bytes the threads asked of global memory",
  L1: "32-byte sectors that the requests touch",
  L2: "Sectors that reach L2",
  DRAM: "Bytes moved from and to device memory",
  Host: "Bytes moved over the link to the host's memory",
};

/** What each level moved, and how much of it the level held; below each figure what it was before, where that was another. */
export function memorySection(report: LaunchReport, before?: Pinned): HTMLElement {
  const head = ["Level", "Read", "Written", "Hits"].map((name) => element("th", { scope: "col" }, name));
  const rows = memoryLevels(report).map((level) => {
    const was = before?.levels.find(({ name }) => name === level.name);
    const figure = (of: "read" | "written" | "hitPct", show: (value: number) => string): HTMLElement => {
      const [now, then] = [level[of], was?.[of]].map((value) => (value === undefined ? undefined : show(value).replaceAll(" ", "\u00a0")));
      return element(
        "td",
        {},
        now ?? element("span", { class: "quiet", "aria-label": "not known" }, "–"),
        then !== undefined && then !== now && element("span", { class: "pinned" }, `was ${then}`),
      );
    };
    const hasHits = level.name === "L1" || level.name === "L2";
    return element(
      "tr",
      {},
      element("th", { scope: "row", title: about[level.name] }, level.name),
      figure("read", formatTraffic),
      figure("written", formatTraffic),
      hasHits ? figure("hitPct", formatPercent) : element("td"),
    );
  });
  const table = element("table", { class: "levels" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  return section("Memory", table);
}
