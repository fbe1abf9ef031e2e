/**
 * Which of several functions a call is for. The values decide where sema has no type for an argument: what is not known at all, and
 * containers.
 */
import type { FunctionDeclaration, ParameterDeclaration } from "../../../syntax/ast.ts";
import { promotedName } from "../../sema/arithmetic-types.ts";
import { takes } from "../../sema/overload.ts";
import { valueKey } from "../../sema/type-tools.ts";
import type { FloatName, IntegerName, Substitution } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import type { HostType, LambdaValue, Place, TemplateValue, Value } from "../values/model.ts";
import { sameHostType } from "../values/type-of-value.ts";
import { isFloat } from "../values/values.ts";

/**
 * The overload whose parameters fit the arguments best; undefined when none takes that many. `strict`: one that takes other
 * kinds of arguments, or any, is not chosen even if there is no better. `substitutionOf`: of the class that one is a method of.
 */
export function chooseOverload(
  host: Interpreter,
  candidates: readonly FunctionDeclaration[],
  args: readonly Argument[],
  written = 0,
  strict = false,
  substitutionOf?: (fn: FunctionDeclaration) => Substitution | undefined,
): FunctionDeclaration | undefined {
  let chosen: FunctionDeclaration | undefined;
  let top = Number.NEGATIVE_INFINITY;
  for (const fn of candidates) {
    if (!takes(fn, args.length, candidates) || (!fn.specialisation && (fn.templateParameters?.length ?? 0) < written)) continue;
    if (fn.deleted) continue;
    const points = candidates.length === 1 && !strict ? 0 : score(host, fn, args, substitutionOf?.(fn), written);
    if (strict && points <= 0.5) continue;
    if (points > top) {
      top = points;
      chosen = fn;
    }
  }
  return chosen;
}

/** Of explicit specialisations those for just the arguments that are written; where there is none, the templates. */
export function specialised(
  host: Interpreter,
  candidates: readonly FunctionDeclaration[],
  written: readonly TemplateValue[],
): readonly FunctionDeclaration[] {
  if (written.length === 0 || !candidates.some((fn) => fn.specialisation)) return candidates;
  const isFor = ({ name, specialisation }: FunctionDeclaration): boolean => {
    const own = specialisation ? name.parts.at(-1)?.templateArguments : undefined;
    const values = own && host.semantics.context.templateValues(own, undefined, undefined);
    return values?.every((value, k) => keyOf(written[k]) === valueKey(value)) ?? false;
  };
  const exact = candidates.filter(isFor);
  return exact.length > 0 ? exact : candidates.filter((fn) => !(fn.specialisation && fn.name.parts.at(-1)?.templateArguments));
}

const keyOf = (value: TemplateValue): string | undefined => (value === undefined ? undefined : valueKey(value));

/** Points of an argument that cannot be converted. */
const misfit = -1000;

function score(
  host: Interpreter,
  fn: FunctionDeclaration,
  args: readonly Argument[],
  substitution: Substitution | undefined,
  written: number,
): number {
  let points = fn.templateParameters === undefined || fn.specialisation ? 0.5 : 0;
  // Functions of the device are not called by the host.
  if (fn.specifiers.device && !fn.specifiers.host) points -= 100;
  for (const [k, { value, place, isMoved }] of args.entries()) {
    const parameter = fn.parameters[k];
    if (parameter === undefined) break;
    const declared = hostType(host, parameter.type, substitution);
    const fits = fitness(declared?.kind === "reference" ? declared.to : declared, parameter, value, place?.type);
    // A specialisation is for just the types that its template would be made for.
    const isOther = fn.specialisation && written === 0 && isNumber(value) && fits < 3;
    points += isOther ? misfit : fits + binding(parameter, isMoved ? undefined : place);
  }
  return points;
}

const isNumber = ({ kind }: Value): boolean => kind === "int" || kind === "float";

/** What a reference may be of: a variable, or a value that nobody else has. */
function binding({ type }: ParameterDeclaration, place: Place | undefined): number {
  if (type.kind !== "reference") return 0;
  if (type.rvalue) return type.to.kind === "auto" || !place ? 0.1 : misfit;
  if (type.to.const) return place && place.type?.kind !== "container" && place.type?.const ? 0.1 : 0;
  return !place || (place.type?.kind !== "container" && place.type?.const) ? misfit : 0.1;
}

/** The lambda whose parameters fit the arguments best. */
export function chooseLambda(host: Interpreter, lambdas: readonly LambdaValue[], args: readonly Argument[]): LambdaValue | undefined {
  let chosen: LambdaValue | undefined;
  let top = misfit;
  for (const lambda of lambdas) {
    const { parameters } = lambda.expression;
    if (parameters.length !== args.length && !parameters.some((each) => each.pack)) continue;
    let points = 0;
    for (const [k, { value }] of args.entries()) {
      const parameter = parameters[k];
      const type = parameter && hostType(host, parameter.type, lambda.substitution);
      if (parameter) points += fitness(type?.kind === "reference" ? type.to : type, parameter, value);
    }
    if (points <= top) continue;
    top = points;
    chosen = lambda;
  }
  return chosen;
}

/** @param held the type of the variable that holds the value, which tells where that is not known */
function fitness(type: HostType | undefined, parameter: ParameterDeclaration, value: Value, held?: HostType): number {
  const node = parameter.type.kind === "reference" ? parameter.type.to : parameter.type;
  const pointerValue = value.kind === "pointer" || value.kind === "string";
  if (node.kind === "pointer")
    return pointerValue
      ? type !== undefined && value.kind === "pointer" && sameTarget(type, value.to)
        ? 3
        : 1
      : value.kind === "unknown"
        ? 0
        : misfit;
  if (type === undefined) return 0;
  switch (value.kind) {
    case "int":
    case "float":
    case "range":
      if (type.kind === "integer" || type.kind === "floating")
        return type.name === value.type
          ? 3
          : isPromotion(value.type, type.name)
            ? 2
            : (type.kind === "floating") === isFloat(value.type)
              ? 1
              : 0;
      return type.kind === "enum" ? 1 : misfit;
    case "record":
      return type.kind === "record" ? (type.record.name === value.name ? 3 : -5) : misfit;
    case "container":
      return type.kind === "container" ? 2 : -5;
    case "pointer":
      return -5;
    case "unknown": {
      const isNumber = (each: HostType | undefined) => each?.kind === "integer" || each?.kind === "floating";
      if (!isNumber(held) || !isNumber(type)) return 0;
      return sameHostType(held, type) ? 3 : held?.kind === type.kind ? 1 : 0;
    }
    default:
      return 0;
  }
}

const isPromotion = (from: IntegerName | FloatName, to: IntegerName | FloatName): boolean =>
  isFloat(from) ? from === "float" && to === "double" : promotedName(from) === to;

function sameTarget(type: HostType, to: HostType | undefined): boolean {
  return (
    type.kind === "pointer" &&
    to !== undefined &&
    type.to.kind === to.kind &&
    (!("name" in type.to) || !("name" in to) || type.to.name === to.name)
  );
}
