/** Where loads stand among what is computed: which of them may be issued now, and which can wait. */
import { nvcc } from "../compilers/compiler.ts";
import { memoryKind, type Node } from "./dependences.ts";
import type { Straight } from "./live-words.ts";

/**
 * Far loads under a limit go one after the other as they are written: of pairs the one whose place is known early would else take the registers
 * of the other, and each pair wait for its second by itself (seen in `av_kernel1` of h200-topics: three pairs under way in 32 registers). One may
 * overtake one other. Those that wait for what others load follow only each other.
 */
export class FarLoads {
  /** By how many loads one waits for, one behind the other: the loads, and how many of them have been issued in turn. */
  readonly #rows: { readonly loads: Node[]; first: number }[] = [];
  readonly #depths: Uint32Array;
  readonly #issued = new Set<Node>();

  constructor({ nodes }: Straight) {
    this.#depths = new Uint32Array(nodes.length);
    for (const node of nodes) {
      const depth = node.previous.reduce((most, each) => Math.max(most, this.#depths[each.index]! + (isFar(each) ? 1 : 0)), 0);
      this.#depths[node.index] = depth;
      if (isFar(node)) (this.#rows[depth] ??= { loads: [], first: 0 }).loads.push(node);
    }
  }

  /** Of those that are written before it two have not been issued. */
  waits(node: Node): boolean {
    if (!isFar(node)) return false;
    const { loads, first } = this.#rows[this.#depths[node.index]!]!;
    if (loads[first] === node) return false;
    let second = first + 1;
    while (this.#issued.has(loads[second] as Node)) second++;
    return loads[second] !== node;
  }

  issue(node: Node): void {
    if (!isFar(node)) return;
    this.#issued.add(node);
    const row = this.#rows[this.#depths[node.index]!]!;
    while (this.#issued.has(row.loads[row.first] as Node)) row.first++;
  }
}

/**
 * Loads of shared memory where registers are to spare: ahead until what they are for takes as long as they do, a step or two of a product and
 * not all of it (validation/compiler/boundedBlocks.json).
 */
export class NearLoads {
  /** By index: how many of the near loads that it waits for have not been issued. */
  readonly #missing: Int32Array;
  /** Arithmetic that has all that it needs from shared memory, and has not been issued. */
  #pending = 0;

  constructor({ nodes }: Straight) {
    this.#missing = Int32Array.from(nodes, ({ previous }) => previous.filter(isNear).length);
  }

  get areAhead(): boolean {
    return this.#pending >= nvcc.nearLoadsAhead;
  }

  issue(node: Node): void {
    if (isNear(node)) {
      for (const next of node.next) if (--this.#missing[next.index]! === 0 && isArithmetic(next)) this.#pending++;
    } else if (isArithmetic(node) && node.previous.some(isNear)) this.#pending--;
  }
}

export const isNear = ({ instruction: { opcode } }: Node): boolean => opcode.startsWith("LDS");
const isArithmetic = ({ instruction: { opcode } }: Node): boolean => memoryKind(opcode) === undefined;

/** By index: loads of shared memory, and the arithmetic on what they bring. */
export function ofNearLoads({ nodes }: Straight): readonly boolean[] {
  const are: boolean[] = [];
  for (const node of nodes) are.push(isNear(node) || (isArithmetic(node) && node.previous.some(({ index }) => are[index])));
  return are;
}

/**
 * A far load that only stores wait for, or that is read elsewhere: the next turn's tile. Where registers count, ptxas has it behind most that is
 * made of this one (`buffered` of h200-mixed, `k_reg_prefetch` of h200-practice: 83 to 92 % of a tile's products stand in front of it).
 */
export const isForLater = (node: Node): boolean =>
  isFar(node) && node.next.every(({ instruction: { opcode } }) => /^(store|fence)$/.test(memoryKind(opcode) ?? ""));

const isFar = ({ instruction: { opcode } }: Node): boolean => /^(LDG\.|LD\.E)/.test(opcode);
