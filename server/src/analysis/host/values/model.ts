/**
 * What an expression of host code is worth.
 *
 * Values carry their own C++ type, so that arithmetic is exact (widths, signs, integer division) even where the
 * static type of an expression is not known. What is not known is an `unknown` value with the reason, never an exception.
 */

import type { Content, Image } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node } from "../../../syntax/ast.ts";
import type { Residence } from "../../device-events.ts";
import type { FloatName, IntegerName, TemplateValue as KnownTemplateValue, Substitution, Type } from "../../sema/types.ts";

/** A class template of a library whose meaning the evaluator knows: `std::vector<T>`, `thrust::device_vector<T>`, `std::string`. */
export interface ContainerType {
  readonly kind: "container";
  readonly name: ContainerName;
  readonly element: HostType | undefined;
  /** `std::array<T, N>`. */
  readonly count?: number;
  /** `std::shared_ptr<T>`. */
  readonly shared?: boolean;
  /** `std::unique_ptr<T, D>`. */
  readonly deleter?: HostType;
  /** `std::variant<A, B>`: a value of one of them. */
  readonly alternatives?: readonly (HostType | undefined)[];
}
export type ContainerName =
  | "vector"
  | "device_vector"
  | "array"
  | "string"
  | "unique_ptr"
  | "function"
  | "variant"
  | "set"
  | "unordered_set";

export type HostType = Type | ContainerType;

/** Integers keep `number` while it is exact, else `bigint`. */
export interface IntegerValue {
  readonly kind: "int";
  readonly type: IntegerName;
  readonly value: number | bigint;
}
export interface FloatValue {
  readonly kind: "float";
  readonly type: FloatName;
  readonly value: number;
}
/** A number known only to lie in [lo, hi]: `rand()`, a loop counter between first and last iteration. */
export interface RangeValue {
  readonly kind: "range";
  readonly type: IntegerName | FloatName;
  readonly lo: number;
  readonly hi: number;
}
/** `target` absent: null. `offset` in bytes from the start of the target; undefined when not known. `to`: what it points at. */
export interface PointerValue {
  readonly kind: "pointer";
  readonly to: HostType | undefined;
  readonly target: Allocation | Cell | undefined;
  readonly offset: number | undefined;
  /** Where it may lead, if `offset` is not known. */
  readonly reach?: Reach | undefined;
  /** Of a smart pointer: how what it points at ends with it. */
  readonly owner?: Owner;
}
export interface Owner {
  /** Others may own it as well. */
  readonly shared: boolean;
  /** What is called instead of `delete`, or the class of it. */
  readonly deleter?: Value;
  readonly deleterType?: HostType;
}
/** `name` without template arguments; members by name, those of bases among them. */
export interface RecordValue {
  readonly kind: "record";
  readonly name: string;
  readonly type: HostType | undefined;
  readonly members: Map<string, Cell>;
  /** A record of a library whose members are not known: they appear when they are used. Elements of an array of them are members `[0]`, `[1]`. */
  readonly open?: boolean;
  /** Members that are references: their variables are others' too. */
  refers?: ReadonlySet<string>;
}
/** `size` in elements. The elements stand in `storage`, from byte 0. */
export interface ContainerValue {
  readonly kind: "container";
  readonly type: ContainerType;
  readonly size: IntegerValue | UnknownValue;
  readonly storage: Allocation;
}
export interface StringValue {
  readonly kind: "string";
  readonly text: string;
}
/** A function or an overload set, with the template arguments written; `bound` for a member function's object. */
export interface FunctionValue {
  readonly kind: "function";
  readonly candidates: readonly FunctionDeclaration[];
  readonly name: string;
  readonly templateArguments: readonly TemplateValue[];
  /** Where the name stood that referred to it. */
  readonly expression?: Expression;
}
/** What a template argument stands for; undefined where it is not known. */
export type TemplateValue = KnownTemplateValue | undefined;

export interface LambdaValue {
  readonly kind: "lambda";
  readonly expression: Expression & { readonly kind: "lambda" };
  /** Copies made by `[x]` and `[x = e]`; everything else is found in `scopes`. */
  readonly captured: ReadonlyMap<string, Place>;
  readonly scopes: readonly ReadonlyMap<string, Place>[];
  readonly self: Cell | undefined;
  readonly substitution: Substitution | undefined;
  /** The function it is written in. */
  readonly owner: FunctionDeclaration | undefined;
}
export interface UnknownValue {
  readonly kind: "unknown";
  readonly reason: string;
  readonly type?: HostType;
  /** The inputs it comes from, by key: they may be assumed (see `inputs.ts`). */
  readonly inputs: readonly string[];
  /** What it probably is: to be assumed before anything else. */
  readonly likely?: number;
}
export interface VoidValue {
  readonly kind: "void";
}

export type Value =
  | IntegerValue
  | FloatValue
  | RangeValue
  | PointerValue
  | RecordValue
  | ContainerValue
  | StringValue
  | FunctionValue
  | LambdaValue
  | UnknownValue
  | VoidValue;

// ---------------------------------------------------------------- memory

let made = 0;

/** How many cells and allocations there are: those of a greater `age` are made later. */
export const madeByNow = (): number => made;

/** A variable, a member, or one element of an allocation. Written through `Journal.set` only. */
export class Cell {
  readonly age = ++made;
  value: Value;
  readonly type: HostType | undefined;
  readonly name: string | undefined;
  /** Cells of arrays are summarised with their allocation, never one by one. */
  readonly inArray: boolean;

  constructor(value: Value, type?: HostType, name?: string, inArray = false) {
    this.value = value;
    this.type = type;
    this.name = name;
    this.inArray = inArray;
  }
}

/** Element i of `content` lies between the lines, both included: sums of random numbers, a random place in the i-th part. */
export interface Band {
  readonly content: Content;
  readonly lo: Line;
  readonly hi: Line;
}
export interface Line {
  readonly start: number;
  readonly stride: number;
}

/** What stands in an allocation where no cell does. Immutable: changed as a whole. */
export interface Summary {
  /** Undefined: the size is not known, `why` says the reason. */
  readonly bytes: number | undefined;
  readonly why?: Value;
  readonly content: Content;
  /** Of the last write: bytes an element takes. */
  readonly elementBytes?: number;
  /** What the numbers are that were copied there, where that is another type than the memory is of. */
  readonly as?: HostType | undefined;
  /** Where `content` is the middle of a band that elements lie in: the band, for just this content. */
  readonly band?: Band;
  /** Where `content` only says how numbers are spread: the numbers, for just this content. */
  readonly numbers?: { readonly of: Content; readonly values: ArrayLike<number> };
  /** What elements that are lists or records are made of, for just this content. */
  readonly objects?: Objects;
  /** Says who filled it last when `content` is unknown. */
  readonly reason?: string;
  /** The call that freed it. */
  readonly freed?: Node;
  /** A launch or an asynchronous copy that stores to it until the host waits for the device the next time (`Interpreter.waits`). */
  readonly filling?: Filling;
  /** Page-locked after it was allocated: the device may use it. */
  readonly registered?: true;
}

/** Rows of numbers, by their index. */
export interface HeldRows {
  at(index: number): ArrayLike<number> | undefined;
}

/** Elements that are lists of numbers, or numbers in an order of their own. */
export interface Objects {
  readonly of: Content;
  readonly rows?: HeldRows;
  /** Of a set whose order is the library's own business: its numbers. */
  readonly numbers?: ArrayLike<number>;
  /** Numbers among them stand for the program's. */
  readonly drawn: boolean;
}

/** What stores to memory while the host goes on. `turn`: how often the host had waited by then; `streamTurn`: for the stream, or for any. */
export interface Filling {
  readonly by: Expression;
  readonly turn: number;
  readonly kernel: string | undefined;
  /** Undefined where it is the default stream, or not known. */
  readonly stream: Allocation | undefined;
  readonly streamTurn: number;
}

/** Where an allocation comes from. */
export interface Origin {
  readonly at: Node;
  /** The file that `at` stands in, as the one that evaluates it knows it. */
  readonly unit: object;
  /** A call or `new` made it; else it is a variable. */
  readonly call: boolean;
  /** Its size in bytes, or the number of its elements, as it is written. */
  readonly size?: Expression;
  readonly count?: Expression;
}

/** One array: `malloc`, `cudaMalloc`, a C array, a container's storage, a `__device__` array. */
export class Allocation {
  readonly age = ++made;
  name: string;
  readonly residence: Residence;
  element: HostType | undefined;
  summary: Summary;
  /** By byte offset. */
  cells: Map<number, Cell> = new Map();
  /** Where that is known. */
  origin: Origin | undefined;
  /** What the last texture or surface object says of it. */
  image: Image | undefined;

  constructor(name: string, residence: Residence, element: HostType | undefined, summary: Summary) {
    this.name = name;
    this.residence = residence;
    this.element = element;
    this.summary = summary;
  }
}

/** The least and the greatest offset in bytes that an element may stand at. */
export type Reach = readonly [lo: number, hi: number];

/** An element of an allocation; `offset` in bytes, undefined when not known. */
export interface Element {
  readonly allocation: Allocation;
  readonly offset: number | undefined;
  /** Where it may stand, if `offset` is not known. */
  readonly reach?: Reach | undefined;
  readonly type: HostType | undefined;
}

/** What an lvalue refers to. */
export type Place = Cell | Element;
