/**
 * The kernel IR: what the engine optimises, executes, counts and times.
 *
 * A kernel is a control-flow graph in static single assignment form, close to LLVM's and to PTX:
 * integers carry a width and no sign (the operation is signed or unsigned), pointers are 64-bit
 * addresses, every device call is already inlined, and memory is reached only by `load`, `store`,
 * `atomic` and `copy.async`. A front end may put every variable in an `alloca` and load and store it;
 * the `promote` pass makes SSA values of those, exactly as a compiler does.
 *
 * An operation object is its own value: operands are references to operations. Passes mutate a kernel
 * in place; whoever needs the original clones it first (`cloneKernel`).
 */
import type { Work } from "../work.ts";

export type IntType = "i1" | "i8" | "i16" | "i32" | "i64";
export type FloatType = "f16" | "bf16" | "f32" | "f64";
export type ScalarType = IntType | FloatType | "ptr";
/** `void`: the operation has no value (store, barrier). */
export type ValueType = ScalarType | "void";

/** Bytes a scalar takes in memory; i1 is a C++ `bool`, one byte. */
export const scalarBytes: Readonly<Record<ScalarType, number>> = {
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

/** Bits of a value: an `i1` has one, though it takes a byte in memory. */
export const scalarBits: Readonly<Record<ScalarType, number>> = {
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

/**
 * `generic`: not known (yet) from the source; the address tells at run time. `param`: the kernel's by-value aggregates.
 * `texture`: global memory through a texture or surface object; addresses are made by `texel`.
 */
export type Space = "global" | "shared" | "local" | "constant" | "param" | "texture" | "generic";

/** Where an operation comes from. `file` indexes `Kernel.files`; `line` is 1-based; `start`, `end` are UTF-16 offsets in that file. */
export interface Span {
  readonly file: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export type IntBinary =
  | "add"
  | "sub"
  | "mul"
  | "mulhi.s"
  | "mulhi.u"
  | "sdiv"
  | "udiv"
  | "srem"
  | "urem"
  | "and"
  | "or"
  | "xor"
  | "shl"
  | "lshr"
  | "ashr"
  | "smin"
  | "smax"
  | "umin"
  | "umax";
export type FloatBinary = "fadd" | "fsub" | "fmul" | "fdiv" | "frem" | "fmin" | "fmax";
export type IntPredicate = "eq" | "ne" | "slt" | "sle" | "sgt" | "sge" | "ult" | "ule" | "ugt" | "uge";
/** Ordered comparisons but `une`, as C's operators are. */
export type FloatPredicate = "oeq" | "une" | "olt" | "ole" | "ogt" | "oge" | "uno";
export type Conversion =
  | "trunc"
  | "sext"
  | "zext"
  | "fptosi"
  | "fptoui"
  | "sitofp"
  | "uitofp"
  | "fpext"
  | "fptrunc"
  | "ptrtoint"
  | "inttoptr"
  | "bitcast";
/** Functions of one to three scalar operands of the operation's own type unless said otherwise (see execute/math). */
export type MathFunction =
  | "fabs"
  | "fneg"
  | "sqrt"
  | "rsqrt"
  | "rcp"
  | "cbrt"
  | "rcbrt"
  | "exp"
  | "exp2"
  | "exp10"
  | "expm1"
  | "log"
  | "log2"
  | "log10"
  | "log1p"
  | "sin"
  | "cos"
  | "tan"
  | "sinpi"
  | "cospi"
  | "asin"
  | "acos"
  | "atan"
  | "atan2"
  | "sinh"
  | "cosh"
  | "tanh"
  | "asinh"
  | "acosh"
  | "atanh"
  | "pow"
  | "hypot"
  | "rhypot"
  | "fmod"
  | "remainder"
  | "copysign"
  | "fdim"
  | "ldexp"
  | "scalbn"
  | "ilogb"
  | "logb"
  | "floor"
  | "ceil"
  | "trunc"
  | "round"
  | "rint"
  | "isnan"
  | "isinf"
  | "isfinite"
  | "signbit"
  | "saturate"
  | "erf"
  | "erfc"
  | "erfinv"
  | "erfcx"
  | "normcdf"
  | "normcdfinv"
  | "tgamma"
  | "lgamma"
  | "j0"
  | "j1"
  | "y0"
  | "y1"
  | "popc"
  | "clz"
  | "ffs"
  | "brev"
  | "abs"
  | "byteperm"
  | "funnel.l"
  | "funnel.r"
  | "sad"
  /** Differences of four unsigned bytes, summed onto the third operand. */
  | "sad4"
  /** Differences of four unsigned bytes, each in its place. */
  | "absdiff4"
  /** The position of the highest bit, -1 where there is none. */
  | "bfind"
  /** Dot products of four bytes, signed and unsigned, onto the third operand. */
  | "dp4a"
  | "dp4a.u"
  | "mul24"
  /** The bits of a float with 10 places in its mantissa, rounded to the nearest, ties away from zero. */
  | "tf32"
  | PackedFunction;
/**
 * Two 16-bit integers in a word each, or what of three 32-bit operands is one instruction from 9.0 on: sums, extremes of two or three,
 * and of a sum and a third; `relu`: not below zero.
 */
export type PackedFunction =
  | `${"add" | "sub"}.16x2`
  | `${"min" | "max" | "min3" | "max3" | "addmin" | "addmax"}.${"s16x2" | "u16x2" | "s16x2.relu" | "s32.relu"}`;
/** `fast`: the hardware approximation (`__expf`, -use_fast_math); `precise`: the library's. */
export type Precision = "precise" | "fast";
export type SpecialRegister =
  | `${"tid" | "ntid" | "ctaid" | "nctaid"}.${"x" | "y" | "z"}`
  | "laneid"
  | "warpid"
  | "smid"
  /** The block among those of its cluster, and how many they are. */
  | "cluster.rank"
  | "cluster.blocks"
  | "clock"
  | "globaltimer"
  | "activemask";
export type AtomicOperation =
  | "add"
  | "sub"
  | "exch"
  | "min.s"
  | "max.s"
  | "min.u"
  | "max.u"
  | "fmin"
  | "fmax"
  | "inc"
  | "dec"
  | "and"
  | "or"
  | "xor"
  | "cas";
/** The threads that an access is atomic among. */
export type AtomicScope = "block" | "device" | "system";
/** Functions of the device's runtime: code of its own, which a kernel calls and the compiler does not see. */
export type DeviceFunction = "printf" | "malloc" | "free";
export type ShuffleMode = "idx" | "up" | "down" | "xor";

/** What an operation does, apart from its operands (`Op.args`, in the order given here). */
export type Action =
  /** No operands. Integers to i32 are numbers (sign-extended), i64 bigint (sign-extended), floats numbers; ptr a number (0 is null). */
  | { readonly kind: "const"; readonly value: number | bigint }
  /** The kernel's scalar or pointer parameter `index`. */
  | { readonly kind: "param"; readonly index: number }
  /** Address (space `param`) of the by-value aggregate parameter `index`. */
  | { readonly kind: "param.address"; readonly index: number }
  /** Address of `Kernel.shared[index]` or `Kernel.globals[index]`. */
  | { readonly kind: "shared.address"; readonly index: number }
  | { readonly kind: "global.address"; readonly index: number }
  /** A local variable or array; only in the entry block. */
  | { readonly kind: "alloca"; readonly bytes: number; readonly align: number; readonly name: string }
  | { readonly kind: "special"; readonly register: SpecialRegister }
  /** (a, b) of the operation's type. `exact`: known not to wrap, as C++ promises for signed arithmetic. Shift counts are i32. */
  | { readonly kind: "int"; readonly op: IntBinary; readonly exact?: boolean }
  | { readonly kind: "float"; readonly op: FloatBinary; readonly precision?: Precision }
  /** (a, b, c): a * b + c, rounded once. */
  | { readonly kind: "fma" }
  /** (a, b) -> i1. The operands' type decides; pointers compare as unsigned. */
  | { readonly kind: "icmp"; readonly predicate: IntPredicate }
  | { readonly kind: "fcmp"; readonly predicate: FloatPredicate }
  /** (condition, whenTrue, whenFalse). No branch: both operands are already computed. */
  | { readonly kind: "select" }
  | { readonly kind: "convert"; readonly op: Conversion; readonly rounding?: "n" | "z" | "d" | "u" }
  | { readonly kind: "math"; readonly fn: MathFunction; readonly precision: Precision }
  /**
   * (base: ptr, index: i32 or i64) -> base + signExtend(index) * scale + offset, in bytes. `ofLane`: a lane's place in a fragment of a matrix,
   * which the assembler makes of the fragment's address: nothing is moved past it before.
   */
  | { readonly kind: "gep"; readonly scale: number; readonly offset: number; readonly ofLane?: true }
  /**
   * (object: ptr, x[, y[, z]][, layer]) -> where the texel lies; only for accesses of space `texture`, whose instruction does this
   * too. `sample` and `gather` take f32 coordinates, `fetch` i32 ones, and `surface` an i32 x in bytes; layers are i32. `bytes`: of
   * a texel, where the object does not say.
   */
  | {
      readonly kind: "texel";
      readonly fetch: "sample" | "gather" | "fetch" | "surface";
      readonly shape: ImageShape;
      readonly layered: boolean;
      readonly bytes: number;
    }
  /** (address). With `components` above 1 the value is a vector of that many `type` scalars, read by `extract`. */
  | {
      readonly kind: "load";
      readonly space: Space;
      readonly components: number;
      readonly align: number;
      readonly volatile?: boolean;
      /** Atomic among these threads: volatile, too. */
      readonly atomic?: AtomicScope;
      readonly cache?: CacheHint;
      /** Stays generic: nvcc does not find out which memory it goes to, though its address would tell. */
      readonly uninferred?: true;
      /** Of shared memory: each lane names 16 bytes, a row of one of `components` matrices of 8 by 8 16-bit elements (LDSM). */
      readonly matrix?: true;
      /** Of how many that NVVM loads with one instruction, where `wmma` does: a fragment, word by word. */
      readonly ofFragment?: number;
    }
  /** (address, component 0, ...). The stored scalar type is the operands'. */
  | {
      readonly kind: "store";
      readonly space: Space;
      readonly components: number;
      readonly align: number;
      readonly volatile?: boolean;
      readonly atomic?: AtomicScope;
      readonly cache?: CacheHint;
      readonly uninferred?: true;
      /** The same to shared memory (STSM): the first eight lanes for each matrix name rows. What stands in them is not computed. */
      readonly matrix?: true;
    }
  /**
   * A step of a warp's matrix product (words of a, of b, of c) -> `components` words of c + a * b; or an 8 by 8 matrix of 16-bit
   * elements turned (word) -> word. What is computed is not: only what it takes is known.
   */
  | {
      readonly kind: "matrix";
      readonly op: "multiply";
      readonly shape: MatrixShape;
      readonly of: MatrixElement;
      readonly components: number;
      /** Of how many that are one instruction to NVVM, where `wmma` multiplies. */
      readonly ofFragment?: number;
    }
  | { readonly kind: "matrix"; readonly op: "transpose"; readonly components: 1; readonly ofFragment?: number }
  /**
   * (which of the four warps of its group it is: i32, whether to add to the sums: i1, A, descriptor of B: i64, sums) -> `components`
   * words of a warp group's product, of which a warp has 16 of 64 rows. A is a descriptor, or the four words of a lane. What is done
   * later, before a wait, is here done at once.
   */
  | {
      readonly kind: "wgmma";
      readonly product: GroupProduct;
      readonly components: number;
    }
  /** What registers hold is there for the products to come; a group of products ends; all but the last `pending` groups are done. */
  | { readonly kind: "wgmma.fence" }
  | { readonly kind: "wgmma.commit" }
  | { readonly kind: "wgmma.wait"; readonly pending: number }
  /** (vector): its component `index`; of a load or a matrix product. */
  | { readonly kind: "extract"; readonly index: number }
  /** (address, value[, compare]) -> the old value. An unused result makes it a reduction (RED). */
  | { readonly kind: "atomic"; readonly op: AtomicOperation; readonly space: Space; readonly scope: AtomicScope }
  /** (shared destination, global source[, count: i32]): `bytes` 4, 8 or 16 copied without passing through registers (LDGSTS); only `count` of them are read, the others are zero. */
  | { readonly kind: "copy.async"; readonly bytes: number; readonly bypassL1: boolean }
  | { readonly kind: "copy.commit" }
  | { readonly kind: "copy.wait"; readonly pending: number }
  /** `__syncthreads()` and block barriers. With an operand (i1 or i32 predicate) and `reduce`, the i32 result of `_count`, `_and`, `_or`. `object`: waited for in shared memory (mbarrier); `named` ([id: i32[, threads: i32]]): of part of the block's warps, though here all wait; `arrives`: those that come by it are waited for, and need not wait; `grid`: all blocks of the launch come to it. */
  | {
      readonly kind: "barrier";
      readonly grid?: true;
      readonly reduce?: "count" | "and" | "or";
      readonly object?: true;
      readonly named?: true;
      readonly arrives?: true;
    }
  /** At a barrier object, without waiting. */
  | { readonly kind: "barrier.arrive" }
  /**
   * At an mbarrier, a barrier object of 8 bytes in shared memory with arrivals and bytes that its phase still waits for. `init`
   * (address, arrivals: i32); `arrive` (address, arrivals: i32, bytes: i32) -> the phase it was in (i64), or nothing: so many threads
   * have come, and so many bytes are expected besides; with `drop` the phases to come wait for so many fewer. `expect` and `complete`
   * (address, bytes: i32); `invalidate` (address). `copies` (address): the thread's asynchronous copies so far arrive; with
   * `counted` as an arrival the phase waits for, else as one more.
   */
  | { readonly kind: "mbarrier"; readonly op: "init" | "arrive" | "drop" | "expect" | "complete" | "invalidate" }
  | { readonly kind: "mbarrier"; readonly op: "copies"; readonly counted: boolean }
  /**
   * (address, phase) -> i1: whether the phase is over, told by its parity (i32) or by what `arrive` gave (i64). `suspends`: the warp
   * sleeps until it is; else it only looks.
   */
  | { readonly kind: "mbarrier.wait"; readonly suspends: boolean }
  /**
   * A copy by the SM's copy engine, past registers and L1: (shared, global, bytes: i32[, mbarrier]); or, of a box of a tensor of so
   * many dimensions, (shared, tensor map, coordinates: i32 ...[, mbarrier]). Into shared memory it completes bytes at the mbarrier,
   * with `multicast` (a last operand: i32) in each block of the cluster that the mask names; out of it, it has none, and belongs to
   * the thread's next group.
   */
  | { readonly kind: "copy.bulk"; readonly to: "shared" | "global"; readonly tensor?: number; readonly multicast?: true }
  | { readonly kind: "bulk.commit" }
  /** `read`: it is enough that shared memory has been read. */
  | { readonly kind: "bulk.wait"; readonly pending: number; readonly read: boolean }
  /** `mask`: the lanes that wait for each other, where the source says it as a constant. */
  | { readonly kind: "syncwarp"; readonly mask?: number }
  | { readonly kind: "fence"; readonly scope: "block" | "device" | "system" }
  /** (mask: i32, value, lane: i32) within segments of `width` lanes (16, 8, ...; 32 the warp). */
  | { readonly kind: "shuffle"; readonly mode: ShuffleMode; readonly width: number }
  /** (mask: i32, predicate: i1) -> i1 (any, all, uni) or i32 (ballot). */
  | { readonly kind: "vote"; readonly mode: "any" | "all" | "uni" | "ballot" }
  /** (mask: i32, value) -> i32 mask of lanes with the same value (any), or all lanes equal (all). */
  | { readonly kind: "match"; readonly mode: "any" | "all" }
  /** (mask: i32, value: i32) `__reduce_*_sync`. */
  | { readonly kind: "reduce"; readonly op: "add" | "and" | "or" | "xor" | "min.s" | "max.s" | "min.u" | "max.u" }
  | { readonly kind: "phi" }
  /** (what `printf` prints, the size that `malloc` is asked for, the pointer that `free` is given): a function of the device's runtime. */
  | { readonly kind: "call"; readonly callee: DeviceFunction }
  | { readonly kind: "trap" }
  /** A value nobody knows, with the reason shown to the user when it decides an address or a branch. */
  | { readonly kind: "unknown"; readonly reason: string };

/** Rows, columns and depth of `mma.sync`. */
export type MatrixShape = `m${number}n${number}k${number}`;
export type MatrixElement = "f16" | "bf16" | "tf32" | "s8" | "f64";

/** `wgmma.mma_async`: 64 rows, `columns` columns, as deep as 32 bytes of an element. */
export interface GroupProduct {
  readonly columns: number;
  readonly a: GroupElement;
  readonly b: GroupElement;
  readonly sums: "f16" | "f32" | "s32";
  readonly aIn: "registers" | "shared";
  /** A matrix is taken with the other sign, or lies in shared memory column by column (A) or row by row (B). */
  readonly negated: { readonly a: boolean; readonly b: boolean };
  readonly transposed: { readonly a: boolean; readonly b: boolean };
}
/** Rows of a group's product, and bytes of each of A's rows and B's columns that it takes. */
export const groupRows = 64;
export const groupDepthBytes = 32;
export type GroupElement = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "s8" | "u8";
/** Bits of an element. */
export const elementBits: Readonly<Record<GroupElement, number>> = { f16: 16, bf16: 16, tf32: 32, e4m3: 8, e5m2: 8, s8: 8, u8: 8 };

export type ImageShape = "1d" | "2d" | "3d" | "cube";

export type CacheHint = "ca" | "cg" | "cs" | "cv" | "lu" | "nc" | "wb" | "wt";

/** One operation, and the value it defines. `id` is unique in its kernel and below `Kernel.nextId`. */
export interface Op {
  readonly id: number;
  action: Action;
  type: ValueType;
  /** For a phi: one operand for each of `Block.predecessors`, in their order. */
  args: Op[];
  span: Span;
}

export type Terminator =
  | { readonly kind: "jump"; to: Block }
  /** `cond` is i1. */
  | { readonly kind: "branch"; cond: Op; then: Block; else: Block; span: Span }
  | { readonly kind: "return" };

export interface Block {
  readonly id: number;
  phis: Op[];
  ops: Op[];
  end: Terminator;
  /** Kept by `linkBlocks`: every block that ends in an edge to this one, once for each edge. */
  predecessors: Block[];
  /** On a loop header: what `#pragma unroll` said. `full`: no count; 1 forbids it. From the optimiser: 0 has been unrolled, -1 and is not to be again. */
  unroll?: number | "full";
}

export interface Parameter {
  readonly name: string;
  /** Scalar parameters; absent for a by-value aggregate of `bytes`. */
  readonly type?: ScalarType;
  readonly bytes: number;
  /** Pointers: element type and promises that optimisation may use. */
  readonly pointee?: { readonly bytes: number; readonly type?: ScalarType; readonly const: boolean };
  readonly restrict?: boolean;
}

/** A `__shared__` variable. `extern __shared__` arrays have no `bytes` and all start behind the static ones. */
export interface SharedVariable {
  readonly name: string;
  readonly bytes?: number;
  readonly align: number;
  /** Innermost last, in elements: `float tile[32][33]` is `[32, 33]`. */
  readonly dimensions: readonly number[];
  readonly elementBytes: number;
  readonly span: Span;
}

/** A `__constant__` or `__device__` variable the kernel reaches. */
export interface GlobalVariable {
  readonly name: string;
  readonly space: "constant" | "global";
  readonly bytes: number;
  readonly align: number;
  /** Where it begins in the constant bank, in bytes; absent where that is not known. */
  readonly offset?: number;
  readonly element: ScalarType;
  readonly content?: Content;
}

/** What nvcc was told of floats, where that is not what it does by itself. */
export interface FloatOptions {
  /** `-ftz=true`: what is too small for a normal number is zero. */
  readonly flushed?: true;
  /** `-fmad=false`: a product is rounded before it is added. */
  readonly unfused?: true;
}

export interface Kernel {
  readonly name: string;
  readonly templateArguments: readonly string[];
  /** Paths of the source files spans refer to; 0 is the file that holds the kernel. */
  readonly files: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly launchBounds?: { readonly maxThreads: number; readonly minBlocks?: number; readonly maxBlocksPerCluster?: number };
  /** `__maxnreg__` or --maxrregcount. */
  readonly maxRegisters?: number;
  /** The most registers that `setmaxnreg` gives a warp; it does where the kernel says how many it begins with. */
  reallocatedRegisters?: number;
  readonly floats?: FloatOptions;
  /** `-dlcm=cg`: loads that do not say it are cached in the L2 alone. */
  readonly loadCache?: "cg";
  shared: SharedVariable[];
  globals: GlobalVariable[];
  /** What the front end took for granted, for the report. */
  readonly assumptions?: readonly Assumption[];
  /** Entry first; every block reachable. */
  blocks: Block[];
  nextId: number;
}

/** What a buffer holds before the launch, by element. Seeded: the same every time. */
export type Content =
  | { readonly kind: "zero" }
  | { readonly kind: "constant"; readonly value: number }
  /** element i = start + stride * i */
  | { readonly kind: "linear"; readonly stride: number; readonly start: number }
  /** element i = (start + stride * i) modulo `modulus`, from 0 on */
  | { readonly kind: "cyclic"; readonly stride: number; readonly start: number; readonly modulus: number }
  /** Integers: every value in [lo, hi) equally likely. Floats: uniform in [lo, hi). `bounds`: that they lie there is all that is known. */
  | { readonly kind: "uniform"; readonly lo: number; readonly hi: number; readonly bounds?: true }
  /** A pseudo-random permutation of 0..n-1. */
  | { readonly kind: "permutation"; readonly n: number }
  /** `drawn`: at random, in place of numbers that the program draws and nobody knows. */
  | { readonly kind: "values"; readonly values: ArrayLike<number>; readonly drawn?: true }
  | { readonly kind: "computed"; readonly by: ElementFormula }
  | { readonly kind: "bytes"; readonly value: number }
  /** What an earlier launch left in its buffer `buffer`: byte 0 here is byte `offset` there. `since`: others may have written there, too. */
  | { readonly kind: "written"; readonly by: EarlierLaunch; readonly buffer: number; readonly offset: number; readonly since?: true }
  /** Parts that do not overlap, by where they begin. */
  | { readonly kind: "parts"; readonly parts: readonly ContentPart[] }
  /** Records of so many bytes, one behind the other; zero between their members. */
  | { readonly kind: "records"; readonly bytes: number; readonly members: readonly RecordMember[] }
  /** `fresh`: nobody has written there since it was allocated. */
  | { readonly kind: "unknown"; readonly fresh?: true };

/** Bytes [from, to) of a buffer. The part's content begins at byte `origin`: its element 0 stands there. */
export interface ContentPart {
  readonly from: number;
  readonly to: number;
  readonly origin: number;
  readonly content: Content;
}

/** A number that each record has: element k of its content is that of record k. */
export interface RecordMember {
  /** In bytes from the record's beginning. */
  readonly offset: number;
  readonly element: ScalarType;
  readonly content: Content;
}

/** What a program computes for each element by itself: made only for those that are read. */
export interface ElementFormula {
  /** Element `index`, from 0 on; 0 where the program has no number for it, as behind a division by zero. */
  at(index: number): number;
  /** The formula as text: two with the same text have the same elements. */
  toJSON(): string;
}

/** A launch that the host makes before the one in question. */
export interface EarlierLaunch {
  /** For the user: "`fill`, launched in line 12". */
  readonly name: string;
  /** The kernel as the front end made it, and its launch; undefined where they are not known. The same each time. `work` is only asked. */
  resolve(work?: Work): { readonly kernel: Kernel; readonly launch: Launch } | undefined;
}

/** One allocation. Buffers start at addresses aligned to 512 bytes, as cudaMalloc's do. */
export interface Buffer {
  readonly name: string;
  /** Absent when the size is not known. */
  readonly bytes?: number;
  readonly element?: ScalarType;
  readonly content: Content;
  /** Pinned host memory mapped into the device's address space, or managed memory. */
  readonly residence?: "device" | "host" | "managed";
  /** What texture and surface objects say of it. */
  readonly image?: Image;
  /** What it holds is made up, as nobody says it. */
  readonly guessed?: true;
}

/** Memory seen as texels. */
export interface Image {
  /** Texels in x, y and z; layers and the faces of a cube map count as z. */
  readonly extent: Dim3;
  readonly texelBytes: number;
  /** Bytes from row to row, where rows lie one after the other; absent for a CUDA array, whose texels lie in tiles. */
  readonly pitch?: number;
  /** Coordinates run from 0 to 1. */
  readonly normalized: boolean;
  /** Normalized coordinates beyond 1 start again; all others stop at the edge. */
  readonly wraps: boolean;
}

export type Argument =
  /** `assumed`: nobody says what it is, and another value would do as well. */
  | { readonly kind: "scalar"; readonly value: number | bigint; readonly assumed?: true }
  /** `offset` in bytes into `Launch.buffers[buffer]`. */
  | { readonly kind: "pointer"; readonly buffer: number; readonly offset: number }
  | {
      readonly kind: "aggregate";
      readonly fields: readonly { readonly offset: number; readonly type: ScalarType; readonly value: Argument }[];
    }
  | { readonly kind: "unknown"; readonly reason: string };

export type Dim3 = readonly [x: number, y: number, z: number];

export interface Launch {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly cluster?: Dim3;
  readonly dynamicSharedBytes: number;
  readonly arguments: readonly Argument[];
  readonly buffers: readonly Buffer[];
  /** Nobody says how many threads it has. */
  readonly assumed?: true;
  /** What the host gives it in later turns of a loop, where that is something else: looked at for faults alone. */
  readonly later?: readonly Pick<Launch, "arguments" | "buffers">[];
}

/** What was taken to be so because nobody says, for the user. */
export interface Assumption {
  readonly what: string;
  readonly value: number | string;
  readonly why: string;
}
