import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineHashes } from "./line-hashes.ts";

const parted = [
  "e9496ae3ebfced30:1",
  "fb7c023a8b9ccb3f:1",
  "ce8ba1a563dcdaca:1",
  "e20e36e16fcb0cc8:1",
  "b3edc88f2938467e:1",
  "c8e28b0b4002a3a0:1",
  "c129715d7a2bc9a3:1",
];

describe("lines have the hashes that GitHub gives them", () => {
  test.each<[string, string, readonly string[]]>([
    ["nothing", "", ["c129715d7a2bc9a3:1"]],
    ["blanks", " a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]],
    ["line feeds", " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", parted],
    ["returns", " hello; \t\rworld!!!\r\r\r  \t\tGreetings\r End\r", parted],
    ["both", " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", parted],
  ])("%s", (_, text, expected) => expect(lineHashes(text)).toEqual(expected));

  test("by the definition, slowly", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "{", "é", " ", "\t", "x1"), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom("\n", "\r", "\r\n"), (lines, end) => {
        expect(lineHashes(lines.join(end))).toEqual(slowly(lines));
      }),
    );
  });
});

function slowly(lines: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return lines.length === 0
    ? slowly([""])
    : lines.map((_, index) => {
        const rest = `${lines.slice(index).join("\n").replaceAll(/[ \t]/g, "")}\uFFFF`;
        let value = 0n;
        for (let at = 0; at < 100; at++) value = BigInt.asUintN(64, value * 37n + BigInt(at < rest.length ? rest.charCodeAt(at) : 0));
        const hash = value.toString(16);
        seen.set(hash, (seen.get(hash) ?? 0) + 1);
        return `${hash}:${seen.get(hash)}`;
      });
}

test("a line keeps its hash where lines are put above it and below", () => {
  const body = `float x = p[i * 8];\n${"int filler = 1;\n".repeat(20)}`;
  const [hash] = lineHashes(body);
  expect(lineHashes(`// one\n\n${body}// more\n`)[2]).toBe(hash);
});
