/**
 * A gate: what must hold of kernels for a change to pass, one text in `gates` of `warplens.json`.
 *
 *     KERNEL [in FILE] [on GPU]: FIGURE < VALUE         <, <=, >, >=, =
 *     KERNEL [in FILE] [on GPU]: FIGURE < N % of base   of what it was at another revision
 *     KERNEL [in FILE] [on GPU]: no [new] finding [of SEVERITY or RULE]
 *     KERNEL [in FILE] [on GPU]: [new] findings [of SEVERITY or RULE] < N
 *
 * In KERNEL and FILE `*` stands for any characters. A severity stands for itself and the worse ones.
 */
import { selectorProblem } from "../rules/selection.ts";
import { severities } from "../rules/severities.ts";
import { suggest } from "../rules/suggest.ts";
import { type Figure, figures } from "./figures.ts";

export type Comparison = "<" | "<=" | ">" | ">=" | "=";

export interface Bound {
  readonly comparison: Comparison;
  /** In the least unit of what is bounded; with `ofBase` in percent of what it was. */
  readonly limit: number;
  readonly ofBase: boolean;
}

export type Condition =
  | { readonly kind: "figure"; readonly figure: Figure; readonly bound: Bound }
  | { readonly kind: "findings"; readonly isNew: boolean; readonly of?: string; readonly bound: Bound };

export interface Gate {
  /** As it is written. */
  readonly text: string;
  readonly kernel: string;
  readonly file?: string;
  /** As the user names it; absent: the project's. */
  readonly gpu?: string;
  readonly condition: Condition;
}

const form = "a gate is `KERNEL [in FILE] [on GPU]: CONDITION`, such as `transpose on h200: time < 200 us`";
const comparisons: readonly Comparison[] = ["<=", ">=", "<", ">", "="];

class Problem extends Error {}

/** The gate that a text says, or one sentence on what is wrong with it. */
export function readGate(text: string): Gate | { readonly problem: string } {
  try {
    const colon = colonIn(text);
    if (colon === undefined) throw new Problem(form);
    return { text, ...subjectOf(text.slice(0, colon)), condition: conditionOf(text.slice(colon + 1).trim()) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

/** Whether a name is one that a pattern stands for. */
export function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === name;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    at = name.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return at <= name.length - last.length;
}

/** The colon behind the subject: not one of `::`, nor within `<...>`. */
function colonIn(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "<") depth++;
    else if (character === ">") depth--;
    else if (character === ":" && text[at + 1] === ":") at++;
    else if (character === ":" && depth <= 0) return at;
  }
  return undefined;
}

function subjectOf(text: string): Pick<Gate, "kernel" | "file" | "gpu"> {
  const [kernel, ...rest] = wordsOf(text);
  if (kernel === undefined) throw new Problem(form);
  // As reports write template arguments.
  const subject: { kernel: string; file?: string; gpu?: string } = {
    kernel: kernel
      .split(/,/)
      .map((part) => part.trim())
      .join(", "),
  };
  for (let at = 0; at < rest.length; at += 2) {
    const [word, value] = [rest[at], rest[at + 1]];
    const key = word === "in" ? "file" : word === "on" ? "gpu" : undefined;
    if (key === undefined || value === undefined || subject[key] !== undefined) throw new Problem(form);
    subject[key] = value;
  }
  return subject;
}

/** Words, parted by blanks outside of `<...>`. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let depth = 0;
  let word = "";
  for (const character of `${text} `) {
    if (character === "<") depth++;
    else if (character === ">") depth--;
    if (/\s/.test(character) && depth <= 0) {
      if (word !== "") words.push(word);
      word = "";
    } else word += character;
  }
  return words;
}

function conditionOf(text: string): Condition {
  const compared = comparedIn(text);
  const words = (compared?.left ?? text).split(/\s+/).filter((word) => word !== "");
  const no = words[0] === "no";
  const rest = no ? words.slice(1) : words;
  const isNew = rest[0] === "new";
  const [noun, of, selector, ...more] = isNew ? rest.slice(1) : rest;
  if (noun === "finding" || noun === "findings") {
    if ((of !== undefined && (of !== "of" || selector === undefined)) || more.length > 0 || no === (compared !== undefined))
      throw new Problem("findings are bounded as `no [new] finding [of SEVERITY or RULE]` or `[new] findings [of SEVERITY or RULE] < N`");
    const bound = compared ? boundOf(compared, { "": 1 }) : ({ comparison: "=", limit: 0, ofBase: false } as const);
    if (bound.ofBase) throw new Problem("findings are bounded by a number; those that the base lacks are `new findings`");
    return { kind: "findings", isNew, bound, ...(selector === undefined ? {} : { of: selectorNamed(selector) }) };
  }
  if (!compared || no || isNew) throw new Problem(`a condition is a figure with a bound, such as \`time < 200 us\`, or \`no new finding\``);
  const figure = figureNamed(words.join(" "));
  return { kind: "figure", figure, bound: boundOf(compared, figure.dimension.units) };
}

interface Compared {
  readonly left: string;
  readonly comparison: Comparison;
  readonly right: string;
}

function comparedIn(text: string): Compared | undefined {
  const plain = text.replaceAll("≤", "<=").replaceAll("≥", ">=").replaceAll("==", "=");
  const at = plain.search(/[<>=]/);
  if (at < 0) return undefined;
  const comparison = comparisons.find((each) => plain.startsWith(each, at)) ?? "=";
  return { left: plain.slice(0, at), comparison, right: plain.slice(at + comparison.length).trim() };
}

function boundOf({ comparison, right }: Compared, units: Readonly<Record<string, number>>): Bound {
  const number = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?/i.exec(right)?.[0];
  const unit = right.slice(number?.length).trim();
  if (number === undefined) throw new Problem(right === "" ? `there is no value behind \`${comparison}\`` : `not a value: \`${right}\``);
  const ofBase = /^%\s*of\s+base$/.test(unit);
  const scale = ofBase ? 1 : units[unit];
  if (scale !== undefined) {
    const limit = Number(number) * scale;
    // Any figure would be below it.
    if (!Number.isFinite(limit)) throw new Problem(`\`${number}\` is more than can be reckoned with`);
    return { comparison, limit, ofBase };
  }
  const known = Object.keys(units).filter((each) => each !== "" && each !== "μs");
  const units_ = known.length > 0 ? `there are ${[...known, "% of base"].join(", ")}` : "it is a number, or `% of base`";
  throw new Problem(unit === "" ? `\`${right}\` needs a unit; ${units_}` : `there is no unit \`${unit}\` here; ${units_}`);
}

function figureNamed(name: string): Figure {
  const wanted = name.toLowerCase().replaceAll("/", " per ").replaceAll(/\s+/g, " ").trim();
  const figure = figures.find((each) => each.name.toLowerCase() === wanted);
  if (figure) return figure;
  const known = [...figures.map((each) => each.name), "findings"];
  const near = suggest(wanted, known);
  throw new Problem(
    name === ""
      ? `a condition begins with a figure: ${known.join(", ")}`
      : `there is no figure \`${name}\`; ${near === undefined ? `there are ${known.join(", ")}` : `did you mean \`${near}\`?`}`,
  );
}

function selectorNamed(name: string): string {
  if (severities.some((severity) => severity === name)) return name;
  const problem = selectorProblem(name);
  if (problem === undefined) return name;
  const near = suggest(name, severities);
  throw new Problem(
    near === undefined ? `${problem[0]?.toLowerCase()}${problem.slice(1)}` : `there is no severity \`${name}\`; did you mean \`${near}\`?`,
  );
}
