import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Inspector } from "../jobs/inspector.ts";
import { folderWith, runIn } from "../testing/command.ts";
import { inlineInspector } from "../testing/inline-inspector.ts";
import { repository, type TestRepository } from "../testing/repository.ts";

const launching = (stride: number, block = 256): string => `#include "inc/at.cuh"
__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = at(in, i);
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 28);
  cudaMalloc(&out, 1 << 26);
  copy<<<(1 << 20) / ${block}, ${block}>>>(out, in, 1 << 20);
}
// ${stride}
`;
const at = (stride: number): string => `__device__ float at(const float *p, int i) { return p[i * ${stride}]; }\n`;
const other =
  "__global__ void fill(float *a) { a[blockIdx.x * 128 + threadIdx.x] = 1.0f; }\nint main() { float *a; cudaMalloc(&a, 1 << 20); fill<<<1024, 128>>>(a); }\n";

/** Two commits: the stride of a header becomes 8, and a kernel is added. */
function sample(): TestRepository & { readonly first: string; readonly second: string } {
  const repo = repository();
  const first = repo.commit({ "src/a.cu": launching(1).replace("inc/", "../inc/"), "inc/at.cuh": at(1) });
  const second = repo.commit({ "inc/at.cuh": at(8), "src/b.cu": other });
  return { ...repo, first, second };
}

interface Report {
  readonly before: string;
  readonly after: string;
  readonly launches: readonly {
    readonly kernel: string;
    readonly status: string;
    readonly changed: readonly string[];
    readonly before?: { readonly path: string };
    readonly after?: { readonly path: string };
  }[];
  readonly findings: { readonly new: readonly { readonly path: string; readonly ruleId: string }[]; readonly gone: readonly object[] };
}

async function diff(cwd: string, ...argv: string[]): Promise<Report> {
  const { out, err, code } = await runIn(cwd, ["diff", "--format", "json", ...argv]);
  expect([err, code]).toEqual(["", 0]);
  return JSON.parse(out);
}
const statuses = ({ launches }: Report): string[] => launches.map(({ kernel, status }) => `${kernel} ${status}`);

describe("a sparse checkout", () => {
  const sparse = (count: number): RegExp =>
    new RegExp(`^the sparse checkout lacks ${count} files? of HEAD \\(\\w+\\); (it is|they are) left out\n$`);
  async function statusesIn({ root }: TestRepository): Promise<readonly [string[], string]> {
    const { out, err, code } = await runIn(root, ["diff", "HEAD", "--format", "json"]);
    expect(code).toBe(0);
    return [statuses(JSON.parse(out)), err];
  }

  test("has not lost what it leaves out", async () => {
    const repo = sample();
    repo.commit({ "lib/c.cu": other.replaceAll("fill", "clear"), "lib/d.cu": other.replaceAll("fill", "drop") });
    repo.git("sparse-checkout", "set", "src", "inc");
    expect(await statusesIn(repo)).toEqual([["copy unchanged", "fill unchanged"], expect.stringMatching(sparse(2))]);
    expect(await runIn(repo.root, ["check", ".", "--base", "HEAD"])).toMatchObject({ code: 0, err: "" });
    // One that stands there all the same is as it is.
    repo.write({ "lib/c.cu": other.replaceAll("fill", "clear").replace("1024", "512") });
    expect(await statusesIn(repo)).toEqual([["clear faster", "copy unchanged", "fill unchanged"].sort(), expect.stringMatching(sparse(1))]);
  });

  test("is none where git is only told to leave a file as it is", async () => {
    const repo = sample();
    repo.git("update-index", "--skip-worktree", "src/b.cu");
    repo.write({ "src/b.cu": other.replace("1024", "512") });
    expect(await statusesIn(repo)).toEqual([["fill faster", "copy unchanged"], ""]);
  });
});

describe("diff", () => {
  const repo = sample();

  test("of two revisions: what an included file changes, what is new, what it finds", async () => {
    const report = await diff(repo.root, repo.first, repo.second);
    expect(report).toMatchObject({ before: repo.first.slice(0, 7), after: repo.second.slice(0, 7) });
    expect(statuses(report)).toEqual(["copy slower", "fill new"]);
    expect(report.launches[0]?.changed).toEqual(expect.arrayContaining(["timeNs", "dramBytes", "loadSectorsPerRequest"]));
    expect(report.findings).toEqual({ new: [expect.objectContaining({ path: "inc/at.cuh", ruleId: "strided-global-access" })], gone: [] });
  });

  test("the other way round", async () => {
    const report = await diff(repo.root, `${repo.second}..${repo.first}`);
    expect(statuses(report)).toEqual(["copy faster", "fill gone"]);
    expect([report.findings.new.length, report.findings.gone.length]).toEqual([0, 1]);
  });

  test("of a revision and itself", async () =>
    expect(statuses(await diff(repo.root, "HEAD", "HEAD"))).toEqual(["copy unchanged", "fill unchanged"]));

  test("from where two lines part", async () => {
    const repo = sample();
    repo.git("checkout", "--quiet", "-b", "side", repo.first);
    repo.commit({ "src/a.cu": launching(1, 32).replace("inc/", "../inc/") });
    expect((await diff(repo.root, "main", "side")).findings.gone).toHaveLength(1);
    const report = await diff(repo.root, "main...side");
    expect([statuses(report), report.findings.gone]).toEqual([["copy slower"], []]);
    // Blocks of 32 are what made it slower, and are told.
    expect(report.findings.new).toHaveLength(1);
  });

  test("of some paths, from a folder", async () => {
    const report = await diff(path.join(repo.root, "src"), "HEAD~1", "HEAD", "--", "b.cu");
    expect(statuses(report)).toEqual(["fill new"]);
    expect(report.launches[0]?.after?.path).toBe("b.cu");
    expect(statuses(await diff(repo.root, "HEAD~1", "HEAD", "--", "src/a.cu"))).toEqual(["copy slower"]);
  });

  test("with changes below a threshold as noise", async () =>
    expect(statuses(await diff(repo.root, repo.first, repo.second, "--threshold", "10000"))).toEqual(["fill new", "copy unchanged"]));

  test("as Markdown", async () => {
    const { out } = await runIn(repo.root, ["diff", "HEAD~1", "HEAD", "--format", "markdown"]);
    expect(out).toMatch(/^### WarpLens: 1 launch slower, 1 new; 1 new finding\n/);
    expect(out).toMatch(/\| slower \| `copy` \| \*\*[\d.]+ µs → [\d.]+ µs \(\+\d+(\.\d+)? %\)\*\* \|/);
    expect(out).toContain("`HEAD~1 (");
  });
});

describe("diff to the working tree", () => {
  test("reads it as it is: changed, new, removed, renamed, and not what git ignores", async () => {
    const repo = repository();
    const kernel = (name: string): string => other.replaceAll("fill", name);
    repo.commit({ "a.cu": kernel("ka"), "b.cu": kernel("kb"), "c.cu": kernel("kc"), ".gitignore": "build/\n" });
    repo.git("mv", "a.cu", "renamed.cu");
    repo.remove("b.cu");
    repo.write({ "c.cu": kernel("kc").replace("1024, 128", "64, 128"), "d.cu": kernel("kd"), "build/e.cu": kernel("ke") });
    const report = await diff(repo.root, "HEAD");
    expect(report.after).toBe("working tree");
    expect(statuses(report).sort()).toEqual(
      ["ka unchanged", "kb gone", "kc changed", "kd new"].map((each) => expect.stringMatching(each.replace("changed", "(changed|faster)"))),
    );
    expect(report.launches.find(({ kernel }) => kernel === "ka")).toMatchObject({
      before: { path: "a.cu" },
      after: { path: "renamed.cu" },
    });
  });

  test("takes the settings of each revision, and one GPU for both", async () => {
    const repo = repository();
    const source = launching(1).replace('#include "inc/at.cuh"\n', "").replace("at(in, i)", "in[i * STRIDE]");
    repo.commit({ "a.cu": source, "warplens.json": '{ "defines": ["STRIDE=1"], "gpu": "t4" }' });
    repo.write({ "warplens.json": '{ "defines": ["STRIDE=8"], "gpu": "v100" }' });
    const report = await diff(repo.root, "HEAD");
    expect(statuses(report)).toEqual(["copy slower"]);
    expect(report).toMatchObject({ gpu: { id: "v100-sxm2" } });
  });
});

test.each<[string, string[], string]>([
  ["no revision", ["diff"], "diff needs one or two revisions"],
  ["three", ["diff", "a", "b", "c"], "diff needs one or two revisions"],
  ["a range and a revision", ["diff", "a..b", "c"], "diff needs one or two revisions"],
  ["one that is not there", ["diff", "none"], "there is no revision `none`"],
  ["one that would be an option of git", ["diff", "HEAD", "--", "x"], "neither revision has CUDA sources in x"],
  ["a threshold that is none", ["diff", "HEAD", "--threshold", "much"], "--threshold must be a percentage"],
])("%s: a usage error", async (_, argv, message) => {
  const repo = repository();
  repo.commit({ "a.txt": "" });
  const ran = await runIn(repo.root, argv);
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(ran.err).toContain(`warplens: ${message}`);
});

test("outside of a repository: a usage error", async () =>
  expect((await runIn(folderWith(), ["diff", "HEAD"])).err).toBe("warplens: this folder is in no git repository\n"));

test("check leaves out what a revision has, wherever it has moved", async () => {
  const repo = sample();
  const known = await runIn(repo.root, ["check", ".", "--base", "HEAD"]);
  expect(known).toMatchObject({ code: 0, out: expect.stringContaining("no findings in ") });
  repo.git("mv", "inc/at.cuh", "inc/by.cuh");
  repo.write({
    "inc/by.cuh": `// moved\n${at(8)}`,
    "src/a.cu": launching(1).replace("inc/at", "../inc/by"),
    "src/c.cu": "__device__ float half(float x) { return x * 0.7; }\n",
  });
  const added = await runIn(repo.root, ["check", ".", "--base", "HEAD"]);
  expect(added).toMatchObject({ code: 1, out: expect.stringContaining("src/c.cu:1:45  hint double-constant-in-float") });
  expect(added.out).toContain("1 finding (1 hint)");
});

test("check fails for files of which nothing is known before, and calls none of their findings new", async () => {
  const repo = sample();
  repo.commit({ "src/warplens.json": "{" });
  repo.write({ "src/warplens.json": "{}" });
  const ran = await runIn(repo.root, ["check", ".", "--base", "HEAD", "--format", "json"]);
  expect(ran.code).toBe(2);
  const { files } = JSON.parse(ran.out) as { files: { path: string; diagnostics: unknown[]; failures?: { stage: string }[] }[] };
  expect(files.flatMap(({ path, failures = [] }) => failures.map(({ stage }) => `${path} ${stage}`))).toContain("src/a.cu base");
  expect(files.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
});

test("gates compare with a revision: findings that it lacks are new, figures are bounded by what they were", async () => {
  const repo = sample();
  repo.write({
    "warplens.json": JSON.stringify({
      gates: [
        "*: no new finding of warning",
        "*: time <= 105 % of base",
        "copy: registers <= 100 % of base",
        "fill: time <= 105 % of base",
      ],
    }),
  });
  const gate = async (base: string) => JSON.parse((await runIn(repo.root, ["gate", "--base", base, "--format", "json"])).out).gates;
  expect(await gate("HEAD~1")).toMatchObject([
    { verdict: "broken", value: 1, findings: [{ path: "inc/at.cuh" }] },
    { verdict: "broken", limitPctOfBase: 105, kernel: "copy", before: expect.any(Number), notJudged: 1 },
    { verdict: "holds" },
    { verdict: "unknown", reason: expect.stringContaining("the base has no time of it") },
  ]);
  expect(await gate("HEAD")).toMatchObject([
    { verdict: "holds", value: 0 },
    { verdict: "holds" },
    { verdict: "holds" },
    { verdict: "holds" },
  ]);
  const { out } = await runIn(repo.root, ["gate", "--base", "HEAD~1"]);
  expect(out).toMatch(/broken {3}\*: time <= 105 % of base {2}h200\n {9}[\d.]+ µs, \d+ % of [\d.]+ µs, \d+ % too much\n/);
});

test("what is the same in both revisions is inspected once, what an included file changes twice", async () => {
  const repo = sample();
  const inspected: string[] = [];
  const startInspector = (): Inspector => {
    const inspector = inlineInspector();
    return {
      ...inspector,
      inspect(job, ...rest) {
        inspected.push(path.basename(job.path));
        return inspector.inspect(job, ...rest);
      },
    };
  };
  const given = { startInspector, build: () => "a build", cacheHome: folderWith() };
  repo.write({ "inc/at.cuh": at(4) });
  expect((await runIn(repo.root, ["diff", "HEAD", "--jobs", "1"], given)).code).toBe(0);
  expect(inspected.sort()).toEqual(["a.cu", "a.cu", "at.cuh", "at.cuh", "b.cu"]);
});
