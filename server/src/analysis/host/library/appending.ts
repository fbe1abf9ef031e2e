/** `std::back_inserter`, and the algorithms that write through it. */
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { read } from "../memory/read-write.ts";
import { Cell, type Place, type RecordValue, type Value } from "../values/model.ts";
import { integerOf, pointer, truth, unknown } from "../values/values.ts";
import { callContainer } from "./containers.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";
import { placesOf, spanOf } from "./span.ts";

/** The name of the object that appends to a container. */
const inserter = "std::back_inserter";

/** The container itself, not a copy: what is appended stands in it. */
const targets = new WeakMap<RecordValue, Place>();

export const backInserter: LibraryFunction = (_host, args) => {
  const place = args[0]?.place;
  if (!(place instanceof Cell)) return unknown("what an inserter appends to");
  // Whoever is given it may change the container.
  const made: RecordValue = {
    kind: "record",
    name: inserter,
    type: undefined,
    members: new Map([["container", new Cell(pointer(place, place.type))]]),
  };
  targets.set(made, place);
  return made;
};

const targetIn = (args: readonly Argument[]): Place | undefined => {
  const made = args.find(({ value }) => value.kind === "record" && value.name === inserter)?.value;
  return made?.kind === "record" ? targets.get(made) : undefined;
};

function onContainer(host: Interpreter, target: Place, method: string, value: Value): void {
  const object = read(host, target);
  if (object.kind === "container") callContainer(host, object, target, method, [{ value }]);
}

/** Elements that are appended one by one. */
const mostAppended = 256;

/** `copy`, `copy_if` and `transform` of a short range, or `generate_n` and `fill_n`, through an inserter; otherwise as without one. */
export const appending =
  (name: string, otherwise: LibraryFunction): LibraryFunction =>
  (host, args, call) => {
    const target = targetIn(args);
    if (target === undefined) return otherwise(host, args, call);
    const values = name.endsWith("_n") ? made(host, name, args) : taken(host, name, args);
    // How many there are then is not known.
    if (values === undefined) onContainer(host, target, "resize", unknown("how much is appended"));
    for (const value of values ?? []) onContainer(host, target, "push_back", value);
    return args.find(({ value }) => value.kind === "record" && value.name === inserter)?.value ?? unknown("an inserter");
  };

function made(host: Interpreter, name: string, args: readonly Argument[]): Value[] | undefined {
  const count = integerOf(argumentValue(args, 1));
  if (count === undefined || count > mostAppended) return undefined;
  // One object is called again and again: what it captures changes.
  return Array.from({ length: Math.max(0, count) }, () =>
    name === "fill_n" ? argumentValue(args, 2) : host.apply(argumentValue(args, 2), []),
  );
}

function taken(host: Interpreter, name: string, args: readonly Argument[]): Value[] | undefined {
  const found = spanOf(host, args);
  const places = found && placesOf(found.span);
  if (!places || places.length > mostAppended) return undefined;
  const rule = args.at(-1)?.value ?? unknown("a rule");
  const values: Value[] = [];
  for (const place of places) {
    const value = read(host, place);
    if (name === "copy") values.push(value);
    else {
      const result = host.apply(rule, [{ value, place: place instanceof Cell ? place : new Cell(value) }]);
      const holds = name === "copy_if" ? truth(host.scalar(result)) : true;
      if (holds === undefined) return undefined;
      if (holds) values.push(name === "copy_if" ? value : result);
    }
  }
  return values;
}
