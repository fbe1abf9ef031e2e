/** Launch totals and line counters from what was sampled. */
import { isOfLanes } from "../execute/accesses.ts";
import type { Program } from "../execute/program.ts";
import type { MachineKernel } from "../machine/index.ts";
import type { Sample } from "../sampling/sample.ts";
import { calledInstructions } from "../timing/index.ts";
import type { Work } from "../work.ts";
import type { LaunchReport } from "./launch-report.ts";
import { LineTable } from "./lines.ts";

export interface Tally {
  readonly lines: LineTable;
  /** Those of the kernel's own code, and of the functions of the device's runtime that it calls. */
  readonly instructions: LaunchReport["instructions"];
  readonly called: LaunchReport["instructions"];
  readonly traffic: Pick<
    LaunchReport["traffic"],
    "globalLoadRequests" | "globalLoadSectors" | "globalStoreRequests" | "globalStoreSectors"
  >;
  readonly shared: LaunchReport["shared"];
  /** Bytes the threads asked for in global memory, through textures too. */
  readonly requestedBytes: number;
  /** Sectors of atomics in global memory, without those of tries that were not executed. */
  readonly atomicSectors: number;
}

/** Instructions are the machine code's, each issued as often as a warp runs its block; what is touched is as executed, and as often as it is tried again. */
export function tally(program: Program, machine: MachineKernel, { totals, counts, again }: Sample, work: Work): Tally {
  const lines = new LineTable(program.kernel);
  const instructions = { warp: 0, thread: 0 };
  const called = { warp: 0, thread: 0 };
  for (const compiled of program.blocks) {
    const { executions, lanes, divergent } = counts.flow(totals, compiled);
    // Estimates are rounded, and must not come to more than 32 lanes a warp by that.
    const issued = Math.round(executions);
    const threads = Math.min(32 * issued, Math.round(lanes));
    const code = machine.blocks.get(compiled.block);
    for (const { span, op, callee } of code?.instructions ?? []) {
      work.ask(1);
      if (op?.action.kind === "call" && callee !== undefined && issued > 0) {
        const each = calledInstructions({ callee: op.action.callee, lanes: threads / issued });
        called.warp += Math.round(issued * each.warp);
        called.thread += Math.round(issued * each.thread);
      }
      instructions.warp += issued;
      instructions.thread += threads;
      lines.add(span, { instructions: issued, threadInstructions: threads });
    }
    const { end } = compiled.block;
    // Where both ways are predicated there is no branch to part at.
    const branches = code?.instructions.some(({ opcode }) => opcode.startsWith("BRA") || opcode.startsWith("BRX")) ?? false;
    if (end.kind === "branch" && divergent > 0 && branches) lines.add(end.span, { divergentBranches: Math.round(divergent) });
  }
  const traffic = { globalLoadRequests: 0, globalLoadSectors: 0, globalStoreRequests: 0, globalStoreSectors: 0 };
  const shared = { loadInstructions: 0, storeInstructions: 0, loadWavefronts: 0, storeWavefronts: 0 };
  let requestedBytes = 0;
  let atomicSectors = 0;
  for (const counter of counts.counters) {
    work.ask(2);
    const found = counts.access(totals, counter);
    const [requests, transactions, ideal] = [Math.round(found.requests), Math.round(found.transactions), Math.round(found.ideal)];
    if (requests === 0) continue;
    const { space, operation, op } = counter;
    if (!isOfLanes(operation)) {
      // The profiler tells of the copy engine's sectors in L2 and memory alone.
      if (space === "global") requestedBytes += found.lanes * counter.bytes;
    } else if (space === "global") {
      lines.add(op.span, { globalRequests: requests, globalSectors: transactions, globalSectorsIdeal: ideal });
      requestedBytes += found.lanes * counter.bytes;
      if (operation === "load" || operation === "copy") {
        traffic.globalLoadRequests += requests;
        traffic.globalLoadSectors += transactions;
      } else if (operation === "store") {
        traffic.globalStoreRequests += requests;
        traffic.globalStoreSectors += transactions;
      } else atomicSectors += transactions / (again.get(op) ?? 1);
    } else if (space === "texture") requestedBytes += found.lanes * counter.bytes;
    else if (space === "shared") {
      // What goes past the L1 takes passes of its own, and so the profiler counts it.
      lines.add(op.span, { sharedWavefronts: Math.round(found.passes) || transactions, sharedWavefrontsIdeal: ideal });
      if (operation === "load") {
        shared.loadInstructions += requests;
        shared.loadWavefronts += transactions;
      } else if (operation === "store") {
        // What a copy writes is counted at its line, as the profiler does, but not as a store.
        shared.storeInstructions += requests;
        shared.storeWavefronts += transactions;
      }
    }
  }
  return {
    lines,
    instructions,
    called,
    traffic,
    shared,
    requestedBytes,
    atomicSectors,
  };
}
