/**
 * Operations the hardware lacks: what they become, as opcodes in order, each working on the result of the one before. Which
 * they are the compiler's file says: on the usual path, with no denormals and no special values, and |x| below 105615 in trigonometry;
 * what handles the rest is behind a branch that is counted. Where it is taken `machine/slow-paths.ts` says.
 */

import { defaultCompiler } from "./compiler.ts";
import type { SlowCase } from "./files.ts";

/** `FFMA*5` is five in a row. */
const sequence = (text: string): readonly string[] =>
  text.split(" ").flatMap((each) => {
    const [opcode = "", times] = each.split("*");
    return Array.from({ length: times ? Number(times) : 1 }, () => opcode);
  });

const { sequences } = defaultCompiler;
const cached = new Map<string, readonly string[]>();

/** The opcodes of a sequence, by its name in the compiler's file: "f32.exp", "i32.udiv"; undefined where there is none. */
export function opcodesOf(name: string): readonly string[] | undefined {
  const known = cached.get(name);
  if (known) return known;
  const code = sequences[name]?.code;
  if (code === undefined) return undefined;
  const opcodes = sequence(code);
  cached.set(name, opcodes);
  return opcodes;
}

/**
 * The opcodes of a library function or division of floats; undefined for what one instruction does, or takes as a modifier.
 * @param flushed denormals are zero, so that nothing is scaled to keep them
 */
export function expansion(name: string, type: "f32" | "f64", fast: boolean, flushed = false): readonly string[] | undefined {
  if (type === "f32") {
    const kind = fast ? "f32.fast" : "f32";
    return (flushed ? opcodesOf(`${kind}.flushed.${name}`) : undefined) ?? opcodesOf(`${kind}.${name}`) ?? opcodesOf(`f32.${name}`);
  }
  // What nobody looked at of doubles is taken to go as for floats.
  return opcodesOf(`f64.${name}`) ?? opcodesOf(`f32.${name}`)?.map((opcode) => opcode.replace(/^F(FMA|ADD|MUL)/, "D$1"));
}

/** What NVVM sees of a library function: PTX instructions, and whether they hold a loop; undefined for what is about one instruction. */
export function libraryFunction(name: string, type: "f32" | "f64"): { readonly ptx: number; readonly loops: boolean } | undefined {
  const found = sequences[`${type}.${name}`] ?? sequences[`f32.${name}`];
  return found?.ptx === undefined ? undefined : { ptx: found.ptx, loops: found.loops === true };
}

/** Words of registers of the function that takes over for rare operands, beside what is live across the call; undefined where none is called. */
export const calleeWords = (name: string, type: "f32" | "f64" | "i64", fast: boolean): number | undefined =>
  fast ? undefined : sequences[`${type}.${name}`]?.callee;

/** What a warp runs besides for operands of such a kind, and whether without the rest of the usual path; undefined where nobody looked. */
export function slowPath(
  name: string,
  type: "f32" | "f64",
  slowCase: SlowCase,
): { readonly code: readonly string[]; readonly instead: boolean } | undefined {
  const { slow, instead = false } = sequences[`${type}.${name}`] ?? {};
  const code = slow?.[slowCase];
  return code === undefined ? undefined : { code: sequence(code), instead };
}

/** Whether it is known what becomes of operands that are left to a function. */
export const hasSlowPath = (name: string, type: "f32" | "f64"): boolean => sequences[`${type}.${name}`]?.slow !== undefined;
