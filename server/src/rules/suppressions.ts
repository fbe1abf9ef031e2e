/** `// warplens-disable-next-line RULE[, RULE] -- reason` and its kin, and which of them were of no use. */
import { lineStarts } from "../syntax/lines.ts";
import type { Comment } from "../syntax/preprocess/types.ts";
import type { Place, Reading } from "../syntax/reading.ts";
import type { Finding, Rule } from "./rule.ts";
import { matching, selectorProblem } from "./selection.ts";

interface Suppression {
  readonly place: Place;
  /** What it covers, as offsets in the comment's file. */
  readonly start: number;
  end: number;
  /** Empty: every rule. */
  readonly selectors: readonly string[];
  readonly used: Set<string>;
}

const directive = /^\s*warplens-(disable-next-line|disable-line|disable-kernel|disable-file|disable|enable)(?![\w-])([\s\S]*)$/;

/** Comments that are heeded. */
const mostSuppressions = 5000;

export class Suppressions {
  readonly #reading: Reading;
  readonly #kernels: readonly Place[];
  readonly #all: Suppression[] = [];
  readonly #problems: Finding[] = [];
  /** Where lines start, by file. */
  readonly #lines = new Map<number, readonly number[]>();
  /** Of a line of such comments alone, by file and number, the first line that is none. */
  readonly #belowStack = new Map<string, number>();

  /** @param kernels where the definitions of kernels stand */
  constructor(reading: Reading, kernels: readonly Place[]) {
    this.#reading = reading;
    this.#kernels = kernels;
    for (const comment of reading.comments) {
      this.#read(comment);
      if (this.#all.length < mostSuppressions) continue;
      this.#problems.push({ span: comment.place, message: `Only the first ${mostSuppressions} suppressions of a file are heeded.` });
      break;
    }
  }

  /** Whether a finding of a rule at a place is suppressed. The suppression counts as used. */
  covers(rule: Rule, place: Place): boolean {
    let covered = false;
    for (const each of this.#all) {
      if (each.place.file !== place.file || place.start < each.start || place.start >= each.end) continue;
      const selector = each.selectors.length === 0 ? "" : each.selectors.find((selector) => matching(selector).includes(rule));
      if (selector === undefined) continue;
      each.used.add(selector);
      covered = true;
    }
    return covered;
  }

  /**
   * Suppressions in the opened file that suppressed nothing, and those that name no rule.
   * @param ran the rules whose findings are all known: of the others nothing can be said
   */
  *unused(ran: ReadonlySet<Rule>): Generator<Finding> {
    yield* this.#problems;
    for (const { place, selectors, used } of this.#all) {
      if (place.file !== 0) continue;
      const named = selectors.length === 0 ? [""] : selectors;
      const idle = named.filter(
        (selector) => !used.has(selector) && (selector === "" ? ran.size > 0 : matching(selector).every((rule) => ran.has(rule))),
      );
      if (idle.length === 0 || (selectors.length === 0 && used.size > 0)) continue;
      const what = idle.map((selector) => (selector === "" ? "it" : `\`${selector}\``)).join(", ");
      const whole = idle.length === named.length;
      const edit = whole ? { span: this.#removal(place), newText: "" } : { span: place, newText: this.#without(place, idle) };
      yield {
        span: place,
        message: `This suppression is not needed: ${what} ${idle.length > 1 ? "find" : "finds"} nothing here.`.replace(
          "it finds",
          "no rule finds",
        ),
        fix: { title: whole ? "Remove the comment" : `Remove ${what}`, safe: true, edits: [edit] },
      };
    }
  }

  #read({ text, place }: Comment): void {
    const body = text.startsWith("//") ? text.slice(2) : text.slice(2, -2);
    const match = directive.exec(body);
    if (!match) return;
    const [, kind, rest = ""] = match;
    const selectors = (rest.split(/(?:^|\s)--(?:\s|$)/, 1)[0] ?? "").split(/[\s,]+/).filter((selector) => selector !== "");
    for (const selector of selectors) {
      const problem = selectorProblem(selector);
      if (problem && place.file === 0) this.#problems.push({ span: place, message: `${problem}.`.replace("?.", "?") });
    }
    const known = selectors.filter((selector) => selectorProblem(selector) === undefined);
    if (selectors.length > 0 && known.length === 0) return;
    const source = this.#reading.sources[place.file] ?? "";
    if (kind === "enable") this.#enable(place, known);
    else this.#all.push({ place, selectors: known, used: new Set(), ...this.#covered(kind, place, source) });
  }

  #covered(kind: string | undefined, { file, start, end }: Place, source: string): { start: number; end: number } {
    if (kind === "disable-file") return { start: 0, end: source.length + 1 };
    if (kind === "disable") return { start: end, end: source.length + 1 };
    if (kind === "disable-kernel") return this.#kernelOf(file, start) ?? { start, end };
    const lines = this.#linesOf(file);
    const { line } = this.#reading.position(file, start);
    const last = this.#reading.position(file, end).line;
    const lineAt = (index: number): number => lines[index] ?? source.length + 1;
    if (kind === "disable-line") return { start: lineAt(line), end: lineAt(last + 1) };
    // Several such comments may stand above one line.
    const passed: number[] = [];
    let next = last + 1;
    for (; next < lines.length; next++) {
      const below = this.#belowStack.get(`${file}:${next}`);
      next = below ?? next;
      if (below !== undefined || !/^\s*\/\/\s*warplens\b/.test(source.slice(lineAt(next), lineAt(next + 1)))) break;
      passed.push(next);
    }
    for (const each of passed) this.#belowStack.set(`${file}:${each}`, next);
    return { start: lineAt(next), end: lineAt(next + 1) };
  }

  /** The kernel that the comment stands in, or the next below it. */
  #kernelOf(file: number, at: number): { start: number; end: number } | undefined {
    const own = this.#kernels.filter((each) => each.file === file && each.end > at).sort((a, b) => a.start - b.start);
    return own[0] && { start: own[0].start, end: own[0].end };
  }

  #linesOf(file: number): readonly number[] {
    const known = this.#lines.get(file) ?? lineStarts(this.#reading.sources[file] ?? "");
    this.#lines.set(file, known);
    return known;
  }

  /** Ends the regions of the same rules; without rules, all regions. */
  #enable(place: Place, selectors: readonly string[]): void {
    for (const each of this.#all) {
      const same = selectors.length === 0 || each.selectors.some((selector) => selectors.includes(selector));
      if (each.place.file === place.file && each.end > place.start && each.start <= place.start && same) each.end = place.start;
    }
  }

  /** The comment, with its line when nothing else stands there. */
  #removal(place: Place): Place {
    const source = this.#reading.sources[place.file] ?? "";
    let start = place.start;
    while (start > 0 && /[ \t]/.test(source[start - 1] ?? "")) start--;
    let end = place.end;
    while (/[ \t]/.test(source[end] ?? "")) end++;
    const alone = (start === 0 || source[start - 1] === "\n") && /^(\r?\n|$)/.test(source.slice(end, end + 2));
    if (!alone) return { file: place.file, start, end: place.end };
    return { file: place.file, start, end: end + (/^\r?\n/.exec(source.slice(end, end + 2))?.[0].length ?? 0) };
  }

  #without(place: Place, idle: readonly string[]): string {
    const text = (this.#reading.sources[place.file] ?? "").slice(place.start, place.end);
    return idle.reduce(withoutMember, text);
  }
}

/** A list without a member, and without the comma that parts it from the rest. */
function withoutMember(list: string, member: string): string {
  for (const { 0: found, index } of list.matchAll(/[\w-]+/g)) {
    if (found !== member) continue;
    const before = list.slice(0, index).trimEnd();
    const after = list.slice(index + found.length);
    if (before.endsWith(",")) return before.slice(0, -1).trimEnd() + after;
    if (after.trimStart().startsWith(",")) return list.slice(0, index) + after.trimStart().slice(1).trimStart();
  }
  return list;
}
