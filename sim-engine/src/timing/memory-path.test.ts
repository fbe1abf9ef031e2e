import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { MemoryPath } from "./memory-path.ts";
import { memoryRates } from "./rates.ts";
import { TimedProgram } from "./testing/program.ts";

const { values } = findGpu("h200")!;

/** The memory path of one SM that alone makes requests at one site. */
function path(operation: "load" | "store" | "copy", traffic: Parameters<TimedProgram["site"]>[1]): { memory: MemoryPath; site: number } {
  const program = new TimedProgram();
  const site = program.site({ space: "global", operation, ...(operation === "copy" ? { pastL1: true } : {}) }, traffic);
  return { memory: new MemoryPath(values, memoryRates(values, 1, 1), program.launch(1, 32), 0, 0, 1), site };
}

/** Cycles from one request of `passes` to the next, asked for by so many schedulers in turn. */
function interval(schedulers: number, passes: number): number {
  const { memory, site } = path("load", { l1: 1 });
  const done = Array.from({ length: 16 }, (_, k) => {
    memory.scheduler = k % schedulers;
    memory.request(site, 0, passes, passes);
    return memory.done;
  });
  return (done[15]! - done[7]!) / 8;
}

describe("loads of 32 lines that the L1 has (validation/microbenchmarks/h200-rows.txt, stride 1024)", () => {
  test("of one scheduler take two cycles a line", () => expect(interval(1, 32)).toBeCloseTo(64, 5));

  test("of four schedulers fill each other's gaps: 32.6 cycles", () => expect(interval(4, 32) / 32.6).toBeCloseTo(1, 0));

  test("a load of one line waits for nobody", () => expect(interval(4, 1)).toBeCloseTo(values.l1PassInterval, 5));
});

describe("16 loads of 32 rows side by side, one warp (validation/microbenchmarks/h100-rows-cold.txt, rows of 8,192 bytes)", () => {
  /** Cycles until the last is there, where those of every so many come of `traffic` and the others find their sectors under way. */
  const turn = (traffic: Parameters<TimedProgram["site"]>[1], every: number): number => {
    const program = new TimedProgram();
    const missing = program.site({ space: "global", operation: "load" }, { linesPerSector: 1, accessesPerSector: 1, ...traffic });
    const found = program.site({ space: "global", operation: "load" }, { l1: 1 });
    const memory = new MemoryPath(values, memoryRates(values, 1, 1), program.launch(1, 32), 0, 0, 1);
    const turns = Array.from({ length: 32 }, (_, t) => {
      const begin = 10_000 * t;
      let last = begin;
      for (let k = 0; k < 16; k++) {
        memory.request(k % every === 0 ? missing : found, begin, 32, 32);
        last = Math.max(last, memory.done);
      }
      return last - begin;
    });
    return turns.reduce((sum, each) => sum + each, 0) / turns.length;
  };
  test.each([
    ["the L2, a sector each", { l2: 1 }, 1, 820],
    ["the L2, eight on each sector", { l2: 1 }, 8, 816],
    // Every other sector has come along with the one before.
    ["memory, a sector each", { l2: 0.5, dram: 0.5, bytesPerDramSector: 64 }, 1, 1737],
    ["memory, two on each sector", { l2: 0.5, dram: 0.5, bytesPerDramSector: 64 }, 2, 1623],
    ["memory, four on each sector", { l2: 0.5, dram: 0.5, bytesPerDramSector: 64 }, 4, 1446],
    ["memory, eight on each sector", { l2: 0.5, dram: 0.5, bytesPerDramSector: 64 }, 8, 1368],
  ])("from %s, within 20 %%", (_, traffic, every, cycles) => {
    expect(turn(traffic, every) / cycles).toBeGreaterThan(0.8);
    expect(turn(traffic, every) / cycles).toBeLessThan(1.2);
  });
});

test("a turn of two loads and a product with 64 bits takes 2.5 cycles, where a load is one pass; where it is two, what its passes take (h200-naive-parts.txt)", () => {
  const turn = (passes: number, products: number): number => {
    const { memory, site } = path("load", { l1: 1 });
    // The schedulers take turns, each with the first load of a turn and then with the second.
    const done = Array.from({ length: 256 }, (_, k) => {
      const isFirst = k % 8 < 4;
      memory.scheduler = k % 4;
      if (isFirst) for (let product = 0; product < products; product++) memory.wideProduct(0);
      memory.request(site, 0, isFirst ? passes : 1, passes);
      return memory.done;
    });
    return (done[255]! - done[127]!) / 64;
  };
  expect(turn(1, 0)).toBeCloseTo(2, 1);
  expect(turn(1, 1)).toBeCloseTo(2.5, 1);
  expect(turn(2, 1)).toBeCloseTo(3, 1);
});

test.each([
  [1, 994],
  [2, 1128],
  [4, 1348],
  [8, 2055],
])(
  "%i warps of eight loads each of one sector a row, from memory, meet where it arrives: within 15 %% (h200-pending.txt)",
  (warps, cycles) => {
    const program = new TimedProgram();
    const traffic = { l2: 0.5, dram: 0.5, bytesPerDramSector: 64, linesPerSector: 1, accessesPerSector: 1 };
    const missing = program.site({ space: "global", operation: "load" }, traffic);
    const found = program.site({ space: "global", operation: "load" }, { l1: 1 });
    const memory = new MemoryPath(values, memoryRates(values, 1, 1), program.launch(1, 32), 0, 0, 1);
    const turns = 32;
    const next = Array.from({ length: warps }, (_, warp) => ({ warp, at: 0, turn: 0, load: 0, last: 0 }));
    for (;;) {
      const first = next.filter(({ turn }) => turn < turns).sort((a, b) => a.at - b.at)[0];
      if (first === undefined) break;
      memory.warp = first.warp;
      memory.scheduler = first.warp % 4;
      memory.request(first.load === 0 ? missing : found, first.at, 32, 32);
      first.last = Math.max(first.last, memory.done);
      first.at = ++first.load === 8 ? first.last : first.at + 2;
      if (first.load === 8) Object.assign(first, { load: 0, turn: first.turn + 1 });
    }
    const turn = Math.max(...next.map(({ last }) => last)) / turns;
    expect(turn / cycles).toBeGreaterThan(0.85);
    expect(turn / cycles).toBeLessThan(1.15);
  },
);

test.each([
  ["lone sectors, in lines of their own: 64 cycles for 32 (h200-rows.txt)", 1, 64],
  ["whole lines: 32 bytes a cycle (h200-bandwidth.txt)", 0.25, 32],
  ["pairs of sectors", 0.5, 32],
])("stores keep the port to the L2 busy by lines and by bytes: %s", (_, linesPerSector, cycles) => {
  const { memory, site } = path("store", { l2: 1, linesPerSector });
  for (let k = 0; k < 8; k++) memory.request(site, 0, 4, 32);
  expect(memory.writePort.busy).toBeCloseTo(8 * cycles, 5);
});

test("a load under a predicate that no lane has goes the way of all: 22 cycles from shared memory, 23 from the L1 (h200-predicates.txt)", () => {
  const program = new TimedProgram();
  const sites = [program.site({ space: "shared", operation: "load" }), program.site({ space: "global", operation: "load" }, { l1: 1 })];
  const memory = new MemoryPath(values, memoryRates(values, 1, 1), program.launch(1, 32), 0, 0, 1);
  for (const site of sites) {
    memory.request(site, 100, 0, 0);
    expect(memory.done).toBeCloseTo(122.5, -0.5);
  }
});

test("loads of 32 passes from shared memory: 16 wait before the L1, the next at issue (h200-memory-queue.txt)", () => {
  const program = new TimedProgram();
  const site = program.site({ space: "shared", operation: "load" }, {});
  const memory = new MemoryPath(values, memoryRates(values, 1, 1), program.launch(1, 32), 0, 0, 1);
  const issued = Array.from({ length: 20 }, () => {
    const at = Math.max(0, memory.accepts(0));
    memory.request(site, at, 32, 0);
    return at;
  });
  expect([issued[15], issued[16], issued[19]]).toEqual([0, 32, 128]);
});

test("copies past the L1 wait for their passes where loads from shared memory do not wait for them (h200-async-copies.txt)", () => {
  const { memory, site } = path("copy", { l2: 1 });
  for (let k = 0; k < 8; k++) memory.request(site, 0, 15, 24);
  expect([memory.l1.free, memory.copies.busy]).toEqual([32, 120]);
});

test("an SM hands on 20 atomics before one that waits for its slice holds up loads (h200-atomics-under-way.txt)", () => {
  const program = new TimedProgram();
  const site = program.site({ space: "global", operation: "reduction" }, { l2: 1 });
  // Each takes 6,600 cycles of this SM's share.
  const memory = new MemoryPath(values, memoryRates(values, 132, 1), program.launch(1, 32), 6600, 32, 132);
  const held = Array.from({ length: 24 }, () => {
    memory.request(site, 0, 1, 1);
    return memory.l1.free;
  });
  expect(held.findIndex((until) => until > 6000)).toBe(20);
  expect(held[23]! - held[22]!).toBeCloseTo(6600, -1);
});

test("what another block has asked memory for is waited for as what comes from there, and costs memory nothing", () => {
  const after = (traffic: Parameters<TimedProgram["site"]>[1]): readonly [done: number, memory: number] => {
    const { memory, site } = path("load", traffic);
    memory.request(site, 0, 1, 4);
    return [memory.done, memory.dram.busy];
  };
  const [found, alone, shared] = [after({ l2: 1 }), after({ dram: 1 }), after({ l2: 1, l2UnderWay: 1 })];
  expect(shared[0] - found[0]).toBeCloseTo(values.dramLatency - values.l2Latency, -1.5);
  expect(shared[1]).toBe(0);
  expect(alone[1]).toBeGreaterThan(0);
});

describe("of loads of 32 rows an eighth of whose sectors comes from memory, all wait for it that it is spread over", () => {
  const traffic = { l1: 7 / 8, dram: 1 / 8, linesPerSector: 1, accessesPerSector: 1 };
  /** How many of 32 loads, each after the one before, take longer than the L1. */
  const waiting = (together: number): number => {
    const { memory, site } = path("load", { ...traffic, together });
    let [at, count] = [0, 0];
    for (let k = 0; k < 32; k++) {
      memory.request(site, at, 32, 32);
      if (memory.done - at > 2 * values.l2Latency) count++;
      at = memory.done;
    }
    return count;
  };

  test("each eighth where rows begin alike", () => expect(waiting(1)).toBe(4));

  test("each where they begin apart", () => expect(waiting(1 / 8)).toBe(32));
});

test.each([
  ["memory, where that is on its way there for another block", 0.05, values.dramLatency],
  ["the L2, where most of it is there", 0.01, values.l2Latency],
])("a load that finds its line asked for by another warp waits as long as that for %s", (_, l2UnderWay, latency) => {
  const { memory, site } = path("load", { l1: 0.95, l2: 0.05, underWay: 0.9, l2UnderWay });
  // The first request is nobody's but its own, and translates its address.
  for (let k = 0; k < 8; k++) memory.request(site, 10_000 * k, 1, 4);
  memory.request(site, 100_000, 1, 4);
  expect((memory.done - 100_000) / latency).toBeCloseTo(1, 1);
});

describe("rows that warps read again (validation/microbenchmarks/h200-second-pass.txt, 64 warps, rows of 4 KB)", () => {
  const lost = 0.36;
  const { memory, site } = path("load", { l2: 1 - lost, dram: lost, rereads: { share: 1, lostByL1: 1, lostByL2: lost } });
  // By warp: the share of its requests that come from memory.
  const shares = Array.from({ length: 64 }, (_, warp) => {
    const before = memory.dram.busy;
    memory.number = warp;
    for (let turn = 0; turn < 32; turn++) memory.request(site, 1e4 * turn, 4, 4);
    const each = 4 * memoryRates(values, 1, 1).dramPerByte * values.sectorBytes;
    return (memory.dram.busy - before) / (32 * each);
  }).sort((a, b) => a - b);

  test("come from memory as often as is lost, all warps together", () =>
    expect(shares.reduce((sum, each) => sum + each, 0) / 64).toBeCloseTo(lost, 1));

  test("hardly for a tenth of the warps, and for the last nearly every time", () => {
    expect(shares[6]).toBeLessThan(0.1);
    expect(shares[63]).toBeGreaterThan(0.9);
  });
});
