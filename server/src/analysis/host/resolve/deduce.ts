/** Template arguments of a call, from what was written and from the values of the arguments. */
import type { FunctionDeclaration, TypeNode } from "../../../syntax/ast.ts";
import type { TemplateValue as Bound, Substitution, Type } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { Cell, type HostType, type TemplateValue, type Value } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";

/** What the template parameters of `fn` stand for; parameters that cannot be told are left out. */
export function deduce(
  host: Interpreter,
  fn: FunctionDeclaration,
  written: readonly TemplateValue[],
  args: readonly Argument[],
  outer: Substitution | undefined,
): Substitution | undefined {
  const parameters = fn.templateParameters;
  if (parameters === undefined || parameters.length === 0) return outer;
  const values = new Map<string, Bound | readonly Bound[]>();
  const scope = (): Substitution => (outer === undefined ? { values } : { values, outer });
  const names = new Set(parameters.flatMap((parameter) => (parameter.name === undefined ? [] : [parameter.name])));
  for (const [k, parameter] of parameters.entries()) {
    const value = written[k];
    if (parameter.name === undefined || value === undefined) continue;
    if (parameter.pack) {
      values.set(
        parameter.name,
        written.slice(k).filter((v): v is Bound => v !== undefined),
      );
      break;
    }
    values.set(parameter.name, value);
  }
  for (const [k, parameter] of fn.parameters.entries()) {
    const argument = args[k];
    if (argument === undefined || parameter.pack) break;
    match(parameter.type, staticType(argument), argument.value, names, values);
  }
  for (const parameter of parameters) {
    if (parameter.name === undefined || values.has(parameter.name) || parameter.kind === "template" || parameter.default === undefined)
      continue;
    const made =
      parameter.kind === "type" ? hostType(host, parameter.default, scope()) : host.semantics.constant(parameter.default, scope());
    if (made !== undefined && !(typeof made === "object" && made.kind === "container")) values.set(parameter.name, made);
  }
  return host.substitutions.of(fn, values, outer);
}

/** What the argument's place or value says its type is. */
function staticType({ value, place }: Argument): HostType | undefined {
  const declared = place?.type;
  if (declared !== undefined && declared.kind !== "array") return declared;
  if (place instanceof Cell && declared?.kind === "array") return { kind: "pointer", to: declared.of };
  return typeOfValue(value);
}

function match(
  node: TypeNode,
  type: HostType | undefined,
  value: Value | undefined,
  names: ReadonlySet<string>,
  values: Map<string, Bound | readonly Bound[]>,
): void {
  switch (node.kind) {
    case "named": {
      const [part, more] = node.name.parts;
      if (part === undefined || more !== undefined) {
        matchArguments(node, type, names, values);
        return;
      }
      if (names.has(part.text)) {
        if (type !== undefined && type.kind !== "container" && !values.has(part.text)) values.set(part.text, decayed(type));
      } else matchArguments(node, type, names, values);
      return;
    }
    case "pointer":
      if (type?.kind === "pointer") match(node.to, type.to, undefined, names, values);
      else if (type?.kind === "array") match(node.to, type.of, undefined, names, values);
      return;
    case "reference":
      match(node.to, type?.kind === "reference" ? type.to : type, value, names, values);
      return;
    case "array":
      if (type?.kind === "array") match(node.of, type.of, undefined, names, values);
      return;
    default:
  }
}

/** `std::vector<T>` against a container, `Box<T>` against a record. */
function matchArguments(
  node: TypeNode & { readonly kind: "named" },
  type: HostType | undefined,
  names: ReadonlySet<string>,
  values: Map<string, Bound | readonly Bound[]>,
): void {
  const written = node.name.parts.at(-1)?.templateArguments;
  if (written === undefined) return;
  if (type?.kind === "container") {
    const [first] = written;
    if (first?.kind === "type") match(first.type, type.element, undefined, names, values);
    return;
  }
  if (type?.kind !== "record") return;
  const actual = type.record.declaration?.templateParameters ?? [];
  for (const [k, argument] of written.entries()) {
    const name = actual[k]?.name;
    const bound = name === undefined ? undefined : type.record.substitution.values.get(name);
    if (bound === undefined) continue;
    const own =
      argument.kind === "type" && argument.type.kind === "named"
        ? argument.type.name.parts[0]?.text
        : argument.expression?.kind === "name"
          ? argument.expression.name.parts[0]?.text
          : undefined;
    if (own !== undefined && names.has(own) && !values.has(own)) values.set(own, bound);
  }
}

function decayed(type: Type): Type {
  if (type.kind === "reference") return decayed(type.to);
  if (type.kind === "array") return { kind: "pointer", to: type.of };
  if (type.const === undefined && type.volatile === undefined) return type;
  const { const: _const, volatile: _volatile, ...rest } = type;
  return rest as Type;
}
