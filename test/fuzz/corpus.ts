/** The sources that inputs are made from, taken apart by the grammar. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { currentParser } from "../../server/src/syntax/current-parser.ts";
import type { CstNode } from "../../server/src/syntax/parser/cst.ts";

/** A piece of a source that the grammar has a name for. */
export interface Piece {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

export interface Source {
  readonly name: string;
  readonly text: string;
  /** By the grammar's name. */
  readonly pieces: ReadonlyMap<string, readonly Piece[]>;
}

export interface Corpus {
  readonly sources: readonly Source[];
  /** Texts of all sources, by the grammar's name: what a piece may be replaced with. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** The repository's own sources, below its root. */
export const ownFolders = ["examples", "sim-engine/validation", "server/src/analysis/host/programs", "test/fixtures/workspace"];

const isSource = /\.(cu|cuh)$/;
/** Characters: larger ones cost more time than they are worth. */
const largest = 16_000;
/** Characters that a kernel on its own has before it. */
const longestBefore = 800;
/** Characters of a piece that is put elsewhere. */
const largestPiece = 600;

/**
 * Reads all sources in folders. The grammar must be loaded.
 * @param folders absolute
 */
export function readCorpus(folders: readonly string[]): Corpus {
  const sources: Source[] = [];
  const texts = new Map<string, string[]>();
  for (const folder of folders) {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => isSource.test(name));
    for (const name of names.sort()) {
      const file = path.join(folder, name);
      const { size } = statSync(file);
      if (size === 0 || size > largest) continue;
      const text = readFileSync(file, "utf8");
      sources.push(sourceOf(name, text), ...kernelsAlone(text).map((kernel) => sourceOf(name, kernel)));
    }
  }
  for (const { text, pieces } of sources)
    for (const [type, all] of pieces)
      for (const { start, end } of all)
        if (end - start <= largestPiece) texts.set(type, [...(texts.get(type) ?? []).slice(-999), text.slice(start, end)]);
  if (sources.length === 0) throw new Error(`no CUDA sources in ${folders.join(", ")}`);
  return { sources, texts };
}

/**
 * A text for each kernel of a source: with what else it may need, where that is short, and a launch in a directive in place of the
 * host's code. They cost a tenth of whole programs.
 */
function kernelsAlone(text: string): string[] {
  const top = currentParser().parse(text)?.root.children ?? [];
  const textOf = ({ start, end }: CstNode): string => text.slice(start, end);
  const isFunction = ({ type }: CstNode): boolean => type === "function_definition" || type === "template_declaration";
  const kernels = top.filter((node) => isFunction(node) && textOf(node).includes("__global__"));
  const others = top.filter(
    (node) => node.type !== "comment" && !kernels.includes(node) && !/<<<|\bmain\s*\(|#\s*include/.test(textOf(node)),
  );
  const before = others.map((node) => `${textOf(node)}\n`).join("");
  return kernels.map(
    (kernel) => `${before.length < longestBefore ? before : ""}// warplens: grid=(32,1,1) block=(128,1,1)\n${textOf(kernel)}\n`,
  );
}

/** Takes a source apart. The grammar must be loaded. */
function sourceOf(name: string, text: string): Source {
  const pieces = new Map<string, Piece[]>();
  const root = currentParser().parse(text)?.root;
  const open: CstNode[] = root ? [...root.children] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    open.push(...node.children);
    if (node.end <= node.start) continue;
    const { type, start, end } = node;
    const known = pieces.get(type);
    if (known) known.push({ type, start, end });
    else pieces.set(type, [{ type, start, end }]);
  }
  return { name, text, pieces };
}
