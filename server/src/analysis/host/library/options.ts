/** `getopt` and gflags: options of the command line, as far as its words are known. */
import { forgetTargets } from "../memory/effects.ts";
import { type Interpreter, libraryVariable } from "../memory/interpreter.ts";
import { elementOf, read, write } from "../memory/read-write.ts";
import type { Cell, Value } from "../values/model.ts";
import { float, int, integerOf, nullPointer, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

/** The words argv[0] on; undefined where one is not known. */
export function wordsOf(host: Interpreter, count: Value, array: Value): string[] | undefined {
  const length = integerOf(count);
  if (length === undefined || array.kind !== "pointer") return undefined;
  const words: string[] = [];
  for (let k = 0; k < length; k++) {
    const place = elementOf(host, array, k);
    const word = place === undefined ? undefined : read(host, place);
    if (word?.kind !== "string") return undefined;
    words.push(word.text);
  }
  return words;
}

/** A long option's name, whether it takes an argument, and what `getopt_long` returns for it. */
interface LongOption {
  readonly name: string;
  readonly takesArgument: boolean;
  readonly value: Value;
}

/** The options of `struct option longopts[]`; undefined where they are not known. */
function longOptions(host: Interpreter, array: Value): LongOption[] | undefined {
  if (array.kind !== "pointer") return undefined;
  const options: LongOption[] = [];
  for (let k = 0; k < mostLongOptions; k++) {
    const place = elementOf(host, array, k);
    const entry = place === undefined ? undefined : read(host, place);
    const [name, has, , value] = entry?.kind === "record" ? [...entry.members.values()].map((cell) => cell.value) : [];
    if (name?.kind !== "string") return options;
    if (value === undefined) return undefined;
    options.push({ name: name.text, takesArgument: has !== undefined && (integerOf(has) ?? 0) > 0, value });
  }
  return options;
}
const mostLongOptions = 64;

/** `getopt`, and `getopt_long` with its fourth argument. Words that are no options are passed over. */
export const nextOption: LibraryFunction = (host, args) => {
  const words = wordsOf(host, argumentValue(args, 0), argumentValue(args, 1));
  const letters = argumentValue(args, 2);
  const index = libraryVariable(host, "optind", int(1));
  const argument = libraryVariable(host, "optarg", nullPointer);
  const at = integerOf(index.value);
  if (words === undefined || letters.kind !== "string" || at === undefined) {
    host.journal.set(argument, unknown("the program's arguments"));
    forgetTargets(host, args.slice(3), "the program's arguments");
    return unknown("the program's arguments", { kind: "integer", name: "int" });
  }
  let k = at;
  while (k < words.length && !/^-./.test(words[k] ?? "")) k += 1;
  const word = words[k];
  if (word === undefined || word === "--") {
    permute(host, words, argumentValue(args, 1), letters.text, index);
    return int(-1);
  }
  if (word.startsWith("--")) return nextLongOption(host, words, k, argumentValue(args, 3));
  const letter = word[1] ?? "?";
  const place = letters.text.indexOf(letter);
  const takesArgument = place >= 0 && letters.text[place + 1] === ":";
  const attached = word.slice(2);
  const next = takesArgument && attached === "" ? words[k + 1] : undefined;
  const text = attached === "" ? next : attached;
  host.journal.set(argument, takesArgument && text !== undefined ? { kind: "string", text } : nullPointer);
  host.journal.set(index, int(next === undefined ? k + 1 : k + 2));
  return int(place < 0 ? "?".charCodeAt(0) : letter.charCodeAt(0));
};

/** As glibc does at the end: words that are no options stand behind those that are, and `optind` at the first of them. */
function permute(host: Interpreter, words: readonly string[], array: Value, letters: string, index: Cell): void {
  const options: string[] = [];
  const operands: string[] = [];
  for (let k = 1; k < words.length; k++) {
    const word = words[k] ?? "";
    if (word === "--") {
      options.push(word);
      operands.push(...words.slice(k + 1));
      break;
    }
    if (!/^-./.test(word)) operands.push(word);
    else {
      options.push(word);
      const takesNext = word.length === 2 && letters[letters.indexOf(word[1] ?? "") + 1] === ":" && letters.includes(word[1] ?? "");
      if (takesNext && k + 1 < words.length) options.push(words[++k] ?? "");
    }
  }
  host.journal.set(index, int(1 + options.length));
  if (array.kind !== "pointer") return;
  for (const [k, text] of [...options, ...operands].entries()) {
    const place = elementOf(host, array, k + 1);
    if (place !== undefined) write(host, place, { kind: "string", text });
  }
}

/** The long option at `words[k]`, its argument after `=` or as the next word. */
function nextLongOption(host: Interpreter, words: readonly string[], k: number, array: Value): Value {
  const index = libraryVariable(host, "optind", int(1));
  const argument = libraryVariable(host, "optarg", nullPointer);
  const [, name = "", attached] = /^--([^=]*)(?:=(.*))?$/.exec(words[k] ?? "") ?? [];
  const options = longOptions(host, array);
  const option = options?.find((each) => each.name === name) ?? options?.find((each) => each.name.startsWith(name));
  const next = option?.takesArgument && attached === undefined ? words[k + 1] : undefined;
  const text = option?.takesArgument ? (attached ?? next) : undefined;
  host.journal.set(argument, text === undefined ? nullPointer : { kind: "string", text });
  host.journal.set(index, int(next === undefined ? k + 1 : k + 2));
  if (options === undefined) return unknown("a long option", { kind: "integer", name: "int" });
  return option?.value ?? int("?".charCodeAt(0));
}

/**
 * A flag of gflags, by name, and what it is where the command line does not set it: `-name=value`, `--name value`, `-name` and `-noname`
 * of one that is true or false. Of several the last holds.
 */
export const flagValue: LibraryFunction = (host, args) => {
  const name = argumentValue(args, 0);
  const initial = argumentValue(args, 1);
  if (name.kind !== "string") return initial;
  const isSwitch = initial.kind === "int" && initial.type === "bool";
  const words = host.settings.argv;
  let value = initial;
  for (const [k, word] of words.entries()) {
    if (word === "--") break;
    const [, option, attached] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    if (isSwitch && option === `no${name.text}`) value = int(0, "bool");
    if (option !== name.text) continue;
    const text = attached ?? (isSwitch ? "true" : words[k + 1]);
    if (text !== undefined) value = flagFrom(text, initial);
  }
  return value;
};

function flagFrom(text: string, like: Value): Value {
  if (like.kind === "string") return { kind: "string", text };
  if (like.kind === "int" && like.type === "bool") return int(/^(?:1|t|true|y|yes)$/i.test(text) ? 1 : 0, "bool");
  const parsed = Number(text);
  if (Number.isNaN(parsed)) return unknown("the program's arguments");
  return like.kind === "int" && Number.isInteger(parsed) ? int(parsed, "longlong") : float(parsed);
}
