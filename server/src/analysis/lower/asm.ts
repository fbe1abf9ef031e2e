/** Inline PTX: the instructions that real kernels write by hand. Anything else is not simulated. */
import { type CacheHint, type MathFunction, type Op, type ScalarType, type Space, sharedBase } from "@warplens/sim-engine";
import type { AsmOperand, Statement } from "../../syntax/ast.ts";
import { decay } from "../sema/type-tools.ts";
import type { Lowering } from "./lowering.ts";
import { store } from "./memory.ts";
import { convert } from "./scalars.ts";

type Asm = Statement & { readonly kind: "asm" };

interface Instruction {
  /** `ld.global.nc.f32` in parts. */
  readonly opcode: readonly string[];
  readonly operands: readonly string[];
}

/** The instructions of a template, comments and braces taken out; predicates are not understood. */
function instructionsOf(template: string): Instruction[] {
  return template
    .replaceAll("%%", "%")
    .replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, " ")
    .split(/[;\n]/)
    .map((each) => each.trim().replace(/^\{\s+/, ""))
    .filter((each) => each !== "" && each !== "{" && each !== "}")
    .map((each) => {
      const [, opcode = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(each) ?? [];
      const operands = (rest.match(/\{[^}]*\}|\[[^\]]*\]|[^,\s]+/g) ?? []).map((operand) => operand.trim());
      return { opcode: opcode.split("."), operands };
    });
}

const specials: Readonly<Record<string, "laneid" | "warpid" | "smid" | "clock" | "globaltimer" | "activemask">> = {
  "%laneid": "laneid",
  "%warpid": "warpid",
  "%smid": "smid",
  "%clock": "clock",
  "%clock64": "clock",
  "%globaltimer": "globaltimer",
};
const indices = /^%(tid|ntid|ctaid|nctaid)\.([xyz])$/;
const laneMasks: Readonly<Record<string, "lt" | "le" | "gt" | "ge" | "eq">> = {
  "%lanemask_lt": "lt",
  "%lanemask_le": "le",
  "%lanemask_gt": "gt",
  "%lanemask_ge": "ge",
  "%lanemask_eq": "eq",
};

const types: Readonly<Record<string, ScalarType>> = {
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

const approximations: Readonly<Record<string, MathFunction>> = {
  ex2: "exp2",
  lg2: "log2",
  rcp: "rcp",
  rsqrt: "rsqrt",
  sqrt: "sqrt",
  sin: "sin",
  cos: "cos",
  tanh: "tanh",
};

export function lowerAsm(lowering: Lowering, asm: Asm): void {
  const operands = [...asm.outputs, ...asm.inputs];
  const registers = new Map<string, Op>();
  for (const instruction of instructionsOf(asm.template)) new Emitter(lowering, asm, operands, registers).run(instruction);
}

/** Emits one instruction. */
class Emitter {
  readonly #lowering: Lowering;
  readonly #asm: Asm;
  readonly #operands: readonly AsmOperand[];
  readonly #registers: Map<string, Op>;

  constructor(lowering: Lowering, asm: Asm, operands: readonly AsmOperand[], registers: Map<string, Op>) {
    this.#lowering = lowering;
    this.#asm = asm;
    this.#operands = operands;
    this.#registers = registers;
  }

  run(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const [name = ""] = opcode;
    const scalar = types[opcode.at(-1) ?? ""];
    const [to = "", ...from] = operands;
    const { builder } = this.#lowering;
    this.#lowering.at(this.#asm);
    const read = (index: number): Op => this.#read(from[index] ?? "", scalar ?? "i32");
    switch (name) {
      case ".reg":
        return;
      case "":
        // `.reg .u32 t1;`
        return;
      case "mov":
        this.#write(to, this.#special(from[0] ?? "") ?? read(0));
        return;
      case "add":
      case "sub":
      case "mul": {
        if (!scalar) this.#unknown(instruction);
        if (opcode.includes("wide") || opcode.includes("hi") || opcode.includes("cc")) this.#unknown(instruction);
        const floating = scalar.startsWith("f") || scalar === "bf16";
        this.#write(to, floating ? builder.float(`f${name}`, read(0), read(1)) : builder.int(name, read(0), read(1)));
        return;
      }
      case "fma":
      case "mad":
        if (scalar && (scalar.startsWith("f") || scalar === "bf16")) {
          this.#write(to, builder.fma(read(0), read(1), read(2)));
          return;
        }
        this.#write(to, builder.int("add", builder.int("mul", read(0), read(1)), read(2)));
        return;
      case "and":
      case "or":
      case "xor":
        this.#write(to, builder.int(name, read(0), read(1)));
        return;
      case "shl":
        this.#write(to, builder.int("shl", read(0), this.#read(from[1] ?? "", "i32")));
        return;
      case "shr":
        this.#write(to, builder.int((opcode.at(-1) ?? "").startsWith("s") ? "ashr" : "lshr", read(0), this.#read(from[1] ?? "", "i32")));
        return;
      case "not":
        this.#write(to, builder.int("xor", read(0), this.#lowering.constant(scalar ?? "i32", scalar === "i64" ? -1n : -1)));
        return;
      case "popc":
      case "brev":
      case "clz":
        this.#write(to, builder.math(name, "precise", "i32", read(0)));
        return;
      case "prmt":
        this.#write(to, builder.math("byteperm", "precise", "i32", read(0), read(1), read(2)));
        return;
      case "bfe":
        this.#write(
          to,
          this.#bitField(
            (opcode.at(-1) ?? "").startsWith("s"),
            read(0),
            this.#read(from[1] ?? "", "i32"),
            this.#read(from[2] ?? "", "i32"),
          ),
        );
        return;
      case "bfi":
        this.#write(to, this.#bitInsert(read(0), read(1), read(2), read(3)));
        return;
      case "lop3":
        this.#write(to, this.#lop3(read(0), read(1), read(2), Number(from[3])));
        return;
      case "min":
      case "max":
        this.#write(to, this.#extreme(name, opcode.at(-1) ?? "", read(0), read(1)));
        return;
      case "ex2":
      case "lg2":
      case "rcp":
      case "rsqrt":
      case "sqrt":
      case "sin":
      case "cos":
      case "tanh":
        this.#write(
          to,
          builder.math(approximations[name] ?? "sqrt", opcode.includes("approx") ? "fast" : "precise", scalar ?? "f32", read(0)),
        );
        return;
      case "ld":
        this.#load(instruction, scalar);
        return;
      case "st":
        this.#store(instruction, scalar);
        return;
      case "cp":
        this.#copy(instruction);
        return;
      case "membar":
      case "fence":
        builder.emit({ kind: "fence", scope: opcode.includes("sys") ? "system" : opcode.includes("cta") ? "block" : "device" }, "void");
        return;
      case "bar":
      case "barrier":
        if (opcode.includes("warp")) builder.emit({ kind: "syncwarp" }, "void");
        else builder.barrier();
        return;
      case "shfl":
        this.#shuffle(instruction);
        return;
      case "prefetch":
      case "prefetchu":
      case "discard":
      case "griddepcontrol":
      case "nanosleep":
      case "pragma":
        return;
      case "trap":
        builder.emit({ kind: "trap" }, "void");
        return;
      case "cvta":
      case "cvt":
        this.#convert(instruction);
        return;
      default:
        this.#unknown(instruction);
    }
  }

  #unknown(instruction: Instruction): never {
    return this.#lowering.fail(`the PTX instruction ${instruction.opcode.join(".")} is not simulated`, this.#asm);
  }

  #special(name: string): Op | undefined {
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
  #read(operand: string, scalar: ScalarType): Op {
    const numbered = /^%(\d+)$/.exec(operand);
    if (numbered) {
      const bound =
        this.#operands[Number(numbered[1])] ?? this.#lowering.fail(`the operand ${operand} of an asm statement is missing`, this.#asm);
      return this.#as(this.#lowering.value(bound.value), scalar);
    }
    const register = this.#registers.get(operand);
    if (register) return this.#as(register, scalar);
    const special = this.#special(operand);
    if (special) return this.#as(special, scalar);
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

  /** The same bits, of the type an instruction takes. */
  #as(op: Op, scalar: ScalarType): Op {
    const { builder } = this.#lowering;
    if (op.type === scalar || op.type === "void") return op;
    if (op.type === "ptr") return this.#as(builder.convert("ptrtoint", op, "i64"), scalar);
    if (scalar === "ptr") return builder.convert("inttoptr", this.#as(op, "i64"), "ptr");
    const bits: Readonly<Record<ScalarType, number>> = {
      i1: 1,
      i8: 8,
      i16: 16,
      i32: 32,
      i64: 64,
      f16: 16,
      bf16: 16,
      f32: 32,
      f64: 64,
      ptr: 64,
    };
    if (bits[op.type] === bits[scalar]) return builder.convert("bitcast", op, scalar);
    if (op.type.startsWith("i") && scalar.startsWith("i"))
      return builder.convert(bits[op.type] > bits[scalar] ? "trunc" : "zext", op, scalar);
    return this.#lowering.fail("an operand of an asm statement has an unfitting type", this.#asm);
  }

  #write(operand: string, op: Op): void {
    const numbered = /^%(\d+)$/.exec(operand);
    if (!numbered) {
      this.#registers.set(operand, op);
      return;
    }
    const bound = this.#operands[Number(numbered[1])];
    if (!bound || Number(numbered[1]) >= this.#asm.outputs.length)
      this.#lowering.fail(`the operand ${operand} of an asm statement is no output`, this.#asm);
    const place = this.#lowering.place(bound.value);
    const type = decay(this.#lowering.typeOf(bound.value));
    const wanted =
      types[{ integer: op.type === "i64" ? "b64" : "b32", floating: "f32" }[type.kind as "integer" | "floating"] ?? "b32"] ?? "i32";
    store(this.#lowering, place, this.#fitted(op, type, wanted));
  }

  #fitted(op: Op, type: ReturnType<typeof decay>, wanted: ScalarType): Op {
    if (type.kind === "integer")
      return op.type.startsWith("i")
        ? convert(
            this.#lowering,
            op,
            { kind: "integer", name: op.type === "i64" ? "ulong" : op.type === "i16" ? "ushort" : op.type === "i8" ? "uchar" : "uint" },
            type,
          )
        : this.#as(op, wanted);
    if (type.kind === "floating" && !op.type.startsWith("i")) return op;
    if (type.kind === "floating") return this.#as(op, type.name === "double" ? "f64" : type.name === "half" ? "f16" : "f32");
    return type.kind === "pointer" ? this.#as(op, "ptr") : op;
  }

  #bitField(signed: boolean, value: Op, position: Op, length: Op): Op {
    const { builder } = this.#lowering;
    const thirtyTwo = this.#lowering.constant("i32", 32);
    const left = builder.int("shl", value, builder.int("sub", builder.int("sub", thirtyTwo, position), length));
    return builder.int(signed ? "ashr" : "lshr", left, builder.int("sub", thirtyTwo, length));
  }

  #bitInsert(value: Op, into: Op, position: Op, length: Op): Op {
    const { builder } = this.#lowering;
    const one = this.#lowering.constant("i32", 1);
    const mask = builder.int("shl", builder.int("sub", builder.int("shl", one, length), one), position);
    const kept = builder.int("and", into, builder.int("xor", mask, this.#lowering.constant("i32", -1)));
    return builder.int("or", kept, builder.int("and", builder.int("shl", value, position), mask));
  }

  /** Any function of three bits, as a sum of the products its table says. */
  #lop3(a: Op, b: Op, c: Op, table: number): Op {
    const { builder } = this.#lowering;
    const all = this.#lowering.constant("i32", -1);
    let result: Op = this.#lowering.constant("i32", 0);
    for (let row = 0; row < 8; row++) {
      if (!((table >> row) & 1)) continue;
      const term = [a, b, c]
        .map((each, index) => ((row >> (2 - index)) & 1 ? each : builder.int("xor", each, all)))
        .reduce((left, right) => builder.int("and", left, right));
      result = builder.int("or", result, term);
    }
    return result;
  }

  #extreme(which: "min" | "max", type: string, a: Op, b: Op): Op {
    const { builder } = this.#lowering;
    if (type.startsWith("f") || type === "bf16") return builder.float(`f${which}`, a, b);
    return builder.int(type.startsWith("s") ? `s${which}` : `u${which}`, a, b);
  }

  /** `[%1]`, `[%1 + 16]`. */
  #address(operand: string, space: Space): Op {
    const inner = operand.replace(/^\[|\]$/g, "").trim();
    const [, base = inner, offset] = /^(\S+?)\s*\+\s*(-?\d+)$/.exec(inner) ?? [];
    const pointer = space === "shared" ? this.#inSharedWindow(base) : this.#read(base, "ptr");
    return offset === undefined ? pointer : this.#lowering.builder.gep(pointer, this.#lowering.constant("i32", 0), 1, Number(offset));
  }

  /** An address that counts from where the shared window starts, as a pointer. */
  #inSharedWindow(operand: string): Op {
    const { builder } = this.#lowering;
    const bits = this.#read(operand, this.#is32(operand) ? "i32" : "i64");
    const wide = bits.type === "i64" ? bits : builder.convert("zext", bits, "i64");
    return builder.convert("inttoptr", builder.int("add", wide, this.#lowering.constant("i64", BigInt(sharedBase))), "ptr");
  }

  #is32(operand: string): boolean {
    const numbered = /^%(\d+)$/.exec(operand);
    const bound = numbered && this.#operands[Number(numbered[1])];
    return bound ? bound.constraint.includes("r") : this.#registers.get(operand)?.type === "i32";
  }

  #space(opcode: readonly string[]): Space {
    return opcode.includes("global")
      ? "global"
      : opcode.some((each) => each.startsWith("shared"))
        ? "shared"
        : opcode.includes("const")
          ? "constant"
          : opcode.includes("local")
            ? "local"
            : "generic";
  }

  #cache(opcode: readonly string[]): { readonly cache?: CacheHint } {
    const hint = opcode.find((each): each is CacheHint => ["ca", "cg", "cs", "cv", "lu", "nc", "wb", "wt"].includes(each));
    return hint ? { cache: hint } : {};
  }

  #components(opcode: readonly string[]): number {
    return opcode.includes("v4") ? 4 : opcode.includes("v2") ? 2 : 1;
  }

  #load({ opcode, operands }: Instruction, scalar: ScalarType | undefined): void {
    const [to = "", from = ""] = operands;
    if (!scalar) this.#lowering.fail("a PTX load of an unknown type", this.#asm);
    const space = this.#space(opcode);
    const components = this.#components(opcode);
    const bytes = { i8: 1, i16: 2, f16: 2, bf16: 2, i32: 4, f32: 4 }[scalar as "i8"] ?? 8;
    const op = this.#lowering.builder.load(space, scalar, this.#address(from, space), {
      components,
      align: bytes * components,
      ...this.#cache(opcode),
      ...(opcode.includes("volatile") ? { volatile: true } : {}),
    });
    if (components === 1) {
      this.#write(to, op);
      return;
    }
    for (const [index, each] of listed(to).entries()) this.#write(each, this.#lowering.builder.extract(op, index));
  }

  #store({ opcode, operands }: Instruction, scalar: ScalarType | undefined): void {
    const [to = "", from = ""] = operands;
    if (!scalar) this.#lowering.fail("a PTX store of an unknown type", this.#asm);
    const space = this.#space(opcode);
    const values = (this.#components(opcode) > 1 ? listed(from) : [from]).map((each) => this.#read(each, scalar));
    const bytes = { i8: 1, i16: 2, f16: 2, bf16: 2, i32: 4, f32: 4 }[scalar as "i8"] ?? 8;
    this.#lowering.builder.store(space, this.#address(to, space), values, {
      align: bytes * values.length,
      ...this.#cache(opcode),
      ...(opcode.includes("volatile") ? { volatile: true } : {}),
    });
  }

  #copy(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const { builder } = this.#lowering;
    if (opcode[1] !== "async" || opcode.includes("bulk") || opcode.includes("mbarrier")) this.#unknown(instruction);
    if (opcode.includes("commit_group")) builder.emit({ kind: "copy.commit" }, "void");
    else if (opcode.includes("wait_all")) builder.emit({ kind: "copy.wait", pending: 0 }, "void");
    else if (opcode.includes("wait_group"))
      builder.emit({ kind: "copy.wait", pending: Number(this.#immediate(operands[0] ?? "")) }, "void");
    else {
      const [to = "", from = "", size = "", source] = operands;
      if (source !== undefined && !/^\d+$/.test(source) && this.#constantOf(source) === undefined)
        this.#lowering.fail("an asynchronous copy that fills with zeros by a run-time count", this.#asm);
      builder.emit(
        { kind: "copy.async", bytes: Number(this.#immediate(size)), bypassL1: opcode.includes("cg") },
        "void",
        this.#address(to, "shared"),
        this.#address(from, "global"),
      );
    }
  }

  #constantOf(operand: string): bigint | number | boolean | undefined {
    const numbered = /^%(\d+)$/.exec(operand);
    const bound = numbered && this.#operands[Number(numbered[1])];
    return bound ? this.#lowering.context.constant(bound.value, this.#lowering.frame.substitution) : undefined;
  }

  #immediate(operand: string): bigint | number | boolean {
    if (/^\d+$/.test(operand)) return Number(operand);
    return this.#constantOf(operand) ?? this.#lowering.fail("a size in an asm statement is not constant", this.#asm);
  }

  #shuffle(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const mode = opcode.find((each) => each === "idx" || each === "up" || each === "down" || each === "bfly");
    const [to = "", shuffled = "", lane = "", clamp = "", mask = "0xffffffff"] = operands;
    const bound = /^\d+$|^0x/i.test(clamp) ? Number(clamp) : Number(this.#constantOf(clamp) ?? this.#unknown(instruction));
    const width = 32 - ((bound >> 8) & 31);
    const op = this.#lowering.builder.shuffle(
      mode === "bfly" ? "xor" : mode === "up" || mode === "down" ? mode : "idx",
      this.#read(mask, "i32"),
      this.#read(shuffled, "i32"),
      this.#read(lane, "i32"),
      width,
    );
    this.#write(to.split("|")[0] ?? to, op);
  }

  #convert(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const [to = "", from = ""] = operands;
    const [target, source] = [types[opcode.at(-2) ?? ""], types[opcode.at(-1) ?? ""]];
    if (opcode[0] === "cvta") {
      this.#write(to, this.#read(from, this.#is32(from) ? "i32" : "i64"));
      return;
    }
    if (!target || !source) this.#unknown(instruction);
    const signed = (opcode.at(-1) ?? "").startsWith("s");
    const value = this.#read(from, source);
    const { builder } = this.#lowering;
    const floating = (type: ScalarType): boolean => !type.startsWith("i");
    if (floating(target) && floating(source)) {
      if (target === source) {
        this.#write(to, value);
        return;
      }
      const wide = { f16: 16, bf16: 16, f32: 32, f64: 64 } as Readonly<Record<string, number>>;
      this.#write(to, builder.convert((wide[target] ?? 0) > (wide[source] ?? 0) ? "fpext" : "fptrunc", value, target));
      return;
    }
    if (floating(target)) {
      this.#write(to, builder.convert(signed ? "sitofp" : "uitofp", value, target));
      return;
    }
    if (floating(source)) {
      this.#write(to, builder.convert((opcode.at(-2) ?? "").startsWith("s") ? "fptosi" : "fptoui", value, target));
      return;
    }
    const bits: Readonly<Record<string, number>> = { i8: 8, i16: 16, i32: 32, i64: 64 };
    if (target === source) {
      this.#write(to, value);
      return;
    }
    this.#write(to, builder.convert((bits[target] ?? 0) < (bits[source] ?? 0) ? "trunc" : signed ? "sext" : "zext", value, target));
  }
}

const listed = (operand: string): string[] =>
  operand
    .replace(/[{}]/g, "")
    .split(",")
    .map((each) => each.trim());
