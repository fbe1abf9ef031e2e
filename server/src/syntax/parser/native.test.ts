/** The native parser gives the trees that WebAssembly gives, which everything else is tested with. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { CstNode } from "./cst.ts";
import { installedAssets } from "./installed.ts";
import { loadNativeParser } from "./native.ts";
import type { ParseOptions, Parser } from "./parser.ts";
import { loadWasmParser } from "./wasm.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const wasm = await loadWasmParser(installedAssets());
/** Texts that the native parser left to WebAssembly. */
let left = 0;
const other: Parser = {
  ...wasm,
  parse(text, options) {
    left++;
    return wasm.parse(text, options);
  },
};
const native = loadNativeParser(pathToFileURL(root), other);
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

const tree = (parser: Parser | undefined, text: string, options?: ParseOptions): string[] => nodes(parser?.parse(text, options)?.root);

describe("the native parser", () => {
  beforeEach(({ skip }) => skip(!native, why));

  it.each(sources)("parses %s as WebAssembly does", (file) => {
    const text = textOf(file);
    const expected = tree(wasm, text);
    expect(expected.length).toBeGreaterThan(10);
    expect(tree(native, text)).toEqual(expected);
  });

  it("leaves only what has errors to WebAssembly", () => {
    left = 0;
    const texts = sources.map(textOf);
    const broken = texts.filter((text) => {
      native?.parse(text);
      return nodes(wasm.parse(text)?.root).some((line) => /:ERROR | missing$/.test(line));
    });
    expect(left).toBe(broken.length);
    // Inline assembly as it is written is none of the grammar's: it is mended before it is parsed. Of the rest it leaves little.
    const isPlain = (text: string): boolean => !/\basm\b/.test(text);
    expect(broken.filter(isPlain).length).toBeLessThan(0.15 * texts.filter(isPlain).length);
  });

  it.each(["int a = ", "k<<<{}>>>()", "é 🚀 int x;", "void f() { if (", "struct A { int", "", "}}}} int x;"])(
    "parses %j as well",
    (text) => {
      expect(tree(native, text)).toEqual(tree(wasm, text));
    },
  );

  it("parses edits of a file as WebAssembly does, also where they break it", () => {
    const text = textOf("sim-engine/validation/h200-more/kernels/primitives.cu");
    const pieces = fc.constantFrom(
      "x",
      "int ",
      "{",
      "}",
      "(",
      ";",
      "\n",
      " ",
      "<<<",
      "for (;;) ",
      "é🚀",
      "/*",
      '"',
      "template <class T> ",
      "0x1f",
    );
    const edit = fc.record({ at: fc.nat(text.length), remove: fc.nat(30), put: fc.array(pieces, { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        for (const parser of [native, wasm]) parser?.forget("edited");
        let now = text;
        for (const { at, remove, put } of edits) {
          now = now.slice(0, at) + put.join("") + now.slice(at + remove);
          expect(tree(native, now, { key: "edited" })).toEqual(tree(wasm, now, { key: "edited" }));
        }
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("keeps what was written before an edit", () => {
    const text = textOf("examples/tour.cu");
    const options = { key: "moved" };
    native?.parse(text, options);
    expect(tree(native, `int first;\n${text}`, options)).toEqual(tree(native, `int first;\n${text}`));
    expect(tree(native, text, options)).toEqual(tree(native, text));
  });

  it("gives up when cancelled, and parses again afterwards", () => {
    const long = textOf(sources[0] ?? "").repeat(50);
    expect(native?.parse(long, { key: "long", cancelled: () => true })).toBeUndefined();
    expect(tree(native, "int x;", { key: "long" })).toEqual(tree(wasm, "int x;"));
    native?.parse(long, { key: "long" });
    let asked = 0;
    native?.parse(`int q; ${long.replace("(", "(int, ")}`, { key: "long", cancelled: () => asked++ > 2 });
    expect(tree(native, long, { key: "long" })).toEqual(tree(wasm, long));
  });

  it("takes a repair that helps, and goes back from one that does not", () => {
    const text = "EXPORT void f();\nint g(int a) { return a; }";
    const repairs = [(now: string) => now.replace("g(int a)", "}}}}}}}}"), (now: string) => now.replace("EXPORT", "      ")];
    expect(tree(native, text, { repairs })).toEqual(tree(wasm, text, { repairs }));
    expect(tree(native, text, { repairs: repairs.slice(0, 1) })).toEqual(tree(wasm, text));
  });

  it("survives deep nesting", () => {
    const text = `int x = ${"(".repeat(20_000)}1${")".repeat(20_000)};`;
    expect(tree(native, text)).toEqual(tree(wasm, text));
  });
});

describe("where there is no native parser", () => {
  it("says so", () => {
    expect(loadNativeParser(new URL("file:///nowhere/"), wasm)).toBeUndefined();
  });
});
