/** Loops that load two values for every product, though other threads multiply each of them too: as a matrix product does without a tile. */
import type { Program } from "../execute/program.ts";
import { isConstant } from "../ir/constants.ts";
import type { Op, Span } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Work } from "../work.ts";
import type { Cause } from "./costs.ts";

/** Loads for a product from which there is no tile of results: one of 2 by 2 has 4 for 4. */
const withoutTile = 1;
/** Executions of a warp below which products are no part of what a launch takes. */
const fewExecutions = 64;
/** Compute capability from which there are tensor cores for a type. */
const tensorCores: Readonly<Record<string, number>> = { f16: 70, bf16: 80 };

/** A loop's, whatever copies the compiler makes of it: told at its first product. */
export function outerProducts(program: Program, { totals, counts }: Sample, computeCapability: number, work: Work): Cause[] {
  const found = new Map<string, { readonly loads: Op[]; readonly place: Span; readonly element: string }>();
  let places: ReadonlyMap<Op, number> | undefined;
  const inLoops = new Set(program.loops.flatMap(({ blocks }) => [...blocks]));
  for (const compiled of program.blocks) {
    if (!inLoops.has(compiled.block) || counts.flow(totals, compiled).executions < fewExecutions) continue;
    const candidates = compiled.block.ops.flatMap((op) => productOf(op) ?? []);
    if (candidates.length === 0) continue;
    places ??= placesIn(program, work);
    const products = candidates.filter(isOuter(places));
    const loads = new Set(products.flatMap(({ factors }) => factors));
    const [first] = products;
    if (!first || loads.size <= withoutTile * products.length) continue;
    const { span, factors } = first;
    const key = `${span.file}:${span.line}`;
    found.set(key, { loads: [...(found.get(key)?.loads ?? []), ...loads], place: span, element: factors[0].type });
  }
  return [...found.values()].map(({ loads, place, element }) => ({
    kind: computeCapability >= (tensorCores[element] ?? Number.POSITIVE_INFINITY) ? "factors for tensor cores" : "factors",
    ops: loads,
    place,
  }));
}

interface Product {
  readonly span: Span;
  readonly factors: readonly [Op, Op];
}

/** A product of two values that are loaded. */
function productOf(op: Op): Product | undefined {
  const [a, b] = isProduct(op) ? op.args.slice(0, 2).map(loadOf) : [];
  return a && b && a !== b ? { span: op.span, factors: [a, b] } : undefined;
}

/** One is loaded by the thread's row, and one by its column. */
const isOuter =
  (places: ReadonlyMap<Op, number>) =>
  ({ factors }: Product): boolean => {
    const [a = 0, b = 0] = factors.map(({ args: [address] }) => (address && places.get(address)) ?? 0);
    return a !== 0 && b !== 0 && (a & b) === 0;
  };

const isProduct = ({ action }: Op): boolean => action.kind === "fma" || (action.kind === "float" && action.op === "fmul");

/** The load that gives a factor, whatever it is converted to. */
function loadOf(factor: Op): Op | undefined {
  let op: Op | undefined = factor;
  while (op && /^(convert|extract)$/.test(op.action.kind)) [op] = op.args;
  return op?.action.kind === "load" && /^(global|shared|generic)$/.test(op.action.space) ? op : undefined;
}

const axes = ["x", "y", "z"];

/**
 * What of a thread's place values follow from, as bits: its coordinates, their quotients and their remainders by constants. Those of one
 * coordinate are two of their own.
 */
function placesIn(program: Program, work: Work): ReadonlyMap<Op, number> {
  const found = new Map<Op, number>();
  const ops = program.kernel.blocks.flatMap((block) => [...block.phis, ...block.ops]);
  for (let changed = true; changed; ) {
    changed = false;
    work.ask(ops.length);
    for (const op of ops) {
      const place = placeOf(op, found);
      if (place === (found.get(op) ?? 0)) continue;
      found.set(op, place);
      changed = true;
    }
  }
  return found;
}

function placeOf({ action, args }: Op, found: ReadonlyMap<Op, number>): number {
  if (action.kind === "special") {
    const [, axis = ""] = /^(?:cta|t)id\.([xyz])$/.exec(action.register) ?? [];
    return axis === "" ? 0 : 1 << axes.indexOf(axis);
  }
  if (action.kind !== "phi" && !isPure({ action, args } as Op)) return 0;
  const place = args.reduce((bits, arg) => bits | (found.get(arg) ?? 0), 0);
  const part = action.kind === "int" && isConstant(args[1]) ? partOf(action.op) : 0;
  const plain = place & 7;
  return part === 0 ? place : (place & ~7) | (plain << part);
}

/** Where bits of quotients and of remainders begin. */
const partOf = (op: string): number => (/^([su]div|[la]shr)$/.test(op) ? 3 : /^([su]rem|and)$/.test(op) ? 6 : 0);
