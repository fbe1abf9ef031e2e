/** The recipes of a makefile, with its variables in their place. Read as far as simple makefiles go: variables, conditions, recipes. */
import { Work } from "@warplens/sim-engine";

export interface Recipe {
  readonly target: string;
  readonly prerequisites: string;
  /** With variables replaced, except the automatic ones (`$<`). */
  readonly commands: readonly string[];
}

/** Characters that variables may become, all uses together: those of real makefiles are ten thousands. */
const mostExpanded = 1_000_000;
/** Variables within variables. */
const deepestVariable = 8;

/** Undefined where its variables stand for more than is followed. */
export function recipesOf(text: string): readonly Recipe[] | undefined {
  const work = new Work(mostExpanded);
  const variables = new Variables(work);
  const recipes: { target: string; prerequisites: string; lines: string[] }[] = [];
  const conditions: Condition[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    if (work.isOver) return undefined;
    const words = line.trim();
    const keyword = conditionWord.exec(words)?.[0];
    if (keyword !== undefined) readCondition(keyword, words.slice(keyword.length).trim(), conditions, variables);
    else if (!(conditions.at(-1)?.holds ?? true) || words === "" || words.startsWith("#")) continue;
    else if (line.startsWith("\t")) recipes.at(-1)?.lines.push(words);
    else if (!readAssignment(words, variables)) {
      const [, target, prerequisites = ""] = /^([^:=]+)::?(?!=)([^;]*)/.exec(words) ?? [];
      if (target !== undefined) recipes.push({ target: target.trim(), prerequisites, lines: [] });
    }
  }
  const read = recipes.map(({ target, prerequisites, lines }) => ({
    target: variables.expand(target),
    prerequisites: variables.expand(prerequisites),
    commands: lines.map((line) => variables.expand(line)),
  }));
  return work.isOver ? undefined : read;
}

class Variables {
  readonly #values = new Map<string, string>();
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  value(name: string): string {
    return this.#values.get(name) ?? "";
  }

  assign(name: string, operator: string, value: string): void {
    const old = this.#values.get(name);
    if (operator === "?=" && old !== undefined) return;
    if (operator === "+=") this.#set(name, `${old ?? ""} ${value}`);
    // What it refers to now: it may refer to itself.
    else if (operator === "=") this.#set(name, value);
    else this.#set(name, this.expand(value));
  }

  #set(name: string, value: string): void {
    this.#work.spend(value.length);
    this.#values.set(name, value);
  }

  /** Replaces variables; functions and what is not set are empty, as they mostly choose files and folders. */
  expand(text: string, depth = 0): string {
    if (depth > deepestVariable || this.#work.spend(text.length) <= 0) return "";
    return text.replaceAll(/\$[({]([^(){}$]*)[)}]|\$\$/g, (all, name?: string) => {
      if (name === undefined) return all;
      const [, plain] = /^([\w.-]+)(?::.*)?$/.exec(name) ?? [];
      return plain === undefined ? "" : this.expand(this.value(plain), depth + 1);
    });
  }
}

/** False where the line assigns nothing. */
function readAssignment(line: string, variables: Variables): boolean {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [taken] = pattern.exec(line) ?? [];
    at += taken?.length ?? 0;
    return taken;
  };
  while (take(/(?:export|override)\s+/y) !== undefined);
  const name = take(/[\w.-]+/y);
  take(/\s+/y);
  const operator = take(/::?:?=|\?=|\+=|=/y);
  if (name === undefined || operator === undefined) return false;
  const [value = ""] = line.slice(at).split("#", 1);
  variables.assign(name, operator, value.trim());
  return true;
}

/** A condition that is open. */
interface Condition {
  /** Those around it hold. */
  readonly within: boolean;
  /** Its lines hold. */
  holds: boolean;
  /** One of its branches has. */
  done: boolean;
}

const conditionWord = /^(?:ifn?eq|ifn?def|else|endif)\b/;

function readCondition(keyword: string, condition: string, open: Condition[], variables: Variables): void {
  const last = open.at(-1);
  if (keyword === "endif") open.pop();
  else if (keyword !== "else") {
    const within = last?.holds ?? true;
    const holds = within && isTrue(keyword, condition, variables);
    open.push({ within, holds, done: holds });
  } else if (last !== undefined) {
    const next = conditionWord.exec(condition)?.[0];
    last.holds = last.within && !last.done && (next === undefined || isTrue(next, condition.slice(next.length).trim(), variables));
    last.done ||= last.holds;
  }
}

function isTrue(keyword: string, condition: string, variables: Variables): boolean {
  if (keyword === "ifdef" || keyword === "ifndef") return (variables.value(condition.trim()) !== "") === (keyword === "ifdef");
  const [left, right] = sidesOf(variables.expand(condition).trim());
  return (left?.trim() === right?.trim()) === (keyword === "ifeq");
}

/** `(a,b)`, `"a" "b"`, `'a' 'b'`. */
function sidesOf(condition: string): readonly (string | undefined)[] {
  if (condition.startsWith("(") && condition.endsWith(")")) {
    const comma = condition.lastIndexOf(",");
    return comma < 0 ? [] : [condition.slice(1, comma), condition.slice(comma + 1, -1)];
  }
  return (/^["']([^"']*)["']\s+["']([^"']*)["']$/.exec(condition) ?? []).slice(1);
}
