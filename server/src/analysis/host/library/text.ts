/** Strings and input: numbers read from text are known when the text is. */
import type { FloatName, IntegerName } from "../../sema/types.ts";
import { forgetTargets } from "../memory/effects.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { elementOf, write } from "../memory/read-write.ts";
import { raiseStandard } from "../memory/thrown.ts";
import { convert } from "../values/convert.ts";
import type { Place, Value } from "../values/model.ts";
import { bool, bounds, float, int, integerOf, nullPointer, unknown } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";
import { flagValue, nextOption } from "./options.ts";
import { sampleOptions } from "./sample-options.ts";

/** @param throws what is no number, or beyond the type, is an exception */
function integerFrom(type: IntegerName, throws = false): LibraryFunction {
  return (host, args) => {
    const text = argumentValue(args, 0);
    if (text.kind !== "string")
      return unknown(
        text.kind === "unknown" ? text.reason : "a number read from text",
        { kind: "integer", name: type },
        text.kind === "unknown" ? text.inputs : [],
      );
    const base = args[2]?.value;
    const radix = base?.kind === "int" ? Number(base.value) : 10;
    const parsed = Number.parseInt(text.text, radix === 0 ? (/^\s*0x/i.test(text.text) ? 16 : 10) : radix);
    const [least, greatest] = bounds(type);
    const isBeyond = parsed < Number(least) || parsed > Number(greatest);
    if (throws && (Number.isNaN(parsed) || isBeyond)) raiseStandard(host, Number.isNaN(parsed) ? "invalid_argument" : "out_of_range");
    if (host.exited || isBeyond || Math.abs(parsed) > Number.MAX_SAFE_INTEGER)
      return unknown("a number that is read from text", { kind: "integer", name: type });
    return int(Number.isNaN(parsed) ? 0 : parsed, type);
  };
}

function floatFrom(type: FloatName, throws = false): LibraryFunction {
  return (host, args) => {
    const text = argumentValue(args, 0);
    const of = { kind: "floating", name: type } as const;
    if (text.kind !== "string") return unknown(text.kind === "unknown" ? text.reason : "a number read from text", of);
    const parsed = Number.parseFloat(text.text);
    if (Number.isNaN(parsed) && throws) raiseStandard(host, "invalid_argument");
    // Numbers in other writings: hexadecimal, infinite.
    if (host.exited || /^\s*[-+]?(0x|inf|nan)/i.test(text.text)) return unknown("a number that is read from text", of);
    return float(Number.isNaN(parsed) ? 0 : parsed, type);
  };
}

/** @param caseless letters are the same in either case */
const comparison =
  (length: boolean, caseless = false): LibraryFunction =>
  (_host, args) => {
    const a = argumentValue(args, 0);
    const b = argumentValue(args, 1);
    const count = length ? argumentValue(args, 2) : undefined;
    if (a.kind !== "string" || b.kind !== "string")
      return unknown(a.kind === "unknown" ? a.reason : "a comparison of strings", undefined, a.kind === "unknown" ? a.inputs : []);
    const end = count?.kind === "int" ? Number(count.value) : undefined;
    const [x, y] = [a, b].map(({ text }) => text.slice(0, end)).map((text) => (caseless ? text.toLowerCase() : text)) as [string, string];
    return int(x === y ? 0 : x < y ? -1 : 1);
  };

/** A search for text or a character in text: where it begins, or null. */
const found =
  (search: (text: string, other: string) => number): LibraryFunction =>
  (_host, args) => {
    const text = argumentValue(args, 0);
    const other = argumentValue(args, 1);
    const wanted = other.kind === "string" ? other.text : other.kind === "int" ? String.fromCharCode(Number(other.value)) : undefined;
    if (text.kind !== "string" || wanted === undefined) return unknown("a search in a string that is not known");
    const index = search(text.text, wanted);
    return index < 0 ? nullPointer : { kind: "string", text: text.text.slice(index) };
  };

function textOfNumber(value: Value): Value {
  return value.kind === "int" ? { kind: "string", text: String(value.value) } : unknown("a number as text");
}

/** `scanf`, `fread`: what they store is not known. */
const input: LibraryFunction = (host, args) => {
  forgetTargets(host, args, "read from input");
  // A text is given by itself, not by its address.
  for (const { value, place } of args)
    if (place !== undefined && (value.kind === "string" || (value.kind === "container" && value.type.name === "string")))
      write(host, place, unknown("read from input"));
  return unknown("whether input was read");
};

/** `getline(stream, text, separator)` from a text that is known. */
const line: LibraryFunction = (host, args, call) => {
  const [stream, target, separator] = args;
  const held = stream?.value.kind === "record" ? stream.value.members.get("text_") : undefined;
  const code = separator === undefined ? 10 : integerOf(separator.value);
  if (held?.value.kind !== "string" || target?.place === undefined || code === undefined) return input(host, args, call);
  const { text } = held.value;
  if (text === "") return bool(false);
  const end = text.indexOf(String.fromCharCode(code));
  write(host, target.place, { kind: "string", text: end < 0 ? text : text.slice(0, end) });
  write(host, held, { kind: "string", text: end < 0 ? "" : text.slice(end + 1) });
  return bool(true);
};

/** What `sscanf` reads by `%d`, `%f`, `%s` and their like. */
const conversions: Readonly<Record<string, RegExp>> = {
  d: /^\s*[+-]?\d+/,
  i: /^\s*[+-]?\d+/,
  u: /^\s*\d+/,
  f: /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/,
  g: /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/,
  c: /^[\s\S]/,
};

/** `sscanf(text, format, ...)`, as far as its conversions are known. */
const scanned: LibraryFunction = (host, args, call) => {
  const [text, format, ...targets] = args.map(({ value }) => value);
  if (text?.kind !== "string" || format?.kind !== "string") return input(host, args, call);
  let rest = text.text;
  let read = 0;
  for (const [piece, kind] of format.text.matchAll(/%(?:hh|h|ll|l|z)?([a-z])|\s+|[\s\S]/g)) {
    const pattern = kind === undefined ? undefined : conversions[kind];
    if (kind !== undefined && pattern === undefined) return input(host, args, call);
    if (pattern === undefined) {
      rest = /^\s/.test(piece) ? rest.trimStart() : rest;
      if (/^\s/.test(piece)) continue;
      if (!rest.startsWith(piece)) return int(read);
      rest = rest.slice(1);
      continue;
    }
    const [word] = pattern.exec(rest) ?? [];
    if (word === undefined) return int(read);
    rest = rest.slice(word.length);
    const place = elementOfTarget(host, targets[read]);
    const value =
      kind === "c"
        ? int(word.charCodeAt(0), "char")
        : kind === "f" || kind === "g"
          ? float(Number(word))
          : int(BigInt(word.trim()), "long");
    if (place) write(host, place, convert(value, place.type));
    read += 1;
  }
  return int(read);
};

const elementOfTarget = (host: Interpreter, target: Value | undefined): Place | undefined =>
  target?.kind === "pointer" ? elementOf(host, target, 0) : undefined;

/** What `<ctype.h>` says of a character of ASCII. */
const ofCharacter =
  (name: string): LibraryFunction =>
  (_host, args) => {
    const code = integerOf(argumentValue(args, 0));
    if (code === undefined) return unknown("a character that is not known");
    const character = code >= 0 && code < 128 ? String.fromCharCode(code) : "";
    if (name === "toupper" || name === "tolower")
      return int(character === "" ? code : (name === "toupper" ? character.toUpperCase() : character.toLowerCase()).charCodeAt(0));
    const pattern = name === "isdigit" ? /\d/ : name === "isspace" ? /\s/ : name === "isalpha" ? /[a-z]/i : /[a-z\d]/i;
    return int(pattern.test(character) ? 1 : 0);
  };

const nothing: LibraryFunction = () => int(0);

const ends: LibraryFunction = (host) => {
  host.exited = true;
  return int(0);
};

const now: LibraryFunction = (host, args) => {
  const to = argumentValue(args, 0);
  const place = to.kind === "pointer" ? elementOf(host, to, 0) : undefined;
  if (place !== undefined) write(host, place, convert(unknown("the time"), place.type));
  return unknown("the time");
};

const printers = [
  "printf",
  "fprintf",
  "puts",
  "putchar",
  "fputs",
  "fflush",
  "perror",
  "fclose",
  "cout",
  "cerr",
  "srand",
  "srand48",
  "setbuf",
  "assert",
  "static_assert",
  "usleep",
  "sleep",
  "putc",
  "fputc",
  "vprintf",
  "print",
  "println",
  "signal",
  "fseek",
  "rewind",
  "system",
];

export const textFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["atoi", integerFrom("int")],
  ["atol", integerFrom("long")],
  ["atoll", integerFrom("longlong")],
  ["stoi", integerFrom("int", true)],
  ["stol", integerFrom("long", true)],
  ["stoul", integerFrom("ulong", true)],
  ["stoll", integerFrom("longlong", true)],
  ["stoull", integerFrom("ulonglong", true)],
  ["strtol", integerFrom("long")],
  ["strtoul", integerFrom("ulong")],
  ["strtoll", integerFrom("longlong")],
  ["strtoull", integerFrom("ulonglong")],
  ["atof", floatFrom("double")],
  ["stof", floatFrom("float", true)],
  ["stod", floatFrom("double", true)],
  ["strtof", floatFrom("float")],
  ["strtod", floatFrom("double")],
  ["strcmp", comparison(false)],
  ["strcasecmp", comparison(false, true)],
  ["strncmp", comparison(true)],
  ["strncasecmp", comparison(true, true)],
  ["strstr", found((text, other) => text.indexOf(other))],
  ["strchr", found((text, other) => text.indexOf(other))],
  ["strrchr", found((text, other) => text.lastIndexOf(other))],
  ["to_string", (_host, args) => textOfNumber(argumentValue(args, 0))],
  ["strlen", (_host, args) => stringLength(argumentValue(args, 0))],
  ["scanf", input],
  ["fscanf", input],
  ["sscanf", scanned],
  ["fread", input],
  ["fgets", input],
  ["read", input],
  ["getline", line],
  ...["toupper", "tolower", "isdigit", "isspace", "isalpha", "isalnum"].map((name): [string, LibraryFunction] => [name, ofCharacter(name)]),
  ["fopen", () => unknown("whether a file can be opened")],
  ["getenv", () => nullPointer],
  ["getopt", nextOption],
  ["__gflags_value", flagValue],
  ["getopt_long", nextOption],
  ...sampleOptions,
  ["findCudaDevice", () => int(0)],
  ["gpuGetMaxGflopsDeviceId", () => int(0)],
  ["findCudaDeviceDRV", () => int(0)],
  ["checkCudaErrors", (_host, args) => argumentValue(args, 0)],
  ["getLastCudaError", nothing],
  ["exit", ends],
  ["_exit", ends],
  ["abort", ends],
  ["quick_exit", ends],
  ["terminate", ends],
  ["time", now],
  ["gettimeofday", now],
  ["clock", () => unknown("the time")],
  ["omp_get_max_threads", () => unknown("the number of CPU threads")],
  ...printers.map((name): [string, LibraryFunction] => [name, nothing]),
  ...["sprintf", "snprintf", "strcpy", "strncpy", "strcat"].map((name): [string, LibraryFunction] => [
    name,
    (host, args) => {
      forgetTargets(host, args.slice(0, 1), "text that was written");
      return int(0);
    },
  ]),
]);

function stringLength(value: Value): Value {
  return value.kind === "string" ? int(value.text.length, "ulong") : unknown("the length of a string that is not known");
}
