/** What instructions of a block wait for: data, and accesses that may meet. */
import { nvcc } from "../compilers/compiler.ts";
import type { Kernel } from "../ir/kernel.ts";
import { compareLocations, type Location, locationOf } from "../passes/facts/alias.ts";
import type { Work } from "../work.ts";
import type { Instruction, Register } from "./machine.ts";
import type { ReadsAndMakes } from "./values.ts";

/** An instruction of a block, and those that wait for it. */
export interface Node extends ReadsAndMakes {
  readonly instruction: Instruction;
  readonly index: number;
  readonly next: Node[];
  readonly previous: Node[];
  /** Cycles from its issue to the end of the block, along the longest chain. */
  height: number;
}

const isFarLoad = (opcode: string): boolean => /^(LDG\.|LD\.E|ATOM|LDL|TEX|TLD|SULD)/.test(opcode);
/** Cycles that what depends on an instruction waits for it: of a copy past the registers, only that it is issued. */
export const latencyOf = ({ opcode, latency }: Instruction): number =>
  isFarLoad(opcode) ? nvcc.farLoadLatency : opcode.startsWith("LDGSTS") ? 1 : latency;

/** What leads out of the instructions in order, within a block too: to code for rare operands, or for lanes that are not all there. */
export const isBranch = (opcode: string): boolean => opcode === "BRA" || opcode === "BRA.DIV";

/** Data dependences, and the order of accesses that may meet. */
export function dependences(kernel: Kernel, instructions: readonly Instruction[], values: readonly ReadsAndMakes[], work: Work): Node[] {
  const nodes = instructions.map(
    (instruction, index): Node => ({ instruction, index, ...(values[index] as ReadsAndMakes), next: [], previous: [], height: 0 }),
  );
  const writer = new Map<Register, Node>();
  const readers = new Map<Register, Node[]>();
  const link = (from: Node, to: Node): void => {
    if (from === to || from.next[from.next.length - 1] === to) return;
    from.next.push(to);
    to.previous.push(from);
  };
  const stores: { readonly node: Node; readonly location: Location | undefined }[] = [];
  const loads: { readonly node: Node; readonly location: Location | undefined }[] = [];
  let fence: Node | undefined;
  let split: Node | undefined;
  const last = nodes.length - 1;
  for (const node of nodes) {
    work.ask(2);
    const { opcode, defs, uses, op } = node.instruction;
    if (split) link(split, node);
    // What rare operands, or lanes that are not all there, are left to stands in a block of its own: nothing moves past the branch there.
    if (isBranch(opcode) && node.index < last) {
      work.ask(node.index - (split?.index ?? 0));
      for (const each of nodes.slice(split ? split.index : 0, node.index)) link(each, node);
      split = node;
    }
    for (const use of uses) {
      const from = writer.get(use);
      if (from) link(from, node);
      const list = readers.get(use);
      if (list) list.push(node);
      else readers.set(use, [node]);
    }
    for (const def of defs) {
      // A register written again (a phi's, or under a predicate) waits for its readers.
      for (const reader of readers.get(def) ?? []) link(reader, node);
      const before = writer.get(def);
      if (before) link(before, node);
      writer.set(def, node);
      readers.set(def, []);
    }
    const kind = memoryKind(opcode);
    if (kind === "fence" || (node.index === last && /^(BRA|EXIT|BRX)/.test(opcode))) {
      work.ask(node.index - (fence?.index ?? 0));
      for (const each of nodes.slice(fence ? fence.index : 0, node.index))
        if (kind !== "fence" || (memoryKind(each.instruction.opcode) && !readsConstant(each)) || node.index === last) link(each, node);
      stores.length = 0;
      loads.length = 0;
      fence = node;
    } else if (kind) {
      if (fence && !readsConstant(node)) link(fence, node);
      const location = op ? locationOf(op) : undefined;
      const meets = (other: Location | undefined): boolean => !location || !other || compareLocations(kernel, location, other) !== "none";
      for (const store of stores.slice(-12)) if (!location?.readOnly && meets(store.location)) link(store.node, node);
      if (kind === "store") {
        for (const load of loads.slice(-24)) if (!load.location?.readOnly && meets(load.location)) link(load.node, node);
        stores.push({ node, location });
      } else loads.push({ node, location });
    }
  }
  for (const node of [...nodes].reverse()) {
    const latency = latencyOf(node.instruction);
    for (const next of node.next) node.height = Math.max(node.height, next.height + latency);
  }
  return nodes;
}

/** Loads of what nothing in the kernel writes: not even barriers keep them where they are. */
const readsConstant = ({ instruction: { opcode, op } }: Node): boolean =>
  memoryKind(opcode) === "load" && op !== undefined && locationOf(op)?.readOnly === true;

/** What an instruction does to memory, as far as its order with others goes; undefined: nothing. */
export function memoryKind(opcode: string): "load" | "store" | "fence" | undefined {
  if (/^(BAR|SYNCS|WARPGROUP|MEMBAR|WARPSYNC|DEPBAR|BSYNC|BSSY|CCTL|CALL|BRA|EXIT)/.test(opcode)) return "fence";
  if (/^(ST|SUST|RED|ATOM|LDGSTS)/.test(opcode)) return "store";
  return /^([HIQ]GMMA|LDG|LDS|LDL|LD\.|TEX|TLD|SULD)/.test(opcode) ? "load" : undefined;
}
