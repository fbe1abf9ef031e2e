/**
 * The order ptxas would issue a block's instructions in: what starts the longest chains first, so loads before all else, until
 * registers run short. It decides how many registers are live at once, and how many loads a warp has under way.
 */
import type { Kernel } from "../kernel.ts";
import { compareLocations, type Location, locationOf } from "../passes/alias.ts";
import type { Instruction, Register } from "./machine.ts";

/** Registers kept free for finishing what is under way. */
const headroom = 4;
/** What ptxas reckons with for memory it cannot know to be near. */
const memoryLatency = 400;

interface Node {
  readonly instruction: Instruction;
  readonly index: number;
  readonly next: Node[];
  waiting: number;
  ready: number;
  height: number;
}

export interface Schedule {
  /** The block's instructions as they are issued. */
  readonly order: readonly Instruction[];
  /** The most words of `R` registers live at once. */
  readonly pressure: number;
}

/** A block issued so as to hide latency, within `limit` words of registers where that can be. */
export function schedule(
  kernel: Kernel,
  instructions: readonly Instruction[],
  out: ReadonlySet<Register>,
  merged: ReadonlySet<Register>,
  limit: number,
): Schedule {
  const nodes = dependences(kernel, instructions);
  const remaining = new Map<Register, number>();
  for (const { uses } of instructions) for (const use of uses) remaining.set(use, (remaining.get(use) ?? 0) + 1);
  const written = new Set(instructions.flatMap(({ defs }) => defs));
  const live = new Set<Register>();
  let words = 0;
  const add = (register: Register): void => {
    if (register.file !== "R" || live.has(register)) return;
    live.add(register);
    words += register.words;
  };
  const drop = (register: Register): void => {
    if (live.delete(register)) words -= register.words;
  };
  // Live from before: read here or wanted after, and not made here first.
  const madeFirst = new Set<Register>();
  for (const { defs, uses, predicated } of instructions) {
    for (const use of uses) if (!madeFirst.has(use)) add(use);
    for (const def of defs) if (!predicated || !merged.has(def)) madeFirst.add(def);
  }
  for (const register of out) if (!written.has(register) || !madeFirst.has(register)) add(register);

  const order: Instruction[] = [];
  let most = words;
  let cycle = 0;
  const ready = nodes.filter((node) => node.waiting === 0);
  const growth = ({ instruction }: Node): number => {
    let change = 0;
    for (const def of instruction.defs) if (def.file === "R" && !live.has(def)) change += def.words;
    for (const use of new Set(instruction.uses))
      if (
        live.has(use) &&
        !out.has(use) &&
        remaining.get(use) === instruction.uses.filter((each) => each === use).length &&
        !instruction.defs.includes(use)
      )
        change -= use.words;
    return change;
  };
  while (ready.length > 0) {
    // With registers to spare, what starts the longest chains; else on in the order of the source, which ends live ranges.
    const roomy = (node: Node): boolean => words + Math.max(0, growth(node)) <= limit - headroom;
    let best = -1;
    for (let index = 0; index < ready.length; index++)
      if (roomy(ready[index] as Node) && (best < 0 || better(ready[index] as Node, ready[best] as Node, cycle))) best = index;
    if (best < 0)
      for (let index = 0; index < ready.length; index++)
        if (best < 0 || (ready[index] as Node).index < (ready[best] as Node).index) best = index;
    const node = ready[best] as Node;
    ready[best] = ready[ready.length - 1] as Node;
    ready.pop();
    cycle = Math.max(cycle + 1, node.ready);
    order.push(node.instruction);
    const { defs, uses } = node.instruction;
    for (const use of uses) {
      const left = (remaining.get(use) ?? 1) - 1;
      remaining.set(use, left);
    }
    // Results may take the registers of operands that end here.
    for (const use of uses) if (remaining.get(use) === 0 && !out.has(use) && !defs.includes(use)) drop(use);
    for (const def of defs) add(def);
    most = Math.max(most, words);
    for (const def of defs) if ((remaining.get(def) ?? 0) === 0 && !out.has(def)) drop(def);
    for (const next of node.next) {
      next.ready = Math.max(next.ready, cycle + latencyOf(node.instruction));
      if (--next.waiting === 0) ready.push(next);
    }
  }
  return { order, pressure: most };
}

/** Whether to issue `a` rather than `b` now. */
function better(a: Node, b: Node, cycle: number): boolean {
  const [soonA, soonB] = [Math.max(a.ready, cycle), Math.max(b.ready, cycle)];
  if (soonA !== soonB) return soonA < soonB;
  return a.height === b.height ? a.index < b.index : a.height > b.height;
}

const isFarLoad = (opcode: string): boolean => /^(LDG|LD\.E|ATOM|LDL)/.test(opcode);
const latencyOf = ({ opcode, latency }: Instruction): number => (isFarLoad(opcode) ? memoryLatency : latency);

/** Data dependences, and the order of accesses that may meet. */
function dependences(kernel: Kernel, instructions: readonly Instruction[]): Node[] {
  const nodes = instructions.map((instruction, index): Node => ({ instruction, index, next: [], waiting: 0, ready: 0, height: 0 }));
  const writer = new Map<Register, Node>();
  const readers = new Map<Register, Node[]>();
  const link = (from: Node, to: Node): void => {
    if (from === to || from.next[from.next.length - 1] === to) return;
    from.next.push(to);
    to.waiting++;
  };
  const stores: { readonly node: Node; readonly location: Location | undefined }[] = [];
  const loads: { readonly node: Node; readonly location: Location | undefined }[] = [];
  let fence: Node | undefined;
  const last = nodes.length - 1;
  for (const node of nodes) {
    const { opcode, defs, uses, op } = node.instruction;
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
      for (const each of nodes.slice(fence ? fence.index : 0, node.index))
        if (kind !== "fence" || memoryKind(each.instruction.opcode) || node.index === last) link(each, node);
      stores.length = 0;
      loads.length = 0;
      fence = node;
    } else if (kind) {
      if (fence) link(fence, node);
      const location = op ? locationOf(op) : undefined;
      const meets = (other: Location | undefined): boolean => !location || !other || compareLocations(kernel, location, other) !== "none";
      for (const store of stores.slice(-12)) if (!location?.readOnly && meets(store.location)) link(store.node, node);
      if (kind === "store") {
        for (const load of loads.slice(-24)) if (!load.location?.readOnly && meets(load.location)) link(load.node, node);
        stores.push({ node, location });
      } else loads.push({ node, location });
    }
  }
  for (const node of [...nodes].reverse())
    for (const next of node.next) node.height = Math.max(node.height, next.height + latencyOf(node.instruction));
  return nodes;
}

function memoryKind(opcode: string): "load" | "store" | "fence" | undefined {
  if (/^(BAR|MEMBAR|WARPSYNC|DEPBAR|BSYNC|BSSY|CCTL|BRA|EXIT)/.test(opcode)) return "fence";
  if (/^(ST|RED|ATOM|LDGSTS)/.test(opcode)) return "store";
  return /^(LDG|LDS|LDL|LD\.)/.test(opcode) ? "load" : undefined;
}
