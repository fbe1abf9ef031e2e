/** Numbers and arrays of them, as types, names and columns have them. */
import { sizeOf } from "../memory/read-write.ts";
import type { Allocation, HostType, Value } from "../values/model.ts";
import { float, int, isFloat, isUnsigned } from "../values/values.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import { Column } from "./columns.ts";
import type { List } from "./lists.ts";
import { GivenUp, type Machine, type Target, TooLarge, Unsupported } from "./machine.ts";

/** The number a type is; undefined for others. */
export function numberType(type: HostType | undefined): NumberName | undefined {
  if (type?.kind === "integer") return type.bits === undefined ? type.name : undefined;
  if (type?.kind === "floating") return type.name;
  return type?.kind === "enum" ? type.underlying : undefined;
}

/** A name that the replayed code declares. */
export function declared({ scopes }: Machine, name: string): Target | undefined {
  for (let k = scopes.length - 1; k >= 0; k--) {
    const found = scopes[k]?.get(name);
    if (found) return found;
  }
  return undefined;
}

/** @throws GivenUp */
export function indexWithin({ length }: List, index: Known): number {
  if (index === undefined || !(Number.isInteger(index) && index >= 0 && index < length)) throw new GivenUp();
  return index;
}

/** Whether two types of numbers of one width hold the same by the same bits. */
function isAlike(a: HostType, b: HostType): boolean {
  const [one, other] = [numberType(a), numberType(b)];
  if (one === other || one === undefined || other === undefined) return one === other;
  return !isFloat(one) && !isFloat(other) && isUnsigned(one) === isUnsigned(other) && (one === "bool") === (other === "bool");
}

/** The array as numbers of a type. @param likely how many there are, where that is a number that stands for the program's @throws Unsupported */
export function columnFor(machine: Machine, allocation: Allocation, type: HostType, likely?: number): Column {
  const bytes = sizeOf(machine.host, type);
  if (numberType(type) === undefined || bytes === undefined || machine.records.has(allocation)) throw new Unsupported();
  const known = machine.columns.get(allocation);
  // The same bytes seen as other numbers are not followed.
  const held = known?.type ?? allocation.element;
  if (held && numberType(held) !== undefined && sizeOf(machine.host, held) === bytes && !isAlike(held, type)) throw new Unsupported();
  const column = known ?? Column.of(machine.host, allocation, type, bytes, machine.random && { likely }, machine.mostElements);
  if (!column && (allocation.summary.bytes ?? 0) > machine.mostElements * bytes) throw new TooLarge();
  if (!column || column.elementBytes !== bytes) throw new Unsupported();
  machine.columns.set(allocation, column);
  if (!known && (column.isInvented || likely !== undefined)) machine.random?.flow.isInvented(column, likely !== undefined);
  return column;
}

export const numberValue = (value: number | bigint, type: NumberName): Value =>
  isFloat(type) ? float(Number(value), type) : int(value, type);
