/** What host threads are asked to do is taken to be done at once. */
import { write } from "../memory/read-write.ts";
import { Cell, type RecordValue } from "../values/model.ts";
import { int, unknown, voidValue } from "../values/values.ts";
import { argumentValue, type LibraryFunction, store } from "./library.ts";

/** The name of what `std::async` returns. */
export const future = "std::future";

/** `std::async(f, args...)`, a policy in front or not. */
const async: LibraryFunction = (host, args) => {
  const start = args.findIndex(({ value }) => value.kind === "lambda" || value.kind === "function" || value.kind === "record");
  const run = args[start]?.value;
  const value = run === undefined ? unknown("the result of a task") : host.apply(run, args.slice(start + 1));
  const made: RecordValue = { kind: "record", name: future, type: undefined, members: new Map([["value", new Cell(value)]]) };
  return made;
};

/** `std::call_once(flag, f, args...)`. */
const callOnce: LibraryFunction = (host, args) => {
  const [flag] = args;
  if (flag?.value.kind === "int") return voidValue;
  host.apply(argumentValue(args, 1), args.slice(2));
  if (flag?.place !== undefined) write(host, flag.place, int(1));
  return voidValue;
};

/** A program of MPI that is started as it is: the only one of its processes. */
const alone =
  (stored: number): LibraryFunction =>
  (host, args) => {
    store(host, argumentValue(args, 1), int(stored));
    return int(0);
  };

export const concurrency: ReadonlyMap<string, LibraryFunction> = new Map([
  ["MPI_Comm_size", alone(1)],
  ["MPI_Comm_rank", alone(0)],
  ["async", async],
  ["call_once", callOnce],
]);
