/** The state of instruction selection: where instructions go, and which registers hold which values. */
import { nvcc } from "../compilers/compiler.ts";
import { intConstant } from "../ir/constants.ts";
import { type Block, type Op, type ScalarType, type Span, scalarBytes } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import { Absorption } from "./absorb.ts";
import { highHalf } from "./high-halves.ts";
import type { Instruction, Register, RegisterFile } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";
import { type ConstantPlace, offsetOfParameter } from "./pair-constants.ts";
import type { Shape } from "./shape.ts";
import type { Target } from "./target.ts";
import { UniformValues } from "./uniform-values.ts";

/** Instructions of one block while they are selected. */
export interface BlockCode {
  readonly block: Block;
  /** Loads of parameters, indices and addresses of variables: before the rest. */
  readonly leaves: Instruction[];
  readonly body: Instruction[];
  /** Moves into the registers of the successors' phis. */
  readonly moves: Instruction[];
  readonly end: Instruction[];
}

/** The instructions an operation becomes, in order; on its own operands unless said otherwise, and on `more`. */
export type Choice =
  | readonly string[]
  | {
      readonly opcodes: readonly string[];
      readonly operands?: readonly Op[];
      readonly more?: readonly Register[];
      /** Registers of the function that the rare operands are left to (`Instruction.callee`). */
      readonly callee?: number | undefined;
      /** The sequence's name in the compiler's file, where it has a slow path that is known. */
      readonly guard?: string | undefined;
    };

const isPlain = (choice: Choice): choice is readonly string[] => Array.isArray(choice);

export class Selection {
  readonly shape: Shape;
  readonly target: Target;
  readonly absorption: Absorption;
  readonly code: ReadonlyMap<Block, BlockCode>;
  /** By the register that a constant of one word is loaded into. */
  readonly constantPlaces = new Map<Register, ConstantPlace>();
  readonly #uniform: UniformValues;
  readonly #registers = new Map<Op, Register>();
  readonly #leafAt = new Map<string, { block: Block; readonly register: Register; readonly made: readonly Instruction[] }[]>();
  #next = 0;

  constructor(shape: Shape, target: Target) {
    this.shape = shape;
    this.target = target;
    this.#uniform = new UniformValues(shape, target);
    this.absorption = new Absorption(shape, target, this.#uniform);
    this.code = new Map(shape.kernel.blocks.map((block) => [block, { block, leaves: [], body: [], moves: [], end: [] }]));
  }

  codeOf(block: Block): BlockCode {
    return this.code.get(block) as BlockCode;
  }

  newRegister(file: RegisterFile, words: Register["words"] = 1): Register {
    return { id: this.#next++, file, words };
  }

  /** One instruction on `uses`, into `defs`. */
  instruction(opcode: string, span: Span, defs: readonly Register[], uses: readonly Register[], op?: Op): Instruction {
    const info = opcodeInfo(opcode);
    return op ? { opcode, ...info, span, op, defs, uses } : { opcode, ...info, span, defs, uses };
  }

  /**
   * Appends the instructions chosen for `op`: each works on the result of the one before, the first on the operands, the last
   * defines `op`. One alone carries the operation.
   */
  emit(code: BlockCode, op: Op, choice: Choice): void {
    const { opcodes, operands, more, callee, guard } = isPlain(choice)
      ? { opcodes: choice, operands: undefined, more: undefined, callee: undefined, guard: undefined }
      : choice;
    const uses = [...new Set([...(operands ?? op.args).flatMap((operand) => this.use(operand, code.block)), ...(more ?? [])])];
    // The operands are wanted to the middle of the sequence, as a rule; where rare ones are left to other code, until then.
    const branch = opcodes.lastIndexOf("BRA");
    const lastRead = branch < 0 ? opcodes.length / 2 : branch;
    let last: Register | undefined;
    for (const [index, opcode] of opcodes.entries()) {
      const defs = index < opcodes.length - 1 ? [this.#between(op, opcode)] : op.type === "void" ? [] : [this.define(op)];
      const reads = index <= lastRead ? uses : [];
      const instruction = this.instruction(opcode, op.span, defs, last ? [last, ...reads] : reads, opcodes.length === 1 ? op : undefined);
      const guarded = guard !== undefined && index >= branch && index < opcodes.length - 1;
      code.body.push({
        ...instruction,
        // What corrects a result does so under the predicate that comes before.
        ...(last?.file === "P" && /^(IADD3|VIADD)$/.test(opcode) ? { guards: [last] } : {}),
        ...(index === branch && callee !== undefined ? { callee } : {}),
        ...(guarded ? { guarded: { op, name: guard, part: index === branch ? ("branch" as const) : ("rest" as const) } } : {}),
      });
      last = defs[0];
    }
  }

  /**
   * What one instruction of a sequence leaves to the next: a flag or the half of a long integer that takes the place of an operand's,
   * a double, or a word.
   */
  #between(op: Op, opcode: string): Register {
    if (opcode.startsWith("U") && this.isUniformValue(op)) return this.newRegister(isHalf(op) ? "UP" : "UR");
    if (/^(ISETP|FSETP|DSETP|FCHK)/.test(opcode) || isHalf(op)) return this.newRegister("P");
    return this.newRegister("R", /^D(ADD|MUL|FMA)/.test(opcode) ? 2 : 1);
  }

  /** The register of a value the kernel computes. */
  define(op: Op): Register {
    const known = this.#registers.get(op);
    if (known) return known;
    const register = this.newRegister(this.#fileOf(op), this.#wordsOf(op));
    this.#registers.set(op, register);
    return register;
  }

  /** `op` is held by the register of another value. */
  alias(op: Op, register: Register): void {
    this.#registers.set(op, register);
  }

  #fileOf(op: Op): RegisterFile {
    const uniform = this.isUniformValue(op) || this.isUniformConstant(op);
    if (op.type === "i1") return uniform ? "UP" : "P";
    return uniform ? "UR" : "R";
  }

  /** Kept in a uniform register: integers computed by the uniform datapath. */
  isUniformValue(op: Op): boolean {
    return this.#uniform.has(op);
  }

  /** A constant or a field of a parameter, at a fixed place: an operand as parameters are, and loaded for the warp as they are. */
  isUniformConstant(op: Op): boolean {
    const { action, args, type } = op;
    return (
      action.kind === "load" &&
      (action.space === "constant" || action.space === "param") &&
      this.target.uniform &&
      type !== "ptr" &&
      type !== "i64" &&
      isFixed(args[0]) &&
      !this.shape.users(op).some((user) => this.#uniform.isCompared(user))
    );
  }

  #wordsOf(op: Op): Register["words"] {
    if (op.type === "void" || op.type === "i1") return 1;
    if (op.type === "ptr") return this.shape.isNarrowPointer(op) ? 1 : 2;
    if (op.type === "i64" && highHalf(op) !== undefined) return 1;
    const bytes = scalarBytes[op.type] * (op.action.kind === "load" ? op.action.components : 1);
    return Math.max(1, Math.min(4, Math.ceil(bytes / 4))) as Register["words"];
  }

  /** The registers an instruction of `block` reads for `op`: none for constants and what the instruction takes by itself. */
  use(op: Op, block: Block): readonly Register[] {
    if (!this.#isTaken(op)) return this.#useOne(op, block);
    const found: Register[] = [];
    // What is taken may be made of what is taken, however deep, and more than once of the same: that is read once.
    const seen = new Set<Op>();
    const pending = [op];
    for (let each = pending.pop(); each; each = pending.pop()) {
      if (!this.#isTaken(each)) found.push(...this.#useOne(each, block));
      else if (!seen.has(each)) {
        seen.add(each);
        pending.push(...each.args.toReversed());
      }
    }
    return found;
  }

  /** An instruction that reads it computes it. */
  #isTaken(op: Op): boolean {
    return !isLeaf(op) && op.action.kind !== "alloca" && this.absorption.has(op) && !this.#registers.has(op);
  }

  #useOne(op: Op, block: Block): readonly Register[] {
    if (op.action.kind === "const" || op.action.kind === "unknown") return [];
    if (isLeaf(op)) return this.#useLeaf(op, block);
    if (op.action.kind === "alloca") return [];
    return [this.define(op)];
  }

  #useLeaf(op: Op, block: Block): readonly Register[] {
    const { action } = op;
    switch (action.kind) {
      case "param":
        if (this.target.constantOperands) return [];
        return [this.leaf(`param ${action.index}`, block, () => this.#loadParameter(op, action.index))];
      case "param.address":
        return [];
      case "shared.address":
        return this.target.clusterShared ? [this.#sharedBase(action.index, block)] : [];
      case "global.address":
        return this.target.constantOperands
          ? []
          : [this.leaf(`global ${action.index}`, block, () => this.#load("LDC.64", "R", 2, op.span))];
      case "special": {
        const { register } = action;
        if (register.startsWith("ntid") || register.startsWith("nctaid"))
          return this.target.constantOperands ? [] : [this.leaf(register, block, () => this.#load("ULDC", "UR", 1, op.span))];
        // Read once: it costs as much as it is slow.
        return [
          this.leaf(
            register,
            block,
            () => this.#load(register.startsWith("ctaid") ? "S2UR" : "S2R", register.startsWith("ctaid") ? "UR" : "R", 1, op.span),
            { once: true },
          ),
        ];
      }
      default:
        return [];
    }
  }

  #loadParameter(op: Op, index: number): { readonly register: Register; readonly made: readonly Instruction[] } {
    // Pointers are bases of vector address arithmetic; numbers are operands, one of which may be uniform.
    if (op.type === "ptr") return this.#load("LDC.64", "R", 2, op.span);
    if (op.type === "i32" && this.#uniform.isCompared(op)) return this.#load("LDC", "R", 1, op.span);
    const load = this.#load("ULDC", "UR", op.type === "void" ? 1 : wordsOfScalar(op.type), op.span);
    const bytes = op.type === "void" ? 0 : scalarBytes[op.type];
    const { parameters } = this.shape.kernel;
    if (bytes === 4) this.constantPlaces.set(load.register, { bank: "parameters", offset: offsetOfParameter(parameters, index) });
    return load;
  }

  #load(
    opcode: string,
    file: RegisterFile,
    words: Register["words"],
    span: Span,
  ): { readonly register: Register; readonly made: readonly Instruction[] } {
    const register = this.newRegister(file, words);
    return { register, made: [this.instruction(opcode, span, [register], [])] };
  }

  /** Shared variables stand behind the window of the block in its cluster: window + 0x400 + offset. */
  #sharedBase(index: number, block: Block): Register {
    const span = this.shape.kernel.shared[index]?.span ?? { file: 0, line: 0, start: 0, end: 0 };
    const window = this.leaf("shared window", block, () => {
      const rank = this.newRegister("UR");
      const register = this.newRegister("UR");
      return { register, made: [this.instruction("S2UR", span, [rank], []), this.instruction("UMOV", span, [register], [rank])] };
    });
    return this.leaf(`shared ${index}`, block, () => {
      const register = this.newRegister("UR");
      const made = index === 0 ? [] : [this.instruction("UIADD3", span, [register], [window])];
      return { register, made: [...made, this.instruction("ULEA", span, [register], [window])] };
    });
  }

  /**
   * A value that is loaded where it is needed: once for the blocks that follow one another without a join; behind a join it is
   * loaded again, which is cheaper than keeping it. From loops it is loaded before them.
   */
  leaf(
    key: string,
    block: Block,
    make: () => { readonly register: Register; readonly made: readonly Instruction[] },
    {
      once = false,
      needs,
    }: {
      /** One place for the whole kernel. */ readonly once?: boolean /** Made from this value, so not before it. */;
      readonly needs?: Op;
    } = {},
  ): Register {
    const at = this.#outsideLoops(block, needs);
    const places = this.#leafAt.get(key) ?? [];
    this.#leafAt.set(key, places);
    const root = once ? undefined : this.#regionRoot(at);
    for (const place of places) {
      if (!once && this.#regionRoot(place.block) !== root) continue;
      const to = this.#commonDominator(place.block, at);
      if (to !== place.block && needs && !this.#isThere(needs, to)) continue;
      if (to !== place.block) {
        const from = this.codeOf(place.block).leaves;
        for (const each of place.made) from.splice(from.indexOf(each), 1);
        this.codeOf(to).leaves.push(...place.made);
        place.block = to;
      }
      return place.register;
    }
    const { register, made } = make();
    this.codeOf(at).leaves.push(...made);
    places.push({ block: at, register, made });
    return register;
  }

  /** The block before the outermost loop around `block`, of those that do not make `needs`. */
  #outsideLoops(block: Block, needs: Op | undefined): Block {
    let at = block;
    for (let loop = this.shape.loopOf(block); loop; loop = loop.parent) {
      const { header, blocks } = loop;
      const before = header.predecessors.find((from) => !blocks.has(from));
      const outside = before && this.shape.tree.dominates(before, header) ? before : this.shape.tree.parent(header);
      if (!outside || (needs && !this.#isThere(needs, outside))) break;
      at = outside;
    }
    return at;
  }

  /** Whether a value is known at the start of the block. */
  #isThere(value: Op, block: Block): boolean {
    if (isLeaf(value)) return true;
    const home = this.shape.home(value);
    return home !== undefined && home !== block && this.shape.tree.dominates(home, block);
  }

  /** The first of the blocks that lead to `block` one by one, past short arms that will be predicated. */
  #regionRoot(block: Block): Block {
    let root = block;
    for (let from = this.#onlyWay(root); from; from = this.#onlyWay(root)) root = from;
    return root;
  }

  #onlyWay(block: Block): Block | undefined {
    const [a, b] = block.predecessors;
    if (block.predecessors.length === 1) return a;
    if (block.predecessors.length !== 2 || !a || !b) return undefined;
    if (b.predecessors.length === 1 && b.predecessors[0] === a && isShort(b)) return a;
    if (a.predecessors.length === 1 && a.predecessors[0] === b && isShort(a)) return b;
    return a.predecessors.length === 1 && b.predecessors.length === 1 && a.predecessors[0] === b.predecessors[0] && isShort(a) && isShort(b)
      ? a.predecessors[0]
      : undefined;
  }

  #commonDominator(a: Block, b: Block): Block {
    let at: Block | undefined = a;
    while (at && !this.shape.tree.dominates(at, b)) at = this.shape.tree.parent(at);
    return at ?? a;
  }
}

/** Long integers and addresses are computed a half at a time. */
const isHalf = ({ action, type }: Op): boolean =>
  (type === "i64" || type === "ptr") &&
  ((action.kind === "int" && !/mul|div|rem/.test(action.op)) || action.kind === "select" || action.kind === "gep");

/** Likely to be predicated, before its instructions are known. */
const isShort = (block: Block): boolean =>
  block.end.kind === "jump" &&
  block.ops.length <= nvcc.likelyPredicatedSize &&
  !block.ops.some(
    ({ action }) => action.kind === "barrier" || action.kind === "atomic" || action.kind === "shuffle" || action.kind === "vote",
  );

const wordsOfScalar = (type: ScalarType): Register["words"] => (scalarBytes[type] > 4 ? 2 : 1);

/** A variable's address plus a constant. */
export function isFixed(address: Op | undefined): boolean {
  let at = address;
  while (at?.action.kind === "gep" && intConstant(at.args[1]) !== undefined) at = at.args[0];
  return at !== undefined && isLeaf(at);
}
