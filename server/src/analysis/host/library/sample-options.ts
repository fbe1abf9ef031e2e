/**
 * Options as the helpers of NVIDIA's samples read them (Common/helper_string.h): `-name`, `--name=value`, whatever the case of the name. The last
 * word that begins with the name holds, whatever follows the name.
 */
import type { Interpreter } from "../memory/interpreter.ts";
import { elementOf, write } from "../memory/read-write.ts";
import type { Value } from "../values/model.ts";
import { float, int, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";
import { wordsOf } from "./options.ts";

type Arguments = Parameters<LibraryFunction>[1];

/** What stands behind the option's name in the last word that begins with it; null where none does; undefined where the words are not known. */
function behindName(host: Interpreter, args: Arguments): string | null | undefined {
  const words = wordsOf(host, argumentValue(args, 0), argumentValue(args, 1));
  const name = argumentValue(args, 2);
  if (words === undefined || name.kind !== "string") return undefined;
  const wanted = name.text.toLowerCase();
  const found = words
    .slice(1)
    .map((word) => word.replace(/^-+/, ""))
    .findLast((word) => word.toLowerCase().startsWith(wanted));
  return found === undefined ? null : found.slice(wanted.length).replace(/^=/, "");
}

const notKnown = (): Value => unknown("the program's arguments");

const numberBehind =
  (parse: (text: string) => number, make: (value: number) => Value): LibraryFunction =>
  (host, args) => {
    const text = behindName(host, args);
    if (text === undefined) return notKnown();
    const value = parse(text ?? "");
    return make(Number.isNaN(value) ? 0 : value);
  };

/** `checkCmdLineFlag(argc, argv, name)` */
const hasFlag: LibraryFunction = (host, args) => {
  const words = wordsOf(host, argumentValue(args, 0), argumentValue(args, 1));
  const name = argumentValue(args, 2);
  if (words === undefined || name.kind !== "string") return notKnown();
  const isNamed = (word: string): boolean => word.replace(/^-+/, "").replace(/=.*$/s, "").toLowerCase() === name.text.toLowerCase();
  return int(words.slice(1).some(isNamed) ? 1 : 0, "bool");
};

/** `getCmdLineArgumentString(argc, argv, name, &text)`, and with a number in the place of the text. */
const stored =
  (make: (text: string) => Value): LibraryFunction =>
  (host, args) => {
    const text = behindName(host, args);
    if (text === undefined) return notKnown();
    const target = argumentValue(args, 3);
    const place = target.kind === "pointer" ? elementOf(host, target, 0) : undefined;
    if (text !== null && place) write(host, place, make(text));
    return int(text === null ? 0 : 1, "bool");
  };

export const sampleOptions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["checkCmdLineFlag", hasFlag],
  ["getCmdLineArgumentInt", numberBehind(Number.parseInt, (value) => int(value))],
  ["getCmdLineArgumentFloat", numberBehind(Number.parseFloat, (value) => float(value, "float"))],
  ["getCmdLineArgumentString", stored((text) => ({ kind: "string", text }))],
  ["getCmdLineArgumentValue", stored((text) => int(Number.parseInt(text, 10) || 0))],
]);
