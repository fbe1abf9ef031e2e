/** The operands of inline PTX: C++ expressions by number, the template's own registers, addresses. */
import { type Op, type ScalarType, type Space, scalarBits, scalarBytes, sharedBase } from "@warplens/sim-engine";
import type { AsmOperand } from "../../../syntax/ast.ts";
import { decay } from "../../sema/type-tools.ts";
import type { Lowering } from "../emit/lowering.ts";
import { store } from "../emit/memory.ts";
import { convert } from "../emit/scalars.ts";
import { type Asm, indices, laneMasks, ptxTypes, specials } from "./ptx.ts";

export class Operands {
  readonly #lowering: Lowering;
  readonly #asm: Asm;
  readonly #operands: readonly AsmOperand[];
  /** What the template's own registers hold; where it branches, they are variables. */
  readonly #registers = new Map<string, Op>();
  readonly #variables = new Map<string, { readonly pointer: Op; readonly type: ScalarType }>();
  readonly #branches: boolean;

  /** @param branches the template has labels or predicates */
  constructor(lowering: Lowering, asm: Asm, branches: boolean) {
    this.#lowering = lowering;
    this.#asm = asm;
    this.#branches = branches;
    this.#operands = [...asm.outputs, ...asm.inputs];
  }

  special(name: string): Op | undefined {
    const { builder } = this.#lowering;
    const special = specials[name];
    if (special) {
      const op = builder.special(special);
      return name === "%clock" && op.type === "i64" ? builder.convert("trunc", op, "i32") : op;
    }
    const [, register, axis] = indices.exec(name) ?? [];
    if (register && axis) return builder.special(`${register}.${axis}` as "tid.x");
    const mask = laneMasks[name];
    return mask && this.#laneMask(mask);
  }

  #laneMask(which: "lt" | "le" | "gt" | "ge" | "eq"): Op {
    const { builder } = this.#lowering;
    const bit = builder.int("shl", this.#lowering.constant("i32", 1), builder.special("laneid"));
    if (which === "eq") return bit;
    const below = builder.int("sub", bit, this.#lowering.constant("i32", 1));
    const all = this.#lowering.constant("i32", -1);
    if (which === "lt") return below;
    if (which === "ge") return builder.int("xor", below, all);
    const upTo = builder.int("or", below, bit);
    return which === "le" ? upTo : builder.int("xor", upTo, all);
  }

  /** `%0`, a register of the template's own, or an immediate, as bits of a type. */
  read(operand: string, scalar: ScalarType): Op {
    const numbered = /^%(\d+)$/.exec(operand);
    if (numbered) {
      const bound =
        this.#operands[Number(numbered[1])] ?? this.#lowering.fail(`the operand ${operand} of an asm statement is missing`, this.#asm);
      return this.as(this.#lowering.value(bound.value), scalar);
    }
    const register = this.#register(operand);
    if (register) return this.as(register, scalar);
    const special = this.special(operand);
    if (special) return this.as(special, scalar);
    const hexFloat = /^0[fF]([0-9a-fA-F]{8})$/.exec(operand);
    if (hexFloat)
      return this.#lowering.constant("f32", new Float32Array(new Uint32Array([Number.parseInt(hexFloat[1] ?? "0", 16)]).buffer)[0] ?? 0);
    if (/^[-+]?(0[xX][0-9a-fA-F]+|\d+)U?$/.test(operand)) {
      const number = BigInt(operand.replace(/U$/, "").replace(/^[-+]/, "")) * (operand.startsWith("-") ? -1n : 1n);
      return this.#lowering.constant(
        scalar === "ptr" ? "i64" : scalar,
        scalar === "i64" || scalar === "ptr" ? BigInt.asIntN(64, number) : Number(BigInt.asIntN(32, number)),
      );
    }
    return this.#lowering.fail(`the operand ${operand} of an asm statement is not understood`, this.#asm);
  }

  #register(name: string): Op | undefined {
    const variable = this.#variables.get(name);
    if (!variable) return this.#registers.get(name);
    const { pointer, type } = variable;
    return this.#lowering.builder.load("local", type, pointer, { align: scalarBytes[type] });
  }

  #assign(name: string, op: Op): void {
    if (op.type === "void") return;
    const { builder } = this.#lowering;
    let variable = this.#variables.get(name);
    if (!variable) {
      const bytes = scalarBytes[op.type];
      this.#variables.set(name, (variable = { pointer: builder.alloca(bytes, bytes, name), type: op.type }));
    }
    builder.store("local", variable.pointer, [this.as(op, variable.type)], { align: scalarBytes[variable.type] });
  }

  /** What a predicate of the template's own holds. */
  predicate(operand: string): Op | undefined {
    const register = this.#register(operand);
    return register?.type === "i1" ? register : undefined;
  }

  /** The same bits, of the type an instruction takes. */
  as(op: Op, scalar: ScalarType): Op {
    const { builder } = this.#lowering;
    if (op.type === scalar || op.type === "void") return op;
    if (op.type === "ptr") return this.as(builder.convert("ptrtoint", op, "i64"), scalar);
    if (scalar === "ptr") return builder.convert("inttoptr", this.as(op, "i64"), "ptr");
    if (scalarBits[op.type] === scalarBits[scalar]) return builder.convert("bitcast", op, scalar);
    if (op.type.startsWith("i") && scalar.startsWith("i"))
      return builder.convert(scalarBits[op.type] > scalarBits[scalar] ? "trunc" : "zext", op, scalar);
    return this.#lowering.fail("an operand of an asm statement has an unfitting type", this.#asm);
  }

  write(operand: string, op: Op): void {
    const numbered = /^%(\d+)$/.exec(operand);
    if (!numbered) {
      if (this.#branches) this.#assign(operand, op);
      else this.#registers.set(operand, op);
      return;
    }
    const bound = this.#operands[Number(numbered[1])];
    if (!bound || Number(numbered[1]) >= this.#asm.outputs.length)
      this.#lowering.fail(`the operand ${operand} of an asm statement is no output`, this.#asm);
    const place = this.#lowering.place(bound.value);
    const type = decay(this.#lowering.typeOf(bound.value));
    const wanted =
      ptxTypes[{ integer: op.type === "i64" ? "b64" : "b32", floating: "f32" }[type.kind as "integer" | "floating"] ?? "b32"] ?? "i32";
    store(this.#lowering, place, this.#fitted(op, type, wanted));
  }

  #fitted(op: Op, type: ReturnType<typeof decay>, wanted: ScalarType): Op {
    // A half in a register of 16 bits that C++ knows as an integer.
    if (type.kind === "integer" && (op.type === "f16" || op.type === "bf16")) return this.#fitted(this.as(op, "i16"), type, wanted);
    if (type.kind === "integer")
      return op.type.startsWith("i")
        ? convert(
            this.#lowering,
            op,
            { kind: "integer", name: op.type === "i64" ? "ulong" : op.type === "i16" ? "ushort" : op.type === "i8" ? "uchar" : "uint" },
            type,
          )
        : this.as(op, wanted);
    if (type.kind === "floating" && !op.type.startsWith("i")) return op;
    if (type.kind === "floating") return this.as(op, type.name === "double" ? "f64" : type.name === "half" ? "f16" : "f32");
    return type.kind === "pointer" ? this.as(op, "ptr") : op;
  }

  /** `[%1]`, `[%1 + 16]`. */
  address(operand: string, space: Space): Op {
    const inner = operand.replace(/^\[|\]$/g, "").trim();
    const [, base = inner, offset] = /^(\S+?)\s*\+\s*(-?\d+)$/.exec(inner) ?? [];
    const pointer = space === "shared" ? this.#inSharedWindow(base) : this.read(base, "ptr");
    return offset === undefined ? pointer : this.#lowering.builder.gep(pointer, this.#lowering.constant("i32", 0), 1, Number(offset));
  }

  /** An address that counts from where the shared window starts, as a pointer. */
  #inSharedWindow(operand: string): Op {
    const { builder } = this.#lowering;
    const bits = this.read(operand, this.is32(operand) ? "i32" : "i64");
    const wide = bits.type === "i64" ? bits : builder.convert("zext", bits, "i64");
    return builder.convert("inttoptr", builder.int("add", wide, this.#lowering.constant("i64", BigInt(sharedBase))), "ptr");
  }

  is32(operand: string): boolean {
    const numbered = /^%(\d+)$/.exec(operand);
    const bound = numbered && this.#operands[Number(numbered[1])];
    return bound ? bound.constraint.includes("r") : (this.#variables.get(operand) ?? this.#registers.get(operand))?.type === "i32";
  }

  constantOf(operand: string): bigint | number | boolean | undefined {
    const numbered = /^%(\d+)$/.exec(operand);
    const bound = numbered && this.#operands[Number(numbered[1])];
    return bound ? this.#lowering.context.constant(bound.value, this.#lowering.frame.substitution) : undefined;
  }

  immediate(operand: string): bigint | number | boolean {
    if (/^-?\d+$/.test(operand)) return Number(operand);
    return this.constantOf(operand) ?? this.#lowering.fail("a size in an asm statement is not constant", this.#asm);
  }
}
