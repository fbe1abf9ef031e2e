/** What the evaluator knows of a library function; undefined for other names. */
import { algorithms, maker } from "./algorithms.ts";
import type { LibraryFunction } from "./library.ts";
import { mathFunctions } from "./math.ts";
import { memoryFunctions } from "./memory.ts";
import { randomFunctions } from "./random.ts";
import { runtimeFunctions } from "./runtime.ts";
import { textFunctions } from "./text.ts";
import { textureFunctions } from "./textures.ts";

export function libraryFunction(name: string): LibraryFunction | undefined {
  return (
    mathFunctions.get(name) ??
    randomFunctions.get(name) ??
    memoryFunctions.get(name) ??
    runtimeFunctions.get(name) ??
    textFunctions.get(name) ??
    textureFunctions.get(name) ??
    algorithms.get(name) ??
    maker(name)
  );
}
