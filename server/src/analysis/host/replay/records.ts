/** Records of numbers, member by member: those the replayed code makes, copies and puts into lists. */

import type { Expression, FunctionDeclaration } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import { beginsWithZeros, constructorsIn, memberClass } from "../memory/record-kinds.ts";
import type { HostType } from "../values/model.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import type { Writer } from "./compiled/writer.ts";
import { memberTypes } from "./list-targets.ts";
import {
  asStatement,
  type Code,
  compilable,
  type Item,
  type Machine,
  newSlot,
  type Slot,
  spend,
  type Target,
  type Thing,
  Unsupported,
  unsupported,
} from "./machine.ts";
import { numberType } from "./numbers.ts";
import { type Begin, givenTo, noBegin, settled } from "./settled.ts";
import { loadOf, namedIn, storeTo, targetOf, thisName } from "./targets.ts";

/**
 * The numbers that an expression gives a record's, in order.
 * @param names their paths @param type the class that is made @param isDirect its list stands in parentheses, and is evaluated from the last on
 * @throws Unsupported
 */
export function partsOf(
  machine: Machine,
  written: Expression,
  names: readonly string[],
  type?: HostType,
  isDirect = false,
): readonly Code[] {
  const e = withoutParentheses(written);
  const made = constructed(machine, e, names, { type, isDirect });
  if (made) return made;
  if (isDirect) return lastFirst(partsOf(machine, e, names));
  if (e.kind === "list") {
    const groups = [...grouped(names)];
    const made = e.type ? hostType(machine.host, e.type) : type;
    if (e.elements.length > groups.length || e.elements.some(({ designator }) => designator !== undefined)) throw new Unsupported();
    const record = made?.kind === "record" ? made.record : undefined;
    if (record && (machine.host.semantics.context.layout(record)?.bases.length ?? 0) > 0) throw new Unsupported();
    if (e.elements.length < groups.length && !(record && beginsWithZeros(machine.host, record))) throw new Unsupported();
    return groups.flatMap(([name, inner], k) => {
      const value = e.elements[k]?.value;
      return value ? partsOfMember(machine, value, inner, record && memberClass(machine.host, record, name)) : inner.map(() => zero);
    });
  }
  if (e.kind === "call" && e.callee.kind === "name" && e.arguments.length === names.length && isMaker(machine, e.callee))
    return lastFirst(e.arguments.map((argument) => machine.code(argument)));
  const target = targetOf(machine, e, machine.code);
  if (target.kind !== "record") throw new Unsupported();
  return names.map((name) => {
    const member = target.members.get(name);
    if (!member) throw new Unsupported();
    return loadOf(machine, member);
  });
}

const zero: Code = {
  type: "int",
  run: compilable(
    () => 0,
    (w) => w.i32(0),
  ),
};

/** Members, and the paths of the numbers in each: `""` where it is a number itself. */
function grouped(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of names) {
    const [name = "", ...rest] = path.split(".");
    found.set(name, [...(found.get(name) ?? []), rest.join(".")]);
  }
  return found;
}

/** @param inner the paths of the numbers in a member */
const partsOfMember = (machine: Machine, value: Expression, inner: readonly string[], type: HostType | undefined): readonly Code[] =>
  inner.length === 1 && inner[0] === "" ? [machine.code(onlyIn(value))] : partsOf(machine, value, inner, type);

/** `{x}` of a number. */
function onlyIn(e: Expression): Expression {
  return e.kind === "list" && !e.type && e.elements.length === 1 ? (e.elements[0]?.value ?? e) : e;
}

/** What a constructor of the program's makes: `vec3(x, y, z)`, `vec3{x, y, z}`; undefined where it is something else. */
function constructed(
  machine: Machine,
  e: Expression,
  names: readonly string[],
  { type, isDirect }: { readonly type: HostType | undefined; readonly isDirect: boolean },
): readonly Code[] | undefined {
  const [made, args] = asked(machine, e, type);
  const members = made?.kind === "record" && args ? memberTypes(machine, made) : undefined;
  if (made?.kind !== "record" || !args || !members || [...members.keys()].join() !== names.join()) return undefined;
  const declared = constructorsIn(made.record);
  if (declared.length === 0) return undefined;
  const chosen = chosenFor(machine, made.record, declared, args.length);
  const { target, begin } = constructedRecord(machine, members, chosen, { args, inOrder: e.kind === "list" && !isDirect }, made);
  const parts = [...target.members.values()].map((member) => loadOf(machine, member));
  return parts.map(({ type: of, run }, k): Code => {
    const found = (): Known => {
      if (k === 0) begin();
      return run();
    };
    const write = (w: Writer): void => {
      if (k === 0) w.write(begin);
      w.write(run);
    };
    return { type: of, run: compilable(found, write) };
  });
}

/** The one constructor that so many arguments may be meant for. @throws Unsupported where there are several, or none with a text */
function chosenFor(
  { host }: Machine,
  record: RecordInstance,
  declared: readonly FunctionDeclaration[],
  count: number,
): FunctionDeclaration {
  const mayTake = ({ parameters, templateParameters, variadic }: FunctionDeclaration): boolean =>
    variadic ||
    templateParameters !== undefined ||
    parameters.some(({ type }) => type.kind === "named" && lastName(type.name) === "initializer_list") ||
    (parameters.length >= count && parameters.slice(count).every((parameter) => parameter.default !== undefined));
  const [only, ...others] = declared.filter(mayTake);
  const owner = lastName(record.declaration.name);
  const [written, more] = host.globals.methods(owner, owner).filter(({ parameters }) => parameters.length === count);
  if (!only || others.length > 0 || only.parameters.length !== count || !written || more) throw new Unsupported();
  return written;
}

/** A class, and what is given to make one. */
function asked(
  { host }: Machine,
  e: Expression,
  type: HostType | undefined,
): readonly [HostType | undefined, readonly Expression[] | undefined] {
  switch (e.kind) {
    case "list":
      return [e.type ? hostType(host, e.type) : type, e.elements.map(({ value }) => value)];
    case "cast":
      return e.style === "functional" ? [hostType(host, e.type), e.operands] : [undefined, undefined];
    case "call":
      return e.callee.kind === "name" ? [hostType(host, { ...e.callee, kind: "named" }), e.arguments] : [undefined, undefined];
    default:
      return [undefined, undefined];
  }
}

/** A record of its own that a constructor fills. @throws Unsupported */
function constructedRecord(
  machine: Machine,
  members: ReadonlyMap<string, NumberName>,
  { parameters, initialisers = [], body, deleted, templateParameters }: FunctionDeclaration,
  { args, inOrder: isList }: { readonly args: readonly Expression[]; readonly inOrder: boolean },
  type: HostType & { readonly kind: "record" },
): { readonly target: Thing; readonly begin: Begin } {
  const { host, scopes } = machine;
  if (!body || deleted || templateParameters || machine.depth >= mostCalls) throw new Unsupported();
  const { target, begin } = newRecord(machine, members, undefined);
  const given = parameters.map((parameter, k) => {
    const [argument] = args.slice(k);
    // What it may store to is somebody else's.
    if (parameter.type.kind === "reference" && !parameter.type.to.const) throw new Unsupported();
    const of = hostType(host, parameter.type.kind === "reference" ? parameter.type.to : parameter.type, type.record.substitution);
    const number = numberType(of);
    if (!argument || !parameter.name) throw new Unsupported();
    if (!number) {
      // A record: it is copied, as nobody changes what is only looked at.
      const inner = memberTypes(machine, of) ?? unsupported();
      return { name: parameter.name, ...newRecord(machine, inner, argument) };
    }
    const code = machine.code(argument);
    const slot = newSlot(machine, number);
    return { name: parameter.name, target: slot, begin: givenTo(slot, code, storeTo(machine, slot, code)) };
  });
  const own = new Map<string, Target>([...grouped([...members.keys()]).keys()].map((name) => [name, namedIn(target, name)]));
  own.set(thisName, { ...target, type });
  const inner = new Map<string, Target>(given.map(({ name, target: to }) => [name, to]));
  try {
    machine.depth += 1;
    machine.scopes = [own, inner];
    // In the order of the members, whatever that of the initialisers.
    const order = [...grouped([...members.keys()]).keys()];
    const inOrder = initialisers.toSorted((a, b) => order.indexOf(lastName(a.name)) - order.indexOf(lastName(b.name)));
    const stores = inOrder.map(({ name, values }) => {
      const [value, more] = values;
      const member = namedIn(target, lastName(name));
      if (more || !value) throw new Unsupported();
      const made = member.kind === "record" ? copiedRecord(machine, member, value) : storedNumber(machine, member, machine.code(value));
      return made.run;
    });
    const execute = machine.statement(body);
    // As g++ does: what stands in parentheses from the last on.
    const arguments_ = isList ? given : given.toReversed();
    const construct = (): void => {
      for (const argument of arguments_) argument.begin();
      spend(machine);
      begin();
      for (const store of stores) store();
      execute();
    };
    const write = (w: Writer): void => {
      for (const argument of arguments_) w.write(argument.begin);
      w.write(begin);
      for (const store of stores) {
        w.write(store);
        w.op("drop");
      }
      w.called(undefined, () => w.write(execute));
      w.op("drop");
    };
    return { target, begin: compilable(construct, write) };
  } finally {
    machine.scopes = scopes;
    machine.depth -= 1;
  }
}

/** Calls within calls that are replayed. */
export const mostCalls = 8;

/** Arguments of a call, which are asked for in order: as g++ does, the last is evaluated first. */
export function lastFirst(codes: readonly Code[]): readonly Code[] {
  if (codes.length < 2) return codes;
  const values: Known[] = [];
  const evaluate = (): void => {
    for (let k = codes.length - 1; k >= 0; k--) values[k] = codes[k]?.run();
  };
  let locals: readonly number[] = [];
  const writeAll = (w: Writer): void => {
    locals = codes.map(({ type }) => w.valueLocal(type));
    for (const [k, { run }] of [...codes.entries()].toReversed()) {
      w.write(run);
      w.set(locals[k] ?? 0);
    }
  };
  return codes.map(({ type }, k): Code => {
    const run = (): Known => {
      if (k === 0) evaluate();
      return values[k];
    };
    const write = (w: Writer): void => {
      if (k === 0) writeAll(w);
      w.get(locals[k] ?? 0);
    };
    return { type, run: compilable(run, write) };
  });
}

/** `std::make_pair`, or a class without constructors of its own. */
function isMaker({ host }: Machine, { name }: Expression & { readonly kind: "name" }): boolean {
  const text = lastName(name);
  if (/^(make_pair|pair|make_(u?(char|short|int|long|longlong)|float|double)[1-4])$/.test(text)) return true;
  return host.globals.record(name) !== undefined && host.globals.methods(text, text).length === 0;
}

/** Stores one number; its value is left. */
function storedNumber(machine: Machine, member: Slot | Item, code: Code): Code {
  const store = storeTo(machine, member, code);
  const run = compilable(
    () => store(code.run()),
    (w: Writer) => {
      w.write(code.run);
      w.write(store);
    },
  );
  return { type: member.type, run };
}

/** Stores a record's numbers. @param found finds where they stand, when what is stored is made */
function storesTo(machine: Machine, members: readonly (Slot | Item)[], parts: readonly Code[], found: Begin): Begin {
  const stores = members.map((member, k) => {
    const part = parts[k];
    if (!part) throw new Unsupported();
    return { store: storeTo(machine, member, part), run: part.run, type: part.type };
  });
  const storeAll = (): void => {
    const values = stores.map(({ run }) => run());
    found();
    for (const [k, { store }] of stores.entries()) store(values[k]);
  };
  return compilable(storeAll, (w) => {
    const values = stores.map(({ run, type }) => {
      const value = w.valueLocal(type);
      w.write(run);
      w.set(value);
      return value;
    });
    w.write(found);
    for (const [k, { store }] of stores.entries()) {
      w.get(values[k] ?? 0);
      w.write(store);
      w.op("drop");
    }
  });
}

/** `record = other` */
export function copiedRecord(machine: Machine, record: Thing, right: Expression): Code {
  const parts = partsOf(machine, right, [...record.members.keys()], record.type);
  const { target, begin } = settled(machine, record);
  if (target.kind !== "record") throw new Unsupported();
  const store = storesTo(machine, [...target.members.values()], parts, begin);
  const run = compilable(
    (): Known => {
      store();
      return undefined;
    },
    (w) => {
      w.write(store);
      w.i32(0);
    },
  );
  return { type: "int", run };
}

/** A record of slots of its own, and what its declaration does. @param isDirect its values stand in parentheses */
export function newRecord(
  machine: Machine,
  types: ReadonlyMap<string, NumberName>,
  init: Expression | undefined,
  { isDirect = false, type }: { readonly isDirect?: boolean; readonly type?: HostType | undefined } = {},
): { readonly target: Thing; readonly begin: Begin } {
  const members = new Map([...types].map(([name, of]) => [name, newSlot(machine, of)] as const));
  const target: Thing = { kind: "record", type, members };
  const declareIn = (w: Writer, isSet: boolean): void => {
    for (const slot of members.values()) w.declare(slot, isSet);
  };
  if (!init) {
    const forget = (): void => {
      for (const { index } of members.values()) machine.slots[index] = undefined;
    };
    return { target, begin: compilable(forget, (w) => declareIn(w, false)) };
  }
  const parts = (): readonly Code[] => partsOf(machine, init, [...types.keys()], type, isDirect);
  const store = asStatement(machine, () => storesTo(machine, [...members.values()], parts(), noBegin));
  const begin = compilable(
    () => store(),
    (w) => {
      declareIn(w, true);
      w.write(store);
    },
  );
  return { target, begin };
}
