/** Methods of `std::set` and its kin that go by what is in one: numbers, in their order, each once. */
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { sizeOf } from "../memory/read-write.ts";
import { listed } from "../resolve/container.ts";
import { record } from "../values/convert.ts";
import type { ContainerValue, Value } from "../values/model.ts";
import { bool, int, integerOf, numberOf, unknown } from "../values/values.ts";

/** Elements that are kept one by one. */
const mostMembers = 1024;

/** What a set holds, in its order; undefined where one of its elements is not known, or they are too many. */
function membersOf(host: Interpreter, { storage, size, type }: ContainerValue): Value[] | undefined {
  const count = integerOf(size);
  const bytes = sizeOf(host, type.element);
  if (count === undefined || bytes === undefined || count > mostMembers || storage.cells.size !== count) return undefined;
  const values = Array.from({ length: count }, (_, k) => storage.cells.get(k * bytes)?.value);
  return values.every((value): value is Value => value !== undefined && numberOf(value) !== undefined) ? values : undefined;
}

/** The set with other members: `insert`, `emplace` and `erase` of one value; or how often it has one: `count`, `contains`. Undefined where that is not known. */
export function ofMembers(
  host: Interpreter,
  object: ContainerValue,
  name: string,
  args: readonly Argument[],
): { readonly changed?: Value; readonly result?: Value } | undefined {
  const members = membersOf(host, object);
  const [argument] = args;
  const number = argument && args.length === 1 ? numberOf(argument.value) : undefined;
  if (!members || !argument || number === undefined) return undefined;
  const has = members.some((each) => numberOf(each) === number);
  switch (name) {
    case "insert":
    case "emplace": {
      const changed = has ? object : listed(host, object.type, [...members, argument.value]);
      return {
        changed,
        result: record("pair", [
          ["first", unknown("where an element of a set stands"), undefined],
          ["second", bool(!has), undefined],
        ]),
      };
    }
    case "erase":
      return {
        changed: listed(
          host,
          object.type,
          members.filter((each) => numberOf(each) !== number),
        ),
      };
    case "count":
      return { result: int(has ? 1 : 0, "ulong") };
    case "contains":
      return { result: int(has ? 1 : 0, "bool") };
    default:
      return undefined;
  }
}
