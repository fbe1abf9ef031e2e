/** What a launch finds before its first instruction: memories laid out, and the value of every parameter. */
import { type Argument, type Image, type Kernel, type Launch, type Op, type ScalarType, type Space, scalarBytes } from "../ir/kernel.ts";
import { mostLocalBytes, mostSharedBytes } from "../ir/windows.ts";
import { Mbarriers } from "./mbarriers.ts";
import {
  constantBase,
  FixedWindow,
  GlobalMemory,
  LazyMemory,
  localBase,
  paramBase,
  placeBuffers,
  sharedBase,
  spaceOf,
  type Window,
} from "./memory.ts";
import { readScalar, type Scalar, writeScalar } from "./scalars.ts";
import { type Contents, plainContents } from "./sources.ts";

const unknownImageBytes = 2 ** 32;

/** Threads a block may have at most. */
const maxThreads = 1024;

/** An argument as a plain value: an address for a pointer; undefined for an aggregate. Throws on an unknown: those are to be replaced before. */
function plainValue(argument: Argument | undefined, bufferStarts: readonly number[], what: string): Scalar | undefined {
  if (!argument) throw new Error(`no argument for ${what}`);
  switch (argument.kind) {
    case "scalar":
      return argument.value;
    case "pointer":
      return (bufferStarts[argument.buffer] ?? 0) + argument.offset;
    case "aggregate":
      return undefined;
    case "unknown":
      throw new Error(`${what} is not known: ${argument.reason}`);
  }
}

/** Memories and parameters of one launch. Global memory lasts from block to block, shared and local memory do not. */
export class Environment {
  readonly kernel: Kernel;
  readonly launch: Launch;
  readonly global = new GlobalMemory();
  readonly mbarriers: Mbarriers;
  readonly bufferStarts: readonly number[];
  /** Address of each of `Kernel.shared`, and of each of `Kernel.globals`. */
  readonly sharedAddresses: readonly number[];
  readonly globalAddresses: readonly number[];
  /** Bytes of the static variables alone; the dynamic ones follow. */
  readonly staticSharedBytes: number;
  /** First address of each alloca. */
  readonly allocas = new Map<Op, number>();
  /** Bytes of local memory a thread's allocas take. */
  readonly frameBytes: number;
  /** Addresses that floats are summed up at by atomics, where somebody asks. */
  floatSums: Set<number> | undefined;
  /** Where texels lie of which no pointer tells. */
  readonly unknownImageStart: number;
  readonly #constants: { readonly start: number; readonly end: number; readonly memory: LazyMemory }[] = [];
  readonly #shared: DataView;
  readonly #local: DataView;
  readonly #parameters: DataView;
  readonly #parameterOffsets: number[] = [];
  readonly #values: (Scalar | undefined)[];

  constructor(kernel: Kernel, launch: Launch, contents: Contents = plainContents) {
    this.kernel = kernel;
    this.launch = launch;
    this.mbarriers = new Mbarriers((launch.cluster ?? []).some((blocks) => blocks > 1));
    this.bufferStarts = placeBuffers(this.global, launch.buffers, contents);

    let offset = 0;
    const place = (align: number, bytes: number): number => {
      const start = Math.ceil(offset / align) * align;
      offset = start + bytes;
      return start;
    };
    const statics = kernel.shared.map((each) => (each.bytes === undefined ? undefined : sharedBase + place(each.align, each.bytes)));
    this.staticSharedBytes = offset;
    const dynamic =
      sharedBase +
      place(Math.max(16, ...kernel.shared.map((each) => (each.bytes === undefined ? each.align : 1))), launch.dynamicSharedBytes);
    if (!(offset <= mostSharedBytes)) throw new Error(`a block needs ${offset} bytes of shared memory, more than any GPU has`);
    this.sharedAddresses = statics.map((address) => address ?? dynamic);
    this.#shared = new DataView(new ArrayBuffer(offset + 64));

    offset = 0;
    this.globalAddresses = kernel.globals.map((each, index) => {
      const content = each.content ?? { kind: "zero" };
      if (each.space === "global") return this.global.add(each.bytes, contents.source(content, each.element, this.global.seed));
      const start = constantBase + place(Math.max(each.align, 256), each.bytes);
      this.#constants.push({
        start,
        end: start + each.bytes,
        memory: new LazyMemory(contents.source(content, each.element, 1000 + index)),
      });
      return start;
    });

    offset = 0;
    for (const op of kernel.blocks[0]?.ops ?? []) {
      if (op.action.kind === "alloca") this.allocas.set(op, localBase + place(Math.max(4, op.action.align), op.action.bytes));
    }
    this.frameBytes = Math.ceil(offset / 4) * 4;
    if (!(offset <= mostLocalBytes))
      throw new Error(`a thread needs ${offset} bytes of local memory, more than the ${mostLocalBytes} that it has`);
    this.unknownImageStart = this.global.add(unknownImageBytes, contents.source({ kind: "unknown" }, "i32", 0));
    this.#local = new DataView(new ArrayBuffer(this.frameBytes * maxThreads + 64));

    offset = 0;
    this.#parameterOffsets = kernel.parameters.map((each) => place(16, each.bytes));
    this.#parameters = new DataView(new ArrayBuffer(offset + 64));
    this.#values = kernel.parameters.map((parameter, index) =>
      this.#argument(index, launch.arguments[index], `parameter ${parameter.name || index}`),
    );
  }

  #argument(index: number, argument: Argument | undefined, what: string): Scalar | undefined {
    const base = this.#parameterOffsets[index] ?? 0;
    const store = (each: Argument | undefined, at: number, type: ScalarType | undefined): Scalar | undefined => {
      const value = plainValue(each, this.bufferStarts, what);
      if (value !== undefined && type)
        writeScalar(
          this.#parameters,
          at,
          type,
          type === "i64" ? BigInt.asIntN(64, BigInt(typeof value === "number" ? Math.trunc(value) : value)) : Number(value),
        );
      if (each?.kind === "aggregate") for (const field of each.fields) store(field.value, at + field.offset, field.type);
      return value;
    };
    const type = this.kernel.parameters[index]?.type;
    store(argument, base, type);
    // Reading back gives the value in the parameter's type: a float rounded, an integer wrapped.
    return type ? readScalar(this.#parameters, base, type) : undefined;
  }

  /** What is known of the texels at an address. */
  imageAt(address: number): Image | undefined {
    return this.launch.buffers[this.global.indexOf(address)]?.image;
  }

  parameterValue(index: number): Scalar {
    const value = this.#values[index];
    if (value === undefined) throw new Error(`parameter ${index} is no scalar`);
    return value;
  }

  parameterAddress(index: number): number {
    return paramBase + (this.#parameterOffsets[index] ?? 0);
  }

  /** Shared memory as a new block finds it. What it held before is undefined in CUDA; here it is zero. */
  clearShared(): void {
    new Uint8Array(this.#shared.buffer).fill(0);
  }

  /** The memory an access to this space reaches; undefined where only the address tells, or nothing lies in views. */
  window(space: Space): Window | undefined {
    switch (space) {
      case "global":
        return this.global;
      case "shared":
        return new FixedWindow(this.#shared, sharedBase, 0);
      case "local":
        return new FixedWindow(this.#local, localBase, this.frameBytes);
      default:
        return undefined;
    }
  }

  /** @param thread place of the lane's registers, which its local memory goes with */
  read(address: number, type: ScalarType, thread: number): Scalar {
    switch (spaceOf(address)) {
      case "global":
        return this.global.read(address, type);
      case "shared":
        return this.#within(this.#shared, address - sharedBase, type);
      case "local":
        return this.#within(this.#local, address - localBase + thread * this.frameBytes, type);
      case "constant": {
        const found = this.#constants.find((each) => address >= each.start && address < each.end);
        if (found) return found.memory.read(address - found.start, type);
        break;
      }
      case "param":
        return this.#within(this.#parameters, address - paramBase, type);
      case undefined:
        break;
    }
    return type === "i64" ? 0n : 0;
  }

  #within(view: DataView, offset: number, type: ScalarType): Scalar {
    if (offset + scalarBytes[type] > view.byteLength) return type === "i64" ? 0n : 0;
    return readScalar(view, offset, type);
  }

  write(address: number, type: ScalarType, value: Scalar, thread: number): void {
    const into = (view: DataView, offset: number): void => {
      if (offset + scalarBytes[type] <= view.byteLength) writeScalar(view, offset, type, value);
    };
    switch (spaceOf(address)) {
      case "global":
        this.global.write(address, type, value);
        return;
      case "shared":
        into(this.#shared, address - sharedBase);
        return;
      case "local":
        into(this.#local, address - localBase + thread * this.frameBytes);
        return;
      default:
        // Constants and parameters cannot be written, nor can null.
        return;
    }
  }
}
