/**
 * Tries fixes before they are offered: each is applied in memory, parsed, lowered, and the launches that it touches are run on the same
 * inputs before and after it, and timed.
 */
import { Cancelled, compareOutcomes, type GpuModel, type Kernel, type Work } from "@warplens/sim-engine";
import { sameMembers } from "../analysis/database/database.ts";
import { type LaunchFact, NotSimulated, type Program } from "../analysis/facts.ts";
import { ProgramDatabase } from "../analysis/program-database.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import { type FixProof, lint } from "../lint.ts";
import type { Changes, Rule, SimulatedLaunch } from "../rules/rule.ts";
import { leastGainNs, leastGainPercent } from "../rules/worth.ts";
import { codeText, hash, launchText } from "../simulate/report-cache.ts";
import { type Outcome, simulateLaunch } from "../simulate.ts";
import { currentParser } from "../syntax/current-parser.ts";
import { withoutTrees } from "../syntax/parser/without-trees.ts";
import type { Reading } from "../syntax/reading.ts";
import { formatTime } from "../units.ts";
import { newlyIllFormed } from "./ill-formed.ts";

/** Launches that are run for one fix: those that take longest. */
const mostLaunches = 3;
/** Characters of a file and its headers, up to which it is analysed a second time beside itself: they take up to 200 bytes each. */
const longestSources = 1_250_000;
/** Fixes whose proofs are remembered. */
const mostRemembered = 256;

/** What fixes are tried on: a file as it is now. */
export interface Subject {
  readonly program: Program;
  readonly settings: AnalysisSettings;
  readonly gpu: GpuModel;
}

/** A changed file, and what it was changed for. */
export interface Proposal {
  /** The file that is edited: the opened one, or a header. */
  readonly path: string;
  /** It, with the change. */
  readonly text: string;
  readonly safe: boolean;
  /** The rule that found what is mended: nothing of that may be left. */
  readonly rule?: Rule;
  /** The user wishes it: it may take longer, and what it gains or costs is told however little that is. */
  readonly wish?: Wish;
}

export interface Wish {
  readonly changes?: Changes;
}

/** Why a fix is not to be offered, in words for the log. */
class Withheld extends Error {}

/** A launch with its code before and after. */
interface Touched {
  readonly before: LaunchFact;
  readonly after: LaunchFact;
}

export class Prover {
  readonly #programs: ProgramDatabase;
  readonly #known = new Map<string, FixProof>();
  /** What launches come to, by what they are made of. */
  readonly #texts = new WeakMap<object, { readonly stamp: readonly unknown[]; readonly text: string }[]>();
  /** Headers that were edited for the fix before. */
  #edited: string | undefined;

  /** @param files what is on disk, or open */
  constructor(files: FileHost) {
    this.#programs = new ProgramDatabase(
      files,
      withoutTrees(() => currentParser()),
    );
  }

  /**
   * Tries a fix. What throws on the way, but for `Cancelled`, withholds it.
   * @param work bounds what running its launches may take
   */
  prove(subject: Subject, proposal: Proposal, work: Work): FixProof {
    const { program, settings, gpu } = subject;
    const file = program.reading.files.indexOf(proposal.path);
    const text = program.reading.sources[file];
    if (text === undefined) return { verdict: "withheld", why: `${proposal.path} is not read for this file` };
    const about = [program.path, proposal.rule?.id, proposal.wish, proposal.safe, gpu.values, settings, proposal.path];
    const key = [JSON.stringify(about), ...program.reading.sources, proposal.text].map(hash).join(" ");
    const known = this.#known.get(key);
    if (known) return known;
    const proof = this.#tried(subject, proposal, work);
    this.#known.set(key, proof);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostRemembered && oldest !== undefined) this.#known.delete(oldest);
    return proof;
  }

  #tried(subject: Subject, proposal: Proposal, work: Work): FixProof {
    try {
      const after = this.#programs.within(work, () => this.#changed(subject, proposal));
      return proved(
        subject,
        after,
        proposal,
        this.#programs.within(work, () => this.#touched(subject.program, after, work)),
        work,
      );
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      return { verdict: "withheld", why: error instanceof Withheld ? error.message : `trying it failed: ${String(error)}` };
    }
  }

  #changed({ program, settings }: Subject, { path, text }: Proposal): Program {
    const programs = this.#programs;
    const length = program.reading.sources.reduce((sum, source) => sum + source.length, 0);
    if (length > longestSources)
      throw new Withheld(`the file and its headers have ${length.toLocaleString("en-US")} characters, too many to try a change of them`);
    const [opened = ""] = program.reading.sources;
    if (this.#edited !== undefined && this.#edited !== path) programs.close(this.#edited);
    this.#edited = path;
    if (path !== program.path) programs.setText(program.path, opened);
    programs.setText(path, text);
    programs.configure(program.path, settings);
    const after = programs.program(program.path);
    if (after.unit.errors.length > program.unit.errors.length) throw new Withheld("the text does not parse any more");
    const illFormed = newlyIllFormed(program, after);
    if (illFormed !== undefined) throw new Withheld(`it would not compile: ${illFormed}`);
    if (after.reading.cuts.length > program.reading.cuts.length) throw new Withheld(after.reading.cuts.at(-1)?.reason ?? "");
    return after;
  }

  /** The launches whose code, or what they are given, differ. */
  #touched(before: Program, after: Program, work: Work): Touched[] {
    const pairs = before.launches.map((launch, index) => ({ before: launch, after: after.launches[index] }));
    const isOther = (one: LaunchFact, other: LaunchFact | undefined): boolean =>
      one.kernelName !== other?.kernelName || (one.expression === undefined) !== (other.expression === undefined);
    if (before.launches.length !== after.launches.length || pairs.some((pair) => isOther(pair.before, pair.after)))
      throw new Withheld("the program makes other launches then");
    return pairs.flatMap((pair): Touched[] => {
      const now = pair.after;
      return now && this.#textOf(pair.before, before, work) !== this.#textOf(now, after, work) ? [{ before: pair.before, after: now }] : [];
    });
  }

  /** What is run, wherever it stands; the reason where that cannot be told. */
  #textOf(fact: LaunchFact, { reading }: Program, work: Work): string {
    const { stamp, launch } = fact;
    const owner = stamp?.find((member) => typeof member === "object" && member !== null) as object | undefined;
    const all = owner && (this.#texts.get(owner) ?? []);
    const known = stamp && all?.find((each) => sameMembers(each.stamp, stamp));
    if (known) return known.text;
    const kernel = lowered(fact, work);
    const text = launch && typeof kernel !== "string" ? `${codeText(kernel)} ${launchText(launch)}` : ownText(fact, reading);
    if (owner && all && stamp) this.#texts.set(owner, [...all, { stamp, text }]);
    return text;
  }
}

/** The kernel's code, or why there is none. */
function lowered(fact: LaunchFact, work: Work): Kernel | string {
  try {
    return fact.lower(work);
  } catch (error) {
    if (error instanceof NotSimulated) return error.message;
    throw error;
  }
}

/** Of a kernel that is not simulated: as it is written. */
function ownText({ kernelName, kernel, reason }: LaunchFact, { sources }: Reading): string {
  const { file, start, end } = kernel?.at ?? { file: 0, start: 0, end: 0 };
  return `${kernelName} ${reason} ${(sources[file] ?? "").slice(start, end)}`;
}

function proved(subject: Subject, after: Program, proposal: Proposal, touched: readonly Touched[], work: Work): FixProof {
  const { rule, safe, wish } = proposal;
  const said = wish ? wish.changes : rule?.changes;
  const changes = safe && said !== "spelling" ? undefined : said;
  const ran: Ran[] = [];
  const notRun: string[] = [];
  for (const pair of inTurn(touched).slice(0, mostLaunches)) {
    const why = notComparable(pair, work);
    const found = why === undefined ? run(subject, after, pair, { changes, safe, mayBeSlower: wish !== undefined }, work) : undefined;
    if (found) ran.push(found);
    if (why !== undefined) notRun.push(why);
  }
  const [reason] = notRun;
  if (touched.length === 0 && changes !== "spelling" && changes !== "faults" && !isCommentOnly(subject.program, after))
    throw new Withheld("no launch is known that runs what it changes");
  if (reason !== undefined && changes !== "spelling") throw new Withheld(reason);
  holdFindings(subject.program, after, rule, ran);
  if (reason !== undefined) return { verdict: "unchecked", why: reason };
  const [most] = [...ran].sort((a, b) => Math.abs(b.fromNs - b.toNs) - Math.abs(a.fromNs - a.toNs));
  const compared = comparedOf(ran, changes, safe);
  if (!most || (!wish && !isNoticeable(most.fromNs, most.toNs))) return { verdict: "proved", ...compared };
  const gain = { fromNs: Math.round(most.fromNs), toNs: Math.round(most.toNs) };
  return { verdict: "proved", ...compared, gain, ...(most.isAssumed ? { assumedLaunch: true } : {}) };
}

/** How what the launches leave in memory was held against what they left before. */
function comparedOf(
  ran: readonly Ran[],
  changes: Changes | undefined,
  safe: boolean,
): Pick<FixProof & { readonly verdict: "proved" }, "compared"> {
  if (ran.length === 0) return {};
  const results = changes === "faults" ? "not compared" : !safe && changes === "rounding" ? "equal but for rounding" : "equal";
  return { compared: { launches: ran.length, results } };
}

/** Each kernel's first launch, then the others. */
function inTurn(touched: readonly Touched[]): readonly Touched[] {
  const seen = new Set<string>();
  const isFirst = touched.map(({ before: { kernelName } }) => !seen.has(kernelName) && seen.add(kernelName) !== undefined);
  return [...touched.filter((_, k) => isFirst[k]), ...touched.filter((_, k) => !isFirst[k])];
}

/** Why a launch cannot be run before the fix; whoever cannot be run after it, but before, withholds it. */
function notComparable({ before, after }: Touched, work: Work): string | undefined {
  const [first, second] = [before, after].map((fact) => (fact.launch ? lowered(fact, work) : (fact.reason ?? "its launch is not known")));
  if (typeof first === "string") return `\`${before.kernelName}\` is not simulated: ${first}`;
  if (typeof second === "string") throw new Withheld(`\`${after.kernelName}\` cannot be simulated any more: ${second}`);
  if ((second?.assumptions?.length ?? 0) > (first?.assumptions?.length ?? 0))
    throw new Withheld(`more of \`${after.kernelName}\` would be assumed: ${second?.assumptions?.at(-1)?.why}`);
  return undefined;
}

interface Ran {
  readonly before: SimulatedLaunch;
  readonly after: SimulatedLaunch;
  readonly fromNs: number;
  readonly toNs: number;
  readonly isAssumed: boolean;
}

function run(
  { program, gpu }: Subject,
  fixed: Program,
  { before, after }: Touched,
  { changes, safe, mayBeSlower }: { readonly changes: Changes | undefined; readonly safe: boolean; readonly mayBeSlower: boolean },
  work: Work,
): Ran | undefined {
  const name = `\`${before.kernelName}\``;
  if (changes !== "faults" && before.launch && after.launch) {
    const sides = [before, after].map((fact) => ({ kernel: fact.lower(work), launch: fact.launch as NonNullable<LaunchFact["launch"]> }));
    const [first, second] = sides as [(typeof sides)[number], (typeof sides)[number]];
    const found = compareOutcomes(first, second, safe || changes !== "rounding", work);
    if (found.outcome === "unknown") throw new Withheld(`what ${name} leaves in memory could not be compared: ${found.why}`);
    if (found.outcome === "differs")
      throw new Withheld(`it changes what ${name} leaves: ${found.buffer}[${found.index}] is ${found.after} and not ${found.before}`);
  }
  const [was, is] = [simulateLaunch(before, program, gpu, work), simulateLaunch(after, fixed, gpu, work)];
  const [from, to] = [simulatedOf(was), simulatedOf(is)];
  if (from && !to) throw new Withheld(`${name} could not be timed any more: ${reasonOf(is)}`);
  const [fromNs, toNs] = [from?.report.time?.ns, to?.report.time?.ns];
  // One that could not be timed before, or is started only now, has nothing to be held against.
  if (!from || !to || fromNs === undefined || toNs === undefined) return undefined;
  if (!mayBeSlower && changes !== "faults" && toNs > fromNs && isNoticeable(fromNs, toNs))
    throw new Withheld(`${name} would be slower: ${formatTime(fromNs)} to ${formatTime(toNs)}`);
  const isAssumed = before.expression === undefined || before.configuration.length > 0;
  return { before: from, after: to, fromNs, toNs, isAssumed };
}

const simulatedOf = (outcome: Outcome | undefined): SimulatedLaunch | undefined =>
  outcome && "simulated" in outcome ? outcome.simulated : undefined;

const reasonOf = (outcome: Outcome | undefined): string =>
  outcome && "notSimulated" in outcome ? outcome.notSimulated.reason : "it takes too long";

/** What would not be worth telling as a gain is no loss either: times are not known more exactly. */
const isNoticeable = (from: number, to: number): boolean =>
  Math.abs(from - to) > Math.max(leastGainNs, (leastGainPercent / 100) * Math.min(from, to));

const isCommentOnly = (before: Program, after: Program): boolean =>
  sameMembers(
    before.items.map(({ text }) => text.replace(/\s+/g, " ").trim()),
    after.items.map(({ text }) => text.replace(/\s+/g, " ").trim()),
  );

/** What was found is gone, and no correctness rule finds more than before. */
function holdFindings(before: Program, after: Program, rule: Rule | undefined, ran: readonly Ran[]): void {
  const failed = (id: string, error: unknown): never => {
    throw new Withheld(`the rule ${id} fails on what it makes: ${String(error)}`);
  };
  const found = (program: Program, launches: readonly SimulatedLaunch[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { ruleId } of lint(program, launches, { select: [...(rule ? [rule.id] : []), "correctness"], leastGain: 0 }, failed))
      counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1);
    return counts;
  };
  const was = found(
    before,
    ran.map((each) => each.before),
  );
  const is = found(
    after,
    ran.map((each) => each.after),
  );
  for (const [id, count] of is) {
    if (id !== rule?.id && count > (was.get(id) ?? 0)) throw new Withheld(`${id} would be found then`);
  }
  if (rule && (is.get(rule.id) ?? 0) >= Math.max(1, was.get(rule.id) ?? 0)) throw new Withheld("what was found would still be found");
}
