/** Random structured kernels: loops, branches, breaks, early returns, every integer width, shared memory, shuffles. */
import { Builder, createKernel, linkBlocks } from "../../ir/builder.ts";
import type { Block, IntBinary, IntPredicate, Kernel, Launch, Op, ScalarType } from "../../ir/kernel.ts";

/** Elements a thread may write in the output buffers, for each. */
export const outputsPerThread = 4;
const sharedElements = 256;

type Choose = (below: number) => number;

/** Decisions from a list of numbers; when they run out, the first choice always. */
const chooser = (decisions: readonly number[]): Choose => {
  let at = 0;
  return (below) => (decisions[at++] ?? 0) % below;
};

const intOps: readonly IntBinary[] = [
  "add",
  "sub",
  "mul",
  "and",
  "or",
  "xor",
  "shl",
  "lshr",
  "ashr",
  "smin",
  "umax",
  "sdiv",
  "udiv",
  "srem",
  "urem",
  "mulhi.s",
  "mulhi.u",
  "smax",
  "umin",
];
const predicates: readonly IntPredicate[] = ["slt", "ult", "eq", "ne", "sge", "ugt", "sle", "uge", "sgt", "ule"];
const types: readonly ScalarType[] = ["i32", "i64", "f32", "f64", "i16", "i8"];

/** A kernel of `(out: i32*, outLong: i64*, in: i32*, n: i32)` that the decisions describe. */
export function randomKernel(decisions: readonly number[]): Kernel {
  const kernel = createKernel({
    name: "random",
    parameters: [
      { name: "out", type: "ptr", bytes: 8 },
      { name: "longs", type: "ptr", bytes: 8 },
      { name: "in", type: "ptr", bytes: 8 },
      { name: "n", type: "i32", bytes: 4 },
    ],
    shared: [
      {
        name: "s",
        bytes: 4 * sharedElements,
        align: 16,
        dimensions: [sharedElements],
        elementBytes: 4,
        span: { file: 0, line: 0, start: 0, end: 0 },
      },
    ],
  });
  const generator = new Generator(kernel, chooser(decisions));
  generator.body();
  linkBlocks(kernel);
  return kernel;
}

class Generator {
  readonly #b: Builder;
  readonly #choose: Choose;
  readonly #variables: { readonly place: Op; readonly type: ScalarType }[] = [];
  /** The loop whose body the statement stands in, not within a branch: from there lanes that leave meet no others. */
  #loop: { readonly exit: Block; readonly next: Block } | undefined;
  #statements = 0;

  constructor(kernel: Kernel, choose: Choose) {
    this.#b = new Builder(kernel);
    this.#choose = choose;
  }

  body(): void {
    const b = this.#b;
    for (let k = 0; k < 8; k++) {
      const type = types[k % types.length] ?? "i32";
      this.#variables.push({ place: b.alloca(8, 8, `v${k}`), type });
    }
    const thread = this.#thread();
    for (const { place, type } of this.#variables) b.store("local", place, [this.#as(thread, type)]);
    const count = 2 + this.#choose(8);
    for (let k = 0; k < count; k++) this.#statement(0, true);
    for (const [k, { place, type }] of this.#variables.entries()) {
      const value = b.load("local", type, place);
      const at = b.int("add", b.int("mul", this.#thread(), b.constant("i32", outputsPerThread)), b.constant("i32", k % outputsPerThread));
      if (type === "i64") b.store("global", b.gep(b.parameter(1), at, 8), [value]);
      else b.store("global", b.gep(b.parameter(0), at, 4), [this.#as(value, "i32")]);
    }
    b.return();
  }

  #thread(): Op {
    const b = this.#b;
    const inBlock = b.int("add", b.special("tid.x"), b.int("mul", b.special("tid.y"), b.special("ntid.x")));
    const size = b.int("mul", b.special("ntid.x"), b.special("ntid.y"));
    return b.int("add", inBlock, b.int("mul", b.special("ctaid.x"), size));
  }

  #as(value: Op, type: ScalarType): Op {
    const b = this.#b;
    const width = (of: ScalarType): number => ({ i1: 1, i8: 8, i16: 16, i32: 32, i64: 64 })[of as "i32"] ?? 0;
    const from = value.type as ScalarType;
    if (from === type) return value;
    if (width(from) && width(type)) return b.convert(width(from) > width(type) ? "trunc" : from === "i1" ? "zext" : "sext", value, type);
    if (width(from)) return b.convert("sitofp", value, type);
    if (width(type) === 64 || width(type) === 32) return b.convert("fptosi", value, type);
    if (width(type)) return b.convert("trunc", b.convert("fptosi", value, "i32"), type);
    return b.convert(type === "f64" ? "fpext" : "fptrunc", value, type);
  }

  #variable(): { readonly place: Op; readonly type: ScalarType } {
    const found = this.#variables[this.#choose(this.#variables.length)];
    if (!found) throw new Error("no variables");
    return found;
  }

  #value(type: ScalarType): Op {
    const b = this.#b;
    switch (this.#choose(5)) {
      case 0: {
        const value = this.#choose(64) - 16;
        return b.constant(type, type === "i64" ? BigInt(value) : value);
      }
      case 1:
        return this.#as([b.special("tid.x"), b.special("laneid"), b.special("ctaid.x"), b.parameter(3)][this.#choose(4)] as Op, type);
      default: {
        const { place, type: of } = this.#variable();
        return this.#as(b.load("local", of, place), type);
      }
    }
  }

  #condition(): Op {
    const b = this.#b;
    const type = (["i32", "i32", "i64", "i8", "f32"] as const)[this.#choose(5)] ?? "i32";
    const [x, y] = [this.#value(type), this.#value(type)];
    return type === "f32"
      ? b.fcmp((["olt", "oge", "oeq", "une"] as const)[this.#choose(4)] ?? "olt", x, y)
      : b.icmp(predicates[this.#choose(predicates.length)] ?? "slt", x, y);
  }

  #assign(): void {
    const b = this.#b;
    const { place, type } = this.#variable();
    if (type === "f32" || type === "f64") {
      const op = (["fadd", "fsub", "fmul"] as const)[this.#choose(3)] ?? "fadd";
      b.store("local", place, [b.float(op, this.#value(type), this.#value(type))]);
      return;
    }
    const op = intOps[this.#choose(intOps.length)] ?? "add";
    const shift = op === "shl" || op === "lshr" || op === "ashr";
    const [x, y] = [this.#value(type), this.#value(shift ? "i32" : type)];
    const result = b.int(op, x, y);
    b.store("local", place, [this.#choose(6) === 0 ? b.select(this.#condition(), result, x) : result]);
  }

  /** A place within the input, or within shared memory. */
  #index(below: number): Op {
    const b = this.#b;
    return b.int("and", this.#value("i32"), b.constant("i32", below - 1));
  }

  /** @param uniform every thread of the block gets here together */
  #statement(depth: number, uniform: boolean): void {
    if (++this.#statements > 30) {
      this.#assign();
      return;
    }
    const b = this.#b;
    switch (this.#choose(uniform ? 10 : 8)) {
      case 0:
      case 1:
        this.#assign();
        return;
      case 2: {
        const { place, type } = this.#variable();
        const address = b.gep(b.parameter(2), this.#index(1024), 4);
        b.store("local", place, [this.#as(b.load("global", "i32", address), type)]);
        return;
      }
      case 3: {
        const components = [2, 4][this.#choose(2)] ?? 2;
        const vector = b.load("global", "i32", b.gep(b.parameter(2), this.#index(256), 4 * components), {
          components,
          align: 4 * components,
        });
        const { place, type } = this.#variable();
        b.store("local", place, [this.#as(b.extract(vector, this.#choose(components)), type)]);
        return;
      }
      case 4:
        if (depth < 3) this.#if(depth);
        return;
      case 5:
        if (depth < 2) this.#for(depth);
        return;
      case 6:
        if (this.#loop && this.#choose(2)) this.#leave(this.#choose(2) ? this.#loop.exit : this.#loop.next);
        else this.#assign();
        return;
      case 7: {
        const { place, type } = this.#variable();
        const address = b.gep(b.shared(b.kernel.shared[0] as never), this.#index(sharedElements), 4);
        if (uniform) b.store("local", place, [this.#as(b.load("shared", "i32", address), type)]);
        else b.load("shared", "i32", address);
        return;
      }
      case 8: {
        // Each thread writes its own element; all then read any.
        const s = b.shared(b.kernel.shared[0] as never);
        const own = b.int("add", b.special("tid.x"), b.int("mul", b.special("tid.y"), b.special("ntid.x")));
        b.barrier();
        b.store("shared", b.gep(s, own, 4), [this.#value("i32")]);
        b.barrier();
        return;
      }
      default: {
        const { place, type } = this.#variable();
        const all = b.constant("i32", -1);
        const lane = this.#value("i32");
        const mode = (["idx", "up", "down", "xor"] as const)[this.#choose(4)] ?? "idx";
        const choice = this.#choose(3);
        const result =
          choice === 0
            ? b.shuffle(mode, all, this.#value("i32"), lane, [32, 16, 8][this.#choose(3)] ?? 32)
            : choice === 1
              ? b.emit({ kind: "vote", mode: "ballot" }, "i32", all, this.#condition())
              : b.emit({ kind: "reduce", op: "add" }, "i32", all, this.#value("i32"));
        b.store("local", place, [this.#as(result, type)]);
      }
    }
  }

  #if(depth: number): void {
    const b = this.#b;
    const condition = this.#condition();
    const [then, otherwise, after] = [b.newBlock(), b.newBlock(), b.newBlock()];
    const outer = this.#loop;
    this.#loop = undefined;
    b.branch(condition, then, otherwise);
    b.block = then;
    this.#several(depth);
    b.jump(after);
    b.block = otherwise;
    if (this.#choose(2)) this.#several(depth);
    else if (this.#choose(6) === 0) {
      b.return();
      b.block = after;
      this.#loop = outer;
      return;
    }
    b.jump(after);
    b.block = after;
    this.#loop = outer;
  }

  /** Up to six iterations, as many as constants or a lane's own value say. */
  #for(depth: number): void {
    const b = this.#b;
    const counter = b.alloca(4, 4, "i");
    b.store("local", counter, [b.constant("i32", 0)]);
    const steps = b.constant("i32", 1 + this.#choose(3));
    const limit = this.#choose(2) ? b.constant("i32", this.#choose(7)) : b.int("and", this.#value("i32"), b.constant("i32", 3));
    const [header, body, next, exit] = [b.newBlock(), b.newBlock(), b.newBlock(), b.newBlock()];
    b.jump(header);
    b.block = header;
    const i = b.load("local", "i32", counter);
    b.branch(b.icmp("slt", i, limit), body, exit);
    b.block = body;
    const outer = this.#loop;
    this.#loop = { exit, next };
    this.#several(depth);
    this.#loop = outer;
    b.jump(next);
    b.block = next;
    b.store("local", counter, [b.int("add", b.load("local", "i32", counter), steps)]);
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

  #several(depth: number): void {
    const count = 1 + this.#choose(3);
    for (let k = 0; k < count; k++) this.#statement(depth + 1, false);
  }
}

/** A launch of a random kernel with blocks of this shape. */
export function randomLaunch(block: readonly [number, number, number], blocks: number): Launch {
  const threads = block[0] * block[1] * block[2] * blocks;
  return {
    grid: [blocks, 1, 1],
    block,
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "pointer", buffer: 1, offset: 0 },
      { kind: "pointer", buffer: 2, offset: 0 },
      { kind: "scalar", value: 13 },
    ],
    buffers: [
      { name: "out", bytes: 4 * outputsPerThread * threads, element: "i32", content: { kind: "zero" } },
      { name: "longs", bytes: 8 * outputsPerThread * threads, element: "i64", content: { kind: "zero" } },
      { name: "in", bytes: 4096, element: "i32", content: { kind: "uniform", lo: -50, hi: 1000 } },
    ],
  };
}
