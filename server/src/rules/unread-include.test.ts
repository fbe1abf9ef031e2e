import { beforeAll, expect, test } from "vitest";
import { analyze } from "../analysis/analyze.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { lint } from "../lint.ts";
import { NotRead } from "../syntax/file-text.ts";

beforeAll(loadGrammarFromDisk);

const base: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], roots: ["/w"], launches: [], assume: [], argv: [] };
const outside = "it is outside of the project and of the folders of headers that the project names (`includeDirs` in warplens.json)";

function toldOf(text: string, files: Readonly<Record<string, string | NotRead>> = {}, settings: Partial<AnalysisSettings> = {}): string[] {
  const asked: string[] = [];
  const host = {
    read: (path: string) => {
      asked.push(path);
      return files[path];
    },
  };
  const found = lint(analyze("/w/src/a.cu", text, { ...base, ...settings }, host), undefined, { select: ["unread-include"] });
  expect(asked.filter((path) => path.startsWith("/etc") || path.startsWith("/home"))).toEqual([]);
  return found.map(({ path, range, message }) => `${path}:${range.start.line + 1} ${message}`);
}

test.each([
  ["an absolute path", '#include "/etc/passwd"\n', ["/w/src/a.cu:1 `/etc/passwd` is not read: "]],
  ["out of the project", '\n#include "../../../../home/u/.ssh/id_rsa"\n', ["/w/src/a.cu:2 `../../../../home/u/.ssh/id_rsa` is not read: "]],
  ["through a macro", '#define F "/etc/passwd"\n#include F\n', ["/w/src/a.cu:2 `/etc/passwd` is not read: "]],
  ["once a name", '#include "/etc/passwd"\n'.repeat(5), ["/w/src/a.cu:1 `/etc/passwd` is not read: "]],
])("%s: it is said, and nothing is asked of the file", (_, text, told) => {
  expect(toldOf(text)).toEqual(told.map((each) => each + outside));
});

test("the reasons of the host, in a project's header too, at their place", () => {
  const pipe = new NotRead("it is a pipe, not a file");
  expect(toldOf('#include "b.h"\n', { "/w/src/b.h": '\n#include "pipe.h"', "/w/src/pipe.h": pipe })).toEqual([
    "/w/src/b.h:2 `pipe.h` is not read: it is a pipe, not a file",
  ]);
});

test("a header of another project says nothing of what it includes", () => {
  const files = { "/lib/b.h": '#include "/etc/passwd"\n' };
  expect(toldOf("#include <b.h>\n", files, { includeDirs: ["/lib"] })).toEqual([]);
});

test("a system's header that is not there is nobody's matter", () => {
  const text = '#include <stdio.h>\n#include <vector>\n#include "cuda_runtime.h"\n#include "/usr/include/no.h"\n#include <sub/x>\n';
  expect(toldOf(text, {}, { includeDirs: ["/lib", "/opt/cuda/include"] })).toEqual([]);
});

test("what is not read for one reason is one finding, with the other places beside it", () => {
  expect(toldOf(Array.from({ length: 300 }, (_, k) => `#include "/etc/${k}"\n`).join(""))).toEqual([
    `/w/src/a.cu:1 \`/etc/0\` and 299 more are not read: ${outside}`,
  ]);
  const pipe = new NotRead("it is a pipe, not a file");
  expect(toldOf('#include "b.h"\n#include "/etc/a"\n', { "/w/src/b.h": '#include "pipe.h"\n', "/w/src/pipe.h": pipe })).toHaveLength(2);
});
