/** Writes the one function that a loop is compiled to: instructions, locals, where a `break` leads, and what its turns cost. */
import type { NumberName } from "../arithmetic.ts";
import type { Column } from "../columns.ts";
import type { Compilable, Machine, Slot } from "../machine.ts";
import { Arrays, type Placed } from "./arrays.ts";
import { blockType, opcode, padded, type Signature, signed, unsigned, type ValueType } from "./binary.ts";
import { NotCompiled } from "./not-compiled.ts";
import { valueType } from "./numbers.ts";

/** A variable in the function. */
export interface Local {
  readonly slot: number;
  readonly type: NumberName;
  readonly number: number;
  /** Whether it has been given a value, where that is not sure. */
  readonly isSet: number | undefined;
  /** It is a variable of the host, whose value is there at first. */
  readonly isGiven: boolean;
  isStored: boolean;
}

/** What the function asks the host for as it runs. */
export interface HostSide {
  /** Takes what is left of the operations, and tells how many may be done next. @throws GivenUp, Cancelled */
  readonly more: (left: number) => number;
  /** Is told what is left of the operations that may be done. */
  readonly spent: (left: number) => void;
  /** Looks up an element of an array, by their numbers. @throws NotCompiled */
  readonly lookUp: (array: number, index: number) => void;
  /** Sorts elements of arrays, of which each holds a number of a record. @throws NotCompiled */
  readonly sort: (arrays: readonly Placed[], from: number, to: number) => void;
}

interface Call {
  readonly label: number;
  readonly result: number | undefined;
}

export class Writer {
  readonly #machine: Machine;
  readonly body: number[] = [];
  readonly locals: ValueType[] = [];
  readonly imports: (Signature & { readonly call: (...values: number[]) => unknown })[] = [];
  readonly arrays = new Arrays(
    () => this.local("i64"),
    (column) => this.#machine.random?.flow.grown.has(column) ?? false,
  );
  readonly slots = new Map<number, Local>();
  /** Slots that functions of the host go by or keep something in. */
  readonly outside = new Set<number>();
  /** Operations that may be done before it is asked whether more may; a local. */
  readonly left: number;
  #cost = 0;
  /** Blocks around the place that is written, of the function. */
  #depth = 0;
  readonly #breaks: number[] = [];
  readonly #continues: number[] = [];
  readonly #calls: Call[] = [];
  readonly #host: HostSide;

  constructor(machine: Machine, host: HostSide) {
    this.#machine = machine;
    this.#host = host;
    this.left = this.local("i32");
  }

  /** @throws NotCompiled */
  write({ write }: Compilable): void {
    if (!write) throw new NotCompiled();
    write(this);
  }

  op(name: string, ...operands: readonly number[]): void {
    this.body.push(opcode(name), ...operands);
    this.#cost += 1;
  }

  /** Operations besides, of something that takes long. */
  costs(operations: number): void {
    this.#cost += operations;
  }

  i32(value: number): void {
    this.op("i32.const", ...signed(BigInt(value | 0)));
  }

  i64(value: bigint): void {
    this.op("i64.const", ...signed(BigInt.asIntN(64, value)));
  }

  float(value: number, type: ValueType): void {
    const bytes = new Uint8Array((type === "f32" ? Float32Array : Float64Array).of(value).buffer);
    this.op(`${type}.const`, ...bytes);
  }

  // ---- locals

  local(type: ValueType): number {
    this.locals.push(type);
    return this.locals.length - 1;
  }

  get(local: number): void {
    this.op("local.get", ...unsigned(local));
  }

  set(local: number): void {
    this.op("local.set", ...unsigned(local));
  }

  tee(local: number): void {
    this.op("local.tee", ...unsigned(local));
  }

  valueLocal(type: NumberName): number {
    return this.local(valueType(type));
  }

  // ---- blocks

  /** @returns what `br` takes to come to its end, or to a loop's beginning */
  open(kind: "block" | "loop" | "if", result?: ValueType): number {
    this.op(kind, blockType(result));
    this.#depth += 1;
    return this.#depth;
  }

  otherwise(): void {
    this.op("else");
  }

  close(): void {
    this.#depth -= 1;
    this.op("end");
  }

  br(label: number, kind: "br" | "br_if" = "br"): void {
    this.op(kind, ...unsigned(this.#depth - label));
  }

  /** What is on the stack is other than 0: then the closures are to tell what comes of it. */
  refuseIf(): void {
    this.open("if");
    this.op("unreachable");
    this.close();
  }

  // ---- functions of the host

  call(call: (...values: number[]) => unknown, parameters: readonly ValueType[], result: ValueType | undefined): void {
    const known = this.imports.findIndex((each) => each.call === call && each.parameters.length === parameters.length);
    if (known < 0) this.imports.push({ call, parameters, result });
    this.op("call", ...unsigned(known < 0 ? this.imports.length - 1 : known));
  }

  /** Tells the host what is left. */
  spent(): void {
    this.get(this.left);
    this.call(this.#host.spent, ["i32"], undefined);
  }

  lookUp(array: number, index: number): void {
    this.i32(array);
    this.get(index);
    this.call(this.#host.lookUp, ["i32", "i32"], undefined);
  }

  /** Sorts elements of arrays from an index to another, both on the stack with 64 bits. */
  sort(columns: readonly Column[]): void {
    const arrays = columns.map((column) => this.array(column));
    for (const array of arrays) array.isStored = true;
    const [first] = arrays;
    if (!first) throw new NotCompiled();
    const [from, to] = [this.local("i64"), this.local("i64")];
    this.set(to);
    this.tee(from);
    this.get(to);
    this.op("i64.gt_u");
    this.refuseIf();
    this.get(to);
    this.get(first.length);
    this.op("i64.gt_u");
    this.refuseIf();
    for (const each of [from, to]) {
      this.get(each);
      this.op("i32.wrap_i64");
    }
    this.call((a, b) => this.#host.sort(arrays, a ?? 0, b ?? 0), ["i32", "i32"], undefined);
  }

  // ---- variables

  /** A variable that the code declares. @param isSet it is given a value there, before anything reads it */
  declare({ index, type }: Slot, isSet: boolean): void {
    const known = this.slots.get(index);
    if (known && (known.isSet === undefined) !== isSet) throw new NotCompiled();
    const made = known ?? this.#localOf(index, type, isSet, false);
    if (made.isSet === undefined) return;
    this.i32(0);
    this.set(made.isSet);
  }

  #localOf(slot: number, type: NumberName, isSet: boolean, isGiven: boolean): Local {
    const number = this.local(valueType(type));
    const made = { slot, type, number, isSet: isSet ? undefined : this.local("i32"), isGiven, isStored: false };
    this.slots.set(slot, made);
    return made;
  }

  #variable({ index, type }: Slot): Local {
    return this.slots.get(index) ?? this.#localOf(index, type, this.#machine.slots[index] !== undefined, true);
  }

  load(slot: Slot): void {
    const { number, isSet } = this.#variable(slot);
    if (isSet !== undefined) {
      this.get(isSet);
      this.op("i32.eqz");
      this.refuseIf();
    }
    this.get(number);
  }

  /** Leaves the value on the stack. */
  store(slot: Slot): void {
    const variable = this.#variable(slot);
    variable.isStored = true;
    if (variable.isSet !== undefined) {
      this.i32(1);
      this.set(variable.isSet);
    }
    this.tee(variable.number);
  }

  array(column: Column): Placed {
    return this.arrays.place(column);
  }

  // ---- where the program goes

  /**
   * A loop whose turns are counted as what they take.
   * @param parts its condition leaves 1 where it goes on
   */
  loop(parts: {
    readonly condition: () => void;
    readonly body: () => void;
    readonly step: () => void;
    readonly testedLast: boolean;
  }): void {
    const behind = this.open("block");
    const again = this.open("loop");
    const test = (): void => {
      parts.condition();
      this.op("i32.eqz");
      this.br(behind, "br_if");
    };
    if (!parts.testedLast) test();
    const cost = this.#cost;
    const place = this.#spend();
    this.#breaks.push(behind);
    this.#continues.push(this.open("block"));
    parts.body();
    this.close();
    this.#breaks.pop();
    this.#continues.pop();
    parts.step();
    if (parts.testedLast) test();
    this.br(again);
    for (const [k, byte] of padded(this.#cost - cost).entries()) this.body[place + k] = byte;
    this.close();
    this.close();
  }

  /**
   * What tells of a loop under way whether it will take too long.
   * @param tell is asked before some turns, and says before which to ask it again; first of all before the first
   * @param writeGap how far apart what the loop compares is
   * @returns writes what is done in each turn
   */
  foreseen(tell: (turn: number, gap: number) => number, writeGap: () => void): () => void {
    const [turn, next] = [this.local("i32"), this.local("i32")];
    const told = (at: number, left: number, gap: number): number => {
      this.#host.spent(left);
      return tell(at, gap);
    };
    const ask = (): void => {
      this.get(turn);
      this.get(this.left);
      writeGap();
      this.call(told, ["i32", "i32", "f64"], "i32");
      this.set(next);
    };
    this.i32(0);
    this.set(turn);
    ask();
    return () => {
      this.get(turn);
      this.get(next);
      this.op("i32.eq");
      this.open("if");
      ask();
      this.close();
      this.get(turn);
      this.i32(1);
      this.op("i32.add");
      this.set(turn);
    };
  }

  /** @returns where the number stands that is spent */
  #spend(): number {
    this.get(this.left);
    this.op("i32.const", ...padded(0));
    const place = this.body.length - padded(0).length;
    this.op("i32.sub");
    this.tee(this.left);
    this.i32(0);
    this.op("i32.lt_s");
    this.open("if");
    this.get(this.left);
    this.call(this.#host.more, ["i32"], "i32");
    this.set(this.left);
    this.close();
    return place;
  }

  /** What a `break` leaves besides loops. */
  breakable(make: () => void): void {
    this.#breaks.push(this.open("block"));
    make();
    this.close();
    this.#breaks.pop();
  }

  /** Goes on with one of some statements, by a number of 64 bits. @param labels where numbers lead */
  choose(chosen: Compilable, labels: ReadonlyMap<number, number>, otherwise: number | undefined, statements: readonly Compilable[]): void {
    const value = this.local("i64");
    this.write(chosen);
    this.set(value);
    const starts = [...new Set([...labels.values(), ...(otherwise === undefined ? [] : [otherwise])])].toSorted((a, b) => b - a);
    const blocks = new Map(starts.map((start) => [start, this.open("block")] as const));
    for (const [label, start] of labels) {
      this.get(value);
      this.i64(BigInt(label));
      this.op("i64.eq");
      this.br(blocks.get(start) ?? refuse(), "br_if");
    }
    if (otherwise === undefined) this.break();
    else this.br(blocks.get(otherwise) ?? refuse());
    for (const [k, statement] of statements.entries()) {
      if (blocks.has(k)) this.close();
      this.write(statement);
    }
  }

  break(): void {
    this.br(this.#breaks.at(-1) ?? refuse());
  }

  continue(): void {
    this.br(this.#continues.at(-1) ?? refuse());
  }

  /** A function whose code stands where it is called; leaves what it returns. @param type undefined where that is nothing */
  called(type: NumberName | undefined, make: () => void): void {
    const result = type === undefined ? undefined : this.local(valueType(type));
    this.#calls.push({ label: this.open("block"), result });
    make();
    this.#calls.pop();
    // Nothing is known of what comes out at the end of a function that returns something.
    if (result !== undefined) this.op("unreachable");
    this.close();
    if (result === undefined) this.i32(0);
    else this.get(result);
  }

  /** @param hasValue it is on the stack */
  return(hasValue: boolean): void {
    const { label, result } = this.#calls.at(-1) ?? refuse();
    if (hasValue !== (result !== undefined)) throw new NotCompiled();
    if (result !== undefined) this.set(result);
    this.br(label);
  }
}

function refuse(): never {
  throw new NotCompiled();
}
