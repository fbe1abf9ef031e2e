/** What the rules find in a program, as the editor and the command line show it. */
import type { Program } from "./analysis/facts.ts";
import { isLibraryHeader } from "./analysis/headers/index.ts";
import { visible } from "./foreign-text.ts";
import analysisLimit from "./rules/analysis-limit.ts";
import { findingsOf, type RuleFindings } from "./rules/findings.ts";
import { optionsIn } from "./rules/options.ts";
import type { Edit, Finding, RefusedLaunch, Related, Rule, RuleContext, Severity, SimulatedLaunch } from "./rules/rule.ts";
import { type Selection, selectedRules } from "./rules/selection.ts";
import { writtenAt, writtenEdits } from "./rules/support/edits.ts";
import { groupBy } from "./rules/support/group-by.ts";
import { SyntaxIndex } from "./rules/support/syntax-index.ts";
import { type Witness, witnessOf } from "./rules/support/witness.ts";
import { Suppressions } from "./rules/suppressions.ts";
import unusedSuppression from "./rules/unused-suppression.ts";
import { isWorthIt, type LeastGain, leastAssumedGainPercent, leastGainNs, leastGainPercent, programTime } from "./rules/worth.ts";
import type { Item } from "./syntax/item.ts";
import type { Place, Reading } from "./syntax/reading.ts";
import { stage } from "./trace.ts";

export interface LintSettings extends Selection {
  /** Percent of a launch's time below which findings of performance are not told. */
  readonly leastGain?: number;
  /** Without what only the host's launches tell, which take long to find: whoever asks so asks again with the simulated ones. */
  readonly quick?: boolean;
}

/** 0-based lines and UTF-16 characters, as in the language server protocol. */
export interface PositionRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/**
 * What is known of a fix, tried in memory before it is offered. `proved`: the text parses, the kernels that it touches leave the same in
 * memory, or what the fix says is other, do nothing wrong that they did not before, and take no longer; `unchecked`: it changes the
 * spelling alone, of what cannot be simulated; `withheld`: it is not to be offered.
 */
export type FixProof =
  | {
      readonly verdict: "proved";
      /** Launches that were run with it and without, and how what they left in memory was held against each other; absent for none. */
      readonly compared?: { readonly launches: number; readonly results: "equal" | "equal but for rounding" | "not compared" };
      /** Nanoseconds of the launch that it changes most. */
      readonly gain?: { readonly fromNs: number; readonly toNs: number };
      /** That launch is one that nobody makes, as far as is known. */
      readonly assumedLaunch?: true;
    }
  | { readonly verdict: "unchecked" | "withheld"; readonly why: string };

export interface DiagnosticFix {
  readonly title: string;
  readonly safe: boolean;
  /** What came of proving it; absent until that was tried. */
  readonly proof?: FixProof;
  /** In the diagnostic's own file; they do not overlap. */
  readonly edits: readonly { readonly range: PositionRange; readonly newText: string }[];
}

export interface Diagnostic {
  /** The opened file, or a header of the project in which a simulated access stands. */
  readonly path: string;
  readonly ruleId: string;
  readonly severity: Severity;
  /** One line in which everything shows, whatever the source holds. Plain text: backquotes stand around code. */
  readonly message: string;
  readonly range: PositionRange;
  readonly kernel?: string;
  readonly fixes: readonly DiagnosticFix[];
  readonly related: readonly { readonly path: string; readonly range: PositionRange; readonly message: string }[];
  readonly tags: readonly ("deprecated" | "unnecessary")[];
  /** Of performance: nanoseconds of the launch, and what it would take without what was found. */
  readonly gain?: { readonly fromNs: number; readonly toNs: number };
  /** What it rests on that nobody says. */
  readonly assumed?: readonly string[];
  /** Of correctness: what shows it. */
  readonly witness?: Witness;
  /** Made from simulated reports: valid until the next simulation, rather than the next edit. */
  readonly simulated: boolean;
  /** The rule's page. */
  readonly url: string;
}

/** Of more a file was not written by people. */
const mostCuts = 20;

/** Declarations at namespace level of which rules are asked: each costs what is kept of it, however short it is. */
const mostItems = 10_000;

interface Located {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly place: Place;
  readonly finding: Finding;
}

/**
 * Every finding of the selected rules that no comment suppresses, in source order.
 * @param launches the simulated launches; undefined when nothing was simulated, so that the rules that need it stay silent
 * @param refused launches that the GPU refuses, of those that were to be simulated
 * @param failed told of a rule that threw; its findings are missing, those of the others are not
 */
export function lint(
  program: Program,
  launches: readonly SimulatedLaunch[] | undefined,
  settings: LintSettings = {},
  failed: (rule: string, error: unknown) => void = () => undefined,
  refused: readonly RefusedLaunch[] = [],
): Diagnostic[] {
  const { reading, db, files, items } = program;
  const syntax = new SyntaxIndex({ items: () => items, reading, semantics: program.semantics });
  const context: RuleContext = { program, syntax, launches: launches ?? [], refused };
  const all = items.filter((item) => standsInOpened(item, reading));
  const own = all.slice(0, mostItems);
  const left = all[mostItems];
  const byRule = stage("rules by item", () => saidByRule(own, (item) => db.get(findingsOf(files), item)));
  const ran = new Set<Rule>();
  const located: Located[] = [];
  const selected = selectedRules(settings);
  const programNs = programTime(launches ?? []);
  for (const [rule, severity] of selected) {
    if (rule.simulated && !launches) continue;
    try {
      const options = optionsIn(rule, settings.rules?.[rule.id]);
      const found =
        rule.simulated || rule.ofFile
          ? [...rule.check(context, options)]
          : [...foundBy(byRule.get(rule), settings.quick ? undefined : context, failed)];
      if (!byRule.get(rule)?.some(({ said }) => said.failure)) ran.add(rule);
      for (const finding of inMacros(found, context, program, rule).filter((each) =>
        isWorthIt(each, { ...leastGainOf(rule, options, settings), programNs }),
      ))
        located.push({ rule, severity: capped(severity, finding.atMost), place: placeOf(reading, finding), finding });
    } catch (error) {
      failed(rule.id, error);
    }
  }
  const told = selected.get(analysisLimit);
  if (told) {
    for (const { place, reason } of reading.cuts.slice(0, mostCuts))
      located.push({ rule: analysisLimit, severity: told, place, finding: { span: place, message: reason } });
    if (left) located.push({ rule: analysisLimit, severity: told, ...unlookedAt(left, reading) });
  }
  const suppressions = new Suppressions(
    reading,
    program.kernels.map(({ at }) => at),
  );
  const isShown = (header: string): boolean => !isLibraryHeader(header) && program.isOfProject(header);
  const mayShow = ({ rule, place }: Located): boolean =>
    place.file === 0 || ((rule.simulated || rule.ofFile === true) && isShown(reading.files[place.file] ?? ""));
  const kept = withoutSaid(mostSpecific(located), reading).filter((each) => mayShow(each) && !suppressions.covers(each.rule, each.place));
  const severity = selected.get(unusedSuppression);
  if (severity) {
    for (const finding of suppressions.unused(ran))
      kept.push({ rule: unusedSuppression, severity, place: placeOf(reading, finding), finding });
  }
  return kept
    .sort(
      (a, b) =>
        a.place.file - b.place.file || a.place.start - b.place.start || a.place.end - b.place.end || a.rule.id.localeCompare(b.rule.id),
    )
    .map((each) => toDiagnostic(program, each));
}

/** What is said of the rule goes before what is said of all, unless the rule by itself asks for more. */
function leastGainOf(rule: Rule, options: Readonly<Record<string, number>>, { rules, leastGain }: LintSettings): LeastGain {
  const { minGain = leastGainPercent, minTime = leastGainNs / 1000 } = options;
  const own = rules?.[rule.id];
  const isSaid = typeof own === "object" && own.minGain !== undefined;
  const least = rule.options?.minGain === undefined ? 0 : minGain;
  const share = isSaid ? minGain : Math.max(least, leastGain ?? leastGainPercent);
  // Whoever wants to be told of less than is usual wants it of what is assumed, too.
  const minAssumedGain = share < leastGainPercent ? share : Math.max(share, leastAssumedGainPercent);
  return { minGain: share, minAssumedGain, minTime };
}

const bySeverity: readonly Severity[] = ["hint", "information", "warning", "error"];

const capped = (severity: Severity, most: Severity = "error"): Severity =>
  bySeverity.indexOf(severity) > bySeverity.indexOf(most) ? most : severity;

/** Its text begins where the declaration before it ends, which may be in a header: what is written of it counts. */
function standsInOpened({ base, text }: Item, reading: Reading): boolean {
  const first = base + Math.max(0, text.search(/\S/));
  const last = base + Math.max(0, text.trimEnd().length - 1);
  return [first, last].some((at) => reading.locate(at, at + 1).file === 0);
}

/** Where the first declaration stands that no rule was asked about. */
function unlookedAt({ base, text }: Item, reading: Reading): Pick<Located, "place" | "finding"> {
  const start = base + Math.max(0, text.search(/\S/));
  const place = reading.locate(start, start + 1);
  const message = `rules look at the first ${mostItems.toLocaleString("en")} declarations of a file: findings from here on are missing`;
  return { place, finding: { span: place, message } };
}

/** What a rule said of an item. */
interface ItemFindings {
  readonly item: Item;
  readonly said: RuleFindings;
}

function saidByRule(items: readonly Item[], saidOf: (item: Item) => readonly RuleFindings[]): Map<Rule, ItemFindings[]> {
  const byRule = new Map<Rule, ItemFindings[]>();
  for (const item of items)
    for (const said of saidOf(item)) {
      const known = byRule.get(said.rule);
      if (known) known.push({ item, said });
      else byRule.set(said.rule, [{ item, said }]);
    }
  return byRule;
}

/** What a rule found, item by item; again where it asked for launches, if they are known now. */
function* foundBy(
  all: readonly ItemFindings[] = [],
  context: RuleContext | undefined,
  failed: (rule: string, error: unknown) => void,
): Generator<Finding> {
  const { program, syntax } = context ?? {};
  for (const { item, said } of all) {
    if (said.failure) failed(said.rule.id, said.failure.error);
    if (said.asksLaunches && program && syntax)
      yield* said.rule.check({ program, syntax: syntax.lookingAt(item), launches: context?.launches ?? [] }, {});
    else yield* said.findings;
  }
}

/** Where a finding is shown: where the user wrote it, an argument of a macro too; else where the macro is used. */
function placeOf(reading: Reading, { span }: Pick<Finding, "span">): Place {
  if ("file" in span) return span;
  const written = reading.spelled(span.start, span.end);
  return written && written.macro === undefined ? written : reading.locate(span.start, span.end);
}

/** Uses of a macro that are told with its finding. */
const mostUses = 8;

/** One finding for each place and rule; of several rules on one place, the most specific. */
function mostSpecific(all: readonly Located[]): Located[] {
  const groups = groupBy(all, ({ place }) => `${place.file}:${place.start}-${place.end}`);
  return [...groups.values()].flatMap((group) => {
    const most = Math.max(...group.map(({ rule }) => rule.specificity));
    const rules = new Set<Rule>();
    return group.filter(({ rule }) => rule.specificity === most && !rules.has(rule) && rules.add(rule));
  });
}

/** Without those whose cause another rule's finding names in the same text, also as one of its further places. */
function withoutSaid(all: readonly Located[], reading: Reading): readonly Located[] {
  const winners = new Set(all.flatMap(({ rule }) => rule.givesWayTo ?? []));
  if (winners.size === 0) return all;
  const said = groupBy(
    all.filter(({ rule }) => winners.has(rule.id)),
    ({ rule }) => rule.id,
  );
  const overlap = (a: Place, b: Place): boolean => a.file === b.file && a.start < b.end && b.start < a.end;
  const placesOf = ({ place, finding }: Located): Place[] => [
    place,
    ...(finding.related ?? []).map(({ at }) => ("file" in at ? at : reading.locate(at.start, at.end))),
  ];
  /** What is said of one kernel says nothing of another that calls the same code. */
  const isOfSame = ({ kernel: a }: Finding, { kernel: b }: Finding): boolean => a === undefined || b === undefined || a === b;
  return all.filter(
    ({ rule, place, finding }) =>
      finding.stands === true ||
      !rule.givesWayTo?.some((id) =>
        said.get(id)?.some((each) => isOfSame(finding, each.finding) && placesOf(each).some((at) => overlap(at, place))),
      ),
  );
}

/**
 * Findings in text that a macro's body spells. When every expansion has the same finding with the same edits, they become
 * one, in the body, with the fix. Otherwise they are one at the first use, without a fix; of simulated rules each stays, as it is
 * about the values there.
 */
function inMacros(findings: readonly Finding[], context: RuleContext, { path, reading }: Program, { simulated }: Rule): Finding[] {
  const key = ({ fix }: Finding): string =>
    JSON.stringify(
      fix?.edits.map(({ span, newText }: Edit) => {
        const place = writtenAt(reading, span);
        return [place?.file, place?.start, place?.end, newText];
      }),
    );
  const isSpelledInMacro = ({ fix }: Finding): boolean =>
    fix?.edits.some(({ span }) => writtenAt(reading, span)?.macro !== undefined) ?? false;
  const result: Finding[] = [];
  /** What one macro's body spells, and cannot be mended there, is one finding at the first of its uses. */
  const first = new Map<string, Finding & { related: Related[] }>();
  const keep = (finding: Finding): void => {
    const at = "file" in finding.span ? undefined : reading.spelled(finding.span.start, finding.span.start + 1);
    if (at?.macro === undefined || finding.fix || simulated) {
      result.push(finding);
      return;
    }
    const body = `${at.file}:${at.start}`;
    const known = first.get(body);
    if (known && known.related.length < mostUses)
      known.related.push({ at: placeOf(reading, finding), message: `\`${at.macro}\` is used here, too` });
    if (known) return;
    const kept = { ...finding, related: [...(finding.related ?? [])] };
    first.set(body, kept);
    result.push(kept);
  };
  for (const finding of findings) if (!isSpelledInMacro(finding)) keep(finding);
  for (const group of groupBy(findings.filter(isSpelledInMacro), key).values()) {
    const [one] = group;
    const span = one && !("file" in one.span) ? one.span : undefined;
    const body = span && reading.spelled(span.start, span.end);
    if (!one?.fix || !span || !body || group.length !== context.syntax.copies(span)) {
      for (const { fix: _, ...finding } of group) keep(finding);
      continue;
    }
    // Another file may use a header's macro otherwise.
    const safe = group.every(({ fix }) => fix?.safe) && !/\.(cuh|h|hh|hpp|inl)$/.test(path);
    const uses = group.map(({ span }) => ({
      at: placeOf(reading, { span }),
      message: `\`${body.macro}\` is used here`,
    }));
    result.push({ ...one, span: body, fix: { ...one.fix, safe }, related: [...(one.related ?? []), ...uses.slice(0, mostUses)] });
  }
  return result;
}

export const rangeAt = (reading: Reading, { file, start, end }: Place): PositionRange => ({
  start: reading.position(file, start),
  end: reading.position(file, end),
});

function toDiagnostic({ reading, kernels }: Program, { rule, severity, place, finding }: Located): Diagnostic {
  const range = (at: Place): PositionRange => rangeAt(reading, at);
  const path = (file: number): string => reading.files[file] ?? "";
  const kernel = finding.kernel ?? kernels.find(({ at }) => at.file === place.file && at.start <= place.start && place.end <= at.end)?.name;
  const { fix } = finding;
  const edits = fix && writtenEdits(reading, fix)?.map(({ at, newText }) => ({ range: range(at), newText }));
  const related = (finding.related ?? []).map(({ at, message }) => ({ at: "file" in at ? at : reading.locate(at.start, at.end), message }));
  return {
    path: path(place.file),
    ruleId: rule.id,
    severity,
    message: visible(finding.message),
    range: range(place),
    ...(kernel === undefined ? {} : { kernel }),
    fixes: fix && edits ? [{ title: visible(fix.title), safe: fix.safe, edits }] : [],
    related: related.map(({ at, message }) => ({ path: path(at.file), range: range(at), message: visible(message) })),
    tags: rule.tag ? [rule.tag] : [],
    ...(finding.gain ? { gain: { fromNs: Math.round(finding.gain.ns), toNs: Math.round(finding.gain.without) } } : {}),
    ...(finding.assumed ? { assumed: finding.assumed.map((text) => visible(text)) } : {}),
    ...(finding.witness ? { witness: witnessOf(finding.witness) } : {}),
    simulated: rule.simulated,
    url: rule.url,
  };
}
