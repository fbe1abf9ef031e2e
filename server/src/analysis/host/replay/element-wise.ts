/**
 * Loops that fill arrays by their counters alone (`a[i] = i / 14`, rows and columns, strides), of any size: nothing is run but the turns
 * that store what somebody reads.
 */

import type { Content } from "@warplens/sim-engine";
import type { Statement } from "../../../syntax/ast.ts";
import { print } from "../../../syntax/print.ts";
import { overlaid } from "../memory/content.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import type { Allocation, Cell, Value } from "../values/model.ts";
import { numberOf } from "../values/values.ts";
import { begin } from "./begin.ts";
import { outerLoop } from "./counted.ts";
import { Deferred } from "./deferred.ts";
import { Formula, inverseOf, isGapless, mostOfElement } from "./formula.ts";
import { extent, type Line, lineText } from "./lines.ts";
import { type Execute, GivenUp, type Machine, Unsupported, unsupported } from "./machine.ts";
import { Nest, type Site } from "./nest.ts";
import { numberValue } from "./numbers.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** Formulas that may rest on each other. */
const mostDepth = 6;
/** Elements that are made at once, to see that there is a number for each. */
const probes = 24;
/** Operations that the last turn may take, for the variables that it leaves. */
const mostOfTurn = 100_000;

type For = Statement & { readonly kind: "for" };

/** Turns that were run; of arrays in `partly` not all that they store is there. */
export interface Past {
  readonly done: number;
  readonly partly: ReadonlySet<Allocation>;
  /** Of a loop that has so many turns in all it is of use. */
  readonly isWorth?: (turns: number) => boolean;
}

/**
 * A loop from the state at hand, before the test of a turn, to its end.
 * @returns what puts its effects where they belong, and tells the arrays it has filled; undefined where it is not followed: then
 * nothing is changed
 */
export function elementWise(host: Interpreter, statement: Statement, past: Past): (() => readonly Allocation[]) | undefined {
  const { inOrder, operations } = host.replays;
  if (statement.kind !== "for" || inOrder.has(statement) || operations === Number.POSITIVE_INFINITY) return undefined;
  try {
    return follow(host, statement, past);
  } catch (error) {
    if (!(error instanceof Unsupported || error instanceof GivenUp)) throw error;
    if (error instanceof NotWorth) return undefined;
    inOrder.add(statement);
    return undefined;
  }
}

/** It has too few turns. */
class NotWorth extends Unsupported {}

interface Followed {
  /** The same loop, for who looks at many elements. */
  readonly deferred: Deferred | undefined;
  readonly host: Interpreter;
  readonly machine: Machine;
  readonly nest: Nest;
  readonly execute: Execute;
  readonly outer: NonNullable<ReturnType<typeof outerLoop>>;
  readonly past: Past;
  readonly text: () => string;
}

/**
 * @param changing slots that are stored to again behind their declaration
 * @throws Unsupported, GivenUp
 */
function follow(host: Interpreter, statement: For, past: Past, changing: ReadonlySet<number> = new Set()): () => readonly Allocation[] {
  const nest = new Nest(changing);
  const machine = begin(host, mostOfElement, { nest });
  const outer = outerLoop(machine, nest, statement, past.done);
  if (outer === undefined || nest.sites.length === 0 || outer.counter.turns <= past.done) throw new Unsupported();
  if (past.isWorth?.(outer.counter.turns) === false) throw new NotWorth();
  const changed = requireIndependent(machine, nest);
  if (changed.length > 0) {
    // The code is made once more, now that this is known.
    if (changing.size > 0) throw new Unsupported();
    return follow(host, statement, past, new Set(changed));
  }
  const code = (): string => [statement, ...nest.functions].map(print).join(" ");
  const held = (): string => [...nest.snapshots.values()].map(({ text }) => text()).join(" ");
  const text = (): string => `${code()} ${nest.constants.join(" ")} ${held()}`;
  const deferred = Deferred.of(host, statement);
  const followed: Followed = { deferred, host, machine, nest, execute: outer.execute, outer, past, text };
  const allocations = [...new Set(nest.sites.map(({ allocation }) => allocation))];
  const fills = allocations.map((allocation) => fill(followed, allocation));
  const left = variablesLeft(followed);
  return () => {
    for (const [cell, value] of left) host.journal.set(cell, value);
    for (const commit of fills) commit();
    return allocations;
  };
}

/**
 * No turn needs what another has stored in a variable, and all variables are known.
 * @returns slots that were taken to be what they were declared as, and are not
 * @throws Unsupported
 */
function requireIndependent(machine: Machine, nest: Nest): readonly number[] {
  const counts = new Map<number, number>();
  for (const slot of nest.stores) counts.set(slot, (counts.get(slot) ?? 0) + 1);
  if ([...counts.keys()].some((slot) => nest.early.has(slot))) throw new Unsupported();
  for (const slot of nest.early)
    if (!counts.has(slot) && !nest.counters.has(slot) && machine.slots[slot] === undefined) throw new Unsupported();
  return [...counts].flatMap(([slot, count]) => (nest.lined.has(slot) && count > (nest.declared.has(slot) ? 1 : 0) ? [slot] : []));
}

/** What the last turn leaves in variables of the host. @throws Unsupported, GivenUp */
function variablesLeft({ machine, nest, execute, outer, past }: Followed): readonly (readonly [Cell, Value])[] {
  const { counter, slot } = outer;
  const stored = [...machine.cells].filter(([, { index }]) => machine.stored.has(index));
  if (stored.some(([, { index }]) => !nest.isSure(index))) throw new Unsupported();
  if (stored.length > 0) {
    nest.aims.clear();
    nest.aims.set(counter, counter.turns - 1);
    nest.wanted = undefined;
    machine.left = mostOfTurn;
    execute();
  }
  const values = stored.flatMap(([cell, { index, type }]): (readonly [Cell, Value])[] => {
    const value = machine.slots[index];
    if (value === undefined) throw new Unsupported();
    return [[cell, numberValue(value, type)]];
  });
  const [own] = [...machine.cells].find(([, { index }]) => index === slot.index) ?? [];
  const end = counter.start + counter.step * Math.max(counter.turns, past.done);
  return own ? [...values, [own, numberValue(end, slot.type)]] : values;
}

/** What an array holds behind the loop. @throws Unsupported */
function fill({ host, machine, nest, execute, outer, past, text, deferred }: Followed, allocation: Allocation): () => void {
  const sites = nest.sites.filter((site) => site.allocation === allocation);
  const [first] = sites;
  if (!first || sites.some((site) => !isAlike(site, first))) throw new Unsupported();
  const { elementBytes } = first;
  const { summary } = allocation;
  const inverses = unique(sites).map((site) => inverseOf(site) ?? unsupported());
  const [from, to] = reach(sites);
  if (from < 0 || summary.bytes === undefined || (to + 1) * elementBytes > summary.bytes) throw new Unsupported();
  const isUpdated = isReadBefore(nest, allocation, unique(sites));
  const isOver = inverses.some(({ over }) => over.some(({ turns }) => turns > 1));
  const isAll = sites.every((site) => nest.isAlways(site)) && isGapless(inverses);
  if (isUpdated && past.partly.has(allocation)) throw new Unsupported();
  if (isOver && (isUpdated || !sites.every((site) => nest.isAlways(site)))) throw new Unsupported();
  const before = isAll && !isUpdated ? undefined : (snapshotOf(allocation, first.type, elementBytes) ?? unsupported());
  const rests: readonly Snapshot[] = [...nest.snapshots.values(), ...(before ? [before] : [])];
  const depth = 1 + Math.max(0, ...rests.map((each) => each.depth));
  if (depth > mostDepth) throw new Unsupported();
  const formula = new Formula({
    ...{ machine, nest, execute, allocation, inverses, before, depth },
    ...(deferred ? { all: () => deferred.valuesOf(allocation) } : {}),
    outermost: outer.counter,
    first: isUpdated ? past.done : 0,
    text: () => `${nest.sites.indexOf(first)} of ${text()} ${before?.text() ?? ""}`,
  });
  for (let k = 0; k < probes; k++) {
    const index = from + Math.round(((to - from) * k) / (probes - 1));
    if (formula.known(index) === undefined) throw new Unsupported();
  }
  host.steps += probes;
  const content: Content = (isAll && !isUpdated ? straight(sites) : undefined) ?? { kind: "computed", by: formula };
  return () => {
    const cells = [...allocation.cells].filter(([offset, cell]) => {
      const index = offset / elementBytes;
      const turn = formula.turnOf(index);
      return turn === undefined || (turn < past.done && numberOf(cell.value) !== formula.at(index));
    });
    const isWhole = from === 0 && (to + 1) * elementBytes >= Math.floor((summary.bytes ?? 0) / elementBytes) * elementBytes;
    const part = { from: from * elementBytes, to: (to + 1) * elementBytes, origin: 0, content };
    const { band: _, reason: __, ...rest } = allocation.summary;
    const all = isWhole ? content : overlaid(rest.content, part, rest.bytes);
    host.journal.summarise(allocation, { ...rest, elementBytes, content: all }, new Map(cells));
  };
}

/** Sites whose elements are the same kind of number, in the same loops. */
const isAlike = (a: Site, b: Site): boolean =>
  a.elementBytes === b.elementBytes &&
  a.type.kind === b.type.kind &&
  a.chain.length === b.chain.length &&
  a.chain.every((counter, k) => counter === b.chain[k]);

function unique(sites: readonly Site[]): readonly Site[] {
  return [...new Map(sites.map((site) => [lineText(site.line), site] as const)).values()];
}

/** The least and the greatest index. */
function reach(sites: readonly Site[]): readonly [number, number] {
  const extents = sites.map(({ line }) => extent(line));
  return [Math.min(...extents.map(([lo]) => lo)), Math.max(...extents.map(([, hi]) => hi))];
}

/** Whether a turn reads what it stores, as it was before the loop. @throws Unsupported where it reads what other turns store */
function isReadBefore(nest: Nest, allocation: Allocation, sites: readonly Site[]): boolean {
  const reads = nest.reads.filter((each) => each.allocation === allocation);
  const [only] = sites;
  if (reads.length === 0 || !only) return false;
  const own = lineText(only.line);
  if (sites.length > 1 || reads.some(({ line }) => line === undefined || lineText(line) !== own)) throw new Unsupported();
  return true;
}

/** Where what is stored grows evenly with the index: that, in a word. */
function straight(sites: readonly Site[]): Content | undefined {
  const [site] = sites;
  const value = site?.value;
  if (!site || !value || sites.length > 1) return undefined;
  if (value.terms.size === 0) return value.constant === 0 ? { kind: "zero" } : { kind: "constant", value: value.constant };
  const stride = slope(site.line, value);
  return stride === undefined ? undefined : { kind: "linear", stride, start: value.constant - stride * site.line.constant };
}

/** How much one line grows with another; undefined where that is not the same for each counter. */
function slope(along: Line, line: Line): number | undefined {
  const counters = new Set([...along.terms.keys(), ...line.terms.keys()].filter(({ turns }) => turns > 1));
  const slopes = new Set([...counters].map((counter) => (line.terms.get(counter) ?? 0) / (along.terms.get(counter) ?? 0)));
  const [only] = slopes;
  return slopes.size === 1 && only !== undefined && Number.isFinite(only) ? only : undefined;
}
