/** Machine code as the replay reads it. */
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineKernel, Register } from "../machine/machine.ts";
import { latencyFigureOf } from "../machine/opcodes.ts";
import type { AsyncKind, TimedInstruction } from "./summary.ts";

export interface TimedCode {
  /** For `ExecutionSummary.code`. */
  readonly code: readonly (readonly TimedInstruction[])[];
  /** What stands behind each instruction of `code`, block after block. */
  readonly instructions: readonly Instruction[];
  /** For `ExecutionSummary.registers`. */
  readonly registers: number;
  /** Where a block stands in `code`; a predicated block is its home's, whose instructions hold its own. */
  indexOf(block: Block): number;
  /** The block has no instructions of its own: its home's entry in a trace stands for it. */
  isPredicated(block: Block): boolean;
}

const shuffles: ReadonlySet<string> = new Set(["shuffle", "match", "reduce"]);

const atPhases: Readonly<Record<string, AsyncKind>> = { mbarrier: "arrive", "mbarrier.wait": "await", "copy.bulk": "bulk" };

function kindOf({ op, opcode, pipe, product }: Instruction, site: number | undefined): TimedInstruction["kind"] {
  if (product) return "product";
  const action = op?.action.kind;
  if (site !== undefined) return atPhases[action ?? ""] ?? "memory";
  if (action === "call" && opcode.startsWith("CALL")) return "call";
  if (action === "bulk.commit") return "bulk commit";
  if (action === "bulk.wait") return opcode.startsWith("DEPBAR") ? "bulk wait" : "compute";
  if (action === "barrier") return pipe === "cbu" || opcode.startsWith("BAR") || opcode.startsWith("SYNCS") ? "barrier" : "compute";
  if (action === "copy.wait") return "wait";
  if (action === "wgmma.wait") return "product wait";
  if (action === "copy.commit") return "commit";
  if (action !== undefined && shuffles.has(action) && pipe === "lsu") return "shuffle";
  if (opcode.startsWith("LDC")) return "constant";
  if (opcode.startsWith("IMAD.WIDE")) return "wide product";
  return opcode.startsWith("BRA") || opcode.startsWith("BRX") ? "branch" : "compute";
}

/**
 * A warp at a barrier stands still an instruction later: what follows is issued beside it (h200-barriers.txt). Here that stands before it,
 * but for what needs a register that is loaded anywhere, which the warp does not wait for before it comes to the barrier.
 */
function besideBarriers(instructions: readonly Instruction[], loaded: ReadonlySet<Register>): readonly Instruction[] {
  if (!instructions.some(isBarrier)) return instructions;
  const order = [...instructions];
  for (let k = 0; k + 1 < order.length; k++) {
    const [at, next] = [order[k]!, order[k + 1]!];
    if (!isBarrier(at) || !/^(alu|fma|fmaheavy|uniform)$/.test(next.pipe) || next.uses.some((use) => loaded.has(use))) continue;
    order[k] = next;
    order[++k] = at;
  }
  return order;
}

function loadedIn({ blocks }: MachineKernel): ReadonlySet<Register> {
  const loaded = new Set<Register>();
  for (const { instructions } of blocks.values())
    for (const { pipe, defs } of instructions) if (/^(lsu|adu|tex)$/.test(pipe)) for (const def of defs) loaded.add(def);
  return loaded;
}

const isBarrier = ({ opcode }: Instruction): boolean => opcode.startsWith("BAR.SYNC");

/** Pipes whose instructions keep operands for the next one. */
const keeps = /^(fma|fmaheavy|alu|fp16|fp64|tensor)$/;

/**
 * Registers that an instruction reads. What arithmetic before it has read in the same place, and not written over, is kept, as the compiler sees
 * to it: factors may change places, what is added may not. The two banks of the register file are taken to be asked alike over a few
 * instructions (h200-register-banks.tsv, h200-register-reads.tsv).
 */
function registersRead({ pipe, uses }: Instruction, before: Instruction | undefined): number {
  const read = new Set(uses.filter(({ file }) => file === "R"));
  if (before !== undefined && keeps.test(pipe) && keeps.test(before.pipe))
    for (const use of before.uses) if (isAdded(before.uses, use) === isAdded(uses, use) && !before.defs.includes(use)) read.delete(use);
  let words = 0;
  for (const each of read) words += each.words;
  return words;
}

/** Whether an operand is the third of three. */
const isAdded = (uses: readonly Register[], use: Register): boolean => uses.indexOf(use) === 2;

/** What a match goes round for: each different value, twice where it is of 64 bits; once where all are asked whether they are alike. */
function roundsOf({ action, args }: Op, values: number | undefined): number {
  const rounds = action.kind === "match" && action.mode === "any" ? (values ?? 1) : 1;
  return rounds * (args[1]?.type === "i64" || args[1]?.type === "f64" ? 2 : 1);
}

/**
 * `sites` numbers the memory operations (loads, stores, atomics, copies) whose accesses are recorded. Of a memory operation that
 * takes several instructions the first memory instruction makes the access. `seen`: how many different values a match was seen to meet, and
 * how many lanes make a call, on average.
 */
export function timedCode(machine: MachineKernel, sites: ReadonlyMap<Op, number>, seen: ReadonlyMap<Op, number>): TimedCode {
  const numbers = new Map<number, number>();
  const numberOf = ({ id }: { id: number }): number => {
    let number = numbers.get(id);
    if (number === undefined) numbers.set(id, (number = numbers.size));
    return number;
  };
  const indices = new Map<Block, number>();
  const predicated = new Set<Block>();
  const code: TimedInstruction[][] = [];
  const all: Instruction[] = [];
  const loaded = loadedIn(machine);
  for (const [block, { instructions: written, home }] of machine.blocks) {
    if (home) {
      predicated.add(block);
      continue;
    }
    const instructions = besideBarriers(written, loaded);
    // One by one: there may be more than a call takes arguments.
    for (const instruction of instructions) all.push(instruction);
    const made = new Set<Op>();
    indices.set(block, code.length);
    code.push(
      instructions.map((instruction, at) => {
        const { opcode, pipe, latency, work, integerWork, product, uses, defs, op, guards = [] } = instruction;
        const latencyFigure = latencyFigureOf(opcode);
        const goesToMemory = pipe === "lsu" || pipe === "tex" || pipe === "adu" || product !== undefined;
        const accesses = op !== undefined && goesToMemory && !made.has(op) ? sites.get(op) : undefined;
        if (op !== undefined && accesses !== undefined) made.add(op);
        const kind = kindOf(instruction, accesses);
        const action = op?.action;
        const waits = action?.kind === "copy.wait" || action?.kind === "bulk.wait" || action?.kind === "wgmma.wait";
        // All of one shape: a replay reads them again and again.
        return {
          pipe,
          latency,
          latencyFigure,
          uses: uses.map(numberOf),
          defs: defs.map(numberOf),
          kind,
          guards: guards.length === 0 ? undefined : guards.map(numberOf),
          pending: waits ? action.pending : undefined,
          reads: action?.kind === "bulk.wait" && action.read,
          copies: action?.kind === "mbarrier" && action.op === "copies",
          grid: action?.kind === "barrier" && action.grid,
          work,
          integerWork,
          // What a group's product reads of its sums was not measured.
          operands: product === undefined ? registersRead(instruction, instructions[at - 1]) : undefined,
          rounds: opcode === "MATCH" && op ? roundsOf(op, seen.get(op)) : undefined,
          call: kind === "call" && action?.kind === "call" ? { callee: action.callee, lanes: (op && seen.get(op)) ?? 1 } : undefined,
          product,
          site: accesses,
        };
      }),
    );
  }
  const homeOf = (block: Block): Block => {
    const home = machine.blocks.get(block)?.home;
    return home ? homeOf(home) : block;
  };
  return {
    code,
    instructions: all,
    registers: numbers.size,
    indexOf: (block) => indices.get(homeOf(block)) ?? -1,
    isPredicated: (block) => predicated.has(block),
  };
}
