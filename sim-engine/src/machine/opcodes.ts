/** Pipes and latencies of SASS instructions, by the first row of their table (`sim-engine/gpus/instructions.json`) that they begin with. */
import type { GpuValues } from "../gpus/figures.ts";
import { instructionRows, reference } from "../gpus/model.ts";
import type { Pipe } from "./machine.ts";

export interface OpcodeInfo {
  readonly pipe: Pipe;
  /** Cycles from issue until a dependent instruction of the same pipe may issue; of memory instructions that of a hit in L1. */
  readonly latency: number;
  /** See `Instruction`. */
  readonly work?: number;
  readonly integerWork?: number;
}

/** The figures that tell one GPU's latencies from another's, each of a kind of instructions. */
export type LatencyFigure = "arithmeticLatency" | "multiplyLatency" | "fp64Latency" | "fp16Latency" | "specialLatency";

const known = new Map<string, OpcodeInfo>();

/** Of the GPU that the table's latencies are those of. Throws where no row is for all that begins with none of the others. */
export function opcodeInfo(opcode: string): OpcodeInfo {
  const before = known.get(opcode);
  if (before) return before;
  const row = instructionRows.find(({ prefix }) => opcode.startsWith(prefix));
  if (!row) throw new Error(`no latency is known of ${opcode}`);
  const { prefix: _, ...info } = row;
  known.set(opcode, info);
  return info;
}

const halves = /^H(ADD|MUL|FMA|MNMX|SETP)/;
const figureOfPipe: Readonly<Partial<Record<Pipe, LatencyFigure>>> = {
  fma: "arithmeticLatency",
  alu: "arithmeticLatency",
  fmaheavy: "multiplyLatency",
  fp64: "fp64Latency",
  xu: "specialLatency",
};

/** The figure of a GPU that says how fast instructions of a kind are there; undefined of those that go to memory or control the warp. */
export const latencyFigureOf = (opcode: string): LatencyFigure | undefined =>
  halves.test(opcode) ? "fp16Latency" : figureOfPipe[opcodeInfo(opcode).pipe];

/**
 * An instruction's latency on a GPU, in cycles: the table's, as many times as the figure of its kind is that of the GPU that the table is
 * of.
 */
export const latencyOn = (gpu: GpuValues, latency: number, figure: LatencyFigure | undefined): number =>
  figure === undefined ? latency : (latency * gpu[figure]) / reference.values[figure];
