/** What classes say of how their objects are made and copied: who goes through an array of them number by number has to know. */

import type { Declaration, FunctionDeclaration, TypeNode } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance, Type } from "../../sema/types.ts";
import type { Interpreter } from "./interpreter.ts";

function functionsIn({ declaration }: RecordInstance): readonly FunctionDeclaration[] {
  return (declaration.members ?? []).flatMap((member: Declaration) => (member.kind === "function" ? [member] : []));
}

/** Constructors that the class declares by itself, those left to the compiler aside. */
export const constructorsIn = (record: RecordInstance): readonly FunctionDeclaration[] =>
  functionsIn(record).filter(({ role, defaulted }) => role === "constructor" && !defaulted);

const isOwn = ({ declaration }: Pick<RecordInstance, "declaration">, type: TypeNode): boolean =>
  type.kind === "reference"
    ? isOwn({ declaration }, type.to)
    : type.kind === "named" && type.name.parts.at(-1)?.text === declaration.name?.parts.at(-1)?.text;

const assignmentsIn = (record: RecordInstance): readonly FunctionDeclaration[] =>
  functionsIn(record).filter((fn) => lastName(fn.name) === "operator=" && !fn.defaulted && !fn.deleted);

/** Whether the class says what is assigned to its objects by itself. */
export const declaresAssignment = (record: RecordInstance): boolean => assignmentsIn(record).length > 0;

/** The same of other objects of the class. */
export const assignsItself = (record: RecordInstance): boolean =>
  assignmentsIn(record).some(({ parameters: [first] }) => first !== undefined && isOwn(record, first.type));

/** What a class says of how its objects are copied, moved and end. */
const specialIn = (record: RecordInstance): readonly FunctionDeclaration[] =>
  functionsIn(record).filter(
    ({ role, name, parameters: [first, second] }) =>
      role === "destructor" ||
      ((role === "constructor" || lastName(name) === "operator=") &&
        first?.type.kind === "reference" &&
        isOwn(record, first.type) &&
        second === undefined),
  );

const isMoving = ({ deleted, parameters: [first] }: FunctionDeclaration): boolean =>
  !deleted && first?.type.kind === "reference" && first.type.rvalue;

/** Whether what is given away is moved: by what the class says, or, where it says nothing of how its objects are copied and end, by itself. */
export const isMoveAssigned = (record: RecordInstance): boolean =>
  specialIn(record).length === 0 || specialIn(record).some((fn) => lastName(fn.name) === "operator=" && isMoving(fn));

/** The same of an object that is made of it. */
export const isMoveConstructed = (record: RecordInstance): boolean =>
  specialIn(record).length === 0 || specialIn(record).some((fn) => fn.role === "constructor" && isMoving(fn));

/** Whether a copy is a copy of each member: the class says nothing else. */
export const isCopiedByMembers = (record: RecordInstance): boolean =>
  !constructorsIn(record).some(
    ({ parameters: [first, second] }) => first?.type.kind === "reference" && isOwn(record, first.type) && second === undefined,
  ) && !assignsItself(record);

/** Whether an object of which nothing is said is all zeros: no member has another initialiser, and no constructor gives it one. */
export function beginsWithZeros(host: Interpreter, record: RecordInstance): boolean {
  const layout = host.semantics.context.layout(record);
  if (!layout) return false;
  const isZero = (type: Type): boolean =>
    type.kind === "array" ? isZero(type.of) : type.kind !== "record" || beginsWithZeros(host, type.record);
  const own = constructorsIn(record);
  const fields = layout.fields.map(({ name }) => name);
  return (
    own.every((constructor_) => constructor_.parameters.length > 0 || isEmpty(constructor_, fields)) &&
    (own.length === 0 || own.some(({ parameters }) => parameters.length === 0)) &&
    layout.fields.every(({ type, declaration }) => declaration?.init === undefined && isZero(type)) &&
    layout.bases.every((base) => beginsWithZeros(host, base.record))
  );
}

/** `pair() : first(), second() {}` */
const isEmpty = ({ initialisers = [], body }: FunctionDeclaration, fields: readonly string[]): boolean =>
  body?.body.length === 0 &&
  fields.every((field) => initialisers.some(({ name, values }) => name.parts.at(-1)?.text === field && values.length === 0));

/** The class of a member that is a record; undefined for others. */
export function memberClass(host: Interpreter, record: RecordInstance, name: string): (Type & { readonly kind: "record" }) | undefined {
  const layout = host.semantics.context.layout(record);
  const type = layout?.fields.find((field) => field.name === name)?.type;
  return type?.kind === "record" ? type : undefined;
}
