/**
 * Random kernels for the optimiser: what its passes look at. Loops of every kind, aliasing pointers, local arrays, wide accesses,
 * narrow integers, shared memory between barriers, atomics. Each thread has bytes of its own in every buffer, so that the order
 * threads run in does not matter; only behind a barrier it reads what others wrote.
 */
import { Builder, createKernel, linkBlocks, noSpan } from "../../ir/builder.ts";
import {
  type Block,
  type IntBinary,
  type IntPredicate,
  type Kernel,
  type Launch,
  type Op,
  type ScalarType,
  type Space,
  scalarBytes,
} from "../../ir/kernel.ts";

/** Bytes of a thread in each buffer it writes, and in shared memory. */
const threadBytes = 64;
const mostThreads = 16;
const mostStatements = 24;

type Choose = (below: number) => number;
type Variable = { readonly place: Op; readonly type: ScalarType };

/** Memory a thread may write: where it begins, and what of it an access may touch. */
interface Region {
  readonly space: Space;
  readonly start: () => Op;
  readonly bytes: number;
  readonly readOnly?: true;
}

const integerOps: readonly IntBinary[] = [
  ...(["add", "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "smin", "smax", "umin", "umax"] as const),
  ...(["sdiv", "udiv", "srem", "urem", "mulhi.s", "mulhi.u"] as const),
];
const predicates: readonly IntPredicate[] = ["slt", "ult", "eq", "ne", "sge", "ugt", "sle", "uge", "sgt", "ule"];
const variableTypes: readonly ScalarType[] = ["i32", "i32", "i32", "i64", "i8", "i16", "f32", "f64"];
const memoryTypes: readonly ScalarType[] = ["i32", "i32", "i32", "f32", "i64", "i16", "i8", "f64"];
const interesting = [
  0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 31, 32, 63, 100, 127, 128, 255, 256, 65535, 0x7fffffff, -1, -2, -3, -8, -128, -0x80000000,
];

/** Parameters: two pointers that may meet, one to read only, one restrict, and a small number. */
export function randomProgram(decisions: readonly number[]): Kernel {
  let at = 0;
  const kernel = createKernel({
    name: "random",
    parameters: [
      { name: "a", type: "ptr", bytes: 8, pointee: { bytes: 4, type: "i32", const: false } },
      { name: "b", type: "ptr", bytes: 8, pointee: { bytes: 4, type: "i32", const: false } },
      { name: "c", type: "ptr", bytes: 8, pointee: { bytes: 4, type: "i32", const: true }, restrict: true },
      { name: "d", type: "ptr", bytes: 8, pointee: { bytes: 4, type: "i32", const: false }, restrict: true },
      { name: "n", type: "i32", bytes: 4 },
    ],
    shared: ["s", "t"].map((name) => ({
      name,
      bytes: threadBytes * mostThreads,
      align: 16,
      dimensions: [threadBytes * mostThreads],
      elementBytes: 1,
      span: noSpan,
    })),
  });
  new Generator(kernel, (below) => (decisions[at++] ?? 0) % below).body();
  linkBlocks(kernel);
  return kernel;
}

class Generator {
  readonly #b: Builder;
  readonly #choose: Choose;
  readonly #variables: Variable[] = [];
  /** Counters of the loops around, each 0 to 15. */
  readonly #counters: Op[] = [];
  #regions: Region[] = [];
  #loop: { readonly exit: Block; readonly next: Block } | undefined;
  #statements = 0;

  constructor(kernel: Kernel, choose: Choose) {
    this.#b = new Builder(kernel);
    this.#choose = choose;
  }

  body(): void {
    const b = this.#b;
    for (const [k, type] of variableTypes.entries()) this.#variables.push({ place: b.alloca(8, 8, `v${k}`), type });
    const arrays = ["x", "y"].map((name) => b.alloca(threadBytes, 16, name));
    const own = (base: () => Op) => (): Op => b.gep(base(), this.#thread(), threadBytes);
    const kernelShared = b.kernel.shared;
    this.#regions = [
      ...[0, 1, 3].map((index) => ({ space: "global" as const, start: own(() => b.parameter(index)), bytes: threadBytes })),
      { space: "global", start: () => b.parameter(2), bytes: threadBytes, readOnly: true },
      ...arrays.map((array) => ({ space: "local" as const, start: () => array, bytes: threadBytes })),
      ...kernelShared.map((variable) => ({
        space: "shared" as const,
        start: () => b.gep(b.shared(variable), b.special("tid.x"), threadBytes),
        bytes: threadBytes,
      })),
      // One of two arrays, as it happens.
      { space: "local", start: () => b.select(this.#condition(), arrays[0] as Op, arrays[1] as Op), bytes: threadBytes },
    ];
    for (const array of arrays) {
      for (let k = 0; k < threadBytes; k += 8)
        b.store("local", b.gep(array, b.constant("i32", 0), 1, k), [b.constant("i64", BigInt(k * 77777))]);
    }
    for (const { place, type } of this.#variables) b.store("local", place, [this.#as(this.#thread(), type)]);
    const count = 2 + this.#choose(7);
    for (let k = 0; k < count; k++) this.#statement(0, true);
    // What variables and arrays hold in the end must show.
    for (const [k, { place, type }] of this.#variables.entries()) {
      b.store("global", b.gep(b.gep(b.parameter(1), this.#thread(), threadBytes), b.constant("i32", 0), 1, 8 * (k % 4)), [
        this.#as(b.int("add", this.#as(b.load("local", type, place), "i64"), b.constant("i64", BigInt(k))), "i64"),
      ]);
    }
    for (const [k, array] of arrays.entries()) {
      const at = b.gep(array, b.int("and", this.#value("i32"), b.constant("i32", 7)), 8);
      b.store("global", b.gep(b.gep(b.parameter(1), this.#thread(), threadBytes), b.constant("i32", 0), 1, 32 + 8 * k), [
        b.load("local", "i64", at),
      ]);
    }
    b.return();
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#choose(list.length)] as T;
  }

  #thread(): Op {
    const b = this.#b;
    return b.int("add", b.special("tid.x"), b.int("mul", b.special("ctaid.x"), b.special("ntid.x"), true), true);
  }

  #as(value: Op, type: ScalarType): Op {
    const b = this.#b;
    const width = (of: ScalarType): number => ({ i1: 1, i8: 8, i16: 16, i32: 32, i64: 64 })[of as "i32"] ?? 0;
    const from = value.type as ScalarType;
    if (from === type) return value;
    const [w, to] = [width(from), width(type)];
    if (w && to) return b.convert(w > to ? "trunc" : from === "i1" || this.#choose(3) === 0 ? "zext" : "sext", value, type);
    if (w) return b.convert(this.#choose(3) ? "sitofp" : "uitofp", value, type);
    if (to === 64 || to === 32) return b.convert("fptosi", value, type);
    if (to) return b.convert("trunc", b.convert("fptosi", value, "i32"), type);
    return b.convert(type === "f64" ? "fpext" : "fptrunc", value, type);
  }

  #constant(type: ScalarType): Op {
    const value = this.#pick(interesting);
    const width = { i8: 24, i16: 16 }[type as "i8"] ?? 0;
    return this.#b.constant(
      type,
      type === "i64" ? BigInt(value) : type.startsWith("f") ? Math.fround(value / 4) : (value << width) >> width,
    );
  }

  #value(type: ScalarType, depth = 0): Op {
    const b = this.#b;
    switch (this.#choose(depth > 2 ? 6 : 9)) {
      case 0:
        return this.#constant(type);
      case 1:
        return this.#as(this.#pick([() => b.special("tid.x"), () => b.parameter(4), () => this.#small()])(), type);
      case 6:
      case 7:
        return this.#computed(type, depth + 1);
      case 8:
        return this.#as(this.#loaded(this.#pick(memoryTypes)), type);
      default: {
        const { place, type: of } = this.#pick(this.#variables);
        return this.#as(b.load("local", of, place), type);
      }
    }
  }

  #computed(type: ScalarType, depth: number): Op {
    const b = this.#b;
    if (type === "f32" || type === "f64") {
      const op = this.#pick(["fadd", "fsub", "fmul", "fmin", "fmax"] as const);
      return b.float(op, this.#value(type, depth), this.#value(type, depth));
    }
    const op = this.#pick(integerOps);
    const shift = op === "shl" || op === "lshr" || op === "ashr";
    const of = shift ? "i32" : type;
    const [x, y] = [this.#value(type, depth), this.#choose(2) ? this.#constant(of) : this.#value(of, depth)];
    // Division by zero has no result.
    const divides = op.endsWith("div") || op.endsWith("rem");
    const result = b.int(op, x, divides ? b.int("or", y, b.constant(type, type === "i64" ? 1n : 1)) : y);
    return this.#choose(6) === 0 ? b.select(this.#condition(depth), result, x) : result;
  }

  #condition(depth = 0): Op {
    const b = this.#b;
    if (this.#choose(6) === 0) {
      const [x, y] = [this.#value("f32", depth + 1), this.#value("f32", depth + 1)];
      return b.fcmp(this.#pick(["olt", "oge", "oeq", "une"] as const), x, y);
    }
    const type = this.#pick(["i32", "i32", "i64", "i8", "i16"] as const);
    const simple = b.icmp(
      this.#pick(predicates),
      this.#value(type, depth + 1),
      this.#choose(2) ? this.#constant(type) : this.#value(type, depth + 1),
    );
    if (depth > 1 || this.#choose(5) > 0) return simple;
    return b.int(this.#pick(["and", "or", "xor"] as const), simple, this.#condition(depth + 1));
  }

  /** 0 to 15. */
  #small(): Op {
    const b = this.#b;
    const known = this.#counters.length;
    const choice = this.#choose(known ? 5 : 2);
    if (choice > 1) return b.load("local", "i32", this.#counters[this.#choose(known)] as Op);
    return choice === 0
      ? b.int("and", this.#value("i32", 2), b.constant("i32", 15))
      : b.int("umin", b.special("tid.x"), b.constant("i32", 15));
  }

  /** Where in a region an access of so many bytes goes: its address, aligned. */
  #place({ start, bytes: size }: Region, bytes: number): Op {
    const b = this.#b;
    const base = start();
    const slots = size / bytes;
    const constant = (value: number): Op => b.constant("i32", value);
    switch (this.#choose(5)) {
      case 0:
        return b.gep(base, constant(this.#choose(slots)), bytes);
      case 1:
        return b.gep(base, constant(0), 1, bytes * this.#choose(slots));
      case 2:
        // A sum that is known not to wrap, then cut to size by its own bounds: half by the index, half by the constant.
        return b.gep(
          base,
          b.int("and", this.#small(), constant(Math.max(1, slots / 2) - 1)),
          bytes,
          bytes * this.#choose(Math.max(1, slots / 2)),
        );
      case 3: {
        const index = b.int(
          "add",
          b.int("and", this.#small(), constant(Math.max(1, slots / 2) - 1)),
          constant(this.#choose(Math.max(1, slots / 2))),
          true,
        );
        return b.gep(base, this.#choose(2) ? b.convert(this.#choose(2) ? "sext" : "zext", index, "i64") : index, bytes);
      }
      default: {
        const index = b.int("and", b.int("add", this.#value("i32", 2), constant(this.#choose(9) - 4)), constant(slots - 1));
        return b.gep(base, this.#choose(3) === 0 ? b.convert("zext", index, "i64") : index, bytes);
      }
    }
  }

  #loaded(type: ScalarType): Op {
    const region = this.#pick(this.#regions);
    const cache = region.readOnly && this.#choose(2) ? { cache: "nc" as const } : {};
    return this.#b.load(this.#spaceOf(region), type, this.#place(region, scalarBytes[type]), cache);
  }

  #spaceOf({ space }: Region): Space {
    return this.#choose(8) === 0 ? "generic" : space;
  }

  #written(): Region {
    return this.#pick(this.#regions.filter(({ readOnly }) => !readOnly));
  }

  /** @param together every thread of the block gets here, as often as the others */
  #statement(depth: number, together: boolean): void {
    const b = this.#b;
    if (++this.#statements > mostStatements) return;
    switch (this.#choose(together ? 16 : 14)) {
      case 0:
      case 1: {
        const { place, type } = this.#pick(this.#variables);
        b.store("local", place, [this.#value(type)]);
        return;
      }
      case 2:
      case 3:
      case 4: {
        const type = this.#pick(memoryTypes);
        const region = this.#written();
        b.store(this.#spaceOf(region), this.#place(region, scalarBytes[type]), [this.#value(type)]);
        return;
      }
      case 5:
        this.#wide();
        return;
      case 6:
        this.#neighbours();
        return;
      case 7:
      case 8:
        if (depth < 3) this.#if(depth);
        return;
      case 9:
      case 10:
        if (depth < 3) this.#for(depth, together);
        return;
      case 11:
        if (this.#loop) this.#leave(this.#choose(2) ? this.#loop.exit : this.#loop.next);
        else if (depth < 3) this.#while(depth);
        return;
      case 12:
        this.#atomic();
        return;
      case 13: {
        // A variable that goes on: sums over the loops around.
        const { place, type } = this.#pick(this.#variables);
        const old = b.load("local", type, place);
        const more = this.#value(type);
        b.store("local", place, [
          type.startsWith("f") ? b.float("fadd", old, more) : b.int(this.#pick(["add", "sub", "xor", "mul"] as const), old, more),
        ]);
        return;
      }
      default:
        this.#exchange();
    }
  }

  #wide(): void {
    const b = this.#b;
    const type = this.#pick(["i32", "f32", "i16", "i64"] as const);
    const components = this.#choose(2) && scalarBytes[type] < 8 ? 4 : 2;
    const bytes = components * scalarBytes[type];
    if (this.#choose(2)) {
      const region = this.#written();
      const values = Array.from({ length: components }, () => this.#value(type, 2));
      b.store(region.space, this.#place(region, bytes), values, { align: bytes });
      return;
    }
    const region = this.#pick(this.#regions);
    const vector = b.load(region.space, type, this.#place(region, bytes), { components, align: bytes });
    const { place, type: of } = this.#pick(this.#variables);
    const first = b.extract(vector, this.#choose(components));
    b.store("local", place, [this.#as(this.#choose(2) ? first : this.#sum(first, b.extract(vector, this.#choose(components))), of)]);
  }

  #sum(x: Op, y: Op): Op {
    return x.type === "f32" ? this.#b.float("fadd", x, y) : this.#b.int("add", x, y);
  }

  /** Elements side by side, one after the other: what may be joined. */
  #neighbours(): void {
    const b = this.#b;
    const type = this.#pick(["i32", "f32", "i16", "i8"] as const);
    const bytes = scalarBytes[type];
    const [from, to] = [this.#pick(this.#regions), this.#written()];
    const [source, target] = [this.#place(from, 4 * bytes), this.#place(to, 4 * bytes)];
    const at = (base: Op, k: number): Op => b.gep(base, b.constant("i32", k), bytes);
    const order = this.#choose(2) ? [0, 1, 2, 3] : [2, 3, 0, 1];
    if (this.#choose(2)) {
      const values = order.map((k) => b.load(from.space, type, at(source, k)));
      for (const [k, value] of values.entries()) b.store(to.space, at(target, order[k] as number), [value]);
    } else {
      for (const k of order) {
        const value = b.load(from.space, type, at(source, k));
        b.store(to.space, at(target, k), [this.#choose(2) ? value : this.#value(type, 2)]);
      }
    }
  }

  #atomic(): void {
    const b = this.#b;
    const region = this.#pick(this.#regions.filter(({ space, readOnly }) => space !== "local" && !readOnly));
    const type = this.#pick(["i32", "i32", "i64"] as const);
    const old = b.atomic(this.#pick(["add", "max.s"] as const), region.space, this.#place(region, scalarBytes[type]), this.#value(type));
    if (this.#choose(2)) return;
    const { place, type: of } = this.#pick(this.#variables);
    b.store("local", place, [this.#as(old, of)]);
  }

  /** Behind a barrier each thread reads what another wrote; or lanes give each other values. */
  #exchange(): void {
    const b = this.#b;
    const { place, type } = this.#pick(this.#variables);
    if (this.#choose(3) === 0) {
      const given = b.shuffle(this.#pick(["idx", "up", "down", "xor"] as const), b.constant("i32", -1), this.#value("i32"), this.#small());
      b.store("local", place, [this.#as(given, type)]);
      return;
    }
    const variable = this.#pick(b.kernel.shared);
    b.barrier();
    const other = b.int("urem", b.int("add", b.special("tid.x"), b.constant("i32", 1 + this.#choose(3))), b.special("ntid.x"));
    const value = b.load("shared", "i32", b.gep(b.gep(b.shared(variable), other, threadBytes), b.constant("i32", this.#choose(16)), 4));
    b.store("local", place, [this.#as(value, type)]);
    b.barrier();
  }

  #if(depth: number): void {
    const b = this.#b;
    const condition = this.#condition();
    const [then, otherwise, after] = [b.newBlock(), b.newBlock(), b.newBlock()];
    b.branch(condition, then, otherwise);
    b.block = then;
    this.#several(depth, false);
    b.jump(after);
    b.block = otherwise;
    if (this.#choose(2)) this.#several(depth, false);
    b.jump(after);
    b.block = after;
  }

  /** Up to 16 turns, counted up or down, signed or unsigned, as often as a constant, the parameter or the thread says. */
  #for(depth: number, together: boolean): void {
    const b = this.#b;
    const type = this.#pick(["i32", "i32", "i32", "i64", "i8"] as const);
    const counter = b.alloca(4, 4, "i");
    const own = b.alloca(8, 8, "j");
    const constant = (value: number): Op => b.constant(type, type === "i64" ? BigInt(value) : value);
    const step = 1 + this.#choose(3);
    const kind = this.#choose(4);
    const trips = kind < 2 ? constant(this.#choose(16)) : kind === 2 ? this.#as(b.parameter(4), type) : this.#as(this.#small(), type);
    const down = this.#choose(3) === 0;
    const unsigned = this.#choose(2) === 0;
    b.store("local", counter, [b.constant("i32", 0)]);
    b.store("local", own, [down ? trips : constant(0)]);
    const [header, body, next, exit] = [b.newBlock(), b.newBlock(), b.newBlock(), b.newBlock()];
    if (this.#choose(6) === 0) header.unroll = this.#pick(["full", 1, 2, 3, 4, 6] as const);
    const atBottom = this.#choose(4) === 0;
    const test = (): Op => {
      const value = b.load("local", type, own);
      if (down) return b.icmp(unsigned ? "ugt" : "sgt", value, constant(0));
      return b.icmp(this.#pick(unsigned ? (["ult", "ule"] as const) : (["slt", "slt", "sle"] as const)), value, trips);
    };
    b.jump(header);
    b.block = header;
    if (atBottom) b.jump(body);
    else b.branch(test(), body, exit);
    b.block = body;
    const outer = this.#loop;
    const shared = together && kind < 3;
    this.#loop = shared ? undefined : { exit, next };
    this.#counters.push(counter);
    this.#several(depth, shared);
    this.#counters.pop();
    this.#loop = outer;
    b.jump(next);
    b.block = next;
    const turns = b.int("add", b.load("local", "i32", counter), b.constant("i32", 1), true);
    b.store("local", counter, [turns]);
    const moved = b.load("local", type, own);
    const exact = this.#choose(2) === 0 && !down;
    b.store("local", own, [
      down ? b.int("sub", moved, b.int(unsigned ? "umin" : "smin", moved, constant(step))) : b.int("add", moved, constant(step), exact),
    ]);
    // Whatever the counter does, there are at most 16 turns.
    const again = b.icmp("slt", turns, b.constant("i32", 16));
    if (atBottom) b.branch(this.#choose(2) ? b.int("and", again, test()) : again, header, exit);
    else if (this.#choose(2) && !down) b.jump(header);
    else b.branch(again, header, exit);
    b.block = exit;
  }

  /** Goes on while a condition holds, at most a few times, with a pointer that moves along. */
  #while(depth: number): void {
    const b = this.#b;
    const counter = b.alloca(4, 4, "k");
    const pointer = b.alloca(8, 8, "p");
    const region = this.#written();
    b.store("local", pointer, [region.start()]);
    b.store("local", counter, [b.constant("i32", 0)]);
    const [header, body, exit] = [b.newBlock(), b.newBlock(), b.newBlock()];
    b.jump(header);
    b.block = header;
    const turns = b.load("local", "i32", counter);
    const condition = b.int("and", b.icmp("slt", turns, b.constant("i32", 1 + this.#choose(7))), this.#condition());
    b.branch(this.#choose(2) ? condition : b.icmp("slt", turns, b.constant("i32", this.#choose(8))), body, exit);
    b.block = body;
    const at = b.load("local", "ptr", pointer);
    const old = b.load(region.space, "i32", at);
    b.store(region.space, at, [this.#choose(2) ? b.int("add", old, this.#value("i32", 2)) : this.#value("i32", 2)]);
    this.#counters.push(counter);
    this.#several(depth, false);
    this.#counters.pop();
    b.store("local", pointer, [b.gep(b.load("local", "ptr", pointer), b.constant("i32", 1), 4)]);
    b.store("local", counter, [b.int("add", b.load("local", "i32", counter), b.constant("i32", 1), true)]);
    b.jump(header);
    b.block = exit;
  }

  /** `break` or `continue` under a condition. */
  #leave(to: Block): void {
    const b = this.#b;
    const after = b.newBlock();
    b.branch(this.#condition(), to, after);
    b.block = after;
  }

  #several(depth: number, together: boolean): void {
    const count = 1 + this.#choose(4);
    for (let k = 0; k < count; k++) this.#statement(depth + 1, together);
  }
}

/** A launch of a random program. `meet`: the first two pointers are the same. */
export function programLaunch(threads: number, blocks: number, n: number, meet: boolean): Launch {
  const bytes = threads * blocks * threadBytes;
  const content = { kind: "uniform", lo: -100, hi: 100 } as const;
  return {
    grid: [blocks, 1, 1],
    block: [threads, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [
      ...[0, meet ? 0 : 1, 2, 3].map((buffer) => ({ kind: "pointer" as const, buffer, offset: 0 })),
      { kind: "scalar", value: n },
    ],
    buffers: ["a", "b", "c", "d"].map((name) => ({ name, bytes, element: "i32" as const, content })),
  };
}
