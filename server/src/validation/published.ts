/**
 * Figures that others published of GPUs that this project has not measured, and what the models of those GPUs make of microbenchmarks
 * like theirs (sim-engine/validation/jia-2018).
 */
import path from "node:path";
import { findGpu, type GpuModel, type LaunchReport } from "@warplens/sim-engine";
import { simulateProgram } from "../simulate.ts";
import { analyseFile } from "./measured-set.ts";

export interface PublishedRow {
  /** Where it stands: "table 3.2", of Jia et al. 2018 where nothing else is said. */
  readonly where: string;
  readonly what: string;
  readonly gpu: string;
  readonly unit: string;
  readonly published: number;
  /** Undefined where it could not be simulated. */
  readonly simulated: number | undefined;
}

/** How far the simulated figure is off, as a share of the published. */
export const errorOf = ({ published, simulated = Number.NaN }: PublishedRow): number => (simulated - published) / published;

/** As `published-deviations.ts` names it. */
export const nameOf = ({ where, what, gpu }: PublishedRow): string => `${where}, ${what}, ${gpu}`;

const cards = ["v100-pcie", "p100", "p4", "m60", "k80"] as const;
type Card = (typeof cards)[number];

/** Launches of a program, by kernel in the order of their launches: `name`, `name<argument>`, with `/threads` where blocks differ. */
class Launches {
  readonly gpu: GpuModel;
  readonly #reports: readonly LaunchReport[];

  constructor(folder: string, file: string, id: Card) {
    this.gpu = findGpu(id) as GpuModel;
    const { launches } = simulateProgram(analyseFile(path.join(folder, file), this.gpu), this.gpu, { figuresOnly: true });
    this.#reports = launches.map(({ report }) => report);
  }

  of(kernel: string, argument?: string, threads?: number): readonly LaunchReport[] {
    return this.#reports.filter(
      (report) =>
        report.kernel === kernel &&
        (argument === undefined || report.templateArguments[0] === argument) &&
        (threads === undefined || report.block[0] === threads),
    );
  }

  /** Cycles that the second of two launches takes longer than the first; undefined where one has no time. `pair`: 0 for the first two. */
  between(kernel: string, argument?: string, threads?: number, pair = 0): number | undefined {
    const [less, more] = this.of(kernel, argument, threads).slice(2 * pair);
    return less?.time && more?.time && more.time.cycles - less.time.cycles;
  }
}

const quotient = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a / b;
const times = (a: number | undefined, b: number): number | undefined => a && a * b;
const less = (a: number | undefined, b: number | undefined): number | undefined => (a === undefined || b === undefined ? undefined : a - b);

/** Every row. `folder` holds the programs. Needs the grammar loaded. */
export function publishedRows(folder: string): PublishedRow[] {
  const rows: PublishedRow[] = [];
  const caches = new Map(cards.map((id) => [id, new Launches(folder, "caches.cu", id)]));
  const row = (where: string, what: string, gpu: string, unit: string, published: number, simulated: number | undefined): void =>
    void rows.push({ where, what, gpu, unit, published, simulated });

  const two = new Launches(folder, "schedulers.cu", "v100-pcie");
  // 64 turns of 64 multiply-adds by 64 threads.
  for (const [pair, what, published] of [
    [0, "two warps of one scheduler (0 and 4)", 42.27],
    [1, "two warps of two schedulers (0 and 5)", 66.05],
  ] as const)
    row(
      "table 2.1",
      what,
      "v100-pcie",
      "GFLOPS",
      published,
      quotient((64 * 64 * 64 * 2 * two.gpu.values.clock) / 1000, two.between("two", undefined, undefined, pair)),
    );

  const eachCard = (
    where: string,
    what: string,
    unit: string,
    published: readonly number[],
    simulated: (launches: Launches) => number | undefined,
  ) => {
    for (const [index, [id, launches]] of [...caches].entries()) row(where, what, id, unit, published[index] ?? 0, simulated(launches));
  };
  eachCard("table 3.1", "L1 hit", "cycles", [28, 82, 82, 82, 35], (l) => quotient(l.between("chase", "true"), 1024));
  eachCard("table 3.1", "L2 hit", "cycles", [193, 234, 216, 207, 200], (l) => quotient(l.between("chase", "false"), 1024));
  eachCard("table 3.1", "shared memory, no conflict", "cycles", [19, 24, 23, 23, 26], (l) => quotient(l.between("chaseShared"), 1024));
  // 16 turns of 16 reads and 16 writes by 64 warps, as a share of what all banks can; theirs as the table has both.
  eachCard(
    "table 3.1",
    "shared memory, share of theoretical bandwidth",
    "",
    [12080 / 13800, 7763 / 9519, 3555 / 3919, 2122 / 2410, 2540 / 2912],
    (l) => {
      const { sharedBanks, sharedBankBytes } = l.gpu.values;
      const bytes = 16 * 32 * 64 * 32 * sharedBankBytes;
      return quotient(bytes / (sharedBanks * sharedBankBytes), l.between("shared", sharedBankBytes === 8 ? "double" : "float"));
    },
  );
  eachCard("table 3.2", "L1 throughput of an SM", "bytes/cycle", [108.3, 31.3, 15.7, 15.7, 68.6], (l) =>
    quotient(16 * 32 * 32 * 256, l.between("l1")),
  );
  eachCard("table 3.4", "L2 throughput", "GB/s", [2155, 1624, 979, 446, 339], (l) => {
    const { smCount, clock } = l.gpu.values;
    return times(quotient(4 * smCount * 2 * 65536 * 8, l.between("l2")), clock / 1000);
  });

  const instructions: Readonly<Record<string, readonly [v100: number, p100: number, perStep?: number]>> = {
    fadd: [4, 6],
    fmul: [4, 6],
    ffma: [4, 6],
    // SHF and LOP3; SHL and LOP.
    logic: [8, 12],
    imad: [5, 86],
    dadd: [8, 8],
    dfma: [8, 8],
    hfma2: [6, 6],
    popc: [10, 14],
    mufu: [14, 14],
  };
  for (const [index, id] of (["v100-pcie", "p100"] as const).entries()) {
    const launches = new Launches(folder, "latencies.cu", id);
    for (const [kernel, published] of Object.entries(instructions))
      row("table 4.1", kernel.toUpperCase(), id, "cycles", published[index] ?? 0, quotient(launches.between(kernel), 4096));
  }

  const contended: Readonly<Record<Card, readonly [shared: readonly number[], global: readonly number[]]>> = {
    "v100-pcie": [
      [6, 7, 11, 18, 24, 66],
      [36, 31, 32, 41, 58, 76],
    ],
    p100: [
      [15, 17, 19, 30, 46, 78],
      [26, 31, 48, 48, 50, 50],
    ],
    p4: [
      [16, 18, 25, 30, 46, 78],
      [30, 50, 50, 51, 51, 51],
    ],
    m60: [
      [17, 19, 25, 31, 47, 79],
      [24, 26, 41, 41, 46, 46],
    ],
    k80: [
      [93, 214, 460, 952, 1936, 4257],
      [29, 69, 96, 152, 264, 488],
    ],
  };
  for (const id of cards) {
    const launches = new Launches(folder, "atomics.cu", id);
    const cache = caches.get(id);
    for (const [kind, kernel, load] of [
      [0, "onShared", cache?.between("chaseShared")],
      [1, "onGlobal", cache?.between("chase", "false")],
    ] as const)
      for (const [power, published] of contended[id][kind].entries()) {
        const step = quotient(launches.between(kernel, undefined, 2 ** power), 2048);
        row(
          "table 4.2",
          `${kind === 0 ? "shared" : "global"} atomic, ${2 ** power} threads`,
          id,
          "cycles",
          published,
          less(step, quotient(load, 1024)),
        );
      }
  }

  const copied: Readonly<Record<Card, number>> = { "v100-pcie": 750, p100: 510, p4: 162, m60: 127, k80: 191 };
  const bytesCopied = 2 * 4 * 2 ** 25;
  for (const id of cards) {
    const launches = new Launches(folder, "copies.cu", id);
    const [aligned, eight, one] = launches.of("offsetCopy");
    row("table 3.1", "copy from one array to another", id, "GB/s", copied[id], quotient(bytesCopied, aligned?.time?.ns));
    if (id !== "v100-pcie") continue;
    const guide = "Best Practices Guide, 9.2.1.3";
    row(guide, "copy, no offset", id, "GB/s", 790, quotient(bytesCopied, aligned?.time?.ns));
    row(guide, "copy, offset of 8 words", id, "GB/s", 790, quotient(bytesCopied, eight?.time?.ns));
    row(guide, "copy, offset of 1 word: 9/10", id, "GB/s", 0.9 * 790, quotient(bytesCopied, one?.time?.ns));
    const [, ofTwo, ofEight] = launches
      .of("strideCopy")
      .map(({ traffic }) => quotient(traffic.globalLoadSectors, traffic.globalLoadRequests));
    row("Best Practices Guide, 9.2.1.4", "stride of 2: segments a warp", id, "", 8, ofTwo);
    row("Best Practices Guide, 9.2.1.4", "stride of 8: segments a warp", id, "", 32, ofEight);
  }
  return rows;
}
