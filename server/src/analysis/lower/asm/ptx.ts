/** PTX as text: instructions, registers, types. */
import type { ScalarType, SpecialRegister } from "@warplens/sim-engine";
import type { Statement } from "../../../syntax/ast.ts";
import { withoutComments } from "../../../syntax/comments.ts";

export type Asm = Statement & { readonly kind: "asm" };

export interface Instruction {
  /** `ld.global.nc.f32` in parts. */
  readonly opcode: readonly string[];
  readonly operands: readonly string[];
}

/** The instructions of a template, comments and the braces of scopes taken out, labels by themselves; predicates are not understood. */
export function instructionsOf(template: string): Instruction[] {
  return withoutComments(template.replaceAll("%%", "%"))
    .split(";")
    .flatMap(statements)
    .map((each) => {
      const [opcode = ""] = each.split(/\s/, 1);
      const operands = (each.slice(opcode.length).match(/\{[^}]*(?:\}|$)|\[[^\]]*(?:\]|$)|[^,\s]+/g) ?? []).map((operand) =>
        operand.trim(),
      );
      return { opcode: opcode.split("."), operands };
    });
}

/** Labels, each by itself, and the instruction that they stand before. */
function statements(text: string): string[] {
  const found: string[] = [];
  // No instruction begins with a brace: it opens a scope or closes one.
  let rest = text.replace(/^[\s{}]+/, "");
  for (let label = labelPattern.exec(rest); label; label = labelPattern.exec(rest)) {
    found.push(label[0]);
    rest = rest.slice(label[0].length).replace(/^[\s{}]+/, "");
  }
  const instruction = rest.trim();
  return instruction === "" ? found : [...found, instruction];
}

/** `again:`, but not the start of `shared::cta`. */
const labelPattern = /^[\w$%=]+:(?!:)/;

export const specials: Readonly<Record<string, SpecialRegister>> = {
  "%cluster_ctarank": "cluster.rank",
  "%cluster_nctarank": "cluster.blocks",
  "%laneid": "laneid",
  "%warpid": "warpid",
  "%smid": "smid",
  "%clock": "clock",
  "%clock64": "clock",
  "%globaltimer": "globaltimer",
};

export const indices = /^%(tid|ntid|ctaid|nctaid)\.([xyz])$/;

export const laneMasks: Readonly<Record<string, "lt" | "le" | "gt" | "ge" | "eq">> = {
  "%lanemask_lt": "lt",
  "%lanemask_le": "le",
  "%lanemask_gt": "gt",
  "%lanemask_ge": "ge",
  "%lanemask_eq": "eq",
};

export const ptxTypes: Readonly<Record<string, ScalarType>> = {
  b8: "i8",
  u8: "i8",
  s8: "i8",
  b16: "i16",
  u16: "i16",
  s16: "i16",
  b32: "i32",
  u32: "i32",
  s32: "i32",
  b64: "i64",
  u64: "i64",
  s64: "i64",
  f16: "f16",
  bf16: "bf16",
  f32: "f32",
  f64: "f64",
};

export const listed = (operand: string): string[] =>
  operand
    .replace(/[{}]/g, "")
    .split(",")
    .map((each) => each.trim());
