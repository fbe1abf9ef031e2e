/** The device's heap: `malloc`, `new` and `free` inside a kernel. */
import type { Op } from "@warplens/sim-engine";
import type { Expression, Node } from "../../../syntax/ast.ts";
import { linear, product } from "./indices.ts";
import type { Lowering, Place } from "./lowering.ts";

/** Memory that one `malloc` of the source gives to all threads. */
const heapBytes = 2 ** 32;

/** A fresh allocation of `bytes` (i64): each thread its own, one behind the other. */
export function allocate(lowering: Lowering, bytes: Op, node: Node): Op {
  const { builder, kernel } = lowering;
  kernel.globals.push({ name: "heap", space: "global", bytes: heapBytes, align: 512, element: "i32", content: { kind: "unknown" } });
  lowering.assume("malloc", "memory of its own for each thread", "where the device's allocator puts it is not simulated");
  lowering.at(node);
  builder.emit({ kind: "call", callee: "malloc" }, "void", bytes);
  const heap = builder.emit({ kind: "global.address", index: kernel.globals.length - 1 }, "ptr");
  const threads = builder.int("add", builder.int("mul", linear(builder, "ctaid"), product(builder, "ntid")), linear(builder, "tid"));
  const rounded = builder.int("and", builder.int("add", bytes, builder.constant("i64", 15n)), builder.constant("i64", -16n));
  return builder.gep(heap, builder.int("mul", rounded, builder.convert("zext", threads, "i64")), 1, 0);
}

/** `delete p` and `delete[] p`; destructors of what lies in the heap are not looked for. */
export function lowerDelete(lowering: Lowering, expression: Expression & { kind: "delete" }): void {
  const pointer = lowering.value(expression.operand);
  lowering.at(expression);
  lowering.builder.emit({ kind: "call", callee: "free" }, "void", pointer);
}

/** `new T(...)` and `new T[n]`; what a placement names is where the object goes. */
export function lowerNew(lowering: Lowering, expression: Expression & { kind: "new" }): Op {
  const { builder, context, frame } = lowering;
  const type = context.typeFrom(expression.type, frame.substitution) ?? lowering.failType("a new object", expression.type, expression);
  const size = context.sizeOf(type) ?? lowering.failType("a new object", expression.type, expression);
  const [where] = expression.placement ?? [];
  const count = expression.count && lowering.valueAs(expression.count, { kind: "integer", name: "long" });
  const one = builder.constant("i64", BigInt(size));
  const pointer = where ? lowering.value(where) : allocate(lowering, count ? builder.int("mul", count, one) : one, expression);
  // Elements of an array that nothing is given for are left as they are found.
  if (count) return pointer;
  const place: Place = { pointer, type, space: "generic", node: expression };
  if (type.kind === "record") lowering.construct(place, expression.arguments, expression);
  else if (expression.arguments[0]) lowering.initialise(place, expression.arguments[0]);
  return pointer;
}
