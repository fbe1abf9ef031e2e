/** One translation unit as the evaluator sees it, and how it finds the others. */
import type { FunctionDeclaration, Node, TranslationUnit, TypeNode } from "../../../syntax/ast.ts";
import type { Reading } from "../../../syntax/reading.ts";
import type { Semantics } from "../../sema/index.ts";
import type { Substitution } from "../../sema/types.ts";
import { findLaunchSites, type LaunchSites } from "../launches/launch-sites.ts";
import type { HostType } from "../values/model.ts";
import { Globals, type GlobalVariable } from "./globals.ts";

/** What type nodes name, by substitution. */
export class TypeCache {
  readonly #plain: Types = new WeakMap();
  readonly #instances = new WeakMap<Substitution, Types>();

  under(substitution: Substitution | undefined): Types {
    if (substitution === undefined) return this.#plain;
    const known: Types = this.#instances.get(substitution) ?? new WeakMap();
    this.#instances.set(substitution, known);
    return known;
  }
}
type Types = WeakMap<TypeNode, HostType | undefined>;

export interface HostUnit {
  readonly semantics: Semantics;
  readonly globals: Globals;
  readonly sites: LaunchSites;
  readonly types: TypeCache;
  /** The line of a node, for the user: "line 12", or "line 12 of kernels.cuh". */
  readonly whereIs?: (node: Node) => string;
}

/** `launching` names functions of other files that launch. */
export function hostUnit(unit: TranslationUnit, semantics: Semantics, reading: Reading, launching?: ReadonlySet<string>): HostUnit {
  const globals = new Globals(unit);
  const ownerOf = (fn: FunctionDeclaration): string | undefined => globals.pathOf(fn).at(-1);
  const sites = findLaunchSites(
    semantics.functions,
    reading,
    ownerOf,
    (name) => globals.isVariable(name),
    launching,
    globals.initialised(),
  );
  return { semantics, globals, sites, types: new TypeCache() };
}

/** Finds what other files of the project define. */
export interface Linker {
  /** The unit a function with a body stands in. */
  unitOf(fn: FunctionDeclaration): HostUnit | undefined;
  /** The definition of a function that is only declared, or not even that; `owner`: the class whose method it is. */
  definition(name: string, owner?: string): FunctionDeclaration | undefined;
  /** The definition of a variable that is only declared, and the unit it stands in. */
  variable(name: string): { readonly variable: GlobalVariable; readonly unit: HostUnit } | undefined;
}
