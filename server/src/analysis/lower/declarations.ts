import type { Expression, VariableDeclaration } from "../../syntax/ast.ts";
import { declaresFunction } from "../sema/clarify.ts";
import { lastName } from "../sema/scope.ts";
import { referred } from "../sema/type-tools.ts";
import type { Type } from "../sema/types.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { boundTo } from "./emit/memory.ts";
import { sharedVariable } from "./statics.ts";

/** A local variable; shared ones live elsewhere, references name what they are bound to. */
export function declareVariable(lowering: Lowering, declaration: VariableDeclaration): void {
  const { context, frame } = lowering;
  const { specifiers, init } = declaration;
  if (specifiers.typedef || declaresFunction(context, declaration)) return;
  const name = declaration.bindings ? "binding" : lastName(declaration.name);
  if (specifiers.shared || specifiers.extern) {
    if (specifiers.shared) sharedVariable(lowering, declaration, frame.substitution, declaration);
    return;
  }
  if (specifiers.static && !specifiers.constexpr && !isConstantType(context.declaredType(declaration, frame.substitution)))
    lowering.fail(`${name} is a static variable of the function`, declaration);
  if (specifiers.static) return;
  const type =
    bindingType(lowering, declaration) ??
    context.declaredType(declaration, frame.substitution) ??
    lowering.failType(name, declaration.type, declaration);
  const [first] = init?.values ?? [];
  if (type.kind === "reference") {
    if (!first) lowering.fail(`${name} refers to nothing`, declaration);
    frame.variables.set(declaration, referenceTo(lowering, type, name, first));
    return;
  }
  if (type.kind === "array" && type.size === undefined) lowering.fail(`the size of ${name} is not known`, declaration);
  const place = lowering.temporary(type, name, declaration, specifiers.align && context.constant(specifiers.align, frame.substitution));
  frame.variables.set(declaration, place);
  if (!init) {
    lowering.defaultInitialise(place, declaration);
    return;
  }
  const at: Place = { ...place, node: first ?? declaration };
  if (init.style === "copy" && first) {
    lowering.initialise(at, first);
    return;
  }
  if (type.kind === "record" || type.kind === "lambda") {
    if (init.style === "list" && first?.kind === "list" && init.values.length === 1 && !first.type) {
      lowering.initialise(at, first);
      return;
    }
    lowering.construct(at, init.values, first ?? declaration);
    return;
  }
  if (type.kind === "array") {
    lowering.initialise(
      at,
      init.values.length === 1 && first?.kind === "list"
        ? first
        : { kind: "list", elements: init.values.map((value) => ({ value })), start: declaration.start, end: declaration.end },
    );
    return;
  }
  lowering.construct(
    at,
    init.values.length === 1 && first?.kind === "list" ? first.elements.map((each) => each.value) : init.values,
    declaration,
  );
}

/** `auto [a, b] = e;`: the hidden object's type; a reference binds the object itself. */
function bindingType(lowering: Lowering, declaration: VariableDeclaration): Type | undefined {
  const [first] = declaration.init?.values ?? [];
  if (!declaration.bindings || !first) return undefined;
  const type = lowering.typeOf(first);
  return declaration.type.kind === "reference" ? { kind: "reference", to: type, rvalue: false } : type;
}

function referenceTo(lowering: Lowering, type: Type & { kind: "reference" }, name: string, init: Expression): Place {
  const from = lowering.tryTypeOf(init);
  if (from && lowering.isLvalue(init)) {
    const place = lowering.place(init);
    return boundTo(place, place.type.kind === "array" ? place.type : referred(type));
  }
  const made = lowering.temporary(type.to, name, init);
  lowering.initialise(made, init);
  return made;
}

const isConstantType = (type: Type | undefined): boolean =>
  type !== undefined && (type.kind === "array" ? isConstantType(type.of) : type.const === true);
