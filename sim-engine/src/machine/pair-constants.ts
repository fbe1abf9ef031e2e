/**
 * Constants that stand beside each other are loaded two at a time: `ULDC.64` of c[0x3][0x48] in place of two `ULDC`, where both are needed in
 * one stretch of code and the first stands on a multiple of eight bytes (nvcc 13.0, 9.0: the 49 weights of conv2d_input_tile,
 * validation/h200-topics, take 25; widths and heights that are compared with one after the other take one).
 */
import { intConstant } from "../ir/constants.ts";
import type { Kernel, Op, Parameter } from "../ir/kernel.ts";
import type { Instruction, Register } from "./machine.ts";

/** Where a constant stands: bytes from the beginning of its bank, and which that is. */
export interface ConstantPlace {
  readonly bank: "parameters" | "constants";
  readonly offset: number;
}

/** Two words make a pair from such a multiple on. */
const pairBytes = 8;

/** A stretch of code in which neighbours are loaded together, where the first of them is: `placeOf` says what a register is loaded from. */
export function pairConstants(code: Instruction[], placeOf: (register: Register) => ConstantPlace | undefined): Instruction[] {
  const lone = new Map<string, number>();
  const covered = new Set<number>();
  const paired = new Map<number, Instruction>();
  for (const [index, instruction] of code.entries()) {
    // What comes behind the branch past a slow path, or behind a barrier, ptxas does not look at together.
    if (/^(BAR|BRA|BSYNC)/.test(instruction.opcode)) lone.clear();
    if (instruction.guarded?.part === "branch" || instruction.callee !== undefined) lone.clear();
    const [value] = instruction.defs;
    const place = instruction.opcode === "ULDC" && !instruction.predicated && value ? placeOf(value) : undefined;
    if (!place) continue;
    const key = (offset: number): string => `${place.bank} ${offset}`;
    const neighbour = place.offset % pairBytes === 0 ? place.offset + pairBytes / 2 : place.offset - pairBytes / 2;
    const other = lone.get(key(neighbour));
    if (other === undefined) lone.set(key(place.offset), index);
    else {
      const first = code[other] as Instruction;
      paired.set(other, { ...first, opcode: "ULDC.64", defs: [...first.defs, ...instruction.defs] });
      covered.add(index);
      lone.delete(key(neighbour));
    }
  }
  return paired.size === 0 ? code : code.flatMap((each, index) => (covered.has(index) ? [] : (paired.get(index) ?? each)));
}

/** Where a load of a constant or of a parameter reads; undefined where that is not known or moves. */
export function placeOfLoad({ parameters, globals }: Kernel, load: Op): ConstantPlace | undefined {
  let at = load.args[0];
  let offset = 0;
  while (at?.action.kind === "gep") {
    const index = intConstant(at.args[1]);
    if (index === undefined) return undefined;
    offset += Number(index) * at.action.scale + at.action.offset;
    at = at.args[0];
  }
  if (at?.action.kind === "param.address") return { bank: "parameters", offset: offsetOfParameter(parameters, at.action.index) + offset };
  const start = at?.action.kind === "global.address" ? globals[at.action.index]?.offset : undefined;
  return start === undefined ? undefined : { bank: "constants", offset: start + offset };
}

/** Bytes from the first parameter to another: each stands on a multiple of its own size, aggregates of the largest word that they may consist of. */
export function offsetOfParameter(parameters: readonly Parameter[], index: number): number {
  let end = 0;
  for (const [k, { type, bytes }] of parameters.entries()) {
    const alignment = type === undefined ? ([8, 4, 2].find((each) => bytes % each === 0) ?? 1) : bytes;
    const start = Math.ceil(end / alignment) * alignment;
    if (k === index) return start;
    end = start + bytes;
  }
  return end;
}
