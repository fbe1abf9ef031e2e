import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cstToString } from "./cst.ts";
import { differenceBetween, differencesBetween, pointsIn } from "./edit.ts";
import { installedAssets } from "./installed.ts";
import { loadWasmParser } from "./wasm.ts";

const parser = await loadWasmParser(installedAssets());

const kernel = `template <typename T> __global__ void k(const T* a, T* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > (T)0) b[i] = a[i];
}
void launch(float* a, float* b, int n) { k<float><<<(n + 255) / 256, 256>>>(a, b, n); }
`;
const tree = (text: string, key?: string) =>
  cstToString(
    parser.parse(text, key === undefined ? {} : { key })?.root ?? {
      type: "none",
      named: true,
      field: undefined,
      start: 0,
      end: 0,
      missing: false,
      children: [],
    },
  );

describe("the parser", () => {
  it("parses CUDA", () => {
    expect(tree("__global__ void f(int* a) { a[0] = 1; }")).toContain("subscript_expression");
    expect(tree("k<<<1, 2>>>(a);")).toContain("kernel_call_syntax");
  });

  it("counts in UTF-16 units", () => {
    const text = 'auto s = "äöü🚀"; int x;';
    const last = parser.parse(text)?.root.children.at(-1);
    expect(last && text.slice(last.start, last.end)).toBe("int x;");
  });

  it("gives up when cancelled, and parses again afterwards", () => {
    const long = kernel.repeat(400);
    expect(parser.parse(long, { key: "long", cancelled: () => true })).toBeUndefined();
    expect(tree(kernel, "long")).toBe(tree(kernel));
  });

  it("survives being cancelled in the middle of an edit", () => {
    const long = kernel.repeat(400);
    parser.parse(long, { key: "long" });
    const other = `int q; ${long.replace("blockIdx.x *", "blockIdx.x +")} int r;`;
    let asked = 0;
    parser.parse(other, { key: "long", cancelled: () => asked++ > 2 });
    expect(tree(other, "long")).toBe(tree(other));
  });

  it("parses an edit as it parses the whole", () => {
    const pieces = fc.constantFrom(
      "x",
      "int ",
      "{",
      "}",
      "(",
      ")",
      ";",
      "\n",
      " ",
      "<<<",
      ">>>",
      "for (;;) ",
      "é🚀",
      "/*",
      "*/",
      '"',
      "template <class T> ",
      "0x1f",
    );
    const edit = fc.record({ at: fc.nat(kernel.length), remove: fc.nat(40), put: fc.array(pieces, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 8 }), (edits) => {
        parser.forget("edited");
        let text = kernel;
        parser.parse(text, { key: "edited" });
        for (const { at, remove, put } of edits) {
          text = text.slice(0, at) + put.join("") + text.slice(at + remove);
          expect(tree(text, "edited")).toBe(tree(text));
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it("frees its trees", () => {
    const long = kernel.repeat(200);
    for (let i = 0; i < 20; i++) parser.parse(long.replace("int n", `int n${i}`), { key: "freed" });
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 200; i++) parser.parse(long.replace("int n", `int m${i}`), { key: "freed" });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20);
  });

  it("keeps the trees of the last documents only", () => {
    for (let i = 0; i < 40; i++) parser.parse(kernel, { key: `document${i}` });
    for (let i = 0; i < 40; i++) expect(tree(`${kernel}int x;`, `document${i}`)).toBe(tree(`${kernel}int x;`));
  });

  it("keeps a repair that helps, and only that", () => {
    const root = parser.parse("EXPORT void f();", {
      repairs: [(text) => text.replace("void", "    "), (text) => text.replace("EXPORT", "      ")],
    });
    expect(root && cstToString(root.root)).not.toContain("ERROR");
    const none = parser.parse("void f() {}", { repairs: [() => "}}}}}}}}}}}"] });
    expect(none && cstToString(none.root)).toContain("function_definition");
  });
});

describe("the difference between two texts", () => {
  it("turns the one into the other", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "\n", "🚀") }),
        fc.string({ unit: fc.constantFrom("a", "b", "\n", "🚀") }),
        (before, after) => {
          const edit = differenceBetween(before, after);
          if (!edit) return before === after;
          const turns = before.slice(0, edit.start) + after.slice(edit.start, edit.newEnd) + before.slice(edit.oldEnd) === after;
          // What is replaced and what it becomes share neither their first character nor their last.
          const [out, into] = [before.slice(edit.start, edit.oldEnd), after.slice(edit.start, edit.newEnd)];
          return turns && (!out || !into || (out[0] !== into[0] && out.at(-1) !== into.at(-1)));
        },
      ),
      { seed: 1 },
    );
  });
  it("is told apart, place by place, where both are of a length", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(99), fc.nat(9)), { maxLength: 6 }), (changes) => {
        const before = "int x; /* of a line */ int y;\n".repeat(10);
        let after = before;
        for (const [at, length] of changes) after = after.slice(0, 3 * at) + "#".repeat(length) + after.slice(3 * at + length);
        const edits = differencesBetween(before, after);
        let turned = before;
        for (const { start, oldEnd, newEnd } of edits) turned = turned.slice(0, start) + after.slice(start, newEnd) + turned.slice(oldEnd);
        return turned === after && edits.every(({ start }, k) => k === 0 || start > (edits[k - 1]?.newEnd ?? 0));
      }),
      { seed: 1 },
    );
    expect(differencesBetween(`a${" ".repeat(50)}b`, `c${" ".repeat(50)}d`).map(({ start }) => start)).toEqual([0, 51]);
    expect(differencesBetween("abc", "abcd")).toEqual([{ start: 3, oldEnd: 3, newEnd: 4 }]);
    expect(differencesBetween("abc", "abc")).toEqual([]);
  });
  it("knows rows and columns", () => {
    const at = pointsIn("ab\ncd\n");
    expect([0, 2, 3, 6, 6].map(at)).toEqual([
      { row: 0, column: 0 },
      { row: 0, column: 2 },
      { row: 1, column: 0 },
      { row: 2, column: 0 },
      { row: 2, column: 0 },
    ]);
  });
});
