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
