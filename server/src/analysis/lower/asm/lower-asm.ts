/** Inline PTX: the instructions that real kernels write by hand. Anything else is not simulated. */

import type {
  AtomicOperation,
  AtomicScope,
  CacheHint,
  FloatPredicate,
  IntPredicate,
  MathFunction,
  MatrixElement,
  MatrixShape,
  Op,
  ScalarType,
  Space,
} from "@warplens/sim-engine";
import { assumeOwnShared, syncCluster } from "../emit/clusters.ts";
import type { Lowering } from "../emit/lowering.ts";
import { lowerArithmetic } from "./arithmetic.ts";
import { lowerAsync } from "./async.ts";
import { branches, lowerFlow } from "./flow.ts";
import { lowerWgmma } from "./group-product.ts";
import { Operands } from "./operands.ts";
import { type Asm, type Instruction, instructionsOf, listed, ptxTypes } from "./ptx.ts";

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

const matrixElements: Readonly<Record<string, MatrixElement>> = { f16: "f16", bf16: "bf16", tf32: "tf32", s8: "s8", u8: "s8", f64: "f64" };

const signedComparisons: Readonly<Record<string, IntPredicate>> = { eq: "eq", ne: "ne", lt: "slt", le: "sle", gt: "sgt", ge: "sge" };
const unsignedComparisons: Readonly<Record<string, IntPredicate>> = {
  eq: "eq",
  ne: "ne",
  lt: "ult",
  le: "ule",
  gt: "ugt",
  ge: "uge",
  lo: "ult",
  ls: "ule",
  hi: "ugt",
  hs: "uge",
};
/** The threads that an access is atomic among, or a fence is for. */
const scopeOf = (opcode: readonly string[]): AtomicScope =>
  opcode.includes("sys") ? "system" : opcode.includes("cta") ? "block" : "device";

/** Volatile, or atomic: an access with a memory order is. */
const strength = (opcode: readonly string[]): { readonly volatile?: true; readonly atomic?: AtomicScope } =>
  opcode.some((each) => /^(relaxed|acquire|release)$/.test(each))
    ? { volatile: true, atomic: scopeOf(opcode) }
    : opcode.includes("volatile")
      ? { volatile: true }
      : {};

const floatComparisons: Readonly<Record<string, FloatPredicate>> = { eq: "oeq", neu: "une", lt: "olt", le: "ole", gt: "ogt", ge: "oge" };

export function lowerAsm(lowering: Lowering, asm: Asm): void {
  const instructions = instructionsOf(asm.template);
  const at = new Operands(lowering, asm, branches(instructions));
  const emitter = new Emitter(lowering, asm, at);
  lowerFlow(
    lowering,
    asm,
    instructions,
    (instruction) => emitter.run(instruction),
    (name) => at.read(name, "i1"),
  );
}

/** Emits a statement's instructions, one after the other. */
class Emitter {
  readonly #lowering: Lowering;
  readonly #asm: Asm;
  readonly #at: Operands;

  constructor(lowering: Lowering, asm: Asm, at: Operands) {
    this.#lowering = lowering;
    this.#asm = asm;
    this.#at = at;
  }

  run(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const [name = ""] = opcode;
    const scalar = ptxTypes[opcode.at(-1) ?? ""];
    const [to = "", ...from] = operands;
    const { builder } = this.#lowering;
    this.#lowering.at(this.#asm);
    // Of words as a whole that saturate, or are cut at zero, nothing is computed rather than something wrong.
    const ofWords = /^[su](16|32|64)$/.test(opcode.at(-1) ?? "") && /^(add|sub|mul|mad|min|max|abs|neg)$/.test(name);
    if (ofWords && (opcode.includes("sat") || opcode.includes("relu"))) this.#unknown(instruction);
    // Names that every object of JavaScript has would be found in the tables by which instructions are told.
    if (opcode.some((part) => part in Object.prototype)) this.#unknown(instruction);
    if (lowerAsync(this.#lowering, this.#at, instruction)) return;
    if (lowerArithmetic(this.#lowering, this.#at, instruction)) return;
    const read = (index: number): Op => this.#at.read(from[index] ?? "", scalar ?? "i32");
    switch (name) {
      case ".reg":
        return;
      case "":
        // `.reg .u32 t1;`
        return;
      case "mov":
        this.#at.write(to, this.#at.special(from[0] ?? "") ?? read(0));
        return;
      case "add":
      case "sub":
      case "mul": {
        if (!scalar) this.#unknown(instruction);
        if (opcode.includes("wide") || opcode.includes("hi") || opcode.includes("cc")) this.#unknown(instruction);
        const floating = scalar.startsWith("f") || scalar === "bf16";
        this.#at.write(to, floating ? builder.float(`f${name}`, read(0), read(1)) : builder.int(name, read(0), read(1)));
        return;
      }
      case "fma":
      case "mad":
        if (opcode.includes("cc") || opcode.includes("hi") || opcode.includes("wide")) this.#unknown(instruction);
        if (scalar && (scalar.startsWith("f") || scalar === "bf16")) {
          this.#at.write(to, builder.fma(read(0), read(1), read(2)));
          return;
        }
        this.#at.write(to, builder.int("add", builder.int("mul", read(0), read(1)), read(2)));
        return;
      case "and":
      case "or":
      case "xor":
        this.#at.write(to, builder.int(name, read(0), read(1)));
        return;
      case "shl":
        this.#at.write(to, builder.int("shl", read(0), this.#at.read(from[1] ?? "", "i32")));
        return;
      case "shr":
        this.#at.write(
          to,
          builder.int((opcode.at(-1) ?? "").startsWith("s") ? "ashr" : "lshr", read(0), this.#at.read(from[1] ?? "", "i32")),
        );
        return;
      case "not":
        this.#at.write(to, builder.int("xor", read(0), this.#lowering.constant(scalar ?? "i32", scalar === "i64" ? -1n : -1)));
        return;
      case "popc":
      case "brev":
      case "clz":
        this.#at.write(to, builder.math(name, "precise", "i32", read(0)));
        return;
      case "selp":
        this.#at.write(to, builder.select(this.#at.read(from[2] ?? "", "i1"), read(0), read(1)));
        return;
      case "setp":
        this.#setPredicate(instruction, scalar);
        return;
      case "mma":
        this.#matrixProduct(instruction);
        return;
      case "wgmma":
        lowerWgmma(this.#lowering, this.#asm, this.#at, instruction);
        return;
      case "ldmatrix":
        this.#matrixLoad(instruction);
        return;
      case "stmatrix":
        this.#matrixStore(instruction);
        return;
      case "mapa":
        assumeOwnShared(this.#lowering);
        this.#at.write(to, this.#at.read(from[0] ?? "", scalar ?? "i32"));
        return;
      case "movmatrix":
        this.#at.write(to, builder.emit({ kind: "matrix", op: "transpose", components: 1 }, "i32", read(0)));
        return;
      case "bfind":
        if (opcode.includes("shiftamt") || scalar !== "i32" || (opcode.at(-1) ?? "").startsWith("s")) this.#unknown(instruction);
        this.#at.write(to, builder.math("bfind", "precise", "i32", read(0)));
        return;
      case "vabsdiff4":
        if (opcode.slice(1).join(".") !== "u32.u32.u32.add") this.#unknown(instruction);
        this.#at.write(to, builder.math("sad4", "precise", "i32", ...[0, 1, 2].map((index) => this.#at.read(from[index] ?? "", "i32"))));
        return;
      case "prmt":
        // Another mode picks bytes otherwise than by four bits each.
        if (opcode.length !== 2) this.#unknown(instruction);
        this.#at.write(to, builder.math("byteperm", "precise", "i32", read(0), read(1), read(2)));
        return;
      case "bfe":
        this.#at.write(
          to,
          this.#bitField(
            (opcode.at(-1) ?? "").startsWith("s"),
            read(0),
            this.#at.read(from[1] ?? "", "i32"),
            this.#at.read(from[2] ?? "", "i32"),
          ),
        );
        return;
      case "bfi":
        this.#at.write(to, this.#bitInsert(read(0), read(1), read(2), read(3)));
        return;
      case "lop3":
        this.#at.write(to, this.#lop3(read(0), read(1), read(2), Number(from[3])));
        return;
      case "min":
      case "max":
        this.#at.write(to, this.#extreme(name, opcode.at(-1) ?? "", read(0), read(1)));
        return;
      case "ex2":
      case "lg2":
      case "rcp":
      case "rsqrt":
      case "sqrt":
      case "sin":
      case "cos":
      case "tanh":
        this.#at.write(
          to,
          builder.math(approximations[name] ?? "sqrt", opcode.includes("approx") ? "fast" : "precise", scalar ?? "f32", read(0)),
        );
        return;
      case "ld":
      case "ldu":
        this.#load(instruction, scalar);
        return;
      case "st":
        this.#store(instruction, scalar);
        return;
      case "cp":
        this.#copy(instruction);
        return;
      case "atom":
      case "red":
        this.#atomic(instruction, scalar);
        return;
      case "membar":
      case "fence":
        builder.emit({ kind: "fence", scope: scopeOf(opcode) }, "void");
        return;
      case "bar":
      case "barrier":
        if (opcode.includes("cluster")) {
          // Whoever arrives goes on to wait.
          if (opcode.includes("wait")) syncCluster(this.#lowering);
        } else if (opcode.includes("warp")) builder.emit({ kind: "syncwarp" }, "void");
        else this.#barrier(instruction);
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
      case "pmevent":
      case "applypriority":
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

  /** `setp.ne.b32 p, %0, 0;` */
  #setPredicate(instruction: Instruction, scalar: ScalarType | undefined): void {
    const { opcode, operands } = instruction;
    const [to = "", a = "", b = ""] = operands;
    const [, comparison = ""] = opcode;
    if (!scalar || opcode.length !== 3 || to.includes("|")) this.#unknown(instruction);
    const [left, right] = [this.#at.read(a, scalar), this.#at.read(b, scalar)];
    const { builder } = this.#lowering;
    if (!scalar.startsWith("i")) {
      const predicate = floatComparisons[comparison] ?? this.#unknown(instruction);
      this.#at.write(to, builder.fcmp(predicate, left, right));
      return;
    }
    const signed = (opcode[2] ?? "").startsWith("s");
    const predicate = (signed ? signedComparisons : unsignedComparisons)[comparison] ?? this.#unknown(instruction);
    this.#at.write(to, builder.icmp(predicate, left, right));
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

  /** Any function of three bits: what its table says where the first is one, and where it is not. */
  #lop3(a: Op, b: Op, c: Op, table: number): Op {
    const { builder } = this.#lowering;
    const all = this.#lowering.constant("i32", -1);
    const not = (of: Op): Op => builder.int("xor", of, all);
    const [one, other] = [(table >> 4) & 15, table & 15];
    if (one === other) return this.#lop2(b, c, one);
    if (one === (other ^ 15)) return builder.int("xor", a, this.#lop2(b, c, other));
    if (other === 0) return builder.int("and", a, this.#lop2(b, c, one));
    if (one === 0) return builder.int("and", not(a), this.#lop2(b, c, other));
    if (one === 15) return builder.int("or", a, this.#lop2(b, c, other));
    if (other === 15) return builder.int("or", not(a), this.#lop2(b, c, one));
    return builder.int("or", builder.int("and", a, this.#lop2(b, c, one)), builder.int("and", not(a), this.#lop2(b, c, other)));
  }

  /** Any function of two bits, whose table has them as its index. */
  #lop2(b: Op, c: Op, table: number): Op {
    const { builder } = this.#lowering;
    const all = this.#lowering.constant("i32", -1);
    const not = (of: Op): Op => builder.int("xor", of, all);
    const [one, other] = [(table >> 2) & 3, table & 3];
    // Of c alone: nothing, its complement, itself, or all.
    const ofLast = (bits: number): Op => (bits === 0 ? this.#lowering.constant("i32", 0) : bits === 1 ? not(c) : bits === 2 ? c : all);
    if (one === other) return ofLast(one);
    if (one === (other ^ 3)) return other === 0 ? b : other === 3 ? not(b) : builder.int("xor", b, ofLast(other));
    if (other === 0) return builder.int("and", b, ofLast(one));
    if (one === 0) return builder.int("and", not(b), ofLast(other));
    return one === 3 ? builder.int("or", b, ofLast(other)) : builder.int("or", not(b), ofLast(one));
  }

  #extreme(which: "min" | "max", type: string, a: Op, b: Op): Op {
    const { builder } = this.#lowering;
    if (type.startsWith("f") || type === "bf16") return builder.float(`f${which}`, a, b);
    return builder.int(type.startsWith("s") ? `s${which}` : `u${which}`, a, b);
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
    const op = this.#lowering.builder.load(space, scalar, this.#at.address(from, space), {
      components,
      align: bytes * components,
      ...this.#cache(opcode),
      ...strength(opcode),
    });
    this.#fence(opcode, "acquire");
    if (components === 1) {
      this.#at.write(to, op);
      return;
    }
    for (const [index, each] of listed(to).entries()) this.#at.write(each, this.#lowering.builder.extract(op, index));
  }

  #store({ opcode, operands }: Instruction, scalar: ScalarType | undefined): void {
    const [to = "", from = ""] = operands;
    if (!scalar) this.#lowering.fail("a PTX store of an unknown type", this.#asm);
    const space = this.#space(opcode);
    const values = (this.#components(opcode) > 1 ? listed(from) : [from]).map((each) => this.#at.read(each, scalar));
    const bytes = { i8: 1, i16: 2, f16: 2, bf16: 2, i32: 4, f32: 4 }[scalar as "i8"] ?? 8;
    this.#fence(opcode, "release");
    this.#lowering.builder.store(space, this.#at.address(to, space), values, {
      align: bytes * values.length,
      ...this.#cache(opcode),
      ...strength(opcode),
    });
  }

  /** `atom.acq_rel.gpu.global.add.u32 d, [a], b;`, and `red` without `d`. */
  #atomic(instruction: Instruction, scalar: ScalarType | undefined): void {
    const { opcode, operands } = instruction;
    const named = opcode.find((each) => /^(add|min|max|inc|dec|and|or|xor|exch|cas)$/.test(each));
    if (!scalar || !named || this.#components(opcode) > 1) this.#unknown(instruction);
    const type = opcode.at(-1) ?? "";
    const sign = type.startsWith("s") ? ".s" : ".u";
    const isExtreme = named === "min" || named === "max";
    const op = (isExtreme ? (type.startsWith("f") ? `f${named}` : `${named}${sign}`) : named) as AtomicOperation;
    const [to, [address = "", ...given]] = opcode[0] === "atom" ? [operands[0], operands.slice(1)] : [undefined, operands];
    const space = this.#space(opcode);
    // PTX has what is compared first.
    const values = given.map((each) => this.#at.read(each, scalar)).reverse();
    this.#fence(opcode, "release");
    const action = { kind: "atomic", op, space, scope: scopeOf(opcode) } as const;
    const old = this.#lowering.builder.emit(action, scalar, this.#at.address(address, space), ...values);
    this.#fence(opcode, "acquire");
    if (to !== undefined && to !== "_") this.#at.write(to, old);
  }

  /** What an access with a memory order does besides: a fence before it to release, one behind it to acquire. */
  #fence(opcode: readonly string[], order: "acquire" | "release"): void {
    if (opcode.includes(order) || opcode.includes("acq_rel"))
      this.#lowering.builder.emit({ kind: "fence", scope: scopeOf(opcode) }, "void");
  }

  /** `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c` */
  #matrixProduct(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const shape = opcode.find((each): each is MatrixShape => /^m\d+n\d+k\d+$/.test(each));
    const [sums, left] = opcode.slice(-4);
    const of = matrixElements[left ?? ""];
    const word = sums === "f32" ? "f32" : sums === "f64" ? "f64" : "i32";
    const [d = "", a = "", b = "", c = ""] = operands;
    if (!shape || !of || opcode.includes("sp")) this.#unknown(instruction);
    const words = (list: string, type: ScalarType): Op[] => listed(list).map((each) => this.#at.read(each, type));
    const operandType = of === "f64" ? "f64" : "i32";
    const args = [...words(a, operandType), ...words(b, operandType), ...words(c, word)];
    const results = listed(d);
    const made = this.#lowering.builder.emit({ kind: "matrix", op: "multiply", shape, of, components: results.length }, word, ...args);
    for (const [index, each] of results.entries()) this.#at.write(each, this.#lowering.builder.extract(made, index));
  }

  /** `ldmatrix.sync.aligned.m8n8.x4.shared.b16 {...}, [row]` */
  #matrixLoad({ opcode, operands }: Instruction): void {
    const [to = "", from = ""] = operands;
    const components = opcode.includes("x4") ? 4 : opcode.includes("x2") ? 2 : 1;
    const { builder } = this.#lowering;
    const loaded = builder.load("shared", "i32", this.#at.address(from, "shared"), { components, align: 16, matrix: true });
    for (const [index, each] of listed(to).entries()) this.#at.write(each, components === 1 ? loaded : builder.extract(loaded, index));
  }

  /** `stmatrix.sync.aligned.m8n8.x4.shared.b16 [row], {...}` */
  #matrixStore({ operands: [to = "", from = ""] }: Instruction): void {
    const words = listed(from).map((each) => this.#at.read(each, "i32"));
    this.#lowering.builder.store("shared", this.#at.address(to, "shared"), words, { align: 16, matrix: true });
  }

  #copy(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const { builder } = this.#lowering;
    if (opcode[1] !== "async" || opcode.includes("bulk") || opcode.includes("mbarrier")) this.#unknown(instruction);
    if (opcode.includes("commit_group")) builder.emit({ kind: "copy.commit" }, "void");
    else if (opcode.includes("wait_all")) builder.emit({ kind: "copy.wait", pending: 0 }, "void");
    else if (opcode.includes("wait_group"))
      builder.emit({ kind: "copy.wait", pending: Number(this.#at.immediate(operands[0] ?? "")) }, "void");
    else {
      const [to = "", from = "", size = "", source] = operands;
      const bytes = Number(this.#at.immediate(size));
      const places = [this.#at.address(to, "shared"), this.#at.address(from, "global")] as const;
      // A cache policy says nothing of the size.
      const count =
        source === undefined || (opcode.includes("L2::cache_hint") && operands.length === 4) ? undefined : this.#at.read(source, "i32");
      const isWhole = count === undefined || (count.action.kind === "const" && Number(count.action.value) === bytes);
      builder.emit({ kind: "copy.async", bytes, bypassL1: opcode.includes("cg") }, "void", ...places, ...(isWhole ? [] : [count]));
    }
  }

  /**
   * `bar.sync id[, threads]`: another than the first, or with a number of threads, is not for the whole block. Who only arrives is taken to
   * wait, and for whom is not said.
   */
  #barrier({ opcode, operands: [id = "0", threads] }: Instruction): void {
    const { builder } = this.#lowering;
    if (id === "0" && threads === undefined) builder.barrier();
    else {
      const operands = threads === undefined ? [id] : [id, threads];
      const arrives = opcode.includes("sync") ? {} : { arrives: true as const };
      builder.emit({ kind: "barrier", named: true, ...arrives }, "void", ...operands.map((each) => this.#at.read(each, "i32")));
    }
  }

  #shuffle(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const mode = opcode.find((each) => each === "idx" || each === "up" || each === "down" || each === "bfly");
    const [to = "", shuffled = "", lane = "", clamp = "", mask = "0xffffffff"] = operands;
    const bound = /^\d+$|^0x/i.test(clamp) ? Number(clamp) : Number(this.#at.constantOf(clamp) ?? this.#unknown(instruction));
    const width = 32 - ((bound >> 8) & 31);
    const op = this.#lowering.builder.shuffle(
      mode === "bfly" ? "xor" : mode === "up" || mode === "down" ? mode : "idx",
      this.#at.read(mask, "i32"),
      this.#at.read(shuffled, "i32"),
      this.#at.read(lane, "i32"),
      width,
    );
    this.#at.write(to.split("|")[0] ?? to, op);
  }

  #convert(instruction: Instruction): void {
    const { opcode, operands } = instruction;
    const [to = "", from = ""] = operands;
    const [target, source] = [ptxTypes[opcode.at(-2) ?? ""], ptxTypes[opcode.at(-1) ?? ""]];
    if (opcode[0] === "cvta") {
      this.#at.write(to, this.#at.read(from, this.#at.is32(from) ? "i32" : "i64"));
      return;
    }
    if (!target || !source || opcode.includes("pack") || (opcode.includes("sat") && source.startsWith("i"))) this.#unknown(instruction);
    const signed = (opcode.at(-1) ?? "").startsWith("s");
    const value = this.#at.read(from, source);
    const { builder } = this.#lowering;
    const floating = (type: ScalarType): boolean => !type.startsWith("i");
    if (floating(target) && floating(source)) {
      if (target === source) {
        this.#at.write(to, value);
        return;
      }
      const wide = { f16: 16, bf16: 16, f32: 32, f64: 64 } as Readonly<Record<string, number>>;
      this.#at.write(to, builder.convert((wide[target] ?? 0) > (wide[source] ?? 0) ? "fpext" : "fptrunc", value, target));
      return;
    }
    if (floating(target)) {
      this.#at.write(to, builder.convert(signed ? "sitofp" : "uitofp", value, target));
      return;
    }
    if (floating(source)) {
      this.#at.write(to, builder.convert((opcode.at(-2) ?? "").startsWith("s") ? "fptosi" : "fptoui", value, target));
      return;
    }
    const bits: Readonly<Record<string, number>> = { i8: 8, i16: 16, i32: 32, i64: 64 };
    if (target === source) {
      this.#at.write(to, value);
      return;
    }
    this.#at.write(to, builder.convert((bits[target] ?? 0) < (bits[source] ?? 0) ? "trunc" : signed ? "sext" : "zext", value, target));
  }
}
