/** Loops that load two values for every product, though other threads multiply each of them too: as a matrix product does without a tile. */
import type { Program } from "../execute/program.ts";
import { isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";

/** Loads for a product from which there is no tile of results: one of 2 by 2 has 4 for 4. */
const withoutTile = 1;
/** Executions of a warp below which products are no part of what a launch takes. */
const fewExecutions = 64;
/** Arithmetic that an address is looked through. */
const deepest = 32;

interface Products {
  readonly loads: Set<Op>;
  readonly products: Op[];
  /** As it lies in memory. */
  readonly element: string;
}

/** By the line of its products, a cause. */
export function outerProducts(program: Program, { totals, counts }: Sample): Cause[] {
  const found = new Map<string, Products>();
  const places = new Map<Op, ReadonlySet<string>>();
  const inLoops = new Set(program.loops.flatMap(({ blocks }) => [...blocks]));
  for (const compiled of program.blocks) {
    if (!inLoops.has(compiled.block) || counts.flow(totals, compiled).executions < fewExecutions) continue;
    for (const op of compiled.block.ops) {
      const factors = isProduct(op) ? op.args.slice(0, 2).map(loadOf) : [];
      const [a, b] = factors;
      if (!a || !b || a === b || !inLoops.has(compiled.block)) continue;
      const [ofA, ofB] = [placeOf(a.args[0], places, 0), placeOf(b.args[0], places, 0)];
      if (ofA.size === 0 || ofB.size === 0 || [...ofA].some((each) => ofB.has(each))) continue;
      const key = `${op.span.file}:${op.span.line}`;
      const group: Products = found.get(key) ?? { loads: new Set(), products: [], element: a.type };
      group.products.push(op);
      for (const load of [a, b]) group.loads.add(load);
      found.set(key, group);
    }
  }
  return [...found.values()].flatMap(({ loads, products, element }): Cause[] =>
    loads.size > withoutTile * products.length ? [{ kind: "factors", ops: [...loads], object: element, place: products[0]?.span }] : [],
  );
}

const isProduct = ({ action }: Op): boolean => action.kind === "fma" || (action.kind === "float" && action.op === "fmul");

/** The load that gives a factor, whatever it is converted to. */
function loadOf(op: Op): Op | undefined {
  const { action, args } = op;
  if (action.kind === "load") return action.space === "global" || action.space === "shared" || action.space === "generic" ? op : undefined;
  return (action.kind === "convert" || action.kind === "extract") && args[0] ? loadOf(args[0]) : undefined;
}

/** What of a thread's place an address follows from: "tid.x", or its quotient or remainder by a constant. */
function placeOf(op: Op | undefined, known: Map<Op, ReadonlySet<string>>, depth: number): ReadonlySet<string> {
  if (!op || depth > deepest) return new Set();
  const before = known.get(op);
  if (before) return before;
  known.set(op, new Set());
  const { action, args } = op;
  let found: ReadonlySet<string> = new Set();
  if (action.kind === "special") found = /^(tid|ctaid)/.test(action.register) ? new Set([action.register.replace("ctaid", "tid")]) : found;
  else if (action.kind === "phi" || isPure(op)) {
    found = new Set(args.flatMap((arg) => [...placeOf(arg, known, depth + 1)]));
    const part = action.kind === "int" && isConstant(args[1]) ? partOf(action.op) : "";
    if (part) found = new Set([...found].map((each) => `${each}${part}`));
  }
  known.set(op, found);
  return found;
}

/** Quotients and remainders of one number are two coordinates. */
const partOf = (op: string): string => (/^([su]div|[la]shr)$/.test(op) ? "/" : /^([su]rem|and)$/.test(op) ? "%" : "");
