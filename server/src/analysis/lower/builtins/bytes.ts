import type { Op } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import { decay, integerType, pointerTo, sizeType, voidType } from "../../sema/type-tools.ts";
import { type Called, type Lowering, type Place, value } from "../emit/lowering.ts";
import { load, part, spaceOf, store } from "../emit/memory.ts";
import { scalarOf } from "../emit/scalars.ts";
import type { Use } from "./operands.ts";

/** Accesses of one call that are written out one by one. */
const mostBytesUnrolled = 1024;

/** What is moved: from a place, or one byte again and again. */
type Source = { readonly from: Place } | { readonly byte: Op };

/**
 * `memcpy` and `memset`: of a constant number of bytes in the widest accesses that the pointed-to types allow, else byte by byte, as nvcc
 * does it.
 */
export function moveBytes(lowering: Lowering, use: Use, copying: boolean): Called {
  const { node } = use;
  const [to, from, size] = use.args;
  if (!to || !from || !size) return lowering.fail("memory is copied or set with too few arguments", node);
  const length = lowering.context.constant(size, lowering.frame.substitution);
  const destination = bytesAt(lowering, to, use);
  const origin = copying ? bytesAt(lowering, from, use) : undefined;
  const source: Source = origin ? { from: origin.place } : { byte: lowering.valueAs(from, integerType("uchar")) };
  const set = origin ? undefined : lowering.context.constant(from, lowering.frame.substitution);
  if (length === undefined || (!origin && set === undefined)) {
    byBytes(lowering, destination.place, source, lowering.valueAs(size, sizeType), node);
    return value(destination.place.pointer);
  }
  const bytes = Number(length);
  if (bytes > mostBytesUnrolled) byBytes(lowering, destination.place, source, lowering.constant("i64", length as bigint), node);
  const unit = Math.min(destination.unit, origin?.unit ?? 4);
  const type = integerType(unit === 4 ? "uint" : unit === 2 ? "ushort" : "uchar");
  for (let at = 0; at < bytes && bytes <= mostBytesUnrolled; ) {
    const step = at + unit <= bytes ? unit : 1;
    const each = step === unit ? type : integerType("uchar");
    const moved = origin
      ? load(lowering, part(lowering, { ...origin.place, type: each }, at, each, node))
      : lowering.constant(scalarOf(each) ?? "i8", signExtended(Number(set) & 255, step));
    store(lowering, part(lowering, { ...destination.place, type: each }, at, each, node), moved);
    at += step;
  }
  return value(destination.place.pointer);
}

/** A loop over the bytes. @param length of 64 bits */
function byBytes(lowering: Lowering, to: Place, source: Source, length: Op, node: Use["node"]): void {
  const { builder } = lowering;
  const [header, body, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
  const index = lowering.temporary(sizeType, "byte", node);
  store(lowering, index, lowering.constant("i64", 0n));
  builder.jump(header);
  builder.block = header;
  const at = load(lowering, index);
  builder.branch(builder.icmp("ult", at, length), body, after);
  builder.block = body;
  const byteOf = (place: Place): Place => ({ ...place, pointer: builder.gep(place.pointer, at, 1, 0) });
  store(lowering, byteOf(to), "from" in source ? load(lowering, byteOf(source.from)) : source.byte);
  store(lowering, index, builder.int("add", at, lowering.constant("i64", 1n)));
  builder.jump(header);
  builder.block = after;
}

const signExtended = (byte: number, bytes: number): number => {
  const repeated = bytes === 4 ? (byte * 0x01010101) | 0 : bytes === 2 ? byte * 0x0101 : byte;
  return bytes === 4 ? repeated : bytes === 2 ? (repeated << 16) >> 16 : (repeated << 24) >> 24;
};

function bytesAt(lowering: Lowering, argument: Expression, { node }: Use): { readonly place: Place; readonly unit: 1 | 2 | 4 } {
  const clear = lowering.context.clarify(argument);
  const plain = clear.kind === "cast" && clear.operands[0] ? clear.operands[0] : clear;
  const type = decay(lowering.typeOf(plain));
  // A null pointer may be written as a number.
  const given = decay(lowering.typeOf(argument));
  const pointer = given.kind === "pointer" ? lowering.value(argument) : lowering.valueAs(argument, pointerTo(voidType));
  const align = type.kind === "pointer" ? (lowering.context.alignOf(type.to) ?? 1) : 1;
  return { place: { pointer, type: integerType("uchar"), space: spaceOf(pointer), node }, unit: align >= 4 ? 4 : align >= 2 ? 2 : 1 };
}
