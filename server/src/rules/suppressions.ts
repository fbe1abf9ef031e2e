/** `// warplens-disable-next-line RULE[, RULE] -- reason` and its kin, and which of them were of no use. */
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

const directive = /^\s*warplens-(disable-next-line|disable-line|disable-file|disable|enable)(?![\w-])\s*([\s\S]*)$/;

export class Suppressions {
  readonly #reading: Reading;
  readonly #all: Suppression[] = [];
  readonly #problems: Finding[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
    for (const comment of reading.comments) this.#read(comment);
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
    else this.#all.push({ place, selectors: known, used: new Set(), ...covered(kind, place, source) });
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
    return idle.reduce(
      (rest, selector) => rest.replace(new RegExp(`\\s*,\\s*${selector}(?![\\w-])|(?<![\\w-])${selector}\\s*,\\s*`), ""),
      text,
    );
  }
}

function covered(kind: string | undefined, place: Place, source: string): { start: number; end: number } {
  const lineEnd = (offset: number): number => source.indexOf("\n", offset) + 1 || source.length + 1;
  if (kind === "disable-file") return { start: 0, end: source.length + 1 };
  if (kind === "disable") return { start: place.end, end: source.length + 1 };
  if (kind === "disable-line") return { start: source.lastIndexOf("\n", place.start - 1) + 1, end: lineEnd(place.end) };
  // Several such comments may stand above one line.
  let start = lineEnd(place.end);
  for (;;) {
    const end = lineEnd(start);
    if (start >= source.length || !/^\s*\/\/\s*warplens\b/.test(source.slice(start, end))) return { start, end };
    start = end;
  }
}
