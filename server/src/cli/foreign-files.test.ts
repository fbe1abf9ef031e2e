/** What a workspace may not do: make the text of files that are not its own show. */
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { folderWith, runIn } from "./testing/command.ts";

const secret = "SECRET_4711";
const formats = ["text", "json", "sarif", "github"];
let elsewhere = "";
beforeAll(() => {
  elsewhere = folderWith({
    id_rsa: `${secret}\n`,
    "password.txt": `#define N ${secret}\n`,
    "config.json": `{ "${secret}": 1 }\n`,
    history: `./run --password ${secret}\n`,
    "lib/poor.h": `template <class T> __device__ void ${secret}(T *a) { a[threadIdx.x * 33] = 1; }\n`,
  });
});

/** Uses whatever it is given in every place that is shown. */
const kernel = (include: string): string => `${include}
#ifndef N
#define N 1
#endif
__global__ void k(float *a) { __shared__ float s[N]; s[threadIdx.x * 33] = N * 0.1; a[threadIdx.x * 33] = s[0]; }
int main(int argc, char **argv) { float *a; cudaMalloc(&a, 1 << 22); k<<<16, 256>>>(a); }
`;

async function outputs(folder: string): Promise<string> {
  const all = await Promise.all(formats.map((format) => runIn(folder, ["check", ".", "--format", format])));
  expect(all.every(({ code }) => code <= 2)).toBe(true);
  return all.map(({ out, err }) => out + err).join("\n");
}

describe.each<[string, (folder: string) => string]>([
  ["an absolute path", () => path.join(elsewhere, "password.txt")],
  ["a path that leads out", (folder) => path.relative(folder, path.join(elsewhere, "password.txt"))],
  [
    "a link",
    (folder) => {
      symlinkSync(path.join(elsewhere, "password.txt"), path.join(folder, "x.h"));
      return "x.h";
    },
  ],
  [
    "a link to a folder",
    (folder) => {
      symlinkSync(elsewhere, path.join(folder, "lib"));
      return "lib/password.txt";
    },
  ],
  [
    "a folder of headers of which one is no header",
    (folder) => {
      writeFileSync(path.join(folder, "warplens.json"), JSON.stringify({ includeDirs: [elsewhere] }));
      return "password.txt";
    },
  ],
  [
    "a compiler's command",
    (folder) => {
      const command = `nvcc -I${elsewhere} -include ${elsewhere}/password.txt @${elsewhere}/password.txt a.cu`;
      writeFileSync(path.join(folder, "compile_commands.json"), JSON.stringify([{ directory: folder, file: "a.cu", command }]));
      return "id_rsa";
    },
  ],
])("%s", (_, include) => {
  test("shows nothing, and is told", async () => {
    const folder = folderWith();
    const name = include(folder);
    writeFileSync(path.join(folder, "a.cu"), kernel(`#include "${name}"`));
    const shown = await outputs(folder);
    expect(shown).not.toContain(secret);
    expect(shown).toContain("unread-include");
  });
});

test.each(["warplens.json", "compile_commands.json", "Makefile", "run"])(
  "a %s that is a link to another file shows nothing of it",
  async (name) => {
    for (const target of ["config.json", "history"]) {
      const folder = folderWith({ "a.cu": kernel("") });
      symlinkSync(path.join(elsewhere, target), path.join(folder, name));
      expect(await outputs(folder)).not.toContain(secret);
    }
  },
);

test("what is found in a header of another project is not shown", async () => {
  const launch = `k<<<16, 256>>>(a); call<<<16, 256>>>(a);`;
  const text = kernel('#include "poor.h"').replace("k<<<16, 256>>>(a);", launch);
  const folder = folderWith({ "a.cu": text.replace("int main", `__global__ void call(float *a) { ${secret}(a); }\nint main`) });
  const { out } = await runIn(folder, ["check", ".", "-I", path.join(elsewhere, "lib"), "--format", "json"]);
  expect(JSON.parse(out).files.map((file: { path: string }) => file.path)).toEqual(["a.cu"]);
  expect(out).not.toContain("poor.h:");
});
