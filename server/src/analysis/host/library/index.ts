/** What the evaluator knows of a library function; undefined for other names. */
import { algorithms, maker } from "./algorithms.ts";
import type { LibraryFunction } from "./library.ts";
import { mathFunctions } from "./math.ts";
import { memoryFunctions } from "./memory.ts";
import { runtimeFunctions } from "./runtime.ts";
import { textFunctions } from "./text.ts";
import { textureFunctions } from "./textures.ts";
import { tupleFunctions } from "./tuples.ts";

export function libraryFunction(name: string): LibraryFunction | undefined {
  return (
    mathFunctions.get(name) ??
    memoryFunctions.get(name) ??
    runtimeFunctions.get(name) ??
    textFunctions.get(name) ??
    textureFunctions.get(name) ??
    algorithms.get(name) ??
    tupleFunctions.get(name) ??
    maker(name)
  );
}
