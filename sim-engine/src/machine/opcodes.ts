/** Pipes and latencies of SASS instructions, by the first row of their table (`sim-engine/gpus/instructions.json`) that they begin with. */
import { instructionRows } from "../gpus/model.ts";
import type { Pipe } from "./machine.ts";

export interface OpcodeInfo {
  readonly pipe: Pipe;
  /** Cycles from issue until a dependent instruction of the same pipe may issue; of memory instructions that of a hit in L1. */
  readonly latency: number;
}

const known = new Map<string, OpcodeInfo>();

/** Throws where no row is for all that begins with none of the others. */
export function opcodeInfo(opcode: string): OpcodeInfo {
  const before = known.get(opcode);
  if (before) return before;
  const row = instructionRows.find(({ prefix }) => opcode.startsWith(prefix));
  if (!row) throw new Error(`no latency is known of ${opcode}`);
  const info: OpcodeInfo = { pipe: row.pipe, latency: row.latency };
  known.set(opcode, info);
  return info;
}
