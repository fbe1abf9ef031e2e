/** Methods of `std::string`, of which the text is known. */
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { write } from "../memory/read-write.ts";
import { raiseStandard } from "../memory/thrown.ts";
import type { Place, StringValue, Value } from "../values/model.ts";
import { bool, int, integerOf, unknown, voidValue } from "../values/values.ts";
import { argumentValue } from "./library.ts";

const text = (value: string): StringValue => ({ kind: "string", text: value });
/** `std::string::npos` */
const nowhere = int(-1, "ulong");
const position = (index: number): Value => (index < 0 ? nowhere : int(index, "ulong"));

/** Calls `object.name(args)`; `place` is where the string stands, for methods that change it. */
export function callString(host: Interpreter, own: string, place: Place | undefined, name: string, args: readonly Argument[]): Value {
  const other = textOf(argumentValue(args, 0));
  const [first, second] = args.map(({ value }) => integerOf(value));
  switch (name) {
    case "c_str":
    case "data":
    case "str":
      return text(own);
    case "size":
    case "length":
      return int(own.length, "ulong");
    case "empty":
      return bool(own === "");
    case "at":
    case "front":
    case "back": {
      const index = name === "front" ? 0 : name === "back" ? own.length - 1 : first;
      return index === undefined ? unknown("a character of a string") : int(own.charCodeAt(index) || 0, "char");
    }
    case "substr": {
      if (args.length > 0 && first === undefined) break;
      if ((first ?? 0) > own.length) raiseStandard(host, "out_of_range");
      const from = first ?? 0;
      return text(second === undefined || second < 0 ? own.slice(from) : own.slice(from, from + second));
    }
    case "append":
    case "push_back":
      if (place !== undefined && other !== undefined) write(host, place, text(own + other));
      return other === undefined ? unknown("a string that is not known") : text(own + other);
    case "begin":
    case "end":
    case "rbegin":
    case "rend":
      // Characters may be changed through them.
      if (place !== undefined && !(place.type && "const" in place.type && place.type.const))
        write(host, place, unknown("a text that iterators lead to", place.type));
      return unknown("an iterator of a text");
    case "clear":
      if (place !== undefined) write(host, place, text(""));
      return voidValue;
  }
  if (!looking.test(name)) {
    if (place !== undefined) write(host, place, unknown(`the string method \`${name}\``, place.type));
    return unknown(`the string method \`${name}\``);
  }
  if (other === undefined) return unknown(`the string method \`${name}\``);
  const from = second ?? 0;
  switch (name) {
    case "compare":
      return int(own === other ? 0 : own < other ? -1 : 1);
    case "find":
      return position(own.indexOf(other, from));
    case "rfind":
      return position(own.lastIndexOf(other, second ?? own.length));
    case "starts_with":
      return bool(own.startsWith(other));
    case "ends_with":
      return bool(own.endsWith(other));
    case "find_first_of":
      return position([...own].findIndex((each, k) => k >= from && other.includes(each)));
    case "find_first_not_of":
      return position([...own].findIndex((each, k) => k >= from && !other.includes(each)));
    default:
      return unknown(`the string method \`${name}\``);
  }
}

/** Methods that change nothing, whatever they are. */
const looking =
  /^(find|rfind|find_(first|last)_(not_)?of|compare|substr|copy|starts_with|ends_with|contains|capacity|max_size|reserve|c?r?(begin|end))$/;

/** A string, or a character as one. */
function textOf(value: Value): string | undefined {
  if (value.kind === "string") return value.text;
  return value.kind === "int" && value.type === "char" ? String.fromCharCode(Number(value.value)) : undefined;
}
