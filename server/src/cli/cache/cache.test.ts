import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Inspector } from "../jobs/inspector.ts";
import { folderWith, runIn } from "../testing/command.ts";
import { inlineInspector } from "../testing/inline-inspector.ts";
import { cacheHome } from "./cache-folder.ts";

/** Two files of a program: one launches the other's kernel, with what a header says. */
const project = {
  "warplens.json": "{}",
  "a.cu":
    '#include "scale.cuh"\n__global__ void k(float *a, float b);\nint main() { float *a; cudaMalloc(&a, 4096); k<<<8, N>>>(a, 2); }\n',
  "b.cu": "__global__ void k(float *a, float b) { a[threadIdx.x] = b * 0.1; }\n",
  "inc/scale.cuh": "#define N 128\n",
};
const everything = ["a.cu", "b.cu", "scale.cuh"];

let cwd = "";
/** The user's own cache folder, outside of the project. */
let own = "";
beforeEach(() => {
  cwd = folderWith(project);
  own = path.join(folderWith(), "warplens");
});
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  writeFileSync(path.join(cwd, name), text);
};
const cached = (folder = own): string[] => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".outcome")) : []);

/** Checks the project, and tells which of its files were inspected for that. */
async function check(
  argv: readonly string[] = [],
  { build = "a build", fails = "", cacheHome = path.dirname(own), during = () => {} } = {},
) {
  const inspected: string[] = [];
  const startInspector = (): Inspector => {
    const inner = inlineInspector();
    return {
      ...inner,
      async inspect(job, ...more) {
        inspected.push(path.basename(job.path));
        if (inspected.length === everything.length) during();
        if (path.basename(job.path) === fails) throw new Error("its process ended");
        return inner.inspect(job, ...more);
      },
    };
  };
  const ran = await runIn(cwd, ["check", ".", "-I", "inc", "--format", "json", "--jobs", "1", ...argv], {
    startInspector,
    build: () => build,
    cacheHome,
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
    ["another file of the program", () => write("b.cu", project["b.cu"].replace("0.1", "0.3")), ["a.cu", "b.cu"]],
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

  test("holds a file whose steps ended: nothing is worked out again to no avail", async () => {
    const first = await check(["--steps", "1"]);
    expect(first.out).toMatch(/took the last of the 1 steps of the file/);
    expect(first.inspected).toEqual(everything);
    expect(await check(["--steps", "1"])).toMatchObject({ inspected: [], code: first.code, out: first.out });
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
      for (const name of cached()) writeFileSync(path.join(own, name), damage(readFileSync(path.join(own, name), "utf8")));
      expect(timeless(await check())).toBe(before);
    }
  });
});

describe("where nothing can be kept", () => {
  test.skipIf(process.platform !== "linux")("not where the system makes no folders either", async () => {
    expect((await check([], { cacheHome: "/proc/none" })).inspected).toEqual((await check(["--no-cache"])).inspected);
  });

  test("results are what they are", async () => {
    const kept = await check();
    const none = await check([], { cacheHome: path.join(cwd, "a.cu") });
    expect(none).toMatchObject({ code: kept.code, err: kept.err, inspected: everything });
    expect(timeless(none)).toBe(timeless(kept));
  });

  test("as the folder went while it was used, too", async () => {
    const kept = await check();
    const ran = await check(["--gpu", "t4"], { during: () => rmSync(own, { recursive: true, force: true }) });
    expect(ran).toMatchObject({ code: kept.code, err: kept.err, inspected: everything });
  });
});

describe("where it is kept", () => {
  test("in the user's folder for such things, marked as what it is", async () => {
    await check();
    expect(cached()).toHaveLength(3);
    expect(readFileSync(path.join(own, ".gitignore"), "utf8")).toContain("*");
    expect(readFileSync(path.join(own, "CACHEDIR.TAG"), "utf8")).toMatch(/^Signature: 8a477f597d28d172789f06886806bc55\n/);
  });

  test.each<[NodeJS.Platform, Record<string, string>, string | undefined]>([
    ["linux", { HOME: "/home/u" }, "/home/u/.cache"],
    ["linux", { HOME: "/home/u", XDG_CACHE_HOME: "/fast" }, "/fast"],
    ["linux", { HOME: "/home/u", XDG_CACHE_HOME: "relative" }, "/home/u/.cache"],
    ["linux", {}, undefined],
    ["darwin", { HOME: "/Users/u" }, "/Users/u/Library/Caches"],
    ["win32", { HOME: "/x", LOCALAPPDATA: "/local" }, "/local"],
  ])("of %s with %j: %s", (platform, env, folder) => expect(cacheHome(env, platform)).toBe(folder));

  test("where the user says, or nowhere", async () => {
    await check(["--no-cache"]);
    expect(cached()).toEqual([]);
    await check(["--cache", "elsewhere/kept"]);
    expect(cached(path.join(cwd, "elsewhere/kept"))).toHaveLength(3);
    expect(cached()).toEqual([]);
  });

  test("nowhere else where a link leads", async () => {
    const elsewhere = folderWith();
    symlinkSync(elsewhere, own);
    await check();
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("never in the project itself: what a checkout brings is not believed", async () => {
    const first = await check();
    /** Outcomes without findings, under the names that the next run asks for. */
    const forge = (folder: string): void => {
      for (const name of cached()) {
        const [head = "", outcome = ""] = readFileSync(path.join(own, name), "utf8").split("\n");
        const none = JSON.stringify({ ...JSON.parse(outcome), diagnostics: [] });
        write(path.join(folder, name), `${JSON.stringify({ ...JSON.parse(head), digest: hash("sha256", none) })}\n${none}`);
      }
      write(path.join(folder, "CACHEDIR.TAG"), readFileSync(path.join(own, "CACHEDIR.TAG"), "utf8"));
    };
    for (const folder of [".warplens_cache", ".cache/warplens", "warplens"]) forge(folder);
    expect(await check()).toMatchObject({ inspected: [], code: 1, out: first.out });
    for (const cacheHome of [cwd, path.join(cwd, ".cache")])
      expect(await check([], { cacheHome })).toMatchObject({ inspected: everything, code: 1 });
    // What the user names is believed: these would have been.
    expect(await check(["--cache", "warplens"])).toMatchObject({ inspected: [], code: 0 });
  });

  test.each<[string, string[], string]>([
    ["among other things", ["--cache", "inc"], "--cache: inc holds something else; name a new folder"],
    ["in a file", ["--cache", "a.cu"], "--cache: a.cu holds something else; name a new folder"],
    ["somewhere and nowhere", ["--cache", "x", "--no-cache"], "--cache and --no-cache contradict each other: give one"],
  ])("never %s", async (_, argv, message) => {
    expect(await check(argv)).toMatchObject({ code: 2, err: `warplens: ${message}\n` });
  });

  test.skipIf(process.platform !== "linux")("nor nowhere without a word, where the user names a folder that cannot be made", async () => {
    const { code, err } = await check(["--cache", "/proc/none/x"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^warplens: --cache: \/proc\/none\/x cannot be made: E[A-Z]+: .+\n$/);
  });
});
