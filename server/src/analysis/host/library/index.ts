/** What the evaluator knows of a library function; undefined for other names. */
import { algorithms, maker } from "./algorithms.ts";
import { concurrency } from "./concurrency.ts";
import type { LibraryFunction } from "./library.ts";
import { mathFunctions } from "./math.ts";
import { memoryFunctions } from "./memory.ts";
import { randomFunctions } from "./random.ts";
import { runtimeFunctions } from "./runtime.ts";
import { textFunctions } from "./text.ts";
import { textureFunctions } from "./textures.ts";
import { tupleFunctions } from "./tuples.ts";

export function libraryFunction(name: string): LibraryFunction | undefined {
  return (
    mathFunctions.get(name) ??
    randomFunctions.get(name) ??
    memoryFunctions.get(name) ??
    runtimeFunctions.get(name) ??
    textFunctions.get(name) ??
    textureFunctions.get(name) ??
    algorithms.get(name) ??
    tupleFunctions.get(name) ??
    concurrency.get(name) ??
    maker(name)
  );
}

/** Names of the namespace `std` alone: without it they are the program's own, where it has a function of that name. */
export const isOfStandardNamespace = (name: string): boolean => algorithms.has(name) || tupleFunctions.has(name) || concurrency.has(name);
