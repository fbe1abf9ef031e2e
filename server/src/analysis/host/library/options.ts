/** `getopt`: options of the command line, as far as its words are known. */
import { forgetTargets } from "../effects.ts";
import { type Interpreter, libraryVariable } from "../interpreter.ts";
import type { Value } from "../model.ts";
import { elementOf, read } from "../places.ts";
import { int, integerOf, nullPointer, unknown } from "../values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

/** The words argv[0] on; undefined where one is not known. */
function wordsOf(host: Interpreter, count: Value, array: Value): string[] | undefined {
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

/** Words that are no options are passed over; long options are known only to be there. */
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
    host.journal.set(index, int(k));
    return int(-1);
  }
  const letter = word[1] ?? "?";
  const place = word.startsWith("--") ? -1 : letters.text.indexOf(letter);
  const takesArgument = place >= 0 && letters.text[place + 1] === ":";
  const attached = word.slice(2);
  const next = takesArgument && attached === "" ? words[k + 1] : undefined;
  const text = attached === "" ? next : attached;
  host.journal.set(argument, takesArgument && text !== undefined ? { kind: "string", text } : nullPointer);
  host.journal.set(index, int(next === undefined ? k + 1 : k + 2));
  if (word.startsWith("--")) return unknown("a long option", { kind: "integer", name: "int" });
  return int(place < 0 ? "?".charCodeAt(0) : letter.charCodeAt(0));
};
