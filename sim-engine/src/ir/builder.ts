/** Making kernels: kernels, blocks and operations, the links between blocks, and copies. */
import type {
  Action,
  AtomicOperation,
  AtomicScope,
  Block,
  CacheHint,
  Conversion,
  FloatBinary,
  FloatPredicate,
  GlobalVariable,
  IntBinary,
  IntPredicate,
  Kernel,
  MathFunction,
  Op,
  Precision,
  ScalarType,
  SharedVariable,
  ShuffleMode,
  Space,
  Span,
  SpecialRegister,
  ValueType,
} from "./kernel.ts";

export const noSpan: Span = { file: 0, line: 0, start: 0, end: 0 };

export type KernelHeader = Pick<Kernel, "name"> & Partial<Omit<Kernel, "name" | "blocks" | "nextId">>;

/** An empty kernel: no block yet. */
export const createKernel = (header: KernelHeader): Kernel => ({
  templateArguments: [],
  files: [""],
  parameters: [],
  ...header,
  shared: [...(header.shared ?? [])],
  globals: [...(header.globals ?? [])],
  blocks: [],
  nextId: 0,
});

/** A new block at the end of the kernel, returning until it is given another end. */
export function createBlock(kernel: Kernel): Block {
  const block: Block = { id: kernel.nextId++, phis: [], ops: [], end: { kind: "return" }, predecessors: [] };
  kernel.blocks.push(block);
  return block;
}

/** A new operation, in no block yet. */
export const createOp = (kernel: Kernel, action: Action, type: ValueType, args: readonly Op[] = [], span: Span = noSpan): Op => ({
  id: kernel.nextId++,
  action,
  type,
  args: [...args],
  span,
});

/** The blocks a block may go to next, once for each edge: of a branch `then` before `else`. */
export function successors(block: Block): Block[] {
  switch (block.end.kind) {
    case "jump":
      return [block.end.to];
    case "branch":
      return [block.end.then, block.end.else];
    case "return":
      return [];
  }
}

/**
 * Brings `predecessors` up to date with the terminators and drops blocks that cannot be reached. Edges that stay keep
 * their place, and so do the phi operands that belong to them; operands of edges that are gone go with them; new edges
 * come last, and their phi operands are for the caller to append.
 */
export function linkBlocks(kernel: Kernel): void {
  const entry = kernel.blocks[0];
  if (!entry) return;
  const incoming = new Map<Block, Block[]>([[entry, []]]);
  const pending = [entry];
  for (let block = pending.pop(); block; block = pending.pop()) {
    for (const to of successors(block)) {
      const known = incoming.get(to);
      if (known) known.push(block);
      else {
        incoming.set(to, [block]);
        pending.push(to);
      }
    }
  }
  kernel.blocks = kernel.blocks.filter((block) => incoming.has(block));
  let order: ReadonlyMap<Block, number> | undefined;
  for (const block of kernel.blocks) {
    const left = incoming.get(block)!;
    if (areSame(left, block.predecessors)) continue;
    const kept: number[] = [];
    for (const [index, from] of block.predecessors.entries()) {
      const found = left.indexOf(from);
      if (found < 0) continue;
      left.splice(found, 1);
      kept.push(index);
    }
    if (kept.length < block.predecessors.length) {
      for (const phi of block.phis) phi.args = kept.flatMap((index) => phi.args[index] ?? []);
    }
    order ??= new Map(kernel.blocks.map((each, index) => [each, index]));
    const at = order;
    left.sort((a, b) => at.get(a)! - at.get(b)!);
    block.predecessors = [...kept.flatMap((index) => block.predecessors[index] ?? []), ...left];
  }
}

/** Whether two short lists hold the same, in whatever order; of longer ones that is not known. */
function areSame(a: readonly Block[], b: readonly Block[]): boolean {
  const { length } = a;
  if (length !== b.length || length > 2) return false;
  if (length < 2) return a[0] === b[0];
  return (a[0] === b[0] && a[1] === b[1]) || (a[0] === b[1] && a[1] === b[0]);
}

/** A copy that shares no operation or block with the original; ids stay the same. */
export function cloneKernel(kernel: Kernel): Kernel {
  const ops = new Map<Op, Op>();
  const blocks = new Map<Block, Block>();
  const copyOp = (op: Op): Op => {
    const known = ops.get(op);
    if (known) return known;
    const copy: Op = { id: op.id, action: op.action, type: op.type, args: op.args, span: op.span };
    ops.set(op, copy);
    return copy;
  };
  for (const block of kernel.blocks) {
    const copy: Block = {
      id: block.id,
      phis: block.phis.map(copyOp),
      ops: block.ops.map(copyOp),
      end: block.end,
      predecessors: block.predecessors,
    };
    if (block.unroll !== undefined) copy.unroll = block.unroll;
    blocks.set(block, copy);
  }
  for (const copy of ops.values()) copy.args = copy.args.map((arg) => ops.get(arg) ?? arg);
  const target = (block: Block): Block => blocks.get(block) ?? block;
  for (const copy of blocks.values()) {
    copy.predecessors = copy.predecessors.map(target);
    if (copy.end.kind === "jump") copy.end = { kind: "jump", to: target(copy.end.to) };
    else if (copy.end.kind === "branch") {
      const { cond, span } = copy.end;
      copy.end = { kind: "branch", cond: ops.get(cond) ?? cond, then: target(copy.end.then), else: target(copy.end.else), span };
    }
  }
  return { ...kernel, shared: [...kernel.shared], globals: [...kernel.globals], blocks: kernel.blocks.map(target) };
}

/** What loads and stores may say besides address and value. */
export interface AccessOptions {
  readonly components?: number;
  readonly matrix?: true;
  readonly uninferred?: true;
  readonly ofFragment?: number;
  /** Bytes; that of the scalar type when absent. */
  readonly align?: number;
  readonly volatile?: boolean;
  readonly atomic?: AtomicScope;
  readonly cache?: CacheHint;
}

const naturalAlign: Readonly<Record<ValueType, number>> = {
  void: 1,
  i1: 1,
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
  ptr: 8,
};

/** Appends operations to `block`, each with the current `span`. */
export class Builder {
  readonly kernel: Kernel;
  block: Block;
  span: Span = noSpan;

  /** Starts at the kernel's last block, or at a new entry block. */
  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.block = kernel.blocks.at(-1) ?? createBlock(kernel);
  }

  /** A new block; `block` stays where it is. */
  newBlock(): Block {
    return createBlock(this.kernel);
  }

  emit(action: Action, type: ValueType, ...args: Op[]): Op {
    const op = createOp(this.kernel, action, type, args, this.span);
    if (action.kind === "phi") this.block.phis.push(op);
    else this.block.ops.push(op);
    return op;
  }

  constant(type: ScalarType, value: number | bigint): Op {
    return this.emit({ kind: "const", value }, type);
  }

  parameter(index: number): Op {
    const type = this.kernel.parameters[index]?.type;
    return type ? this.emit({ kind: "param", index }, type) : this.emit({ kind: "param.address", index }, "ptr");
  }

  shared(variable: SharedVariable): Op {
    return this.emit({ kind: "shared.address", index: this.kernel.shared.indexOf(variable) }, "ptr");
  }

  global(variable: GlobalVariable): Op {
    return this.emit({ kind: "global.address", index: this.kernel.globals.indexOf(variable) }, "ptr");
  }

  /** In the entry block, before what is not an alloca, wherever the builder stands. */
  alloca(bytes: number, align: number, name: string): Op {
    const op = createOp(this.kernel, { kind: "alloca", bytes, align, name }, "ptr", [], this.span);
    const entry = this.kernel.blocks[0] ?? this.block;
    let at = entry.ops.length;
    while (at > 0 && entry.ops[at - 1]?.action.kind !== "alloca") at--;
    entry.ops.splice(at, 0, op);
    return op;
  }

  special(register: SpecialRegister): Op {
    return this.emit({ kind: "special", register }, register === "globaltimer" || register === "clock" ? "i64" : "i32");
  }

  int(op: IntBinary, a: Op, b: Op, exact = false): Op {
    return this.emit(exact ? { kind: "int", op, exact } : { kind: "int", op }, a.type, a, b);
  }

  float(op: FloatBinary, a: Op, b: Op, precision?: Precision): Op {
    return this.emit(precision ? { kind: "float", op, precision } : { kind: "float", op }, a.type, a, b);
  }

  fma(a: Op, b: Op, c: Op): Op {
    return this.emit({ kind: "fma" }, a.type, a, b, c);
  }

  icmp(predicate: IntPredicate, a: Op, b: Op): Op {
    return this.emit({ kind: "icmp", predicate }, "i1", a, b);
  }

  fcmp(predicate: FloatPredicate, a: Op, b: Op): Op {
    return this.emit({ kind: "fcmp", predicate }, "i1", a, b);
  }

  select(condition: Op, whenTrue: Op, whenFalse: Op): Op {
    return this.emit({ kind: "select" }, whenTrue.type, condition, whenTrue, whenFalse);
  }

  convert(op: Conversion, value: Op, type: ScalarType): Op {
    return this.emit({ kind: "convert", op }, type, value);
  }

  math(fn: MathFunction, precision: Precision, type: ScalarType, ...args: Op[]): Op {
    return this.emit({ kind: "math", fn, precision }, type, ...args);
  }

  gep(base: Op, index: Op, scale: number, offset = 0): Op {
    return this.emit({ kind: "gep", scale, offset }, "ptr", base, index);
  }

  load(space: Space, type: ScalarType, address: Op, options: AccessOptions = {}): Op {
    return this.emit({ kind: "load", space, components: 1, align: naturalAlign[type], ...options }, type, address);
  }

  store(space: Space, address: Op, values: readonly Op[], options: Omit<AccessOptions, "components"> = {}): Op {
    const align = naturalAlign[values[0]?.type ?? "void"];
    return this.emit({ kind: "store", space, components: values.length, align, ...options }, "void", address, ...values);
  }

  extract(vector: Op, index: number): Op {
    return this.emit({ kind: "extract", index }, vector.type, vector);
  }

  atomic(op: AtomicOperation, space: Space, address: Op, value: Op, compare?: Op): Op {
    return this.emit({ kind: "atomic", op, space, scope: "device" }, value.type, address, value, ...(compare ? [compare] : []));
  }

  shuffle(mode: ShuffleMode, mask: Op, value: Op, lane: Op, width = 32): Op {
    return this.emit({ kind: "shuffle", mode, width }, value.type, mask, value, lane);
  }

  barrier(): Op {
    return this.emit({ kind: "barrier" }, "void");
  }

  jump(to: Block): void {
    this.block.end = { kind: "jump", to };
  }

  branch(cond: Op, then: Block, otherwise: Block): void {
    this.block.end = { kind: "branch", cond, then, else: otherwise, span: this.span };
  }

  return(): void {
    this.block.end = { kind: "return" };
  }
}
