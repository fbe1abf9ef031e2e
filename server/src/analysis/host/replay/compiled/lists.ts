/** Lists in compiled code: their lengths, and what makes them shorter. */
import type { Column } from "../columns.ts";
import type { AnyList } from "../machine.ts";
import { writeShortened } from "./elements.ts";
import { NotCompiled } from "./not-compiled.ts";
import type { Writer } from "./writer.ts";

/** The arrays that a list is in compiled code. @throws NotCompiled */
export function columnsOf(list: AnyList): readonly Column[] {
  const lists = list.kind === "records" ? [...list.fields.values()] : list.kind === "numbers" ? [list] : [];
  const columns = lists.flatMap(({ column }) => (column ? [column] : []));
  if (columns.length === 0 || columns.length < lists.length) throw new NotCompiled();
  return columns;
}

/** Leaves how many elements a list has, with 64 bits. @throws NotCompiled */
export function writeLength(w: Writer, list: AnyList): void {
  const [first] = columnsOf(list);
  if (first) w.get(w.array(first).length);
}

/** @param length leaves how many elements stay @throws NotCompiled */
export function shorten(w: Writer, list: AnyList, length: () => void): void {
  for (const column of columnsOf(list)) {
    length();
    writeShortened(w, column);
  }
}

/** Without its last element. */
export function writePopped(w: Writer, list: AnyList): void {
  shorten(w, list, () => {
    writeLength(w, list);
    w.i64(1n);
    w.op("i64.sub");
  });
}
