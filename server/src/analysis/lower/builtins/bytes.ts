import { decay, integerType } from "../../sema/type-tools.ts";
import { type Called, type Lowering, type Place, value } from "../emit/lowering.ts";
import { load, part, store } from "../emit/memory.ts";
import { scalarOf } from "../emit/scalars.ts";
import { pointedTo, type Use } from "./operands.ts";

/** `memcpy` and `memset` of a constant number of bytes, in the widest accesses that the pointed-to types allow. */
export function moveBytes(lowering: Lowering, use: Use, copying: boolean): Called {
  const [to, from, size] = use.args;
  const bytes = size && lowering.context.constant(size, lowering.frame.substitution);
  if (!to || !from || bytes === undefined || Number(bytes) > 1024)
    return lowering.fail("memory is copied or set by a length that is not constant", use.node);
  const destination = bytesAt(lowering, to, use);
  const length = Number(bytes);
  const source = copying ? bytesAt(lowering, from, use) : undefined;
  const unit = Math.min(destination.unit, source?.unit ?? 4);
  const type = integerType(unit === 4 ? "uint" : unit === 2 ? "ushort" : "uchar");
  const byte = copying
    ? 0
    : Number(
        lowering.context.constant(from, lowering.frame.substitution) ??
          lowering.fail("memory is set to a value that is not constant", use.node),
      ) & 255;
  for (let at = 0; at < length; ) {
    const step = at + unit <= length ? unit : 1;
    const each = step === unit ? type : integerType("uchar");
    const scalar = scalarOf(each) ?? "i8";
    const place = part(lowering, { ...destination.place, type: each }, at, each, use.node);
    const op = source
      ? load(lowering, part(lowering, { ...source.place, type: each }, at, each, use.node))
      : lowering.constant(scalar, signExtended(byte, step));
    store(lowering, place, op);
    at += step;
  }
  return value(destination.place.pointer);
}

const signExtended = (byte: number, bytes: number): number => {
  const repeated = bytes === 4 ? (byte * 0x01010101) | 0 : bytes === 2 ? byte * 0x0101 : byte;
  return bytes === 4 ? repeated : bytes === 2 ? (repeated << 16) >> 16 : (repeated << 24) >> 24;
};

function bytesAt(
  lowering: Lowering,
  argument: Parameters<typeof pointedTo>[1],
  use: Use,
): { readonly place: Place; readonly unit: 1 | 2 | 4 } {
  const clear = lowering.context.clarify(argument);
  const plain = clear.kind === "cast" && clear.operands[0] ? clear.operands[0] : clear;
  const type = decay(lowering.typeOf(plain));
  const place = pointedTo(lowering, argument, integerType("uchar"), use.node);
  const align = type.kind === "pointer" ? (lowering.context.alignOf(type.to) ?? 1) : 1;
  return { place, unit: align >= 4 ? 4 : align >= 2 ? 2 : 1 };
}
