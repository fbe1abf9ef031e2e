/** Variables that live outside a function's frame: `__shared__`, `__device__`, `__constant__`, and constant tables. */
import type { Content, GlobalVariable, ScalarType, SharedVariable } from "@warplens/sim-engine";
import type { Expression, Node, VariableDeclaration } from "../../syntax/ast.ts";
import { convertConstant } from "../sema/constant-run.ts";
import { lastName } from "../sema/scope.ts";
import { identity } from "../sema/type-tools.ts";
import type { Substitution, Type } from "../sema/types.ts";
import { alignmentOfVariable, placeInBank } from "./constant-bank.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { leavesOf } from "./emit/memory.ts";

/** One variable an instance of a template: its own for each set of arguments. */
const keyOf = (declaration: VariableDeclaration, substitution: Substitution | undefined): string =>
  `${identity(declaration)}@${substitution && substitution.values.size > 0 ? identity(substitution) : 0}`;

function once(
  lowering: Lowering,
  declaration: VariableDeclaration,
  substitution: Substitution | undefined,
  make: () => Omit<Place, "pointer" | "node">,
  address: (first: boolean) => Place["pointer"],
  node: Node,
): Place {
  const key = keyOf(declaration, substitution);
  const known = lowering.statics.get(key);
  lowering.at(node);
  if (known) return { ...known, pointer: address(false), node };
  const shape = make();
  const place: Place = { ...shape, pointer: address(true), node };
  lowering.statics.set(key, place);
  return place;
}

export function sharedVariable(
  lowering: Lowering,
  declaration: VariableDeclaration,
  substitution: Substitution | undefined,
  node: Node,
): Place {
  const { context, kernel, builder } = lowering;
  const type = context.declaredType(declaration, substitution);
  if (!type) return lowering.failType(`the shared variable ${lastName(declaration.name)}`, declaration.type, declaration);
  const dimensions: number[] = [];
  let element = type;
  const dynamic = declaration.specifiers.extern === true;
  for (; element.kind === "array"; element = element.of) {
    if (element.size === undefined) {
      if (!dynamic) return lowering.fail(`the size of the shared array ${lastName(declaration.name)} is not known`, declaration);
    } else dimensions.push(element.size);
  }
  const elementBytes =
    context.sizeOf(element) ?? lowering.fail(`the type of the shared variable ${lastName(declaration.name)} is not known`, declaration);
  const asked = declaration.specifiers.align && context.constant(declaration.specifiers.align, substitution);
  const align = Math.max(context.alignOf(element) ?? 1, asked === undefined ? 1 : Number(asked));
  const index = indexFor(lowering, declaration, substitution, () => {
    const bytes = dimensions.reduce((all, each) => all * each, elementBytes);
    lowering.at(declaration);
    const variable: SharedVariable = {
      name: lastName(declaration.name),
      ...(dynamic ? {} : { bytes }),
      align,
      dimensions,
      elementBytes,
      span: builder.span,
    };
    kernel.shared.push(variable);
    return kernel.shared.length - 1;
  });
  return once(
    lowering,
    declaration,
    substitution,
    () => ({ type, space: "shared", align }),
    () => builder.emit({ kind: "shared.address", index }, "ptr"),
    node,
  );
}

const indices = new WeakMap<Lowering["kernel"], Map<string, number>>();

function indexFor(
  lowering: Lowering,
  declaration: VariableDeclaration,
  substitution: Substitution | undefined,
  make: () => number,
): number {
  let known = indices.get(lowering.kernel);
  if (!known) indices.set(lowering.kernel, (known = new Map()));
  const key = keyOf(declaration, substitution);
  let index = known.get(key);
  if (index === undefined) known.set(key, (index = make()));
  return index;
}

/** `texture<float, 2> tex` of CUDA 11 and before; bound to memory by the host. */
export const isImageReference = (type: Type): boolean => {
  if (type.kind !== "record" || type.record.template.start >= 0) return false;
  const name = lastName(type.record.template.name);
  return name === "texture" || name === "surface";
};

/** What a texture reference is bound to may be large: room for all it can reach. */
const imageBytes = 2 ** 32;

function imageReference(lowering: Lowering, declaration: VariableDeclaration, type: Type, node: Node): Place {
  const { kernel, builder } = lowering;
  const index = indexFor(lowering, declaration, undefined, () => {
    const content = { kind: "unknown" } as const;
    kernel.globals.push({ name: lastName(declaration.name), space: "global", bytes: imageBytes, align: 512, element: "i32", content });
    return kernel.globals.length - 1;
  });
  const address = () => builder.emit({ kind: "global.address", index }, "ptr");
  return once(lowering, declaration, undefined, () => ({ type, space: "global" }), address, node);
}

export function globalVariable(
  lowering: Lowering,
  declaration: VariableDeclaration,
  substitution: Substitution | undefined,
  node: Node,
): Place {
  const { context, kernel, builder } = lowering;
  const name = lastName(declaration.name);
  const type = context.declaredType(declaration, substitution);
  const bytes = type && context.sizeOf(type);
  if (!type || bytes === undefined) return lowering.fail(`the type of ${name} is not known`, declaration);
  if (isImageReference(type)) return imageReference(lowering, declaration, type, node);
  const inConstantMemory = declaration.specifiers.constant === true || (!declaration.specifiers.device && !declaration.specifiers.managed);
  const space = inConstantMemory ? "constant" : "global";
  const index = indexFor(lowering, declaration, substitution, () => {
    const leaves = leafTypes(lowering, type);
    const content = contentOf(lowering, declaration, type, substitution);
    const offset = declaration.specifiers.constant ? placeInBank(context, declaration) : undefined;
    const variable: GlobalVariable = {
      name,
      space,
      bytes,
      align: alignmentOfVariable(context, declaration, substitution),
      ...(offset === undefined ? {} : { offset }),
      element: leaves,
      ...(content ? { content } : {}),
    };
    kernel.globals.push(variable);
    return kernel.globals.length - 1;
  });
  const plain: Type = type;
  return once(
    lowering,
    declaration,
    substitution,
    () => ({ type: plain, space }),
    () => builder.emit({ kind: "global.address", index }, "ptr"),
    node,
  );
}

/** The scalar an object is made of, or its first. */
function leafTypes(lowering: Lowering, type: Type): ScalarType {
  let element = type;
  while (element.kind === "array") element = element.of;
  return leavesOf(lowering, element)?.[0]?.scalar ?? "i8";
}

/** What the initialiser puts there, where every member is of one scalar type. */
function contentOf(
  lowering: Lowering,
  declaration: VariableDeclaration,
  type: Type,
  substitution: Substitution | undefined,
): Content | undefined {
  if (!declaration.init) return declaration.specifiers.constant || declaration.specifiers.extern ? undefined : { kind: "zero" };
  const leaves = leavesOf(lowering, type);
  const first = leaves?.[0];
  if (!leaves || !first || leaves.some((leaf) => leaf.scalar !== first.scalar)) return undefined;
  const values: (number | undefined)[] = leaves.map(() => 0);
  const { values: written, style } = declaration.init;
  const [only] = written;
  const list: Expression | undefined =
    style === "list" || written.length > 1
      ? { kind: "list", elements: written.map((value) => ({ value })), start: declaration.start, end: declaration.end }
      : only;
  const cursor = { at: 0 };
  if (list) fill(lowering, list, type, values, cursor, substitution);
  return values.includes(undefined) ? { kind: "unknown" } : { kind: "values", values: values.map((each) => each ?? 0) };
}

function fill(
  lowering: Lowering,
  expression: Expression,
  type: Type,
  values: (number | undefined)[],
  cursor: { at: number },
  substitution: Substitution | undefined,
): void {
  const count = leavesOf(lowering, type)?.length ?? 1;
  const end = cursor.at + count;
  if (expression.kind === "list") {
    const parts = memberTypes(lowering, type);
    // Braces may be left out around inner lists: then the values run on through the members.
    const flat =
      type.kind === "array" &&
      (parts.length === 0 || leavesOf(lowering, type.of)?.length !== 1) &&
      expression.elements.every((each) => each.value.kind !== "list");
    if (flat)
      for (const each of expression.elements) put(lowering, each.value, leafAt(lowering, type, cursor.at), values, cursor, substitution);
    else
      for (const [index, each] of expression.elements.entries())
        fill(lowering, each.value, type.kind === "array" ? type.of : (parts[index] ?? type), values, cursor, substitution);
  } else if (expression.kind === "string" && type.kind === "array") {
    for (const [index, char] of [...expression.value].entries()) values[cursor.at + index] = char.charCodeAt(0);
  } else put(lowering, expression, type, values, cursor, substitution);
  cursor.at = Math.max(cursor.at, end);
}

function put(
  lowering: Lowering,
  expression: Expression,
  type: Type,
  values: (number | undefined)[],
  cursor: { at: number },
  substitution: Substitution | undefined,
): void {
  const inner =
    expression.kind === "call" || expression.kind === "cast"
      ? expression.kind === "call"
        ? expression.arguments
        : expression.operands
      : undefined;
  if (type.kind === "record" && inner) {
    // `make_float2(1, 2)`, `float2{1, 2}`.
    for (const [index, each] of inner.entries())
      put(lowering, each, memberTypes(lowering, type)[index] ?? type, values, cursor, substitution);
    return;
  }
  const value = lowering.context.constant(expression, substitution);
  const constant = value === undefined ? undefined : convertConstant(value, type);
  values[cursor.at++] = constant === undefined ? undefined : Number(constant);
}

function leafAt(lowering: Lowering, type: Type, index: number): Type {
  return leavesOf(lowering, type)?.[index]?.type ?? type;
}

function memberTypes(lowering: Lowering, type: Type): readonly Type[] {
  return type.kind === "record" ? (lowering.context.layout(type.record)?.fields.map((field) => field.type) ?? []) : [];
}

/** A constant expression as an operation, where the name stands for one: enumerators, template arguments, `const` at namespace level. */
export function constantNamed(
  lowering: Lowering,
  expression: Expression & { kind: "name" },
): { readonly value: bigint | number | boolean } | undefined {
  const { context, frame } = lowering;
  const found = context.find(expression.name, frame.substitution);
  const [entity] = found.entities;
  if (!entity) {
    const value = context.constant(expression, frame.substitution);
    return value === undefined ? undefined : { value };
  }
  const always = entity.kind === "enumerator" || entity.kind === "template-parameter" || entity.kind === "built-in constant";
  if (entity.kind === "variable") {
    const { specifiers } = entity.declaration;
    if (specifiers.shared || specifiers.device || specifiers.constant || specifiers.managed) return undefined;
    if (frame.variables.has(entity.declaration)) return undefined;
  } else if (!always) return undefined;
  const value = context.constant(expression, frame.substitution);
  return value === undefined ? undefined : { value };
}
