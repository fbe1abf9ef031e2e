/** For tests: kernels written as lists of instructions, and the summaries of launches whose warps all run them alike. */
import type { SiteTraffic } from "../../cache/traffic.ts";
import type { Dim3 } from "../../ir/kernel.ts";
import type { Pipe } from "../../machine/machine.ts";
import type { MemorySite } from "../../memory/site.ts";
import type { ExecutionSummary, TimedInstruction } from "../summary.ts";

export class TimedProgram {
  readonly instructions: TimedInstruction[] = [];
  readonly accesses: number[] = [];
  readonly sites: MemorySite[] = [];
  readonly traffic: SiteTraffic[] = [];
  #registers = 0;

  /** Declares where accesses go. */
  site(site: MemorySite, traffic: Partial<SiteTraffic> = {}): number {
    this.traffic.push({
      l1: 0,
      l2: 0,
      underWay: 0,
      l2UnderWay: 0,
      dram: 0,
      accessesPerSector: 0.5,
      linesPerSector: 0.25,
      bytesPerDramSector: 32,
      together: 1,
      along: 0,
      togetherFromMemory: 1,
      scattered: false,
      ...traffic,
    });
    return this.sites.push(site) - 1;
  }

  register(): number {
    return this.#registers++;
  }

  compute(pipe: Pipe, uses: number[], latency = 4): number {
    const result = this.register();
    this.instructions.push({ pipe, latency, uses, defs: [result], kind: "compute" });
    return result;
  }

  /** A chain of dependent instructions. */
  chain(pipe: Pipe, count: number, from: number[] = []): number {
    let last = this.compute(pipe, from);
    for (let i = 1; i < count; i++) last = this.compute(pipe, [last]);
    return last;
  }

  memory(site: number, uses: number[], cycles: number, amount: number): number {
    const result = this.register();
    const { operation } = this.sites[site]!;
    const defs = operation === "load" || operation === "atomic" ? [result] : [];
    this.instructions.push({ pipe: "lsu", latency: 0, uses, defs, kind: "memory", site });
    this.accesses.push(site, cycles, amount);
    return result;
  }

  /** Copies of so many sectors by the copy engine, one a lane, which belong to a phase of an mbarrier; one instruction has a site of its own. */
  bulk(site: number, phase: number, sectors: number, lanes = 1): void {
    this.instructions.push({ pipe: "adu", latency: 0, uses: [], defs: [], kind: "bulk", site });
    for (let lane = 0; lane < lanes; lane++) this.accesses.push(site, phase, sectors);
  }

  /** Waits for a phase. */
  await(site: number, phase: number): number {
    const result = this.register();
    this.instructions.push({ pipe: "adu", latency: 0, uses: [], defs: [result], kind: "await", site });
    this.accesses.push(site, phase, 0);
    return result;
  }

  barrier(): void {
    this.instructions.push({ pipe: "cbu", latency: 0, uses: [], defs: [], kind: "barrier" });
  }

  branch(uses: number[] = []): void {
    this.instructions.push({ pipe: "cbu", latency: 0, uses, defs: [], kind: "branch" });
  }

  /** A launch whose warps each run the program `times` times. */
  launch(grid: number, block: number, options: Partial<ExecutionSummary> & { times?: number; readShare?: number } = {}): ExecutionSummary {
    const { times = 1, readShare = 1, ...rest } = options;
    const warps = Math.ceil(block / 32);
    const trace = {
      blocks: new Uint32Array(times),
      accesses: Uint16Array.from({ length: this.accesses.length * times }, (_, i) => this.accesses[i % this.accesses.length]!),
      accessStart: Uint32Array.from({ length: times + 1 }, (_, i) => (i * this.accesses.length) / 3),
    };
    const dims: Dim3 = [grid, 1, 1];
    return {
      grid: dims,
      block: [block, 1, 1],
      blocksPerSm: Math.min(32, Math.floor(64 / warps)),
      code: [this.instructions],
      registers: this.#registers,
      sites: this.sites,
      blocks: [{ index: 0, weight: grid, warps: Array.from({ length: warps }, () => trace) }],
      totals: { warpInstructions: this.instructions.length * times * warps * grid, requestedBytes: 0 },
      traffic: { sites: this.traffic, l2ReadSectors: 0, l2WriteSectors: 0, dramReadBytes: readShare, dramWriteBytes: 1 - readShare },
      ...rest,
    };
  }
}

/** Blocks of 256 threads that an H200 holds at once. */
export const resident = 1056;

/** Reads and writes as much. `written`: the share of what is written that does not stay in the L2. */
export function copies(times: number, written: number): ExecutionSummary {
  const program = new TimedProgram();
  const from = program.site({ space: "global", operation: "load" }, { dram: 1 });
  const to = program.site({ space: "global", operation: "store" }, { l2: 1 - written, dram: written, accessesPerSector: 0.55 });
  const address = program.chain("alu", 3);
  program.memory(to, [program.memory(from, [address], 4, 16)], 4, 16);
  program.branch([address]);
  return program.launch(resident, 256, { times, readShare: 1 / (1 + written) });
}
