import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranslationUnit } from "./ast.ts";
import { FileParser, type ParsedFile, read } from "./index.ts";
import { parseText, printUnit, testParser } from "./testing/parse-text.ts";
import { walk } from "./walk.ts";

const parser = await testParser;
const host = { read: (path: string) => (path === "/src/h.h" ? "#pragma once\n#define H(x) (x + H2)\nint h;\n" : undefined) };
const options = { computeCapability: 90 };

const tokens = fc.constantFrom(
  ...'int float4 T x N F( ( ) { } [ ] < > <<< >>> ; , :: : ? = == + - * & && | ! ~ . -> ... 1 1.0f 0x \'a\' "s" " \' # ## \\ \n // /* */ R"( template typename struct class enum union namespace using typedef operator new delete if else for while do switch case default return goto asm const static __global__ __device__ __shared__ __launch_bounds__( __align__(16) friend extern auto decltype( sizeof static_cast<int>( lambda [=] é 🚀 \0'.split(
    " ",
  ),
  "\n#define N 1\n",
  "\n#define F(x, ...) x##x #x __VA_ARGS__ F(x)\n",
  "\n#if N\n",
  "\n#else\n",
  "\n#endif\n",
  '\n#include "h.h"\n',
  "\n#pragma unroll N\n",
  "H(1)",
  "F(1, 2)",
  " ",
);
const soup = fc.array(tokens, { maxLength: 60 }).map((parts) => parts.join(" "));

const printParsed = ({ unit }: ParsedFile): string => printUnit(unit);

/** Every span lies within its text, the right way round. */
function checkSpans(unit: TranslationUnit, length: number): void {
  walk(unit, (node) => {
    if (!(node.start >= 0 && node.start <= node.end && node.end <= length))
      throw new Error(`${node.kind} at ${node.start}-${node.end} of ${length}`);
    return true;
  });
}

describe("any text at all", () => {
  it("is read and parsed", () => {
    fc.assert(
      fc.property(soup, (text) => {
        const reading = read("/src/a.cu", text, host, options);
        const parsed = new FileParser(parser).parse(reading);
        if (!parsed) throw new Error("no tree");
        checkSpans(parsed.unit, reading.text.length);
      }),
      { numRuns: 400, seed: 7 },
    );
  });

  it("parses after edits as it parses whole", () => {
    fc.assert(
      fc.property(fc.array(soup, { minLength: 2, maxLength: 4 }), (texts) => {
        const edited = new FileParser(parser);
        for (const text of texts) {
          const reading = read("/src/edited.cu", text, host, options);
          const incremental = edited.parse(reading);
          const whole = new FileParser(parser).parse(read("/src/whole.cu", text, host, options));
          expect(incremental && printParsed(incremental)).toBe(whole && printParsed(whole));
          parser.forget("/src/whole.cu");
        }
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  it("leads back to what is written", () => {
    fc.assert(
      fc.property(soup, fc.nat(), fc.nat(20), (text, at, length) => {
        const reading = read("/src/a.cu", text, host, options);
        const start = at % (reading.text.length + 1);
        const end = Math.min(reading.text.length, start + length);
        const place = reading.spelled(start, end);
        if (!place) return;
        const source = reading.sources[place.file] ?? "";
        const written = source.slice(place.start, place.end);
        const read_ = reading.text.slice(start, end);
        expect(read_.length).toBe(place.end - place.start);
        // Blank where a comment, a directive or a branch not taken stands, and as it is elsewhere.
        for (let i = 0; i < read_.length; i++) if (read_[i] !== written[i]) expect(read_[i]).toBe(" ");
        const { line, character } = reading.position(place.file, place.start);
        expect(source.split("\n").slice(0, line).join("\n").length + (line ? 1 : 0) + character).toBe(place.start);
      }),
      { numRuns: 600, seed: 13 },
    );
  });

  it("places what comes later in the file no earlier", () => {
    fc.assert(
      fc.property(
        soup.filter((text) => !text.includes("include")),
        (text) => {
          const reading = read("/src/a.cu", text, host, options);
          let before = 0;
          for (let at = 0; at < reading.text.length; at++) {
            const { start } = reading.locate(at, at + 1);
            expect(start).toBeGreaterThanOrEqual(before);
            before = start;
          }
        },
      ),
      { numRuns: 200, seed: 17 },
    );
  });

  it("may be any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = new TextDecoder("latin1").decode(bytes);
        const parsed = new FileParser(parser).parse(read("/src/b.cu", text, host, options));
        if (parsed) checkSpans(parsed.unit, parsed.reading.preprocessed.text.length);
      }),
      { numRuns: 150, seed: 19 },
    );
  });
});

describe("extremes", () => {
  const extremes: Readonly<Record<string, string>> = {
    "an empty file": "",
    "one space": " ",
    "no newline at the end of an include": '#include "h.h"',
    "a byte order mark": "\ufeffint x;",
    "Windows lines": "int a;\r\n#define N 1\r\n#if N\r\nint b[N]; // c\r\n#endif\r\n",
    "only open braces": "{".repeat(3000),
    "only close braces": "}".repeat(3000),
    "deep parentheses": `int x = ${"(".repeat(5000)}1${")".repeat(5000)};`,
    "a deep block": `void f() { ${"{".repeat(3000)} x; ${"}".repeat(3000)} }`,
    "a long sum": `int x = ${Array.from({ length: 5000 }, (_, i) => `a${i}`).join(" + ")};`,
    "a long else-if": `void f() { ${Array.from({ length: 2000 }, (_, i) => `if (x == ${i}) y(); else `).join("")} z(); }`,
    "deep pointers": `int ${"*".repeat(3000)} p;`,
    "deep unary": `int x = ${"- ".repeat(3000)} 1;`,
    "an error behind a long comment": `int a; /*${"x".repeat(60_000)}*/ MACRO q`,
    "an error behind blanks": `${" ".repeat(400_000)}k`,
    "an open comment": "int a; /* never closed",
    "an open string": 'char* s = "never closed;\nint x;',
    "an open raw string": 'auto s = R"x(never closed',
    "an unterminated condition": "#if 1\nint x;",
  };
  for (const [name, text] of Object.entries(extremes)) {
    it(name, async () => {
      const { unit, reading } = await parseText(text);
      checkSpans(unit, reading.preprocessed.text.length);
    });
  }

  it("50,000 lines", async () => {
    const text = Array.from(
      { length: 12_500 },
      (_, i) => `__device__ int f${i}(int x) {\n  if (x > ${i}) return x * ${i};\n  return x;\n}\n`,
    ).join("");
    const { unit } = await parseText(text);
    expect(unit.declarations.length).toBe(12_500);
    expect(unit.errors).toEqual([]);
  });
});
