/**
 * Scopes: where each name is declared. Found by offset, since no two declarations of a reading have nodes with the same offsets;
 * the insides of functions are bound when something first asks there.
 */
import type {
  Declaration,
  EnumDeclaration,
  Expression,
  FunctionDeclaration,
  Name,
  Node,
  RecordDeclaration,
  TemplateParameter,
  TypeNode,
  VariableDeclaration,
} from "../../syntax/ast.ts";
import { lastUpTo } from "../../syntax/sorted.ts";
import { type AnyNode, walk } from "../../syntax/walk.ts";
import { bindStatement } from "./bind-statements.ts";
import { childAt, type Entity, insert, type LateDeclaration, LateNames, lastName, type Scope, scope } from "./scope.ts";
import type { LambdaExpression } from "./types.ts";

/** From so many entities of a name on, whether one is among them is looked up: gone through, all together would cost their square. */
const many = 32;

export class ScopeTree {
  readonly root: Scope;
  /** Every function definition but those within functions, in source order. */
  readonly functions: FunctionDeclaration[] = [];
  /** Every `__constant__` variable but those within functions, in source order. */
  readonly constants: VariableDeclaration[] = [];
  /** The record a member function, field or nested record belongs to. */
  readonly records: Layer<RecordDeclaration>;
  readonly scopeOf: Layer<Scope>;
  /** Partial and explicit specialisations, by their primary template. */
  readonly specialisations = new Map<RecordDeclaration, RecordDeclaration[]>();
  readonly builtIn: Scope;
  /** The range that the variable of a range-for runs over. */
  readonly ranges = new WeakMap<VariableDeclaration, Expression>();
  /** What `using namespace` nominates, once looked up. */
  readonly nominated = new Map<Scope, readonly Scope[]>();
  readonly #qualified: (() => void)[] = [];
  /** What is declared by the entities of a name, where they are many. */
  readonly #declared = new WeakMap<readonly Entity[], Set<object>>();
  #filling = false;
  /** Declarations in namespaces: what is outside every scope that an offset can tell stands in one of them. */
  readonly #homes: { readonly start: number; readonly end: number; readonly scope: Scope }[] = [];

  /**
   * @param library the tree of what is known without a declaration, whose nodes have negative offsets; without, this is that one
   * @param late declarations at the root that are made when somebody asks for them
   */
  constructor(declarations: readonly Declaration[], library: ScopeTree | undefined, late: readonly LateDeclaration[] = []) {
    this.root = {
      ...scope(library ? "unit" : "built-in", { start: 0, end: Number.POSITIVE_INFINITY }, library?.root),
      ...(late.length > 0 ? { names: new LateNames(late, (declaration) => this.#declare(declaration, this.root)) } : {}),
    };
    this.builtIn = library?.root ?? this.root;
    this.records = new Layer(library?.records);
    this.scopeOf = new Layer(library?.scopeOf);
    this.declareAll(declarations, this.root);
    for (const declare of this.#qualified) declare();
    this.#qualified.length = 0;
    this.#homes.sort((a, b) => a.start - b.start);
  }

  /** Binds a function anew whose body has been exchanged: its head says what it said. */
  rebind(declaration: FunctionDeclaration): void {
    const inner = this.scopeOf.get(declaration);
    const at = inner ? this.root.children.indexOf(inner) : -1;
    if (!inner || at < 0) return;
    this.root.children.splice(at, 1);
    Object.assign(inner, extentOf(declaration));
    inner.names.clear();
    inner.using.length = 0;
    inner.children.length = 0;
    insert(this.root, inner);
    this.#fillLater(declaration, inner);
  }

  /** The innermost scope around an offset of the reading; built-in nodes have negative offsets. */
  at(offset: number): Scope {
    if (offset < 0) return this.builtIn;
    let at = this.root;
    for (;;) {
      if (at.fill) {
        const { fill } = at;
        at.fill = undefined;
        this.#filling = true;
        fill();
        this.#filling = false;
      }
      const inner = childAt(at.children, offset);
      if (!inner) return at === this.root ? this.#homeOf(offset) : at;
      at = inner;
    }
  }

  #homeOf(offset: number): Scope {
    const home = lastUpTo(this.#homes, offset, ({ start }) => start);
    return home && offset < home.end ? home.scope : this.root;
  }

  /** Names declared in a scope itself. */
  own(scope: Scope, name: string): readonly Entity[] {
    return scope.names.get(name) ?? [];
  }

  /** A namespace or record named from a scope, without templates or aliases: where a qualified definition belongs. */
  container(from: Scope, parts: Name["parts"], global: boolean): Scope | undefined {
    let found: Scope | undefined;
    for (const [index, part] of parts.entries()) {
      let next: Scope | undefined;
      for (let at: Scope | undefined = index === 0 ? (global ? this.root : from) : found; at; at = index === 0 ? at.parent : undefined) {
        for (const entity of at.names.get(part.text) ?? []) {
          if (entity.kind === "namespace") next = entity.scope;
          else if (entity.kind === "record")
            next = this.scopeOf.get(this.#definition(at, part.text, part.templateArguments !== undefined) ?? entity.declaration);
        }
        if (next) break;
      }
      if (!next) return undefined;
      found = next;
    }
    return found;
  }

  #definition(at: Scope, name: string, template: boolean): RecordDeclaration | undefined {
    const found = (at.names.get(name) ?? []).flatMap((each) =>
      each.kind === "record" && each.declaration.members ? [each.declaration] : [],
    );
    return found.find((each) => (each.templateParameters !== undefined) === template) ?? found[0];
  }

  #add(scope: Scope, name: string, entity: Entity): void {
    const known = scope.names.get(name);
    if (!known) scope.names.set(name, [entity]);
    else if (!this.#isAmong(known, entity)) known.push(entity);
  }

  #isAmong(known: readonly Entity[], entity: Entity): boolean {
    if (!("declaration" in entity)) return false;
    if (known.length >= many) {
      const declared = this.#declared.get(known) ?? new Set(known.flatMap((each) => ("declaration" in each ? each.declaration : [])));
      this.#declared.set(known, declared);
      if (!declared.has(entity.declaration)) {
        declared.add(entity.declaration);
        return false;
      }
    }
    return known.some((each) => "declaration" in each && each.declaration === entity.declaration && each.kind === entity.kind);
  }

  declareAll(declarations: readonly Declaration[], scope: Scope): void {
    for (const declaration of declarations) this.#declare(declaration, scope);
  }

  #declare(declaration: Declaration, scope: Scope): void {
    switch (declaration.kind) {
      case "variable":
        if (declaration.specifiers.constant && !declaration.specifiers.extern && !this.#filling) this.constants.push(declaration);
        this.declareVariable(declaration, scope);
        break;
      case "function":
        this.#declareFunction(declaration, scope);
        break;
      case "record":
        this.#declareRecord(declaration, scope);
        break;
      case "enum":
        this.#declareEnum(declaration, scope);
        break;
      case "alias":
        this.#declareInline(declaration.type, scope);
        this.#add(scope, declaration.name, { kind: "alias", declaration, home: scope });
        this.#templateScope(declaration, declaration.templateParameters, scope);
        break;
      case "namespace":
        this.#declareNamespace(declaration, scope);
        break;
      case "linkage":
        this.declareAll(declaration.body, scope);
        break;
      case "using":
        if (declaration.namespace) scope.using.push(declaration.name);
        else this.#add(scope, lastName(declaration.name), { kind: "using", name: declaration.name, home: scope });
        break;
      case "namespace-alias":
        this.#add(scope, declaration.name, { kind: "using", name: declaration.target, home: scope });
        break;
      case "statement":
        bindStatement(this, declaration.statement, scope);
        break;
      case "instantiation":
      case "static-assert":
      case "unknown":
        break;
    }
  }

  #templateScope(node: Node & { readonly kind: string }, parameters: readonly TemplateParameter[] | undefined, parent: Scope): Scope {
    if (!parameters) return parent;
    const inner = scope("block", { start: Math.min(node.start, ...parameters.map((each) => each.start)), end: node.end }, parent);
    this.#declareTemplateParameters(parameters, inner);
    insert(parent, inner);
    return inner;
  }

  #declareTemplateParameters(parameters: readonly TemplateParameter[], scope: Scope): void {
    for (const parameter of parameters)
      if (parameter.name) this.#add(scope, parameter.name, { kind: "template-parameter", parameter, home: scope });
  }

  /** `struct S {...} s;` declares S as well. */
  #declareInline(type: TypeNode, scope: Scope): void {
    if (type.kind === "inline") {
      if (!this.scopeOf.has(type.declaration)) this.#declare(type.declaration, scope);
    } else if (type.kind === "pointer" || type.kind === "reference") this.#declareInline(type.to, scope);
    else if (type.kind === "array") this.#declareInline(type.of, scope);
  }

  declareVariable(declaration: VariableDeclaration, scope: Scope): void {
    this.#declareInline(declaration.type, scope);
    const { parts } = declaration.name;
    if (declaration.bindings) {
      for (const [index, name] of declaration.bindings.entries())
        this.#add(scope, name, { kind: "binding", declaration, index, home: scope });
    } else if (parts.length > 1) {
      this.#qualified.push(() => {
        const home = this.container(scope, parts.slice(0, -1), declaration.name.global);
        if (!home) return;
        if (home.kind === "record") this.records.set(declaration, home.owner as RecordDeclaration);
        this.#add(home, lastName(declaration.name), { kind: "variable", declaration, home });
      });
    } else {
      this.#add(scope, lastName(declaration.name), { kind: "variable", declaration, home: scope });
      if (scope.kind === "record") this.records.set(declaration, scope.owner as RecordDeclaration);
    }
    const inner = this.#templateScope(declaration, declaration.templateParameters, scope);
    this.bindExpressions(declaration, inner);
  }

  #declareFunction(declaration: FunctionDeclaration, parent: Scope): void {
    const { parts } = declaration.name;
    // Those within functions are bound when somebody looks there: what is listed must not depend on who has.
    if (declaration.body && !this.#filling) this.functions.push(declaration);
    const inner: Scope = { ...scope("function", extentOf(declaration), parent), owner: declaration };
    insert(parent, inner);
    this.scopeOf.set(declaration, inner);
    this.#fillLater(declaration, inner);
    if (parts.length > 1) {
      this.#qualified.push(() => {
        const home = this.container(parent, parts.slice(0, -1), declaration.name.global);
        if (!home) return;
        inner.parent = home;
        if (home.kind === "record") this.records.set(declaration, home.owner as RecordDeclaration);
        this.#add(home, lastName(declaration.name), { kind: "function", declaration, home });
      });
      return;
    }
    if (parent.kind === "record") {
      if (declaration.specifiers.friend) {
        let home = parent.parent;
        while (home && home.kind !== "unit" && home.kind !== "namespace") home = home.parent;
        if (home) this.#add(home, lastName(declaration.name), { kind: "function", declaration, home });
        return;
      }
      this.records.set(declaration, parent.owner as RecordDeclaration);
    }
    this.#add(parent, lastName(declaration.name), { kind: "function", declaration, home: parent });
  }

  #fillLater(declaration: FunctionDeclaration, inner: Scope): void {
    if (declaration.templateParameters) this.#declareTemplateParameters(declaration.templateParameters, inner);
    inner.fill = () => {
      for (const parameter of declaration.parameters) {
        if (parameter.name) this.#add(inner, parameter.name, { kind: "parameter", declaration: parameter, home: inner });
        if (parameter.default) this.bindExpressions(parameter.default, inner);
      }
      if (declaration.constraint) this.bindExpressions(declaration.constraint, inner);
      for (const initialiser of declaration.initialisers ?? []) for (const value of initialiser.values) this.bindExpressions(value, inner);
      if (declaration.body) bindStatement(this, declaration.body, inner);
    };
  }

  #declareRecord(declaration: RecordDeclaration, parent: Scope): void {
    if (this.scopeOf.has(declaration)) return;
    const name = lastName(declaration.name);
    const around = this.#templateScope(declaration, declaration.templateParameters, parent);
    const inner: Scope = { ...scope("record", declaration, around), owner: declaration };
    insert(around, inner);
    this.scopeOf.set(declaration, inner);
    const qualifiedParts = (declaration.name?.parts ?? []).slice(0, -1);
    const register = (home: Scope): void => {
      if (declaration.name?.parts.at(-1)?.templateArguments) this.#specialise(declaration, home, name);
      else if (name) this.#add(home, name, { kind: "record", declaration, home });
      if (home.kind === "record") this.records.set(declaration, home.owner as RecordDeclaration);
    };
    if (qualifiedParts.length > 0) {
      this.#qualified.unshift(() => {
        const home = this.container(parent, qualifiedParts, declaration.name?.global ?? false);
        if (home) register(home);
      });
    } else register(parent);
    for (const member of declaration.members ?? []) {
      this.#declare(member, inner);
      if (member.kind === "record" || member.kind === "enum") this.records.set(member, declaration);
      // The members of an anonymous struct or union are named as the outer record's own.
      const anonymous = member.kind === "record" && !member.name ? this.scopeOf.get(member) : undefined;
      if (anonymous) for (const [each, entities] of anonymous.names) for (const entity of entities) this.#add(inner, each, entity);
    }
  }

  #specialise(declaration: RecordDeclaration, home: Scope, name: string): void {
    for (const entity of home.names.get(name) ?? []) {
      if (entity.kind !== "record") continue;
      const known = this.specialisations.get(entity.declaration);
      if (known) known.push(declaration);
      else this.specialisations.set(entity.declaration, [declaration]);
    }
  }

  #declareEnum(declaration: EnumDeclaration, parent: Scope): void {
    if (this.scopeOf.has(declaration)) return;
    const inner: Scope = { ...scope("enum", declaration, parent), owner: declaration };
    insert(parent, inner);
    this.scopeOf.set(declaration, inner);
    if (declaration.name) this.#add(parent, lastName(declaration.name), { kind: "enum", declaration, home: parent });
    if (parent.kind === "record") this.records.set(declaration, parent.owner as RecordDeclaration);
    for (const [index, enumerator] of declaration.enumerators.entries()) {
      const entity: Entity = { kind: "enumerator", declaration, index, home: parent };
      inner.names.set(enumerator.name, [entity]);
      if (!declaration.scoped) this.#add(parent, enumerator.name, entity);
    }
  }

  #declareNamespace(declaration: Declaration & { readonly kind: "namespace" }, parent: Scope): void {
    const name = declaration.name ?? "";
    const known = parent.names.get(name)?.find((each) => each.kind === "namespace");
    // A namespace opened again shares its names with the first.
    // What is in it is found by its own offsets: those of one declaration tell nothing of another's.
    const { children } = this.root;
    const inner: Scope =
      known?.kind === "namespace"
        ? { ...scope("namespace", declaration, parent), children, names: known.scope.names, using: known.scope.using }
        : { ...scope("namespace", declaration, parent), children };
    if (!known) this.#add(parent, name, { kind: "namespace", scope: inner, home: parent });
    if (declaration.inline || !declaration.name)
      parent.using.push({ start: declaration.start, end: declaration.end, global: false, parts: [{ text: name }] });
    for (const each of declaration.body) this.#homes.push({ ...extentOf(each), scope: inner });
    this.declareAll(declaration.body, inner);
  }

  /** Lambdas inside an expression or type open scopes too. */
  bindExpressions(node: AnyNode, scope: Scope): void {
    walk(node, (each) => {
      if (each.kind !== "lambda") return true;
      this.#bindLambda(each, scope);
      return false;
    });
  }

  #bindLambda(lambda: LambdaExpression, parent: Scope): void {
    if (this.scopeOf.has(lambda)) return;
    const inner: Scope = { ...scope("lambda", lambda, parent), owner: lambda };
    insert(parent, inner);
    this.scopeOf.set(lambda, inner);
    if (lambda.templateParameters) this.#declareTemplateParameters(lambda.templateParameters, inner);
    for (const capture of lambda.captures) if (capture.init) this.#add(inner, capture.name, { kind: "capture", capture, home: inner });
    for (const parameter of lambda.parameters)
      if (parameter.name) this.#add(inner, parameter.name, { kind: "parameter", declaration: parameter, home: inner });
    bindStatement(this, lambda.body, inner);
  }
}

/** From a declaration's first node to its last. */
function extentOf(declaration: Declaration): { readonly start: number; readonly end: number } {
  const parameters = "templateParameters" in declaration ? (declaration.templateParameters ?? []) : [];
  const attributes = declaration.kind === "function" ? (declaration.specifiers.launchBounds ?? []) : [];
  return { start: Math.min(declaration.start, ...[...parameters, ...attributes].map((each) => each.start)), end: declaration.end };
}

/** What is known of nodes, and of the library's: kept as long as the nodes are. */
class Layer<T> {
  readonly #own = new WeakMap<object, T>();
  readonly #below: Layer<T> | undefined;

  constructor(below: Layer<T> | undefined) {
    this.#below = below;
  }

  get(key: object): T | undefined {
    return this.#own.get(key) ?? this.#below?.get(key);
  }

  has(key: object): boolean {
    return this.get(key) !== undefined;
  }

  set(key: object, value: T): void {
    this.#own.set(key, value);
  }
}
