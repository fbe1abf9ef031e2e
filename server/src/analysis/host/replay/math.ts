/** Functions of the library that loops call many times, on bare numbers: what `library/math.ts` does on values. */
import { commonName } from "../../sema/arithmetic-types.ts";
import { halfConversions, realFunctions } from "../library/math.ts";
import { conversion, isWideUnsigned, type Known, type NumberName, operation } from "./arithmetic.ts";
import { writeChosen, writeReal } from "./compiled/math.ts";
import { isHalf, writeConversion } from "./compiled/numbers.ts";
import type { Writer } from "./compiled/writer.ts";
import { compilable, type Run } from "./machine.ts";
import { isWide } from "./wide.ts";

interface Operand {
  readonly type: NumberName;
  readonly run: Run;
}

/** The function of numbers of some types; undefined where it takes the library's own to tell what comes out. */
export function plainMath(name: string, args: readonly Operand[]): Operand | undefined {
  if (/^u?(min|max)$/.test(name) || name === "imin" || name === "imax") return chosen(name.endsWith("min") ? "<" : ">", args);
  const toHalf = halfConversions.get(name);
  if (toHalf) return converted(toHalf, args);
  const real = realFunctions.get(name);
  const [first, second, third] = args;
  if (!real || !first || third || args.some(({ type }) => isWideUnsigned(type) || isHalf(type))) return undefined;
  // It would be rounded on the way in.
  if (real.single && args.some(({ type }) => type === "double")) return undefined;
  const isSingle = real.single || args.every(({ type }) => type === "float");
  const round = isSingle ? Math.fround : (value: number): number => value;
  const { of } = real;
  const type = isSingle ? "float" : "double";
  const write = (w: Writer): void => writeReal(w, of, args, type);
  if (!second)
    return {
      type,
      run: compilable(
        onNumbers(first.run, (a) => round(of(a))),
        write,
      ),
    };
  return {
    type,
    run: compilable(
      onPairs(first.run, second.run, (a, b) => round(of(a, b))),
      write,
    ),
  };
}

/** To or from a type of 16 bits. */
function converted(
  { from, to }: { readonly from: NumberName; readonly to: NumberName },
  [given, other]: readonly Operand[],
): Operand | undefined {
  if (!given || other || isWide(given.type)) return undefined;
  const [take, make] = [conversion(given.type, from), conversion(from, to)];
  const run = onNumbers(given.run, (a) => {
    const taken = take(a);
    return taken === undefined ? undefined : make(taken);
  });
  const write = (w: Writer): void => {
    w.write(given.run);
    writeConversion(w, given.type, from);
    writeConversion(w, from, to);
  };
  return { type: to, run: compilable(run, write) };
}

/** The one of two that is less, or greater. */
function chosen(op: "<" | ">", [first, second, third]: readonly Operand[]): Operand | undefined {
  if (!first || !second || third || [first, second].some(({ type }) => isWide(type) || isHalf(type))) return undefined;
  const type = first.type === second.type ? first.type : commonName(first.type, second.type);
  const isBeyond = operation(op, type);
  if (!isBeyond) return undefined;
  const [left, right] = [conversion(first.type, type), conversion(second.type, type)];
  const run = onPairs(first.run, second.run, (x, y) => {
    const [a, b] = [left(x), right(y)];
    return a === undefined || b === undefined ? undefined : isBeyond(b, a) ? b : a;
  });
  return { type, run: compilable(run, (w) => writeChosen(w, op, [first, second], type)) };
}

/** What a number that is held exactly becomes; one of 64 bits may not be. */
const onNumbers =
  (run: Run, of: (a: number) => Known): Run =>
  () => {
    const a = run();
    return typeof a === "number" ? of(a) : undefined;
  };

const onPairs =
  (left: Run, right: Run, of: (a: number, b: number) => Known): Run =>
  () => {
    const a = left();
    const b = right();
    return typeof a === "number" && typeof b === "number" ? of(a, b) : undefined;
  };
