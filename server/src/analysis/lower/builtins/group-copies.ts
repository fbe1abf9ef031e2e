/** `cooperative_groups::memcpy_async`: the group's threads copy side by side, each as much as one instruction moves. */
import type { Op } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import { decay, integerType } from "../../sema/type-tools.ts";
import { type Called, type Lowering, nothing } from "../emit/lowering.ts";
import { load, spaceOf, store } from "../emit/memory.ts";
import { type Group, groupSize, rank } from "./group-kinds.ts";
import type { Use } from "./operands.ts";

export function groupCopy(lowering: Lowering, group: Group, use: Use): Called {
  const { builder } = lowering;
  const [, to, from, shape] = use.args;
  if (!to || !from || !shape) return lowering.fail("an asynchronous copy of nothing", use.node);
  const width = Math.min(16, Math.max(shapeAlignment(lowering, shape), alignment(lowering, to)));
  const destination = lowering.value(to);
  const source = lowering.value(from);
  const bytes = sizeOf(lowering, shape);
  lowering.visit(use.node);
  lowering.at(use.node);
  const long = integerType("long");
  const unit = lowering.constant("i64", BigInt(width));
  const each = (op: Op): Op => builder.int("mul", builder.convert("zext", op, "i64"), unit);
  const at = lowering.temporary(long, "copied", use.node);
  store(lowering, at, each(rank(lowering, group)));
  const [header, body, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
  builder.jump(header);
  builder.block = header;
  const offset = load(lowering, at);
  builder.branch(builder.icmp("slt", offset, bytes), body, after);
  builder.block = body;
  const [place, origin] = [builder.gep(destination, offset, 1, 0), builder.gep(source, offset, 1, 0)];
  // Into anything but shared memory it is an ordinary copy.
  if (spaceOf(destination) === "shared" && width >= 4)
    builder.emit({ kind: "copy.async", bytes: width, bypassL1: width === 16 }, "void", place, origin);
  else copyPlainly(lowering, place, origin, width);
  store(lowering, at, builder.int("add", offset, each(groupSize(lowering, group))));
  builder.jump(header);
  builder.block = after;
  builder.emit({ kind: "copy.commit" }, "void");
  return nothing;
}

function copyPlainly(lowering: Lowering, to: Op, from: Op, width: number): void {
  const { builder } = lowering;
  const scalar = width >= 4 ? "i32" : width === 2 ? "i16" : "i8";
  const components = Math.max(1, width / 4);
  const loaded = builder.load(spaceOf(from), scalar, from, { components, align: width });
  const parts = components === 1 ? [loaded] : Array.from({ length: components }, (_, index) => builder.extract(loaded, index));
  builder.store(spaceOf(to), to, parts, { align: width });
}

/** Bytes that an element of what an argument points to is aligned to. */
function alignment(lowering: Lowering, argument: Expression): number {
  const type = decay(lowering.typeOf(argument));
  const align = type.kind === "pointer" ? (lowering.context.alignOf(type.to) ?? 1) : 1;
  return align >= 16 ? 16 : align >= 8 ? 8 : align;
}

/** `aligned_size_t<16>(bytes)` promises an alignment. */
function shapeAlignment(lowering: Lowering, shape: Expression): number {
  const type = lowering.typeOf(shape);
  const [align] = type.kind === "record" ? type.record.arguments : [];
  return typeof align === "bigint" ? Number(align) : 1;
}

function sizeOf(lowering: Lowering, shape: Expression): Op {
  const long = integerType("ulong");
  if (lowering.typeOf(shape).kind !== "record") return lowering.valueAs(shape, long);
  return load(lowering, { ...lowering.place(shape), type: long });
}
