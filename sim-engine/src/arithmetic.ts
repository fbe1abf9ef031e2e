/**
 * What a launch computes with floating-point numbers, as its machine code does it, and what the GPU could: a multiply-add is two
 * operations, of a packed pair of halves each counts. Rates are those that the time is reckoned with.
 */
import type { Executed } from "./executed.ts";
import type { GpuModel } from "./gpus/model.ts";
import { elementBits, groupDepthBytes, groupRows } from "./ir/kernel.ts";
import type { Instruction } from "./machine/index.ts";
import type { ArithmeticKind, ArithmeticReport } from "./report/launch-report.ts";
import { pipeCycles } from "./timing/rates.ts";
import type { Work } from "./work.ts";

/** Warps of a group, which have as many of its rows each. */
const groupWarps = 4;

/** Of a thread, by what an instruction begins with. */
const scalar: readonly (readonly [opcode: RegExp, kind: ArithmeticKind, operations: number])[] = [
  [/^FFMA/, "fp32", 2],
  [/^F(ADD|MUL)/, "fp32", 1],
  [/^DFMA/, "fp64", 2],
  [/^D(ADD|MUL)/, "fp64", 1],
  [/^HFMA2/, "fp16", 4],
  [/^H(ADD|MUL)2/, "fp16", 2],
];

/** Products of a warp, and the cycles that its tensor core takes for them. */
interface Products {
  readonly kind: ArithmeticKind;
  readonly operations: number;
  readonly cycles: number;
}

function productsOf({ op, work = 1, product }: Instruction, tensorCycles: number): Products | undefined {
  const action = op?.action;
  if (action?.kind === "matrix" && action.op === "multiply") {
    const [m = 0, n = 0, k = 0] = (action.shape.match(/\d+/g) ?? []).map(Number);
    return { kind: action.of === "s8" ? "tensor-integer" : "tensor", operations: 2 * m * n * k, cycles: tensorCycles * work };
  }
  if (action?.kind !== "wgmma" || !product || product.cycles === 0) return undefined;
  const { a, columns } = action.product;
  const operations = (2 * groupRows * columns * ((8 * groupDepthBytes) / elementBits[a])) / groupWarps;
  return { kind: a === "s8" || a === "u8" ? "tensor-integer" : "tensor", operations, cycles: product.cycles };
}

/** Largest first; only what the launch does any of. */
export function arithmeticOf({ program, machine, sample }: Executed, { values }: GpuModel, work: Work): ArithmeticReport[] {
  const operations = new Map<ArithmeticKind, number>();
  const cycles = new Map<ArithmeticKind, number>();
  const add = (to: Map<ArithmeticKind, number>, kind: ArithmeticKind, more: number): void => void to.set(kind, (to.get(kind) ?? 0) + more);
  const tensorCycles = pipeCycles(values).tensor;
  let isTensorClocked = false;
  for (const compiled of program.blocks) {
    const { executions, lanes } = sample.counts.flow(sample.totals, compiled);
    if (executions === 0) continue;
    for (const instruction of machine.blocks.get(compiled.block)?.instructions ?? []) {
      work.ask(1);
      const products = productsOf(instruction, tensorCycles);
      if (products) {
        add(operations, products.kind, products.operations * executions);
        add(cycles, products.kind, products.cycles * executions);
        const { op } = instruction;
        isTensorClocked ||= !(op?.action.kind === "matrix" && op.action.op === "multiply" && op.action.of === "f64");
        continue;
      }
      // A constant is made by an instruction without operands.
      const counted = instruction.uses.length > 0 && scalar.find(([opcode]) => opcode.test(instruction.opcode));
      if (counted) add(operations, counted[1], counted[2] * Math.min(lanes, 32 * executions));
    }
  }
  const megahertz = isTensorClocked ? (values.tensorClock ?? values.clock) : values.clock;
  const perClock = (kind: ArithmeticKind): number => {
    if (kind === "fp64") return 2 * values.fp64PerClock;
    if (kind === "fp32") return 2 * values.fp32PerClock;
    if (kind === "fp16") return 2 * values.fp16PerClock;
    return (values.schedulers * (operations.get(kind) ?? 0)) / (cycles.get(kind) ?? 1);
  };
  return [...operations]
    .map(([kind, count]) => ({ kind, operations: Math.round(count), peakGflops: (perClock(kind) * values.smCount * megahertz) / 1000 }))
    .filter(({ operations: count }) => count > 0)
    .sort((a, b) => b.operations - a.operations);
}
