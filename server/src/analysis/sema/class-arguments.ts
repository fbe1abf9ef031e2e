/** Arguments of class templates that an object's initialiser tells: `Pair p{1, x};`. */
import type { Expression, FunctionDeclaration, RecordDeclaration, TypeNode, VariableDeclaration } from "../../syntax/ast.ts";
import type { Argument, Context, TemplateValues } from "./context.ts";
import { type Deduction, deduceParameter, deduceType } from "./deduce.ts";
import { defaultOf } from "./template-values.ts";
import { recordType } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

/** The type of what a template's name alone says, made of values. */
export function deducedClass(
  context: Context,
  type: TypeNode,
  made: readonly Expression[],
  substitution: Substitution | undefined,
): Type | undefined {
  if (type.kind !== "named" || made.length === 0 || type.name.parts.at(-1)?.templateArguments) return undefined;
  const template = templateOf(context, type, substitution);
  const given = template && argumentsIn(made).map((expression) => ({ info: context.info(expression, substitution), expression }));
  if (!template || !given?.every((each) => each.info)) return undefined;
  for (const deduce of ways(template)) {
    const values = deducedBy(context, template, (state) => deduce(state, given));
    const record = values && context.instantiate(template, values, substitution);
    if (record) return recordType(record);
  }
  return undefined;
}

function templateOf(context: Context, type: TypeNode & { kind: "named" }, substitution: Substitution | undefined) {
  const [entity] = context.find(type.name, substitution).entities;
  return entity?.kind === "record" && entity.declaration.templateParameters ? entity.declaration : undefined;
}

function argumentsIn(values: readonly Expression[]): readonly Expression[] {
  const [only] = values;
  return only?.kind === "list" && !only.type && values.length === 1 ? only.elements.map((each) => each.value) : values;
}

type Way = (state: Deduction, given: readonly Argument[]) => boolean;

/** By each constructor, and member by member where there is none. */
function ways(template: RecordDeclaration): Way[] {
  const constructors = (template.members ?? []).filter(
    (each): each is FunctionDeclaration => each.kind === "function" && each.role === "constructor" && !each.deleted,
  );
  return constructors.length > 0 ? constructors.map(byConstructor) : [byMembers(template)];
}

const byConstructor =
  ({ parameters }: FunctionDeclaration): Way =>
  (state, given) =>
    given.length <= parameters.length &&
    parameters.every((parameter, index) => {
      const info = given[index]?.info;
      return info ? deduceParameter(state, parameter, info) : parameter.default !== undefined;
    });

function byMembers(template: RecordDeclaration): Way {
  const members = (template.members ?? []).filter(
    (each): each is VariableDeclaration => each.kind === "variable" && !each.specifiers.static && !each.specifiers.typedef,
  );
  const [only] = members;
  return (state, given) => {
    // Braces are left out around the elements of an array.
    if (members.length === 1 && only?.type.kind === "array" && given[0]?.info?.type.kind !== "array") {
      const { of, size } = only.type;
      if (size?.kind === "name") state.bound.set(size.name.parts.at(-1)?.text ?? "", BigInt(given.length));
      return given[0]?.info !== undefined && deduceType(state, of, given[0].info.type);
    }
    return given.every(({ info }, index) => {
      const member = members[index];
      return member !== undefined && info !== undefined && deduceType(state, member.type, info.type);
    });
  };
}

function deducedBy(context: Context, template: RecordDeclaration, deduce: (state: Deduction) => boolean): TemplateValues[] | undefined {
  const parameters = template.templateParameters ?? [];
  const bound = new Map<string, TemplateValues>();
  const names = new Set(parameters.flatMap((each) => (each.name ? [each.name] : [])));
  if (!deduce({ context, names, bound, outer: undefined })) return undefined;
  const values: TemplateValues[] = [];
  for (const parameter of parameters) {
    const value = bound.get(parameter.name ?? "") ?? (parameter.pack ? [] : defaultOf(context, parameter, { values: bound }));
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
