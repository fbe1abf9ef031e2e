/**
 * Pipes and latencies of SASS instructions. Latency is from issue until a dependent instruction of the same pipe may issue, as
 * measured on an H200 (validation/microbenchmarks), where it was not by others on Volta to Hopper (Jia et al. 2018; Luo et al.
 * 2024); of memory instructions that of a hit in L1.
 */
import type { Pipe } from "./machine.ts";

export interface OpcodeInfo {
  readonly pipe: Pipe;
  readonly latency: number;
}

const byPrefix: readonly (readonly [prefix: string, pipe: Pipe, latency: number])[] = [
  ["LDGSTS", "lsu", 40],
  ["LDGDEPBAR", "lsu", 4],
  ["DEPBAR", "cbu", 4],
  ["LDG", "lsu", 38],
  ["LDL", "lsu", 38],
  ["LDS", "lsu", 29],
  ["LDC", "adu", 38],
  ["ULDC", "adu", 12],
  ["LD", "lsu", 42],
  ["TEX", "tex", 38],
  ["TLD", "tex", 38],
  ["SULD", "tex", 38],
  ["SUST", "tex", 4],
  ["SURED", "tex", 4],
  ["STG", "lsu", 4],
  ["STS", "lsu", 4],
  ["STL", "lsu", 4],
  ["ST", "lsu", 4],
  ["ATOMS", "lsu", 60],
  ["ATOM", "lsu", 300],
  ["RED", "lsu", 4],
  ["MEMBAR", "lsu", 200],
  ["CCTL", "lsu", 4],
  ["ERRBAR", "lsu", 4],
  ["SHFL", "lsu", 25],
  ["MATCH", "lsu", 30],
  ["S2UR", "adu", 28],
  ["S2R", "adu", 28],
  ["CS2R", "alu", 15],
  ["R2UR", "uniform", 10],
  ["BAR", "adu", 21],
  ["SYNCS", "adu", 21],
  ["WARPSYNC", "cbu", 8],
  ["NANOSLEEP", "cbu", 10],
  ["BSSY", "cbu", 4],
  ["BSYNC", "cbu", 8],
  ["BRA", "cbu", 8],
  ["BRX", "cbu", 14],
  ["EXIT", "cbu", 4],
  ["CALL", "cbu", 10],
  ["RET", "cbu", 10],
  ["BPT", "cbu", 4],
  ["MUFU", "xu", 17],
  ["F2I", "xu", 18],
  ["I2F.", "xu", 18],
  ["F2F", "xu", 18],
  ["FRND", "xu", 18],
  ["POPC", "xu", 17],
  ["FLO", "xu", 17],
  ["BREV", "xu", 17],
  ["I2FP", "alu", 4],
  ["F2FP", "alu", 4],
  ["DADD", "fp64", 8],
  ["DMUL", "fp64", 8],
  ["DFMA", "fp64", 8],
  ["DSETP", "fp64", 10],
  // Measured on an H200, from one product to the next on its result.
  ["HMMA.16816", "tensor", 27],
  ["HMMA.1688.F32.TF32", "tensor", 27],
  ["HMMA", "tensor", 19],
  ["IMMA.16832", "tensor", 27],
  ["IMMA", "tensor", 19],
  ["DMMA", "tensor", 26],
  ["LDSM", "lsu", 33],
  ["MOVM", "xu", 20],
  ["HADD", "fma", 5],
  ["HMUL", "fma", 5],
  ["HFMA", "fma", 5],
  ["HSETP", "alu", 8],
  ["HMNMX", "alu", 5],
  ["FADD", "fma", 4],
  ["FMUL", "fma", 4],
  ["FFMA", "fma", 4],
  ["FCHK", "xu", 18],
  ["FSETP", "alu", 4],
  ["FSEL", "alu", 4],
  ["FMNMX", "alu", 4],
  ["IMAD.WIDE", "fmaheavy", 4],
  ["IMAD.HI", "fmaheavy", 4],
  ["IMAD", "fmaheavy", 4],
  ["IDP", "fmaheavy", 4],
  ["ISETP", "alu", 4],
  ["PLOP3", "alu", 4],
  ["VOTE", "alu", 12],
  ["REDUX", "xu", 37],
  ["UMOV", "uniform", 6],
  ["UIADD", "uniform", 8],
  ["UIMAD", "uniform", 10],
  ["ULEA", "uniform", 8],
  ["USHF", "uniform", 8],
  ["ULOP3", "uniform", 8],
  ["UISETP", "uniform", 12],
  ["USEL", "uniform", 8],
  ["UFLO", "uniform", 14],
];

const known = new Map<string, OpcodeInfo>();

/** Integer and logic instructions not in the table run on `alu` in 4 cycles. */
export function opcodeInfo(opcode: string): OpcodeInfo {
  const before = known.get(opcode);
  if (before) return before;
  const row = byPrefix.find(([prefix]) => opcode.startsWith(prefix));
  const info: OpcodeInfo = row ? { pipe: row[1], latency: row[2] } : { pipe: "alu", latency: 4 };
  known.set(opcode, info);
  return info;
}
