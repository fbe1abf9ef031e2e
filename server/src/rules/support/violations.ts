/** What the simulated blocks did wrong, one for each place in the source, and the words for it. */
import type { Actor, Assumption, Violation } from "@warplens/sim-engine";
import type { Place } from "../../syntax/reading.ts";
import { formatAssumption, formatDim } from "../../units.ts";
import type { Finding, Related, RuleContext, SimulatedLaunch } from "../rule.ts";
import { textAt } from "./edits.ts";
import { groupBy } from "./group-by.ts";

type Kind = Violation["kind"];
export type Of<K extends Kind> = Extract<Violation, { readonly kind: K }>;

interface Witnessed {
  readonly violation: Violation;
  readonly launch: SimulatedLaunch;
  readonly place: Place;
  /** The text there. */
  readonly text: string;
}

export interface Shown<K extends Kind> extends Witnessed {
  readonly violation: Of<K>;
}

/** The violations of a kind, each place once. */
export const shown = <K extends Kind>(context: RuleContext, kind: K): Shown<K>[] => oncePerPlace(allShown(context, kind));

/** The violations of a kind. What rests on a value that nobody said is left out: it shows nothing. */
export function allShown<K extends Kind>({ program: { reading }, launches }: RuleContext, kind: K): Shown<K>[] {
  const known = new Set(launches.filter(isKnown).map(({ fact }) => fact.kernelName));
  return launches.filter(ofOrder.has(kind) ? isConfigured : isKnown).flatMap((launch) =>
    (launch.report.violations ?? []).flatMap((violation): Shown<K>[] => {
      // A launch that is known shows what assumed numbers only suggest.
      if (violation.kind !== kind || (violation.assumed && known.has(launch.fact.kernelName))) return [];
      const place = placeIn(launch, violation.by.at, reading.files);
      return place ? [{ violation: violation as Of<K>, launch, place, text: textAt(reading, place) }] : [];
    }),
  );
}

export const oncePerPlace = <K extends Kind>(all: readonly Shown<K>[]): Shown<K>[] =>
  [...groupBy(all, ({ place }) => `${place.file}:${place.start}-${place.end}`).values()].flatMap((group) => group.slice(0, 1));

/** A place of the kernel's files, as a place of those that were read. */
export function placeIn({ kernel }: SimulatedLaunch, { file, start, end }: Actor["at"], files: readonly string[]): Place | undefined {
  const index = files.indexOf(kernel.files[file] ?? "");
  return index < 0 ? undefined : { file: index, start, end };
}

/** The source or the user says all that decides what its threads do, but for what buffers hold. */
export const isKnown = ({ fact }: Pick<SimulatedLaunch, "fact">): boolean => fact.assumptions.every(isHarmless);

/** What threads do to each other, wherever memory lies and however large it is. */
const ofOrder: ReadonlySet<Kind> = new Set(["shared-race", "global-race", "divergent-barrier"]);

/** The same, but for numbers that the kernel is given, too: of what rests on those the engine says so. */
const isConfigured = ({ fact, kernel }: SimulatedLaunch): boolean =>
  fact.configuration.length === 0 &&
  fact.assumptions.every((assumption) => isHarmless(assumption) || kernel.parameters.some(({ name }) => name === assumption.what));

/** What a makefile says, and what is made of the code: neither changes what the source has threads do. */
const saidElsewhere: ReadonlySet<string> = new Set([
  "the program's arguments",
  "other configurations",
  "compile options",
  "optimisation",
  "architecture of code",
]);

/** Said in other words, or without influence on what threads do. */
const isHarmless = ({ what, value }: Assumption): boolean =>
  saidElsewhere.has(what) ||
  (typeof value === "string" && /^(success|nothing|a buffer of its own|all the kernel reaches|memory of its own)/.test(value));

/** What it rests on that nobody says, in words: "`n` = 512". */
const assumedOf = ({ launch, violation }: Witnessed): string[] =>
  (violation.assumed ?? []).flatMap((name) =>
    launch.fact.assumptions.filter(({ what }) => what === name).map(({ value }) => formatAssumption(`\`${name}\``, value)),
  );

/** " Assumes `n` = 512." */
export function assuming(each: Witnessed): string {
  const assumed = assumedOf(each);
  const more = assumed.length > 3 ? ` and ${assumed.length - 3} more` : "";
  return assumed.length === 0 ? "" : ` Assumes ${assumed.slice(0, 3).join(", ")}${more}.`;
}

/** What a finding says besides its words: the launch, the kernel, the witness; where something is assumed it is information at most. */
export function about(
  each: Witnessed,
  related: readonly Related[] = [],
): Pick<Finding, "kernel" | "related" | "witness" | "assumed" | "atMost"> {
  const { launch, violation } = each;
  const { fact, report } = launch;
  const assumed = assumedOf(each);
  const turn = violation.later ? ", in a later turn of the loop around it" : "";
  const message = `in this launch of \`${report.kernel}\`: grid ${formatDim(report.grid)}, block ${formatDim(report.block)}${turn}`;
  return {
    kernel: report.kernel,
    related: [...related, ...allocationIn(fact, violation), { at: fact.at, message }],
    witness: violation,
    ...(assumed.length === 0 ? {} : { assumed, atMost: "information" as const }),
  };
}

/** Where the memory that it is about is allocated. */
function allocationIn({ allocations }: SimulatedLaunch["fact"], violation: Violation): Related[] {
  const object = "object" in violation && violation.object.kind === "buffer" ? violation.object : undefined;
  const at = object && allocations?.get(object.name);
  return object && at
    ? [{ at, message: `\`${object.name}\` is allocated here${object.bytes === undefined ? "" : `: ${count(object.bytes)} bytes`}` }]
    : [];
}

/** "thread (255, 0, 0) of block (99, 0, 0)" */
export const threadOf = ({ thread, block }: Pick<Actor, "thread" | "block">): string => `thread ${tuple(thread)} of block ${tuple(block)}`;

export const tuple = (index: readonly [number, number, number]): string => `(${index.join(", ")})`;

const verbs: Readonly<Record<Actor["operation"], string>> = {
  load: "reads",
  store: "writes",
  atomic: "updates",
  copy: "copies",
  barrier: "waits at",
  arithmetic: "works out",
};

export const verbOf = ({ operation }: Pick<Actor, "operation">): string => verbs[operation];

/** What is missing between two accesses of a block: a barrier, or where one store does both, what would say which value stays. */
export function unordered(sameWarp: boolean, values: readonly [number, number] | undefined): string {
  if (sameWarp && values) return `one ${values[0]} and the other ${values[1]}: nothing says which stays`;
  return `with no ${sameWarp ? "`__syncwarp()`" : "`__syncthreads()`"} between`;
}

const count = (value: number): string => value.toLocaleString("en-US");

/** "`c` has 1,000 elements of 4 bytes", or bytes where they do not divide it. */
export function sizeOf({ object, width }: Of<"out-of-bounds">): string {
  const { name, bytes, kind } = object;
  const what = name === "" ? (kind === "buffer" ? "the allocation" : "the array") : `\`${name}\``;
  const element = elementOf(object, width);
  const isWhole = bytes % element === 0 && !(element === 1 && width > 1);
  return isWhole
    ? `${what} has ${count(bytes / element)} elements of ${element} ${element === 1 ? "byte" : "bytes"}`
    : `${what} has ${count(bytes)} bytes`;
}

/** "element 25,599" as the array is declared, "elements 96 to 99" of an access that is wider, or "byte 13". */
export function elementAt({ object, offset, width }: Pick<Of<"misaligned">, "object" | "offset" | "width">): string {
  const element = elementOf(object, width);
  // A member of an element.
  if (element > width) return `element ${count(Math.floor(offset / element))}`;
  if (offset % element !== 0 || width % element !== 0 || (element === 1 && width > 1)) return `byte ${count(offset)}`;
  const first = offset / element;
  return element === width ? `element ${count(first)}` : `elements ${count(first)} to ${count(first + width / element - 1)}`;
}

const elementOf = ({ elementBytes }: Of<"misaligned">["object"], width: number): number => elementBytes ?? width;
