/** What a lambda takes with it: the fields of its object. */
import { walk } from "../../syntax/walk.ts";
import type { Context } from "./context.ts";
import { thisRecord } from "./expressions.ts";
import type { CaptureField, CaptureLayout } from "./layouts.ts";
import type { Entity } from "./scope.ts";
import { pointerTo, recordType, unqualified } from "./type-tools.ts";
import type { LambdaExpression, Substitution, Type } from "./types.ts";

/** The fields of a lambda's object, in the order the body first uses them (explicit captures as written). */
export function captureLayout(
  context: Context,
  lambda: LambdaExpression,
  substitution: Substitution | undefined,
): CaptureLayout | undefined {
  const fields: CaptureField[] = [];
  let size = 0;
  let align = 1;
  let known = true;
  const add = (of: CaptureField["of"], name: string, type: Type | undefined, byReference: boolean): void => {
    if (fields.some((each) => each.of === of)) return;
    const bytes = type && (byReference ? 8 : context.sizeOf(type));
    const fieldAlign = type && (byReference ? 8 : context.alignOf(type));
    if (!type || bytes === undefined || fieldAlign === undefined) {
      known = false;
      return;
    }
    const offset = Math.ceil(size / fieldAlign) * fieldAlign;
    fields.push({ of, name, type, byReference, offset });
    size = offset + bytes;
    align = Math.max(align, fieldAlign);
  };
  const addEntity = (entity: Entity | undefined, name: string, byReference: boolean): void => {
    if (entity?.kind !== "variable" && entity?.kind !== "parameter") return;
    const type = context.declaredType(entity.declaration, substitution);
    if (type?.kind === "reference") add(entity.declaration, name, byReference ? type.to : unqualified(type.to), byReference);
    else add(entity.declaration, name, type, byReference);
  };
  const addThis = (): void => {
    const record = thisRecord(context, lambda.start, substitution);
    if (record) add("this", "this", pointerTo(recordType(record)), false);
  };
  for (const capture of lambda.captures) {
    if (capture.name === "this" || capture.name === "*this") addThis();
    else if (capture.init) add(capture, capture.name, context.info(capture.init, substitution)?.type, capture.byReference);
    else addEntity(outerEntity(context, lambda, capture.name), capture.name, capture.byReference);
  }
  if (lambda.captureDefault) {
    const byReference = lambda.captureDefault === "&";
    walk(lambda.body, (node) => {
      if (node.kind === "this") addThis();
      if (node.kind !== "name") return true;
      const { name } = node;
      const text = name.parts[0]?.text;
      if (name.parts.length !== 1 || text === undefined) return true;
      const found = lookupFrom(context, name.start, text);
      if (!found) return true;
      if (found.home.kind === "record") addThis();
      else if (isOuterLocal(found, lambda)) addEntity(found, text, byReference);
      return true;
    });
  }
  return known ? { fields, size: Math.max(1, Math.ceil(size / align) * align), align } : undefined;
}

function outerEntity(context: Context, lambda: LambdaExpression, text: string): Entity | undefined {
  return lookupFrom(context, lambda.start - 1, text);
}

function lookupFrom(context: Context, offset: number, text: string): Entity | undefined {
  const [entity] = context.find({ parts: [{ text }], global: false, start: offset, end: offset }, undefined).entities;
  return entity;
}

/** A variable of an enclosing function: declared outside the lambda, in a block, and not static or a constant of its own. */
function isOuterLocal(entity: Entity, lambda: LambdaExpression): boolean {
  if (entity.kind !== "variable" && entity.kind !== "parameter") return false;
  const { declaration } = entity;
  if (declaration.start >= lambda.start && declaration.start < lambda.end) return false;
  const local = entity.home.kind === "block" || entity.home.kind === "function" || entity.home.kind === "lambda";
  return local && !declaration.specifiers.static && !declaration.specifiers.shared && !declaration.specifiers.constexpr;
}
