/** Functions, lambdas, engines and distributions that replayed code calls or gives to others. */

import type { Expression, FunctionDeclaration, ParameterDeclaration, Statement } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { isFloatName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import type { Substitution } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument } from "../memory/interpreter.ts";
import { deduce } from "../resolve/deduce.ts";
import { placeOf } from "../resolve/places.ts";
import { Cell, type HostType, type LambdaValue, type Place, type TemplateValue } from "../values/model.ts";
import { unknown } from "../values/values.ts";
import type { NumberName } from "./arithmetic.ts";
import { drawCode, drawerOf, madeDrawer, numberCode } from "./draws.ts";
import { listOf } from "./list-targets.ts";
import {
  type Code,
  compilable,
  type Drawer,
  type Engine,
  ending,
  type Machine,
  newSlot,
  type Run,
  spend,
  type Target,
  Unsupported,
  unsupported,
} from "./machine.ts";
import { declared, numberType, numberValue } from "./numbers.ts";
import { mostCalls } from "./records.ts";
import { arrayOf, storeTo, targetOf } from "./targets.ts";

type LambdaExpression = Expression & { readonly kind: "lambda" };

/** The engine or distribution that an expression names or makes. */
export function drawerAt(machine: Machine, written: Expression): Engine | Drawer | undefined {
  const e = withoutParentheses(written);
  if (e.kind === "name" && e.name.parts.length === 1) {
    const own = declared(machine, lastName(e.name));
    if (own) return own.kind === "engine" || own.kind === "distribution" ? own : undefined;
  }
  if (e.kind === "name" || e.kind === "member") {
    const place = placeIn(machine, e);
    return place instanceof Cell && place.value.kind === "record" ? drawerOf(machine, place.value) : undefined;
  }
  const made = e.kind === "call" && e.callee.kind === "name" ? madeDrawer(machine, typeNamed(e.callee), e.arguments) : undefined;
  const listed = e.kind === "list" && e.type ? madeDrawer(machine, e.type, [e]) : undefined;
  const drawer = made ?? listed;
  if (drawer?.target.kind !== "distribution") return undefined;
  const { target, begin } = drawer;
  return {
    ...target,
    draw: (from) => {
      begin();
      return target.draw(from);
    },
  };
}

const typeNamed = ({ name, start, end }: Expression & { readonly kind: "name" }) => ({ kind: "named", name, start, end }) as const;

/** A place of the host that is named by itself or as a member, where the replayed code declares nothing of the name. */
function placeIn(machine: Machine, e: Expression & { readonly kind: "name" | "member" }): Place | undefined {
  let root: Expression = e;
  while (root.kind === "member") root = withoutParentheses(root.base);
  if (root.kind !== "name" && root.kind !== "this") return undefined;
  if (root.kind === "name" && root.name.parts.length === 1 && declared(machine, lastName(root.name))) return undefined;
  return placeOf(machine.host, e);
}

export function drawnBy(machine: Machine, drawer: Engine | Drawer, args: readonly Expression[]): Code {
  const [first] = args;
  if (drawer.kind === "engine") {
    if (first) throw new Unsupported();
    return numberCode(machine, drawer);
  }
  const engine = first && drawerAt(machine, first);
  if (engine?.kind !== "engine" || args.length > 1) throw new Unsupported();
  return drawCode(machine, drawer, engine);
}

/** What calls a lambda that is named, of the replayed code or of the host. */
export function lambdaAt(machine: Machine, e: Expression): ((args: readonly Expression[]) => Code) | undefined {
  if (e.kind !== "name" || e.name.parts.length > 1) return undefined;
  const own = declared(machine, lastName(e.name));
  if (own) return own.kind === "lambda" ? own.call : undefined;
  const place = placeIn(machine, e);
  const value = place instanceof Cell ? place.value : undefined;
  return value?.kind === "lambda" ? (args) => hostLambda(machine, value, args) : undefined;
}

function hostLambda(
  machine: Machine,
  { expression, scopes, captured, self, substitution }: LambdaValue,
  args: readonly Expression[],
): Code {
  const { frame } = machine.host;
  const own = new Map(captured);
  return inlined(machine, asInlined(machine, expression), args, () => {
    machine.host.frame = {
      ...frame,
      result: expression.result,
      scopes: [...scopes.map((scope) => new Map(scope)), own],
      self,
      substitution,
    };
    return [];
  });
}

/** A lambda that the replayed code makes: what it takes along is there as long as it is. @throws Unsupported */
export function ownLambda(machine: Machine, expression: LambdaExpression): Target {
  if (expression.captureDefault === "=" || expression.captures.some(({ byReference, init }) => !byReference || init !== undefined))
    throw new Unsupported();
  const scopes = [...machine.scopes];
  return { kind: "lambda", expression, call: (args) => inlined(machine, asInlined(machine, expression), args, () => scopes) };
}

/** What calls a method of a record of the host; undefined where it is no method of the program's. */
export function methodAt(machine: Machine, { base, name, arrow }: Expression & { readonly kind: "member" }): Caller | undefined {
  const e = withoutParentheses(base);
  if (arrow || (e.kind !== "name" && e.kind !== "member")) return undefined;
  const place = placeIn(machine, e);
  return place instanceof Cell ? methodOf(machine, place, lastName(name)) : undefined;
}

/** The same of the object whose method is gone through. */
export function ownMethod(machine: Machine, name: string): Caller | undefined {
  const { self } = machine.host.frame;
  return machine.random && self ? methodOf(machine, self, name) : undefined;
}

type Caller = (args: readonly Expression[]) => Code;

function methodOf(machine: Machine, self: Cell, name: string): Caller | undefined {
  const { host } = machine;
  const type = self.value.kind === "record" ? self.value.type : undefined;
  const owner = type?.kind === "record" ? type.record.declaration.name?.parts.at(-1)?.text : undefined;
  const candidates = owner === undefined ? [] : host.globals.methods(owner, name);
  const [fn] = candidates;
  if (!fn || candidates.length > 1 || type?.kind !== "record") return undefined;
  const { substitution } = type.record;
  return (args) => functionCode(machine, fn, args, { self, substitution });
}

// ---------------------------------------------------------------- code that is called

interface Inlined {
  readonly parameters: readonly ParameterDeclaration[];
  readonly body: Statement;
  readonly result: NumberName | "auto" | "void";
  readonly substitution?: Substitution | undefined;
}

/** @throws Unsupported where what it returns is no number */
function asInlined({ host }: Machine, { parameters, body, result }: LambdaExpression): Inlined {
  const type = result && result.kind !== "auto" ? hostType(host, result) : undefined;
  if (!type) return { parameters, body, result: "auto" };
  return { parameters, body, result: type.kind === "void" ? "void" : (numberType(type) ?? unsupported()) };
}

interface Context {
  /** The object that it is a method of. */
  readonly self?: Cell;
  /** Of the class around it. */
  readonly substitution?: Substitution | undefined;
  /** Template arguments as written. */
  readonly written?: readonly TemplateValue[];
}

/** What template parameters stand for, by the types of what is given. */
function substitutionOf(
  machine: Machine,
  fn: FunctionDeclaration,
  args: readonly Expression[],
  { self, substitution, written = [] }: Context,
): Substitution | undefined {
  const { host } = machine;
  if (!fn.templateParameters) return self ? substitution : undefined;
  const samples = args.map((argument): Argument => {
    const list = listOf(machine, argument, true);
    if (list?.kind === "numbers") return { value: { kind: "unknown", reason: "", inputs: [], type: vectorOf(list.type) } };
    const isOther = list !== undefined || drawerAt(machine, argument) !== undefined;
    return { value: isOther ? unknown("no number") : numberValue(0, machine.code(argument).type) };
  });
  return deduce(host, fn, written, samples, substitution);
}

const vectorOf = (type: NumberName): HostType => ({
  kind: "container",
  name: "vector",
  element: isFloatName(type) ? { kind: "floating", name: type } : { kind: "integer", name: type },
});

/** A function of the program that numbers, arrays and lists are given to. */
export function functionCode(machine: Machine, fn: FunctionDeclaration, args: readonly Expression[], context: Context): Code {
  const { host } = machine;
  const { body } = fn;
  const { self } = context;
  const substitution = substitutionOf(machine, fn, args, context);
  const type = hostType(host, fn.result, substitution);
  // Who stores to what it refers to asks for a place, which it is not.
  const result = numberType(type?.kind === "reference" ? type.to : type) ?? (!machine.nest && type?.kind === "void" ? "void" : undefined);
  const plain =
    body && !(fn.templateParameters && machine.nest) && !fn.specifiers.global && !fn.variadic && fn.parameters.length === args.length;
  const isHere = (host.linker?.unitOf(fn) ?? host.unit) === host.unit;
  if (!plain || !result || !isHere) throw new Unsupported();
  const { frame } = host;
  // The body sees its parameters and what stands outside of functions; of the host's own frame nothing.
  return inlined(
    machine,
    { parameters: fn.parameters, body, result, substitution },
    args,
    () => {
      host.frame = { ...frame, function: fn, result: fn.result, scopes: [new Map()], path: host.globals.pathOf(fn), self, substitution };
      return [];
    },
    fn,
  );
}

/**
 * @param enter makes the frame what the body sees of the host, and tells the scopes around it
 * @throws Unsupported
 */
function inlined(
  machine: Machine,
  { parameters, body, result, substitution }: Inlined,
  args: readonly Expression[],
  enter: () => readonly Map<string, Target>[],
  fn?: FunctionDeclaration,
): Code {
  const { host, scopes, random } = machine;
  if (random && !fn) random.flow.isSpecial = true;
  if (machine.depth >= mostCalls || parameters.length !== args.length) throw new Unsupported();
  const own = new Map<string, Target>();
  const assigned = parameters.flatMap((parameter, k) => bound(machine, own, parameter, args[k], substitution) ?? []);
  const outer = { resultType: machine.resultType, resultOrigin: machine.resultOrigin, depth: machine.depth };
  const { frame } = host;
  const origin = {};
  try {
    machine.scopes = [...enter(), own];
    machine.resultType = result;
    machine.resultOrigin = origin;
    machine.depth += 1;
    const make = () => machine.statement(body);
    const execute = machine.nest && fn ? machine.nest.called(fn, make) : make();
    const type = machine.resultType === "auto" || machine.resultType === undefined ? "void" : machine.resultType;
    return {
      type: type === "void" ? "int" : type,
      run: compilable(
        () => {
          // As g++ does: the last argument first.
          for (let k = assigned.length - 1; k >= 0; k--) assigned[k]?.();
          spend(machine);
          machine.result = undefined;
          return execute() === ending.returns ? machine.result : undefined;
        },
        (w) => {
          for (const assign of assigned.toReversed()) {
            w.write(assign);
            w.op("drop");
          }
          w.called(type === "void" ? undefined : type, () => w.write(execute));
        },
      ),
    };
  } finally {
    host.frame = frame;
    machine.scopes = scopes;
    machine.resultType = outer.resultType;
    machine.resultOrigin = outer.resultOrigin;
    machine.depth = outer.depth;
    random?.flow.reads(origin);
  }
}

/** Gives a parameter its argument; undefined where nothing has to be done when it is called. @throws Unsupported */
function bound(
  machine: Machine,
  own: Map<string, Target>,
  { name, type }: ParameterDeclaration,
  argument: Expression | undefined,
  substitution: Substitution | undefined,
): Run | undefined {
  const { host, random } = machine;
  if (!argument || !name) throw new Unsupported();
  const declaredType = hostType(host, type, substitution);
  const byReference = type.kind === "reference" && !type.to.const;
  const isAuto = type.kind === "auto" || (type.kind === "reference" && type.to.kind === "auto");
  const number = numberType(declaredType?.kind === "reference" ? declaredType.to : declaredType);
  const given = random && number === undefined ? thingAt(machine, argument, type.kind === "reference") : undefined;
  if (given) own.set(name, given);
  else if ((number || isAuto) && !byReference) {
    const value = machine.code(argument);
    const slot = newSlot(machine, number ?? value.type);
    const store = storeTo(machine, slot, value);
    own.set(name, slot);
    return compilable(
      () => store(value.run()),
      (w) => {
        w.declare(slot, true);
        w.write(value.run);
        w.write(store);
      },
    );
  } else if (number || isAuto) own.set(name, targetOf(machine, argument, machine.code));
  else own.set(name, arrayOf(machine, argument, machine.code));
  return undefined;
}

/** What is given by reference and is no number: a list, an engine, a record. */
function thingAt(machine: Machine, argument: Expression, byReference: boolean): Target | undefined {
  const found = drawerAt(machine, argument) ?? listOf(machine, argument, true);
  // A copy would be another from then on.
  if (found && !byReference) throw new Unsupported();
  if (found) return found;
  const e = withoutParentheses(argument);
  const own = e.kind === "name" && e.name.parts.length === 1 ? declared(machine, lastName(e.name)) : undefined;
  return own?.kind === "record" && byReference ? own : undefined;
}
