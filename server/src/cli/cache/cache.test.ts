import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Inspector } from "../jobs/inspector.ts";
import { folderWith, runIn } from "../testing/command.ts";
import { inlineInspector } from "../testing/inline-inspector.ts";

/** Two files of a program: one launches the other's kernel, with what a header says. */
const project = {
  "warplens.json": "{}",
  "a.cu":
    '#include "scale.cuh"\n__global__ void k(float *a, float b);\nint main() { float *a; cudaMalloc(&a, 4096); k<<<8, N>>>(a, 2); }\n',
  "b.cu": "__global__ void k(float *a, float b) { a[threadIdx.x] = b * 0.5; }\n",
  "inc/scale.cuh": "#define N 128\n",
};
const everything = ["a.cu", "b.cu", "scale.cuh"];

let cwd = "";
beforeEach(() => {
  cwd = folderWith(project);
});
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  writeFileSync(path.join(cwd, name), text);
};
const cached = (folder = ".warplens_cache"): string[] => readdirSync(path.join(cwd, folder)).filter((name) => name.endsWith(".outcome"));

/** Checks the project, and tells which of its files were inspected for that. */
async function check(argv: readonly string[] = [], { build = "a build", fails = "" } = {}) {
  const inspected: string[] = [];
  const startInspector = (): Inspector => {
    const inner = inlineInspector();
    return {
      ...inner,
      async inspect(job, ...more) {
        inspected.push(path.basename(job.path));
        if (path.basename(job.path) === fails) throw new Error("its process ended");
        return inner.inspect(job, ...more);
      },
    };
  };
  const ran = await runIn(cwd, ["check", ".", "-I", "inc", "--format", "json", "--jobs", "1", ...argv], {
    startInspector,
    build: () => build,
  });
  return { ...ran, inspected };
}

/** What is printed but for how long it took. */
const timeless = ({ out }: { readonly out: string }): string => out.replace(/"ms": [\d.]+/g, '"ms": 0');

describe("what is kept of a run", () => {
  test("is used where nothing changed: the same is printed", async () => {
    const first = await check();
    expect(first).toMatchObject({ inspected: ["a.cu", "b.cu", "scale.cuh"], code: 1 });
    expect(await check()).toMatchObject({ inspected: [], code: 1, out: first.out });
  });

  test.each<[string, () => void, string[]]>([
    ["the file", () => write("a.cu", `${project["a.cu"]}\n`), ["a.cu", "b.cu"]],
    ["a header", () => write("inc/scale.cuh", "#define N 256\n"), ["a.cu", "b.cu", "scale.cuh"]],
    ["where a header is found", () => write("scale.cuh", "#define N 64\n"), ["a.cu", "b.cu", "scale.cuh"]],
    ["that a header is there", () => rmSync(path.join(cwd, "inc/scale.cuh")), ["a.cu", "b.cu"]],
    ["another file of the program", () => write("b.cu", project["b.cu"].replace("0.5", "0.25")), ["a.cu", "b.cu"]],
    ["how the program is compiled", () => write("compile_commands.json", "[]"), everything],
    ["how the program is run", () => write("Makefile", "run: a\n\t./a 5\n"), everything],
    ["a setting of the project", () => write("warplens.json", '{ "gpu": "t4" }'), everything],
    ["what none of them looks at", () => write("readme.md", "!"), []],
  ])("is not used where another is: %s", async (_, change, inspected) => {
    await check();
    change();
    const after = await check();
    expect(new Set(after.inspected)).toEqual(new Set(inspected));
    expect(timeless(after)).toBe(timeless(await check(["--no-cache"])));
  });

  test("is of the options it was made with, and of the build", async () => {
    await check();
    for (const argv of [["--gpu", "t4"], ["--no-simulate"], ["-DN=5"], ["--select", "memory"], ["--argv", "7"], ["--registers", "k=40"]]) {
      expect((await check(argv)).inspected).toEqual(everything);
      expect((await check(argv)).inspected).toEqual([]);
    }
    expect((await check([], { build: "another build" })).inspected).toEqual(everything);
    expect((await check(["--timeout", "20"])).inspected).toEqual([]);
    expect((await check()).inspected).toEqual([]);
  });

  test("holds no failure: a file that failed is inspected again", async () => {
    expect(await check([], { fails: "a.cu" })).toMatchObject({ code: 2, inspected: everything });
    expect(await check()).toMatchObject({ code: 1, inspected: ["a.cu"] });
  });

  test("that cannot be read is as if it were not there", async () => {
    const before = timeless(await check());
    for (const damage of [
      (text: string) => text.slice(0, -20),
      () => "",
      () => "{}\n{}",
      () => "null\nnull",
      (text: string) => text.replace(/"severity":"hint"/, '"severity":"error"'),
    ]) {
      for (const name of cached()) write(`.warplens_cache/${name}`, damage(readFileSync(path.join(cwd, ".warplens_cache", name), "utf8")));
      expect(timeless(await check())).toBe(before);
    }
  });
});

describe("where it is kept", () => {
  test("in the project, marked as what it is", async () => {
    await check();
    expect(cached()).toHaveLength(3);
    expect(readFileSync(path.join(cwd, ".warplens_cache/.gitignore"), "utf8")).toContain("*");
    expect(readFileSync(path.join(cwd, ".warplens_cache/CACHEDIR.TAG"), "utf8")).toMatch(/^Signature: 8a477f597d28d172789f06886806bc55\n/);
  });

  test("where the user says, or nowhere", async () => {
    await check(["--no-cache"]);
    expect(existsSync(path.join(cwd, ".warplens_cache"))).toBe(false);
    await check(["--cache", "elsewhere/kept"]);
    expect(cached("elsewhere/kept")).toHaveLength(3);
    expect(existsSync(path.join(cwd, ".warplens_cache"))).toBe(false);
  });

  test("nowhere outside of a project, and nowhere else where a link leads", async () => {
    rmSync(path.join(cwd, "warplens.json"));
    await check();
    expect(existsSync(path.join(cwd, ".warplens_cache"))).toBe(false);
    mkdirSync(path.join(cwd, ".git"));
    const elsewhere = folderWith();
    symlinkSync(elsewhere, path.join(cwd, ".warplens_cache"));
    await check();
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.each<[string, string[], string]>([
    ["among other things", ["--cache", "inc"], "--cache: inc holds something else; name a new folder"],
    ["in a file", ["--cache", "a.cu"], "--cache: a.cu holds something else; name a new folder"],
    ["somewhere and nowhere", ["--cache", "x", "--no-cache"], "--cache and --no-cache contradict each other: give one"],
  ])("never %s", async (_, argv, message) => {
    expect(await check(argv)).toMatchObject({ code: 2, err: `warplens: ${message}\n` });
  });
});
