/** The native parser gives the trees that WebAssembly gives, which everything else is tested with. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { makeNode } from "./copied-nodes.ts";
import type { CstNode } from "./cst.ts";
import { installedAssets } from "./installed.ts";
import { beginNatively, loadNativeParse, type NativeParse } from "./native.ts";
import type { Parsed, Parser } from "./parser.ts";
import { loadWasmParser } from "./wasm.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const wasm = await loadWasmParser(installedAssets());
const native = loadNativeParse(pathToFileURL(root));
const why = "node-tree-sitter does not load here: `node scripts/native-parser.mjs` builds it";

const sources = ["examples", "server/src/analysis/host/programs", "server/src/analysis/lower/measured", "sim-engine/validation"].flatMap(
  (folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.cuh?$/.test(name))
      .map((name) => path.join(folder, name))
      .sort(),
);
const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** Every node of a tree, a line each. */
function nodes(tree: CstNode | undefined): string[] {
  const lines: string[] = [];
  const pending = tree ? [{ node: tree, depth: 0 }] : [];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, depth } = next;
    const { type, named, field, start, end, missing } = node;
    lines.push(`${" ".repeat(depth)}${field ?? ""}:${named ? type : JSON.stringify(type)} ${start}-${end}${missing ? " missing" : ""}`);
    for (const child of node.children.toReversed()) pending.push({ node: child, depth: depth + 1 });
  }
  return lines;
}

const hasErrors = (lines: readonly string[]): boolean => lines.some((line) => /:ERROR | missing$/.test(line));

describe("the native parser", () => {
  beforeEach(({ skip }) => skip(!native, why));

  it.each(sources)("parses %s as WebAssembly does, or leaves it to that one", (file) => {
    const text = textOf(file);
    const expected = nodes(wasm.parse(text)?.root);
    expect(expected.length).toBeGreaterThan(10);
    expect(nodes(native?.(text)?.root)).toEqual(hasErrors(expected) ? [] : expected);
  });

  it("leaves little", () => {
    // Inline assembly as it is written is none of the grammar's: it is mended before it is parsed.
    const texts = sources.map(textOf).filter((text) => !/\basm\b/.test(text));
    expect(texts.filter((text) => !native?.(text)).length).toBeLessThan(0.17 * texts.length);
  });

  it.each(["int a = ", "k<<<{}>>>()", "void f() { if (", "struct A { int", "}}}} int x;"])("leaves %j", (text) => {
    expect(native?.(text)).toBeUndefined();
  });

  it.each(["é 🚀 int x;", "", 'auto s = "äöü🚀"; int x;', "k<<<1, 2>>>(a);"])("counts and parses %j as well", (text) => {
    const expected = nodes(wasm.parse(text)?.root);
    expect(nodes(native?.(text)?.root)).toEqual(hasErrors(expected) ? [] : expected);
  });

  it("asks for each declaration and leaves out what is known, as WebAssembly does", () => {
    const text = textOf("sim-engine/validation/h200-more/kernels/primitives.cu");
    const run = (parse: NativeParse | Parser["parse"] | undefined) => {
      const asked: unknown[] = [];
      const parsed = parse?.(text, {
        enter(entered) {
          asked.push(entered);
          return { from: entered.from, to: entered.to, shift: 7, known: asked.length % 2 === 0 };
        },
      });
      return { asked, nodes: nodes(parsed?.root) };
    };
    const expected = run(wasm.parse);
    expect(expected.asked.length).toBeGreaterThan(5);
    expect(run(native)).toEqual(expected);
  });

  it("gives up when cancelled, and parses again afterwards", () => {
    const long = textOf(sources[0] ?? "").repeat(50);
    expect(native?.(long, { cancelled: () => true })).toBeUndefined();
    expect(nodes(native?.("int x;")?.root)).toEqual(nodes(wasm.parse("int x;")?.root));
    let asked = 0;
    expect(native?.(long, { cancelled: () => asked++ > 2 })).toBeUndefined();
    expect(nodes(native?.(long)?.root)).toEqual(nodes(wasm.parse(long)?.root));
  });

  it("survives deep nesting", () => {
    const text = `int x = ${"(".repeat(20_000)}1${")".repeat(20_000)};`;
    const expected = nodes(wasm.parse(text)?.root);
    expect(nodes(native?.(text)?.root)).toEqual(hasErrors(expected) ? [] : expected);
  });
});

describe("where there is no native parser", () => {
  it("says so", () => {
    expect(loadNativeParse(new URL("file:///nowhere/"))).toBeUndefined();
  });
});

describe("what begins natively", () => {
  const clean = "int x;";
  /** Which of the two was asked, and for what. */
  function begun() {
    const asked: string[] = [];
    const parsed = (text: string): Parsed => ({
      text,
      root: makeNode("translation_unit", true, undefined, 0, text.length),
      errors: [],
      isFresh: true,
    });
    const parser = beginNatively(
      (text) => {
        asked.push(`native ${text}`);
        return text === clean ? parsed(text) : undefined;
      },
      {
        parse(text) {
          asked.push(`wasm ${text}`);
          return parsed(text);
        },
        keepTree: (text, key) => void asked.push(`keep ${key} ${text}`),
        forget: () => undefined,
        forgetAll: () => undefined,
        dispose: () => undefined,
      },
    );
    return { parser, asked };
  }

  it("goes on so until a tree is to be kept", () => {
    const { parser, asked } = begun();
    parser.parse(clean, { key: "a" });
    parser.parse(clean, { key: "b" });
    parser.keepTree(clean, "a");
    parser.parse(clean, { key: "a" });
    parser.parse(clean, { key: "c" });
    expect(asked).toEqual(["native int x;", "native int x;", "keep a int x;", "wasm int x;", "wasm int x;"]);
  });

  it("goes on so until something does not parse", () => {
    const { parser, asked } = begun();
    for (const text of [clean, "int (", clean]) expect(parser.parse(text)?.text).toBe(text);
    expect(asked).toEqual(["native int x;", "native int (", "wasm int (", "wasm int x;"]);
  });
});
