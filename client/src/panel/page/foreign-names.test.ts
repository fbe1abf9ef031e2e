/** Names and source of a workspace stay text in the page, whatever they hold. */
import type { LaunchReport, PanelModel } from "@warplens/server/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linesSection } from "./lines.ts";
import { measuredBody } from "./measured.ts";
import { memorySection } from "./memory.ts";
import { occupancySection } from "./occupancy.ts";
import { header, headline, launchChoice, pinNote } from "./summary.ts";
import { timeSection } from "./time.ts";

/** As much of an element as the page uses. Anything else that it did (`innerHTML`, say) would be no property of it: a TypeError. */
class Fake {
  readonly tag: string;
  readonly attributes = new Map<string, string>();
  readonly children: (Fake | string)[] = [];
  readonly style: Record<string, string> = {};
  constructor(tag: string) {
    this.tag = tag;
    Object.seal(this);
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  addEventListener(): void {}
  append(...children: (Fake | string)[]): void {
    this.children.push(...children);
  }
  prepend(...children: (Fake | string)[]): void {
    this.children.unshift(...children);
  }
}

const all = (element: Fake): Fake[] => [element, ...element.children.flatMap((child) => (typeof child === "string" ? [] : all(child)))];

beforeAll(() => {
  const make = (tag: string) => new Fake(tag);
  Object.assign(globalThis, { document: { createElement: make, createElementNS: (_: string, tag: string) => make(tag) } });
});
afterAll(() => void Reflect.deleteProperty(globalThis, "document"));

function modelOf(name: string): PanelModel {
  const report = {
    kernel: name,
    templateArguments: [name],
    grid: [1, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    resources: { registersPerThread: { value: 16, basis: name }, staticSharedBytes: 0, localBytesPerThread: 0 },
    occupancy: {
      theoreticalPct: 50,
      blocksPerSm: 1,
      activeWarpsPerSm: 1,
      limiters: [name],
      wavesPerSm: 1,
      advice: { nextStep: name, gains: [], losses: [], bestBlockSizes: [], bestOccupancyPct: 50 },
    },
    traffic: { globalLoadRequests: 0, globalLoadSectors: 0, globalStoreRequests: 0, globalStoreSectors: 0 },
    time: { ns: 10, range: [8, 12], cycles: 10, boundBy: name, dramGBs: 0, dramPctOfPeak: 0, requestedGBs: 0, parts: [{ name, ns: 10 }] },
    lines: { "1": { instructions: 1, globalSectors: 1, sharedWavefronts: 1, divergentBranches: 1 } },
    accesses: [],
    assumptions: [{ what: name, value: name, why: name }],
    simulated: { blocks: 1, of: 1, ms: 1 },
  } as unknown as LaunchReport;
  const launch = { kernel: name, templateArguments: name, uri: name, line: 1, configuration: name };
  return {
    uri: name,
    version: 1,
    gpu: { id: name, name, computeCapability: name },
    launches: [launch, launch],
    selected: 0,
    report,
    reason: name,
    isStale: false,
    hasPins: true,
    pinned: {
      gpu: name,
      occupancyPct: 100,
      ns: 20,
      dramGBs: 1,
      levels: [{ name: "L1", read: 64, written: 32, hitPct: 50 }],
      lines: [{ line: 1, text: name, shares: { time: 1, instructions: 1, sectors: 1, wavefronts: 1 } }],
    },
    progress: "done",
    sweeps: [{ resource: "registers", now: 16, to: 32, steps: [[8, 100]] }],
    source: { uri: name, lines: { "1": name } },
    measured: {
      reports: [{ id: name, name, loadedAt: 1, isShown: true, devices: [name], launches: 1, ns: 10 }],
      launch: {
        launches: 1,
        isShared: false,
        figures: [{ name: "time", label: "Time", unit: "ns", measured: 10, estimated: 10, error: 0, isClose: true }],
        lines: { lines: { "1": { samples: 1, share: 1 } }, lost: 0 },
      },
      unmatched: [{ kernel: name, count: 1, why: name }],
      elsewhere: [{ gpu: name, launches: 1 }],
      notes: [name],
    },
  };
}

describe.each(["<img src=x onerror=alert(1)>", '"><script>alert(1)</script>', "javascript:alert(1)", "{{x}} &lt;b&gt;"])("%s", (name) => {
  test("is text, and no attribute that acts", () => {
    const nothing = () => undefined;
    const model = modelOf(name);
    const report = model.report as LaunchReport;
    const drawn = [
      header(model, { gpu: nothing, reset: nothing }, name),
      ...launchChoice(model, nothing),
      headline(report, model.pinned && { figures: model.pinned, same: "as pinned" }, model.measured?.launch),
      ...measuredBody(model.measured, { load: nothing, show: nothing, remove: nothing, outlier: nothing, gpu: nothing }),
      pinNote(model),
      timeSection(report),
      occupancySection(report, model.sweeps, model.pinned, 200),
      memorySection(report, model.pinned),
      linesSection(model, model.measured?.launch?.lines, model.pinned, "instructions", { measure: nothing, reveal: nothing }),
    ] as unknown as Fake[];
    const elements = drawn.flatMap(all);
    const tags = new Set(elements.map(({ tag }) => tag));
    for (const acting of ["script", "img", "a", "iframe", "object", "embed", "link", "style", "form", "base"])
      expect(tags).not.toContain(acting);
    const attributes = new Set(elements.flatMap(({ attributes }) => [...attributes.keys()]));
    for (const attribute of attributes) expect(attribute).not.toMatch(/^(on|href|src|style|formaction|xlink)/);
    const texts = elements.flatMap(({ children }) => children.filter((child) => typeof child === "string"));
    expect(texts.filter((text) => text.includes(name)).length).toBeGreaterThanOrEqual(12);
  });
});
