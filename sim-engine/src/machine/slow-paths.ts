/**
 * The slow paths of divisions and roots. Before it is gone by, the usual path's own code looks at the operands: with zero, infinite or
 * denormal ones, or where the result might be, a warp calls a function of some forty instructions. Here they are taken where operands
 * are known to be such in all threads, all through a launch, as those of cleared memory are.
 */
import { slowPath } from "../compilers/expansions.ts";
import type { SlowCase } from "../compilers/files.ts";
import type { Block, Op } from "../ir/kernel.ts";
import type { Guarded, Instruction, MachineBlock, MachineKernel, Register } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";

/** What is known of an operand; undefined: nothing. */
type Operand = number | undefined;

/** The operands by which divisions and roots of this code go the usual or the slow way. */
export function guardedOperands({ blocks }: MachineKernel): readonly Op[] {
  const found = new Set<Op>();
  for (const { instructions } of blocks.values())
    for (const { guarded } of instructions) if (guarded?.part === "branch") for (const arg of guarded.op.args) found.add(arg);
  return [...found];
}

/** The code with the slow paths that these values make all warps take; registers are as they were. */
export function withSlowPaths(machine: MachineKernel, known: ReadonlyMap<Op, number | bigint>): MachineKernel {
  if (known.size === 0) return machine;
  const cases = new Map<Op, SlowCase | undefined>();
  const caseOf = (guarded: Guarded): SlowCase | undefined => {
    const { op } = guarded;
    if (!cases.has(op)) cases.set(op, slowCase(guarded, known));
    return cases.get(op);
  };
  const shared = sharedDivisions(machine);
  let next = mostRegister(machine) + 1;
  const register = (): Register => ({ id: next++, file: "R", words: 1 });
  let changed = false;
  const blocks = new Map<Block, MachineBlock>();
  for (const [block, code] of machine.blocks) {
    const instructions = code.instructions.flatMap((instruction): readonly Instruction[] => {
      const { guarded } = instruction;
      const kind = guarded && caseOf(guarded);
      const path = kind && slowPath(shared.has(typeOf(guarded)) ? withoutConstant(guarded.name) : guarded.name, typeOf(guarded), kind);
      if (!guarded || !path) return [instruction];
      changed = true;
      if (guarded.part === "rest") return path.instead ? [] : [instruction];
      return [instruction, ...called(instruction, guarded, path, lastOf(code.instructions, guarded, path.instead), register)];
    });
    blocks.set(block, { ...code, instructions });
  }
  return changed ? { ...machine, blocks, known } : machine;
}

/**
 * Types whose divisions are by several divisors: all call one function. One that is called with the same constant alone is made for it
 * (of 32-bit floats nvcc 13.0 takes 29 instructions for 0 / 3 so, and 37 beside a division by 7: cuobjdump, and counted on an H100).
 */
function sharedDivisions({ blocks }: MachineKernel): ReadonlySet<"f32" | "f64"> {
  const divisors = new Map<"f32" | "f64", Set<unknown>>();
  for (const { instructions } of blocks.values())
    for (const { guarded } of instructions) {
      if (!guarded || !/^div/.test(guarded.name)) continue;
      const { op } = guarded;
      const by = op.args[1]?.action;
      const known = divisors.get(typeOf(guarded)) ?? new Set();
      divisors.set(typeOf(guarded), known.add(by?.kind === "const" ? by.value : op));
    }
  return new Set([...divisors].filter(([, by]) => by.size > 1).map(([type]) => type));
}

const withoutConstant = (name: string): string => (name === "divConstant" ? "div" : name);

const typeOf = ({ op }: Guarded): "f32" | "f64" => (op.type === "f64" ? "f64" : "f32");

/** The registers that what follows takes its operand from. */
function lastOf(code: readonly Instruction[], { op }: Guarded, instead: boolean): readonly Register[] {
  const own = code.filter(({ guarded }) => guarded?.op === op && (instead || guarded.part === "branch"));
  return own.at(-1)?.defs ?? [];
}

/** The function's instructions, each on the result of the one before; the last gives what the usual path would have. */
function called(
  branch: Instruction,
  { op }: Guarded,
  { code }: { readonly code: readonly string[] },
  result: readonly Register[],
  register: () => Register,
): Instruction[] {
  let last: readonly Register[] = branch.defs;
  return code.map((opcode, index) => {
    const uses = last;
    last = index < code.length - 1 ? [register()] : result;
    return { opcode, ...opcodeInfo(opcode), span: op.span, defs: last, uses };
  });
}

const mostRegister = ({ blocks }: MachineKernel): number => {
  let most = 0;
  for (const { instructions } of blocks.values())
    for (const { defs, uses } of instructions) for (const { id } of [...defs, ...uses]) most = Math.max(most, id);
  return most;
};

/** How the code finds operands to be special; undefined where it goes the usual way. One of which nothing is known is taken for 1. */
function slowCase({ op, name }: Guarded, known: ReadonlyMap<Op, number | bigint>): SlowCase | undefined {
  const [first, second] = op.args.map((arg): Operand => (known.has(arg) ? Number(known.get(arg)) : undefined));
  if (first === undefined && second === undefined) return undefined;
  const isDouble = op.type === "f64";
  if (name === "sqrt") return first === undefined ? undefined : isDouble ? rootOfDouble(first) : rootOfFloat(first);
  if (name === "rcp") {
    // Written as 1 / x, or as a function of x.
    const x = op.action.kind === "math" ? first : second;
    return x === undefined ? undefined : isDouble ? reciprocalOfDouble(x) : reciprocalOfFloat(x);
  }
  return isDouble ? quotientOfDoubles(first ?? 1, second ?? 1) : quotientOfFloats(first ?? 1, second ?? 1);
}

const view = new DataView(new ArrayBuffer(8));

function bitsOfFloat(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

/** Of a double, the word with its sign and exponent. */
function highWord(value: number): number {
  view.setFloat64(0, value);
  return view.getUint32(0);
}

const exponentOfFloat = (value: number): number => (bitsOfFloat(value) >>> 23) & 0xff;

/** What comes of a division that is special in itself. */
function specialQuotient(a: number, b: number): SlowCase | undefined {
  if (Number.isNaN(a) || Number.isNaN(b)) return "nan";
  if ((a === 0 && b === 0) || (isInfinite(a) && isInfinite(b))) return "invalid";
  if (a === 0 || isInfinite(b)) return "zero";
  return b === 0 || isInfinite(a) ? "infinite" : undefined;
}

const isInfinite = (value: number): boolean => Math.abs(value) === Number.POSITIVE_INFINITY;

/** FCHK goes by the exponents alone: measured of all pairs, with four pairs of mantissas each (h100-slow-paths.txt). */
function quotientOfFloats(a: number, b: number): SlowCase | undefined {
  const [over, under] = [exponentOfFloat(a), exponentOfFloat(b)];
  const usual = over >= 25 && over <= 254 && under >= 2 && under <= 251 && over - under >= -124 && over - under <= 126;
  if (usual) return undefined;
  return specialQuotient(a, b) ?? (over === 0 || under === 0 ? "tiny" : "scaled");
}

/** `x + 0x1800000 & 0x7f800000` above 0x1ffffff goes the usual way. */
function reciprocalOfFloat(x: number): SlowCase | undefined {
  if (((bitsOfFloat(x) + 0x1800000) & 0x7f800000) >>> 0 > 0x1ffffff) return undefined;
  return specialQuotient(1, x) ?? (exponentOfFloat(x) === 0 ? "tiny" : "scaled");
}

/** `x - 0xd000000` up to 0x727fffff, without a sign, goes the usual way. */
function rootOfFloat(x: number): SlowCase | undefined {
  if ((bitsOfFloat(x) - 0xd000000) >>> 0 <= 0x727fffff) return undefined;
  return specialRoot(x) ?? "tiny";
}

function specialRoot(x: number): SlowCase | undefined {
  if (Number.isNaN(x)) return "nan";
  if (x === 0) return "zero";
  if (x < 0) return "negative";
  return x === Number.POSITIVE_INFINITY ? "infinite" : undefined;
}

/** The high words are looked at as if they were floats: the dividend's from 0x3600000, the quotient's above 0x100000 go the usual way. */
function quotientOfDoubles(a: number, b: number): SlowCase | undefined {
  const special = specialQuotient(a, b);
  if (special) return special;
  const word = (value: number): number => highWord(value) & 0x7fffffff;
  if (word(a) >= 0x3600000 && word(a / b) > 0x100000 && Number.isFinite(a / b)) return undefined;
  return word(a) < 0x100000 || word(b) < 0x100000 ? "tiny" : "scaled";
}

/** The high word plus 0x300402, as a float without its sign, is 0x400402 at least on the usual way. */
function reciprocalOfDouble(x: number): SlowCase | undefined {
  if (((highWord(x) + 0x300402) & 0x7fffffff) >>> 0 >= 0x400402) return undefined;
  return specialQuotient(1, x) ?? ((highWord(x) & 0x7fffffff) <= 0x1000000 ? "tiny" : "scaled");
}

/** The high word less 0x3500000 is below 0x7ca00000 on the usual way. */
function rootOfDouble(x: number): SlowCase | undefined {
  if ((highWord(x) + 0xfcb00000) >>> 0 < 0x7ca00000) return undefined;
  return specialRoot(x) ?? "tiny";
}
