import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { includedFiles } from "./inclusions.ts";
import { folderWith, runIn } from "./testing/command.ts";

const included = (texts: Readonly<Record<string, string>>): string[] => [
  ...includedFiles(Object.entries(texts).map(([path, text]) => ({ path, text }))),
];

test.each<[string, Readonly<Record<string, string>>, string[]]>([
  ["beside it", { "/p/main.cu": '#include "kernels.h"\n', "/p/kernels.h": "" }, ["/p/kernels.h"]],
  ["through another", { "/p/a.cu": '#include "b.cuh"', "/p/b.cuh": '# include "../q/c.h"', "/q/c.h": "" }, ["/p/b.cuh", "/q/c.h"]],
  [
    "within an include guard",
    { "/p/a.cu": '#include "b.h"', "/p/b.h": '#ifndef B_H\n#define B_H\n#include "c.h"\n#endif', "/p/c.h": "" },
    ["/p/b.h", "/p/c.h"],
  ],
  ["behind a condition that has ended", { "/p/a.cu": '#ifdef X\n#endif\n#include "b.h"', "/p/b.h": "" }, ["/p/b.h"]],
  ["in a condition, which may not hold", { "/p/a.cu": '#if X\n#include "b.h"\n#endif', "/p/b.h": "" }, []],
  ["where something else is defined first", { "/p/a.cu": '#ifndef X\n#define Y\n#include "b.h"\n#endif', "/p/b.h": "" }, []],
  ["in a comment", { "/p/a.cu": '/*\n#include "b.h"\n*/\n// \\\n  int x;', "/p/b.h": "" }, []],
  ["in a comment that does not end", { "/p/a.cu": '/* /* \n#include "b.h"\n', "/p/b.h": "" }, []],
  ["in text for a compiler at run time", { "/p/a.cu": 'auto text = R"x(\n#include "b.h"\n)x";', "/p/b.h": "" }, []],
  ["looked for in folders of headers", { "/p/a.cu": "#include <b.h>", "/p/b.h": "" }, []],
  ["elsewhere", { "/p/a.cu": '#include "b.h"', "/q/b.h": "" }, []],
  ["itself", { "/p/a.cu": '#include "a.cu"' }, []],
  ["each other: the first is left", { "/p/a.h": '#include "b.h"', "/p/b.h": '#include "a.h"' }, ["/p/b.h"]],
  [
    "each other, and from outside",
    { "/p/a.h": '#include "b.h"', "/p/b.h": '#include "a.h"', "/p/c.cu": '#include "a.h"' },
    ["/p/a.h", "/p/b.h"],
  ],
])("what is included: %s", (_, texts, expected) => expect(included(texts)).toEqual(expected));

test.each(["/*", '"', 'R"(', "# ", " ", "//", "\n#"])("each character is gone through once: %j, 400,000 times", (piece) =>
  expect(included({ "/p/a.cu": `#include "b.h"\n${piece.repeat(400_000)}`, "/p/b.h": "" })).toEqual(["/p/b.h"]),
);

test.runIf(process.platform !== "win32")("a file that includes itself through a link in a circle is one file", async () => {
  const poor = "__global__ void k(float *a) { a[threadIdx.x] *= 0.1; }";
  const cwd = folderWith({ "d/b.cu": `#include "../loop/d/b.cu"\n${poor}\n` });
  symlinkSync(".", path.join(cwd, "loop"));
  const { out } = await runIn(cwd, ["check", ".", "--no-simulate", "--format", "json"]);
  const { files } = JSON.parse(out) as { files: { path: string }[] };
  expect(files.map(({ path: name }) => name)).toEqual(["d/b.cu"]);
});
