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

/** The violations of a kind, each place once: in the launch that rests on the least that nobody said. */
export function shown<K extends Kind>({ program: { reading }, launches }: RuleContext, kind: K): Shown<K>[] {
  const all = launches.flatMap((launch) =>
    (launch.report.violations ?? []).flatMap((violation): Shown<K>[] => {
      if (violation.kind !== kind) return [];
      const place = placeIn(launch, violation.by.at, reading.files);
      return place ? [{ violation: violation as Of<K>, launch, place, text: textAt(reading, place) }] : [];
    }),
  );
  return [...groupBy(all, ({ place }) => `${place.file}:${place.start}-${place.end}`).values()].flatMap((group) =>
    group.sort((a, b) => inventions(a.launch).length - inventions(b.launch).length).slice(0, 1),
  );
}

/** A place of the kernel's files, as a place of those that were read. */
export function placeIn({ kernel }: SimulatedLaunch, { file, start, end }: Actor["at"], files: readonly string[]): Place | undefined {
  const index = files.indexOf(kernel.files[file] ?? "");
  return index < 0 ? undefined : { file: index, start, end };
}

/** What of a launch nobody says and somebody has to: a size, a configuration, that it is reached at all. */
export const inventionsOf = (assumptions: readonly Assumption[]): readonly Assumption[] =>
  assumptions.filter(({ what, value }) => !isHarmless(what, value));

const inventions = ({ fact }: SimulatedLaunch): readonly Assumption[] => inventionsOf(fact.assumptions);

/** What is said in other words, or changes nothing of what threads do. */
const isHarmless = (what: string, value: number | string): boolean =>
  what === "the program's arguments" ||
  what === "other configurations" ||
  (typeof value === "string" && /^(success|nothing|a buffer of its own|all the kernel reaches|memory of its own)/.test(value));

/** What a finding says besides its words: the launch, the kernel, what is assumed. */
export function about(
  { launch, violation }: Witnessed,
  related: readonly Related[] = [],
): Pick<Finding, "kernel" | "related" | "atMost" | "assumed" | "witness"> {
  const { fact, report } = launch;
  const assumed = [...new Set(inventions(launch).map(({ what, value }) => formatAssumption(what, value)))];
  const of = `${fact.expression ? "in this launch" : "in an assumed launch"} of \`${report.kernel}\`: grid ${formatDim(report.grid)}, block ${formatDim(report.block)}`;
  return {
    kernel: report.kernel,
    related: [...related, { at: fact.at, message: of }],
    witness: violation,
    ...(assumed.length > 0 ? { atMost: "information", assumed } : {}),
  };
}

/** " Assumes n = 64." */
export function assumptionsIn({ launch }: Witnessed): string {
  const texts = [...new Set(inventions(launch).map(({ what, value }) => formatAssumption(what.replace(/(?<!\w)\w+$/, "`$&`"), value)))];
  return texts.length === 0 ? "" : ` Assumes ${texts.slice(0, 3).join(", ")}.`;
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
};

export const verbOf = ({ operation }: Pick<Actor, "operation">): string => verbs[operation];

const count = (value: number): string => value.toLocaleString("en-US");

/** "`c` has 1,000 elements of 4 bytes", or bytes where they do not divide it. */
export function sizeOf({ name, bytes, kind }: Of<"out-of-bounds">["object"], width: number): string {
  const what = name === "" ? (kind === "buffer" ? "the allocation" : "the array") : `\`${name}\``;
  return bytes % width === 0 ? `${what} has ${count(bytes / width)} elements of ${width} bytes` : `${what} has ${count(bytes)} bytes`;
}

/** "element 25,599", or "byte 13". */
export const elementAt = (offset: number, width: number): string =>
  offset % width === 0 ? `element ${count(offset / width)}` : `byte ${count(offset)}`;
