/** Arrays of records that a replayed loop reads and writes: a column for each number of a record. */
import type { Interpreter } from "../memory/interpreter.ts";
import { holdArrays, numbersOf, recordsOf, shapeOf } from "../memory/record-members.ts";
import type { Allocation, HostType } from "../values/model.ts";
import { Column } from "./columns.ts";
import { mostElements } from "./lists.ts";

/** The path of a number without indices at its end. */
const arrayOf = (path: string): string => path.replace(/(\.\d+)+$/, "");

export class RecordColumns {
  readonly type: HostType;
  /** Of a record. */
  readonly bytes: number;
  /** By the number's path. */
  readonly members: ReadonlyMap<string, Column>;
  readonly #allocation: Allocation;
  readonly #host: Interpreter;
  readonly #initial: number;

  private constructor(host: Interpreter, allocation: Allocation, type: HostType, bytes: number, members: ReadonlyMap<string, Column>) {
    this.#host = host;
    this.#allocation = allocation;
    this.type = type;
    this.bytes = bytes;
    this.members = members;
    this.#initial = this.length;
  }

  /**
   * Undefined where records are not of numbers alone, their count is not known, or there are too many.
   * @param count as many as the array has room for, where it is left out
   */
  static of(host: Interpreter, allocation: Allocation, type: HostType, count?: number): RecordColumns | undefined {
    const numbers = numbersOf(host, type);
    const shape = shapeOf(host, type);
    const { bytes: all, content } = allocation.summary;
    if (!numbers || !shape || host.holdsMembers || (allocation.cells.size > 0 && holdArrays(numbers))) return undefined;
    const { bytes } = shape;
    const length = count ?? (all === undefined ? undefined : Math.floor(all / bytes));
    if (length === undefined || length > mostElements || (content.kind === "records" && content.bytes !== bytes)) return undefined;
    const columns = numbers.map((number) => [number.path.join("."), Column.ofRecords(host, allocation, number, shape, length)] as const);
    return new RecordColumns(host, allocation, type, bytes, new Map(columns));
  }

  /** What stands for a number in `Flow`: for all elements of an array that is a member the same. */
  sourceOf(path: string): Column | undefined {
    const [first] = [...this.members].find(([other]) => arrayOf(other) === arrayOf(path)) ?? [];
    return this.members.get(first ?? path);
  }

  get length(): number {
    const [first] = this.members.values();
    return first?.length ?? 0;
  }

  get stores(): number {
    return [...this.members.values()].reduce((sum, { stores }) => sum + stores, 0);
  }

  /**
   * Puts what was stored where the array is.
   * @param isInvented tells of which columns numbers stand for the program's
   */
  commit(isInvented: (column: Column) => boolean): void {
    const { summary } = this.#allocation;
    const { band: _, reason: __, numbers: ___, objects: ____, ...rest } = summary;
    const isGrown = this.length !== this.#initial;
    const contents = [...this.members].map(([path, column]) => column.contentOfMember(isInvented(this.sourceOf(path) ?? column)));
    const content = recordsOf(this.bytes, numbersOf(this.#host, this.type) ?? [], (_, k) => contents[k] ?? { kind: "unknown" });
    const bytes = isGrown ? this.length * this.bytes : summary.bytes;
    this.#host.journal.summarise(this.#allocation, { ...rest, bytes, elementBytes: this.bytes, content }, new Map());
  }
}
