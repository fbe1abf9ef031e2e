import type { LaunchReport } from "@warplens/server/protocol";
import { formatPercent, formatTraffic } from "@warplens/server/units";
import { element, section } from "./dom.ts";

const sectorBytes = 32;

interface Level {
  readonly name: string;
  readonly about: string;
  readonly read?: number | undefined;
  readonly written?: number | undefined;
  readonly hitPct?: number | undefined;
}

/** The way of the bytes from the threads to DRAM: what each level moved, and how much of it the level held. */
function levels({ traffic, accesses }: LaunchReport): Level[] {
  const requested = (operation: (name: string) => boolean) =>
    accesses
      .filter((access) => access.space === "global" && operation(access.operation))
      .reduce((sum, access) => sum + access.lanes * access.bytesPerLane, 0);
  const inBytes = (sectors: number | undefined) => (sectors === undefined ? undefined : sectors * sectorBytes);
  return [
    {
      name: "Requested",
      about: "Bytes the threads asked of global memory",
      read: requested((name) => name === "load" || name === "copy"),
      written: requested((name) => name === "store"),
    },
    {
      name: "L1",
      about: "32-byte sectors that the requests touch",
      read: inBytes(traffic.globalLoadSectors),
      written: inBytes(traffic.globalStoreSectors),
      hitPct: traffic.l1HitPct,
    },
    {
      name: "L2",
      about: "Sectors that reach L2",
      read: inBytes(traffic.l2ReadSectors),
      written: inBytes(traffic.l2WriteSectors),
      hitPct: traffic.l2HitPct,
    },
    { name: "DRAM", about: "Bytes moved from and to device memory", read: traffic.dramReadBytes, written: traffic.dramWriteBytes },
    ...(traffic.hostReadBytes === undefined
      ? []
      : [
          {
            name: "Host",
            about: "Bytes moved over the link to the host's memory",
            read: traffic.hostReadBytes,
            written: traffic.hostWriteBytes,
          },
        ]),
  ];
}

export function memorySection(report: LaunchReport): HTMLElement {
  const figure = (value: string | undefined) =>
    element("td", {}, value ?? element("span", { class: "quiet", "aria-label": "not known" }, "–"));
  const head = ["Level", "Read", "Written", "Hits"].map((name) => element("th", { scope: "col" }, name));
  const rows = levels(report).map(({ name, about, read, written, hitPct }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", title: about }, name),
      figure(read === undefined ? undefined : formatTraffic(read)),
      figure(written === undefined ? undefined : formatTraffic(written)),
      name === "L1" || name === "L2" ? figure(hitPct === undefined ? undefined : formatPercent(hitPct)) : element("td"),
    ),
  );
  return section("Memory", element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
}
