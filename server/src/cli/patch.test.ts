import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type OffsetEdit, withEdits } from "../lint/fix-edits.ts";
import { patchOf } from "./patch.ts";
import { folderWith } from "./testing/command.ts";

const text = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("");
const at = (words: string, newText: string, length = words.length): OffsetEdit => {
  const start = text.indexOf(words);
  return { start, end: start + length, newText };
};

test("says what changes, with the lines around it", () =>
  expect(patchOf("a.cu", text, [at("line 12", "row 12"), at("line 14", "line 14a\nline 14b")])).toBe(`--- a/a.cu
+++ b/a.cu
@@ -10,9 +10,10 @@
 line 9
 line 10
 line 11
-line 12
-line 13
-line 14
+row 12
+line 13
+line 14a
+line 14b
 line 15
 line 16
 line 17
`));

const git = (cwd: string, patch: string) => spawnSync("git", ["apply", "-"], { cwd, input: patch, encoding: "utf8" });

test.each<[string, string, OffsetEdit[]]>([
  ["far apart", text, [at("line 2\n", "two\n"), at("line 20\n", ""), at("line 27", "", 0)]],
  ["at both ends", text, [at("line 0", "first"), at("line 29", "last")]],
  ["without an end of line", "one\ntwo", [{ start: 4, end: 7, newText: "2" }]],
])("is what git applies: %s", (_, before, edits) => {
  const cwd = folderWith({ "a.cu": before });
  expect(git(cwd, patchOf("a.cu", before, edits)).stderr).toBe("");
  expect(readFileSync(path.join(cwd, "a.cu"), "utf8")).toBe(withEdits(before, edits));
});

test.runIf(process.platform !== "win32").each([
  ["a.cu", "a/a.cu"],
  ["é/ü.cu", "a/é/ü.cu"],
  ["a b.cu", "a/a b.cu\t"],
  ['a"b\\.cu', '"a/a\\"b\\\\.cu"'],
  ["a\nb\tc\u0001.cu", '"a/a\\nb\\tc\\001.cu"'],
  ["é\u001b[31m.cu", '"a/é\\033[31m.cu"'],
  ["a\u202e.cu", '"a/a\\342\\200\\256.cu"'],
])("names a file as git does, which finds it: %j", (name, head) => {
  const cwd = folderWith({ [name]: "old\n" });
  const patch = patchOf(name, "old\n", [{ start: 0, end: 3, newText: "new" }]);
  expect(patch.slice(0, patch.indexOf("\n"))).toBe(`--- ${head}`);
  expect(git(cwd, patch).stderr).toBe("");
  expect(readFileSync(path.join(cwd, name), "utf8")).toBe("new\n");
});
