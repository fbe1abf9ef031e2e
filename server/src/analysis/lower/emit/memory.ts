/** Loads, stores and copies of objects. */
import { type AccessOptions, type Op, type ScalarType, type Space, scalarBytes } from "@warplens/sim-engine";
import type { Node } from "../../../syntax/ast.ts";
import { integerType, referred } from "../../sema/type-tools.ts";
import type { RecordInstance, Type } from "../../sema/types.ts";
import type { Lowering, Place } from "./lowering.ts";
import { isSignedType, resize, scalarOf, truth } from "./scalars.ts";

/** The space a pointer is known to point into, from how it was made. */
export function spaceOf(pointer: Op): Space {
  for (let at: Op | undefined = pointer; at; at = at.args[0]) {
    switch (at.action.kind) {
      case "alloca":
        return "local";
      case "shared.address":
        return "shared";
      case "param.address":
        return "param";
      case "gep":
        continue;
      default:
        return "generic";
    }
  }
  return "generic";
}

/** A pointer moved by a constant number of bytes. */
function offsetBy(lowering: Lowering, pointer: Op, bytes: number): Op {
  if (bytes === 0) return pointer;
  return lowering.builder.gep(pointer, lowering.constant("i32", 0), 1, bytes);
}

/** What divides an address so many bytes behind one that is aligned to `align`. */
export const alignmentAt = (offset: number, align: number): number => (offset === 0 ? align : Math.min(align, offset & -offset));

/** A part of an object: `type` at `offset` bytes from its start. An array may be said to have any number of them. */
export function part(lowering: Lowering, place: Place, offset: number, type: Type, node: Node = place.node): Place {
  lowering.spend();
  lowering.at(node);
  const pointer = offsetBy(lowering, place.pointer, offset);
  const align = place.align ?? lowering.context.alignOf(place.type) ?? 1;
  const known = alignmentAt(offset, align);
  const own = lowering.context.alignOf(type) ?? 1;
  return { pointer, type, space: place.space, node, ...(known > own ? { align: known } : {}) };
}

/** What a reference names: a number's address promises no more than its type does, wherever it lies. */
export function boundTo(place: Place, type: Type): Place {
  const { align, ...rest } = place;
  return { ...rest, type, ...(align !== undefined && !scalarOf(type) ? { align } : {}) };
}

/** An element of an array. */
export function element(lowering: Lowering, place: Place, index: number, type: Type): Place {
  return part(lowering, place, index * (lowering.context.sizeOf(type) ?? 0), type);
}

/** What the compiler knows of an access to a number besides its type. */
function promisesOf({ type, align }: Place): { readonly volatile?: true; readonly align?: number } {
  return { ...(type.volatile ? { volatile: true } : {}), ...(align === undefined ? {} : { align }) };
}

export function load(lowering: Lowering, place: Place): Op {
  const scalar = scalarOf(place.type);
  if (!scalar) return lowering.fail("a record is read where a number stands", place.node);
  lowering.at(place.node);
  const op = lowering.builder.load(place.space, scalar, place.pointer, promisesOf(place));
  return place.bits ? bitsOf(lowering, op, place) : op;
}

export function store(lowering: Lowering, place: Place, value: Op): void {
  if (place.space === "param") throw new ParameterWritten(place.pointer);
  lowering.at(place.node);
  const promises = promisesOf(place);
  if (!place.bits) {
    lowering.builder.store(place.space, place.pointer, [value], promises);
    return;
  }
  const { builder } = lowering;
  const scalar = value.type === "void" ? "i32" : value.type;
  const unit = builder.load(place.space, scalar, place.pointer, promises);
  const mask = (1n << BigInt(place.bits.width)) - 1n;
  const constant = (bits: bigint): Op =>
    lowering.constant(scalar, scalar === "i64" ? BigInt.asIntN(64, bits) : Number(BigInt.asIntN(scalarBytes[scalar] * 8, bits)));
  const cleared = builder.int("and", unit, constant(~(mask << BigInt(place.bits.bit))));
  const field = builder.int("shl", builder.int("and", value, constant(mask)), lowering.constant("i32", place.bits.bit));
  builder.store(place.space, place.pointer, [builder.int("or", cleared, field)], promises);
}

function bitsOf(lowering: Lowering, unit: Op, { bits, type }: Place): Op {
  if (!bits || unit.type === "void") return unit;
  const { builder } = lowering;
  const width = scalarBytes[unit.type] * 8;
  const left = builder.int("shl", unit, lowering.constant("i32", width - bits.bit - bits.width));
  return builder.int(isSignedType(type) ? "ashr" : "lshr", left, lowering.constant("i32", width - bits.width));
}

/** Thrown when a by-value parameter is written: the kernel is then lowered again with a copy of it. */
export class ParameterWritten extends Error {
  readonly pointer: Op;
  constructor(pointer: Op) {
    super("a parameter is written");
    this.pointer = pointer;
  }
}

export interface Leaf {
  readonly offset: number;
  readonly type: Type;
  readonly scalar: ScalarType;
}

const leafLimit = 4096;

/** The scalars an object consists of, in the order of their addresses; undefined where its layout is not known. */
export function leavesOf(lowering: Lowering, type: Type, base = 0, found: Leaf[] = []): Leaf[] | undefined {
  if (found.length > leafLimit) return lowering.fail(`objects of more than ${leafLimit} members are not copied`);
  const scalar = scalarOf(type);
  if (scalar) {
    found.push({ offset: base, type, scalar });
    return found;
  }
  if (type.kind === "array") {
    const bytes = lowering.context.sizeOf(type.of);
    if (bytes === undefined || type.size === undefined) return undefined;
    for (let index = 0; index < type.size; index++) if (!leavesOf(lowering, type.of, base + index * bytes, found)) return undefined;
    return found;
  }
  if (type.kind === "lambda") {
    for (const field of lowering.context.captures(type.lambda, type.substitution)?.fields ?? []) {
      if (field.byReference) found.push({ offset: base + field.offset, type: { kind: "pointer", to: field.type }, scalar: "ptr" });
      else if (!leavesOf(lowering, field.type, base + field.offset, found)) return undefined;
    }
    return found;
  }
  return type.kind === "record" ? recordLeaves(lowering, type.record, base, found) : undefined;
}

function recordLeaves(lowering: Lowering, record: RecordInstance, base: number, found: Leaf[]): Leaf[] | undefined {
  const layout = lowering.context.layout(record);
  if (!layout) return undefined;
  if (layout.union) {
    // Copied by words, whichever member is meant.
    for (let at = 0; at < layout.size; ) {
      const bytes = layout.align % 8 === 0 ? 8 : layout.align % 4 === 0 ? 4 : layout.align % 2 === 0 ? 2 : 1;
      const type = integerType(bytes === 8 ? "ulong" : bytes === 4 ? "uint" : bytes === 2 ? "ushort" : "uchar");
      found.push({ offset: base + at, type, scalar: scalarOf(type) ?? "i8" });
      at += bytes;
    }
    return found;
  }
  for (const each of layout.bases) if (!recordLeaves(lowering, each.record, base + each.offset, found)) return undefined;
  let unit = -1;
  for (const field of layout.fields) {
    if (field.bits) {
      if (unit === field.offset) continue;
      unit = field.offset;
    }
    const type = field.type.kind === "reference" ? { kind: "pointer" as const, to: referred(field.type) } : field.type;
    if (!leavesOf(lowering, type, base + field.offset, found)) return undefined;
  }
  return found;
}

/** Leaves that one wide access reads: of one type, side by side, 8 or 16 bytes (or the whole of a smaller vector) aligned. */
function* accesses(leaves: readonly Leaf[], align: number, wide: boolean): Generator<readonly Leaf[]> {
  for (let at = 0; at < leaves.length; ) {
    const first = leaves[at];
    if (!first) return;
    let count = 1;
    if (wide && first.scalar !== "ptr" && first.scalar !== "i1") {
      const bytes = scalarBytes[first.scalar];
      for (let wanted = 16 / bytes; wanted > 1; wanted /= 2) {
        const run = leaves.slice(at, at + wanted);
        const fits =
          run.length === wanted && run.every((leaf, index) => leaf.scalar === first.scalar && leaf.offset === first.offset + index * bytes);
        if (fits && align % (wanted * bytes) === 0 && first.offset % (wanted * bytes) === 0) {
          count = wanted;
          break;
        }
      }
    }
    yield leaves.slice(at, at + count);
    at += count;
  }
}

/** What divides the address of leaves side by side, of an object that is aligned to so many bytes. */
function alignmentOfGroup([first, ...others]: readonly Leaf[], align: number): number {
  if (!first) return 1;
  return Math.max(alignmentAt(first.offset, align), scalarBytes[first.scalar] * (1 + others.length));
}

/** Reads every scalar of an object; wide where alignment allows. */
export function loadLeaves(
  lowering: Lowering,
  place: Place,
  how?: Pick<AccessOptions, "cache" | "volatile" | "atomic">,
): { readonly leaf: Leaf; readonly op: Op }[] {
  const leaves = leavesOf(lowering, place.type);
  if (!leaves) return lowering.fail("a record of unknown layout is copied", place.node);
  const align = place.align ?? lowering.context.alignOf(place.type) ?? 1;
  const volatile = place.type.volatile ? { volatile: true } : {};
  const loaded: { leaf: Leaf; op: Op }[] = [];
  for (const group of accesses(leaves, align, place.space !== "local")) {
    const [first] = group;
    if (!first) continue;
    lowering.at(place.node);
    const address = offsetBy(lowering, place.pointer, first.offset);
    const promised = { align: alignmentOfGroup(group, align) };
    const op = lowering.builder.load(place.space, first.scalar, address, { components: group.length, ...promised, ...volatile, ...how });
    if (group.length === 1) loaded.push({ leaf: first, op });
    else for (const [index, leaf] of group.entries()) loaded.push({ leaf, op: lowering.builder.extract(op, index) });
  }
  return loaded;
}

/** Writes every scalar of an object. */
export function storeLeaves(
  lowering: Lowering,
  place: Place,
  values: readonly { readonly leaf: Leaf; readonly op: Op }[],
  how?: Pick<AccessOptions, "cache" | "volatile" | "atomic">,
): void {
  if (place.space === "param") throw new ParameterWritten(place.pointer);
  const align = place.align ?? lowering.context.alignOf(place.type) ?? 1;
  const volatile = place.type.volatile ? { volatile: true } : {};
  const ops = new Map(values.map((each) => [each.leaf.offset, each.op]));
  for (const group of accesses(
    values.map((each) => each.leaf),
    align,
    place.space !== "local",
  )) {
    const [first] = group;
    if (!first) continue;
    lowering.at(place.node);
    const address = offsetBy(lowering, place.pointer, first.offset);
    const parts = group.flatMap((leaf) => ops.get(leaf.offset) ?? []);
    lowering.builder.store(place.space, address, parts, { align: alignmentOfGroup(group, align), ...volatile, ...how });
  }
}

/** Copies an object member by member. */
export function copy(lowering: Lowering, to: Place, from: Place): void {
  storeLeaves(lowering, to, loadLeaves(lowering, from));
}

/** Sets every scalar of an object to zero. */
export function clear(lowering: Lowering, place: Place): void {
  const leaves = leavesOf(lowering, place.type);
  if (!leaves) lowering.fail("a record of unknown layout is cleared", place.node);
  storeLeaves(
    lowering,
    place,
    leaves.map((leaf) => ({ leaf, op: lowering.constant(leaf.scalar, leaf.scalar === "i64" ? 0n : 0) })),
  );
}

/** An index as the IR wants it: i32 or i64, sign-extended from there. Unsigned ones are widened first. */
export function indexOf(lowering: Lowering, op: Op, type: Type): Op {
  if (op.type === "i64") return op;
  if (op.type === "i32")
    return isSignedType(type) || (op.action.kind === "const" && op.action.value >= 0) ? op : resize(lowering, op, false, "i64");
  return resize(lowering, op.type === "i1" ? truth(lowering, op) : op, isSignedType(type), "i32");
}
