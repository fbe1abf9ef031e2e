/**
 * Lowering: a kernel's instance as the engine's IR, the way a compiler without optimisation would write it. Every variable
 * is an `alloca`, every device call is inlined; the engine's passes make values of what can be values.
 */
import { type Assumption, Builder, createKernel, type Kernel, linkBlocks, noSpan, type Span } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node, ParameterDeclaration } from "../../syntax/ast.ts";
import type { Reading } from "../../syntax/reading.ts";
import { NotSimulated } from "../facts.ts";
import { isLibraryHeader } from "../headers/index.ts";
import { expandedParameters } from "../sema/expanded-parameters.ts";
import type { Semantics } from "../sema/index.ts";
import { lastName } from "../sema/scope.ts";
import { emptySubstitution, valueName, voidType } from "../sema/type-tools.ts";
import type { Substitution, Type } from "../sema/types.ts";
import { defaultInitialise } from "./aggregates.ts";
import { branchOn } from "./branches.ts";
import { invoke, lowerCall } from "./calls.ts";
import { construct, initialise } from "./construct.ts";
import { declareVariable } from "./declarations.ts";
import { effect } from "./effects.ts";
import type { Lowering, LowerOptions, Place } from "./emit/lowering.ts";
import { copy, ParameterWritten, store } from "./emit/memory.ts";
import { scalarOf } from "./emit/scalars.ts";
import { expressionValue, valueAs } from "./expressions.ts";
import { boundsOf, codeOf, parametersOf } from "./kernel-header.ts";
import { placeOf } from "./places.ts";
import { lowerStatement } from "./statements.ts";

export type { LowerOptions } from "./emit/lowering.ts";

/** More operations than this before any optimisation: the kernel is too large to simulate in a moment. */
const opLimit = 200_000;
/** Of one expression or statement, the types of its parts among it: as many as replays and runs of kernels take in its time. */
const workOfNode = 32;

/**
 * Lowers a kernel for one set of template arguments.
 * @param substitution what `Semantics.callee` gives for the launch, or `Semantics.substitutionFor`
 * @throws NotSimulated with the reason, for what cannot be simulated, and Cancelled
 */
export function lowerKernel(
  semantics: Semantics,
  reading: Reading,
  kernel: FunctionDeclaration,
  substitution: Substitution | undefined,
  options: LowerOptions,
): Kernel {
  const copied = new Set<number>();
  for (;;) {
    try {
      return lowerOnce(semantics, reading, kernel, substitution ?? emptySubstitution, options, copied);
    } catch (error) {
      if (error instanceof ParameterWritten) {
        const { action } = rootOf(error.pointer);
        if (action.kind === "param.address" && !copied.has(action.index)) {
          copied.add(action.index);
          continue;
        }
      }
      if (error instanceof RangeError) throw new NotSimulated("the kernel's expressions nest too deeply");
      throw error;
    }
  }
}

function rootOf(pointer: Place["pointer"]): Place["pointer"] {
  let at = pointer;
  while (at.action.kind === "gep" && at.args[0]) at = at.args[0];
  return at;
}

function lowerOnce(
  semantics: Semantics,
  reading: Reading,
  declaration: FunctionDeclaration,
  substitution: Substitution,
  options: LowerOptions,
  copied: ReadonlySet<number>,
): Kernel {
  const { context } = semantics;
  if (!declaration.body)
    throw new NotSimulated(`the body of ${lastName(declaration.name)} is not known`, reading.locate(declaration.start, declaration.end));
  const assumptions: Assumption[] = [];
  const kernel = createKernel({
    name: lastName(declaration.name),
    templateArguments: templateArgumentsOf(declaration, substitution),
    files: reading.files,
    parameters: parametersOf(semantics, reading, declaration, substitution),
    ...boundsOf(semantics, declaration, substitution, options.code),
    ...codeOf(options.code),
    assumptions,
  });
  const builder = new Builder(kernel);
  const exit = builder.newBlock();
  const entry = kernel.blocks[0] ?? builder.block;
  const first = builder.newBlock();
  const spans = new Map<number, Span>();
  const spanAt = (node: Node): Span => {
    const key = node.start * 0x100000 + (node.end - node.start);
    let span = spans.get(key);
    if (!span) spans.set(key, (span = labelOf(reading, node)));
    return span;
  };
  let cursor: Span = noSpan;
  // Only asked: that the kernel had to be lowered is not to shorten what is done with it.
  const work = options.work?.share(0);
  // What the toolkit's headers do stands where the program calls them: nobody sees these headers.
  const library = reading.files.map(isLibraryHeader);
  const isOfLibrary = ({ file }: Span): boolean => library[file] === true;
  const budget = (): void => {
    work?.spend(workOfNode);
    if (kernel.nextId > opLimit) throw new NotSimulated(`the kernel has more than ${opLimit} operations`);
  };
  /** An element of an expanded pack is read under a substitution of its own. */
  const within = <T>(expression: Expression, run: () => T): T => {
    budget();
    const own = context.ownSubstitution(expression);
    if (!own) return run();
    const outer = lowering.frame;
    lowering.frame = { ...outer, substitution: own };
    try {
      return run();
    } finally {
      lowering.frame = outer;
    }
  };
  const lowering: Lowering = {
    context,
    reading,
    kernel,
    builder,
    options,
    statics: new Map(),
    copiedParameters: copied,
    frame: {
      owner: declaration,
      name: lastName(declaration.name),
      substitution,
      variables: new Map(),
      resultType: voidType,
      exit,
      labels: new Map(),
      breaks: [],
      continues: [],
      cases: [],
      depth: 0,
    },
    assume: (what, value, why) => {
      if (!assumptions.some((each) => each.what === what && each.value === value)) assumptions.push({ what, value, why });
    },
    fail: (reason, node) => {
      throw new NotSimulated(reason, node && node.start >= 0 ? reading.locate(node.start, node.end) : undefined);
    },
    failType: (what, type, node) => {
      const text = type.start >= 0 ? reading.textOf(type.start, type.end).replace(/\s+/g, " ") : "";
      return lowering.fail(`the type of ${what}${text ? `, ${text},` : ""} is not known`, node ?? type);
    },
    at: (node) => {
      if (node.start < 0) return;
      const span = spanAt(node);
      if (isOfLibrary(span)) return;
      builder.span = span.file === cursor.file && cursor.line > 0 ? { ...span, line: cursor.line } : span;
    },
    visit: (node) => {
      if (node.start < 0) return;
      const span = spanAt(node);
      if (!isOfLibrary(span)) cursor = span;
    },
    typeOf: (expression) => lowering.tryTypeOf(expression) ?? lowering.fail("the type of an expression is not known", expression),
    tryTypeOf: (expression) => context.info(expression, lowering.frame.substitution)?.type,
    isLvalue: (expression) => context.info(expression, lowering.frame.substitution)?.lvalue ?? false,
    constant: (type, value) => builder.constant(type, value),
    temporary: (type, name, node, align) => temporary(lowering, type, name, node, align),
    spend: budget,
    value: (expression) => within(expression, () => expressionValue(lowering, expression)),
    valueAs: (expression, type) => within(expression, () => valueAs(lowering, expression, type)),
    place: (expression) => within(expression, () => placeOf(lowering, expression)),
    effect: (expression) => within(expression, () => effect(lowering, expression)),
    initialise: (place, expression) => within(expression, () => initialise(lowering, place, expression)),
    construct: (place, args, node) => construct(lowering, place, args, node),
    defaultInitialise: (place, node) => defaultInitialise(lowering, place, node),
    branch: (condition, whenTrue, whenFalse) => branchOn(lowering, condition, whenTrue, whenFalse),
    statement: (statement) => {
      budget();
      if (statement.kind !== "block") lowering.visit(statement);
      lowerStatement(lowering, statement);
    },
    declare: (variable) => declareVariable(lowering, variable),
    call: (expression, into) => lowerCall(lowering, expression, into),
    invoke: (resolved, args, self, node, into) => invoke(lowering, resolved, args, self, node, into),
  };
  // Variables lie in the entry block; what the kernel does starts behind it.
  builder.block = entry;
  builder.jump(first);
  builder.block = first;
  bindKernelParameters(lowering, declaration, substitution);
  lowering.statement(declaration.body);
  builder.jump(exit);
  builder.block = exit;
  builder.return();
  linkBlocks(kernel);
  return kernel;
}

/** Of what is written as template parameters: the substitution tells of a pack's elements, too. */
function templateArgumentsOf({ templateParameters }: FunctionDeclaration, { values }: Substitution): string[] {
  const others = new Set((templateParameters ?? []).map((parameter, k) => parameter.name ?? `#${k}`));
  return [...values].flatMap(([name, value]) => (templateParameters && !others.has(name) ? [] : [valueName(value)]));
}

/** Where a node stands, in words that stay when it moves: see `placed-report.ts`. */
function labelOf(reading: Reading, { start, end }: Node): Span {
  const label = reading.label(start, end);
  return label ? { ...label, line: label.line + 1 } : noSpan;
}

function temporary(lowering: Lowering, type: Type, name: string, node: Node, align: bigint | number | boolean | undefined): Place {
  const bytes = type.kind === "function" || type.kind === "reference" ? 8 : lowering.context.sizeOf(type);
  const own = type.kind === "function" || type.kind === "reference" ? 8 : lowering.context.alignOf(type);
  if (bytes === undefined || own === undefined) return lowering.fail(`the type of ${name} is not known`, node);
  lowering.at(node);
  const pointer = lowering.builder.alloca(bytes, Math.max(own, Number(align ?? 1)), name);
  return { pointer, type, space: "local", node };
}

function bindKernelParameters(lowering: Lowering, declaration: FunctionDeclaration, substitution: Substitution): void {
  const packs = new Map<object, Place[]>();
  for (const [index, { parameter, name, substitution: inner }] of (expandedParameters(declaration, substitution) ?? []).entries()) {
    const place = kernelParameter(lowering, index, parameter, name ?? `parameter${index}`, inner ?? substitution);
    if (!parameter.pack) lowering.frame.variables.set(parameter, place);
    else packs.set(parameter, [...(packs.get(parameter) ?? []), place]);
  }
  for (const [parameter, places] of packs) lowering.frame.variables.set(parameter, places);
}

function kernelParameter(
  lowering: Lowering,
  index: number,
  parameter: ParameterDeclaration,
  name: string,
  substitution: Substitution,
): Place {
  const type = lowering.context.declaredType(parameter, substitution) ?? lowering.fail("the type of a parameter is not known", parameter);
  lowering.at(parameter);
  const given = lowering.builder.parameter(index);
  if (scalarOf(type)) {
    const place = lowering.temporary(type, name, parameter);
    store(lowering, place, given);
    return place;
  }
  const place: Place = { pointer: given, type, space: "param", node: parameter };
  if (!lowering.copiedParameters.has(index)) return place;
  const own = lowering.temporary(type, name, parameter);
  copy(lowering, own, place);
  return own;
}
