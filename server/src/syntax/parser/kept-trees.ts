import type { Node } from "../ast.ts";
import type { Backend, Parsed, ParseOptions, Parser, Repair } from "./parser.ts";

/** Trees are kept for this many documents, and for no more text than this (a tree takes about 15 bytes a character). */
const MAX_TREES = 24;
const MAX_CHARACTERS = 8_000_000;
/** Each costs an incremental parse; while somebody types there is always some error. */
const MAX_REPAIR_ATTEMPTS = 12;
/**
 * What all attempts on a text may cost, in questions of the parser whether to go on, which it asks every hundred steps: about what the
 * text's own parse costs. One that the parser does not recover from may cost several times as much.
 */
const repairsCost = (text: string): number => Math.max(2_000, text.length / 100);

interface Kept<Tree> {
  readonly text: string;
  readonly tree: Tree;
}

/** A parser over a backend: keeps the trees of the documents parsed last, and frees the rest. */
export function keepTrees<Tree>(backend: Backend<Tree>): Parser {
  const kept = new Map<string, Kept<Tree>>();
  let characters = 0;

  const drop = (key: string) => {
    const entry = kept.get(key);
    if (!entry) return;
    kept.delete(key);
    characters -= entry.text.length;
    backend.free(entry.tree);
  };

  const dropAll = () => {
    for (const key of [...kept.keys()]) drop(key);
  };

  const keep = (key: string, entry: Kept<Tree>) => {
    drop(key);
    kept.set(key, entry);
    characters += entry.text.length;
    for (const oldest of kept.keys()) {
      if (oldest === key || (kept.size <= MAX_TREES && characters <= MAX_CHARACTERS)) break;
      drop(oldest);
    }
  };

  const parse = (text: string, { key, cancelled, repairs = [], enter }: ParseOptions = {}): Parsed | undefined => {
    const previous = key === undefined ? undefined : kept.get(key);
    const tree = backend.parse(text, previous, cancelled);
    if (!tree) return undefined;
    let left = repairsCost(text);
    let isCancelled = false;
    const parsed = repaired(backend, { text, tree }, repairs, () => {
      isCancelled ||= cancelled?.() ?? false;
      return isCancelled || left-- <= 0;
    });
    // Repairs that cost too much end with the best so far, which is the same each time; that of a run that was cancelled is not.
    if (isCancelled) {
      backend.free(parsed.tree);
      return undefined;
    }
    const root = backend.copyOut(parsed.tree, enter);
    const errors = backend.errors(parsed.tree);
    if (key === undefined) backend.free(parsed.tree);
    else keep(key, parsed);
    return { text: parsed.text, root, errors, isFresh: previous === undefined };
  };

  return {
    parse,
    keepTree(text, key, cancelled) {
      const tree = kept.has(key) ? undefined : backend.parse(text, undefined, cancelled);
      if (tree) keep(key, { text, tree });
    },
    forget: drop,
    forgetAll: dropAll,
    dispose() {
      dropAll();
      backend.dispose();
    },
  };
}

/**
 * Tries the repairs as long as they help.
 * @param cancelled asked every hundred steps of the parser: true ends them
 */
function repaired<Tree>(backend: Backend<Tree>, parsed: Kept<Tree>, repairs: readonly Repair[], cancelled: () => boolean): Kept<Tree> {
  if (!repairs.length) return parsed;
  let best = parsed;
  let errors = backend.errors(best.tree);
  let attempts = 0;
  for (let helped = true; helped && errors.length; ) {
    helped = false;
    for (const repair of repairs) {
      if (!errors.length || attempts >= MAX_REPAIR_ATTEMPTS) return best;
      const text = repair(best.text, errors);
      if (text === best.text) continue;
      attempts++;
      const tree = backend.parse(text, best, cancelled);
      if (!tree) return best;
      const left = backend.errors(tree);
      if (weight(left) < weight(errors)) {
        backend.free(best.tree);
        best = { text, tree };
        errors = left;
        helped = true;
      } else backend.free(tree);
    }
  }
  return best;
}

/** Few errors are better than many, unless they take in more text by a thousand characters each: one may take in the whole file. */
const weight = (errors: readonly Node[]): number => errors.reduce((sum, { start, end }) => sum + 1000 + end - start, 0);
