/** Template arguments of a call, from what was written and from the values of the arguments. */
import type { FunctionDeclaration, TypeNode } from "../../../syntax/ast.ts";
import { type Deduction, deduceParameter } from "../../sema/deduce.ts";
import { isTypeValue, unqualified } from "../../sema/type-tools.ts";
import type { TemplateValue as Bound, Substitution, Type } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { Cell, type HostType, type TemplateValue } from "../values/model.ts";
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
  const given = new Set(values.keys());
  const state: Deduction = { context: host.semantics.context, names, bound: values, outer };
  for (const [k, parameter] of fn.parameters.entries()) {
    const argument = args[k];
    if (argument === undefined || parameter.pack) break;
    deduceFrom(state, parameter.type, staticType(argument));
  }
  // What an argument points at may be constant where the parameter's does not say so: instances are not told apart by it.
  for (const [name, value] of values) if (!given.has(name) && isTypeValue(value)) values.set(name, decayed(value));
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

/** `std::vector<T>` against a container, which sema has no type for; everything else as sema deduces. */
function deduceFrom(state: Deduction, node: TypeNode, type: HostType | undefined): void {
  if (type === undefined) return;
  if (type.kind !== "container") {
    deduceParameter(state, node, { type: unqualified(type), lvalue: false });
    return;
  }
  const written = node.kind === "reference" ? node.to : node;
  const [first] = written.kind === "named" ? (written.name.parts.at(-1)?.templateArguments ?? []) : [];
  if (first?.kind === "type") deduceFrom(state, first.type, type.element);
}

function decayed(type: Type): Type {
  if (type.kind === "reference") return decayed(type.to);
  if (type.kind === "array") return { kind: "pointer", to: type.of };
  if (type.const === undefined && type.volatile === undefined) return type;
  const { const: _const, volatile: _volatile, ...rest } = type;
  return rest as Type;
}
