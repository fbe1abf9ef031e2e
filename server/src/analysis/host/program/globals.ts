/** Names at namespace and class scope: variables, functions, records, enumerators, aliases. */

import type {
  Declaration,
  EnumDeclaration,
  Expression,
  FunctionDeclaration,
  Name,
  RecordDeclaration,
  TranslationUnit,
  TypeNode,
  VariableDeclaration,
} from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";

interface Entry<T> {
  readonly item: T;
  readonly path: readonly string[];
}
type Table<T> = Map<string, Entry<T>[]>;

export interface GlobalVariable {
  readonly declaration: VariableDeclaration;
  readonly path: readonly string[];
}

type Code = FunctionDeclaration | (Expression & { readonly kind: "lambda" });

export interface DeviceCode {
  /** What is run without being named: constructors, destructors, operators, conversions; lambdas and methods of classes in functions. */
  readonly implicit: readonly Code[];
  readonly others: readonly Code[];
  /** First values of variables of the device. */
  readonly initial: readonly Expression[];
}

/** What a name at namespace scope may mean; the entry whose path fits the name and the place of use best. */
export class Globals {
  readonly #variables: Table<GlobalVariable> = new Map();
  readonly #functions: Table<FunctionDeclaration> = new Map();
  readonly #records: Table<RecordDeclaration> = new Map();
  readonly #enumerators: Table<{ readonly declaration: EnumDeclaration; readonly index: number }> = new Map();
  readonly #aliases: Table<TypeNode> = new Map();
  readonly #ofDevice: GlobalVariable[] = [];
  #deviceCode: DeviceCode | undefined;
  readonly #members = new Set<string>();
  readonly #instantiations = new Map<string, Name>();
  readonly #paths = new WeakMap<FunctionDeclaration, readonly string[]>();

  constructor(unit: TranslationUnit) {
    this.#walk(unit.declarations, []);
  }

  /** The definition where there is one, else an `extern` declaration. */
  variable(name: Name, path: readonly string[]): GlobalVariable | undefined {
    const found = best(this.#variables, name, path);
    return found.find(({ declaration }) => !isDeclaredOnly(declaration)) ?? found[0];
  }
  /** All of the best-fitting scope: a variable template and its specialisations. */
  variables(name: Name, path: readonly string[]): readonly GlobalVariable[] {
    return best(this.#variables, name, path);
  }
  /** The definition of a variable that other files may declare. */
  definition(name: string): GlobalVariable | undefined {
    return this.#variables.get(name)?.find(({ item }) => !isDeclaredOnly(item.declaration))?.item;
  }
  /** Variables at namespace scope and static members, as they are written. */
  inOrder(): readonly GlobalVariable[] {
    return [...this.#variables.values()]
      .flat()
      .map(({ item }) => item)
      .sort((a, b) => a.declaration.start - b.declaration.start);
  }
  /** Variables at namespace scope and static members that begin with a value. */
  initialised(): readonly VariableDeclaration[] {
    return [...this.#variables.values()].flat().flatMap(({ item: { declaration } }) => (declaration.init ? [declaration] : []));
  }
  /** Overloads of the best-fitting scope, definitions first. */
  functions(name: Name, path: readonly string[]): readonly FunctionDeclaration[] {
    const found = best(this.#functions, name, path);
    const defined = found.filter((fn) => fn.body !== undefined);
    return defined.length > 0 ? defined : found;
  }
  /** All functions of a name, whatever they stand in. */
  functionsNamed(name: string): readonly FunctionDeclaration[] {
    return (this.#functions.get(name) ?? []).map(({ item }) => item);
  }
  /** Variables that kernels may store to. */
  ofDevice(): readonly GlobalVariable[] {
    return this.#ofDevice;
  }
  /** Code that kernels may run, found once. */
  deviceCode(): DeviceCode {
    this.#deviceCode ??= this.#findDeviceCode();
    return this.#deviceCode;
  }
  record(name: Name, path: readonly string[] = []): RecordDeclaration | undefined {
    const found = best(this.#records, name, path);
    return found.find((record) => record.members !== undefined) ?? found[0];
  }
  enumerator(name: Name, path: readonly string[]): { readonly declaration: EnumDeclaration; readonly index: number } | undefined {
    return best(this.#enumerators, name, path)[0];
  }
  alias(name: Name, path: readonly string[] = []): TypeNode | undefined {
    return best(this.#aliases, name, path)[0];
  }
  /** The first explicit instantiation of a function template. */
  instantiation(name: string): Name | undefined {
    return this.#instantiations.get(name);
  }
  /** Whether some variable, or data member of a class, has the name. */
  isVariable(name: string): boolean {
    return this.#variables.has(name) || this.#members.has(name);
  }
  /** Whether some class template has the name. */
  isTemplate(name: string): boolean {
    return this.#records.get(name)?.some(({ item }) => item.templateParameters !== undefined) ?? false;
  }
  /** Namespaces and classes around what stands in a class, the class last. */
  pathOfRecord(record: RecordDeclaration): readonly string[] {
    const name = record.name?.parts.at(-1)?.text;
    const entry = name === undefined ? undefined : this.#records.get(name)?.find(({ item }) => item === record);
    return name === undefined ? [] : [...(entry?.path ?? []), name];
  }
  /** Namespaces and classes a function stands in. */
  pathOf(fn: FunctionDeclaration): readonly string[] {
    return this.#paths.get(fn) ?? [];
  }
  /** Whether a function is a method of a class that stands in a function. */
  isLocal(fn: FunctionDeclaration): boolean {
    return !this.#paths.has(fn);
  }
  /** The class a function is a member of. */
  classOf(fn: FunctionDeclaration): string | undefined {
    const path = this.pathOf(fn);
    const around = path.at(-1);
    if (around === undefined) return undefined;
    const name = { start: fn.start, end: fn.end, global: false, parts: [{ text: around }] };
    return this.record(name, path.slice(0, -1)) === undefined ? undefined : around;
  }
  /** Member functions of a record, those defined outside it among them. */
  methods(record: string, name: string): readonly FunctionDeclaration[] {
    const all = (this.#functions.get(name) ?? []).filter((entry) => entry.path.at(-1) === record).map((entry) => entry.item);
    const defined = all.filter((fn) => fn.body !== undefined);
    return defined.length > 0 ? defined : all;
  }

  #findDeviceCode(): DeviceCode {
    const found = { implicit: new Set<Code>(), others: new Set<Code>() };
    const add = (code: Code, isInside: boolean): void => {
      const { device, global, constexpr } = code.specifiers;
      if (!device && !global && !constexpr && !(code.kind === "function" && code.defaulted)) return;
      const isImplicit = isInside || code.kind === "lambda" || code.role !== undefined;
      (isImplicit && !global ? found.implicit : found.others).add(code);
    };
    for (const { item: fn } of [...this.#functions.values()].flat()) {
      add(fn, false);
      // Lambdas and classes of the host's that a kernel is given.
      walk(fn, (node) => {
        if (node !== fn && (node.kind === "lambda" || (node.kind === "function" && "nameSpan" in node))) add(node, true);
        return true;
      });
    }
    const variables = [...this.#variables.values()].flat().map(({ item: { declaration } }) => declaration);
    const ofDevice = variables.filter(({ specifiers: { device, managed, constant } }) => device || managed || constant);
    return { implicit: [...found.implicit], others: [...found.others], initial: ofDevice.flatMap(({ init }) => init?.values ?? []) };
  }

  #walk(declarations: readonly Declaration[], path: readonly string[]): void {
    for (const declaration of declarations) this.#add(declaration, path);
  }

  #add(declaration: Declaration, path: readonly string[]): void {
    switch (declaration.kind) {
      case "variable": {
        const [scope, name] = split(declaration.name, path);
        const variable: GlobalVariable = { declaration, path: scope };
        put(this.#variables, name, { item: variable, path: scope });
        const { device, managed } = declaration.specifiers;
        if ((device || managed) && !declaration.type.const) this.#ofDevice.push(variable);
        this.#addType(declaration.type, path);
        return;
      }
      case "function": {
        const [scope, name] = split(declaration.name, path);
        put(this.#functions, name, { item: declaration, path: scope });
        this.#paths.set(declaration, scope);
        return;
      }
      case "record": {
        const name = declaration.name?.parts.at(-1)?.text;
        if (name !== undefined) put(this.#records, name, { item: declaration, path });
        const inside = name === undefined ? path : [...path, name];
        for (const member of declaration.members ?? []) if (member.kind === "variable") this.#members.add(lastName(member.name));
        // Data members are no globals, static ones are.
        this.#walk(
          (declaration.members ?? []).filter(
            (member) => member.kind !== "variable" || member.specifiers.static || member.specifiers.constexpr,
          ),
          inside,
        );
        return;
      }
      case "enum": {
        const name = declaration.name?.parts.at(-1)?.text;
        for (const [index, { name: enumerator }] of declaration.enumerators.entries()) {
          put(this.#enumerators, enumerator, { item: { declaration, index }, path: name === undefined ? path : [...path, name] });
          if (!declaration.scoped && name !== undefined) put(this.#enumerators, enumerator, { item: { declaration, index }, path });
        }
        return;
      }
      case "alias":
        put(this.#aliases, declaration.name, { item: declaration.type, path });
        this.#addType(declaration.type, path);
        return;
      case "namespace":
        this.#walk(declaration.body, declaration.name === undefined ? path : [...path, declaration.name]);
        return;
      case "instantiation": {
        const { declaration: inner } = declaration;
        const name = inner.kind === "function" ? inner.name.parts.at(-1)?.text : undefined;
        if (inner.kind === "function" && name !== undefined && !this.#instantiations.has(name)) this.#instantiations.set(name, inner.name);
        return;
      }
      case "linkage":
        this.#walk(declaration.body, path);
        return;
      case "statement":
        if (declaration.statement.kind === "declaration") this.#walk(declaration.statement.declarations, path);
        return;
      default:
    }
  }

  #addType(type: TypeNode, path: readonly string[]): void {
    if (type.kind === "inline") this.#add(type.declaration, path);
    else if (type.kind === "pointer") this.#addType(type.to, path);
    else if (type.kind === "array") this.#addType(type.of, path);
  }
}

/** `extern int n;` */
export function isDeclaredOnly({ specifiers, init }: VariableDeclaration): boolean {
  return specifiers.extern === true && init === undefined;
}

function split(name: Name, path: readonly string[]): readonly [path: readonly string[], name: string] {
  const texts = name.parts.map((part) => part.text);
  return [[...path, ...texts.slice(0, -1)], texts.at(-1) ?? ""];
}

function put<T>(table: Table<T>, name: string, entry: Entry<T>): void {
  const entries = table.get(name);
  if (entries === undefined) table.set(name, [entry]);
  else entries.push(entry);
}

/** Entries of the scope that fits best: the innermost around the use, below which the written qualification leads. */
function best<T>(table: Table<T>, name: Name, around: readonly string[]): T[] {
  const last = name.parts.at(-1)?.text;
  const entries = last === undefined ? undefined : table.get(last);
  if (entries === undefined) return [];
  const qualification = name.parts.slice(0, -1).map((part) => part.text);
  let top = -1;
  let found: T[] = [];
  for (const { item, path } of entries) {
    const score = fit(path, qualification, around);
    if (score > top) {
      top = score;
      found = [item];
    } else if (score === top) found.push(item);
  }
  return found;
}

function fit(path: readonly string[], qualification: readonly string[], around: readonly string[]): number {
  const tail = path.slice(path.length - qualification.length);
  if (qualification.length > path.length || tail.some((text, k) => text !== qualification[k])) return qualification.length > 0 ? -2 : -1;
  const outer = path.slice(0, path.length - qualification.length);
  let common = 0;
  while (common < outer.length && outer[common] === around[common]) common += 1;
  // Fully visible from the place of use; otherwise a `using` may have brought it in.
  return common === outer.length ? 100 + common : common;
}
