/** What cannot be read on one side of a comparison is named, and neither new nor gone. */
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, runIn } from "../testing/command.ts";
import { repository, type TestRepository } from "../testing/repository.ts";

const kernel = (name: string): string => `__global__ void ${name}(float *a) { a[threadIdx.x * 8] = 1.0f * 0.7; }
int main() { float *a; cudaMalloc(&a, 1 << 20); ${name}<<<32, 128>>>(a); }
`;
const including = `#include "h.h"\n${kernel("k").replace("1.0f * 0.7", "half(2.0f)")}`;
const header = "__device__ float half(float x) { return x * 0.7; }\n";
const good = { "a.cu": including, "h.h": header, "b.cu": kernel("other") };

const unreadable: [string, string | Uint8Array, string][] = [
  ["binary", Buffer.from(`${including}\0\xff`, "latin1"), "it is not UTF-8 text"],
  ["UTF-16", Buffer.from(`\uFEFF${including}`, "utf16le"), "it is not UTF-8 text"],
  ["too large", including.padEnd(8 * 2 ** 20 + 1), "it has 8.1 MB; WarpLens reads up to 8 MB"],
];

function spoilt(content: string | Uint8Array): TestRepository & { readonly short: string } {
  const repo = repository();
  repo.commit(good);
  repo.commit({ "a.cu": content });
  return { ...repo, short: repo.git("rev-parse", "--short", "HEAD") };
}

describe.each(unreadable)("%s", (_, content, reason) => {
  const repo = spoilt(content);
  const named = `a.cu is not read at HEAD (${repo.short}): ${reason}`;

  test.each([
    ["afterwards", ["HEAD~1", "HEAD"], named],
    ["before", ["HEAD", "HEAD~1"], named],
    ["in the working tree", ["HEAD~1"], `a.cu is not read: ${reason}`],
    ["alone", ["HEAD~1", "HEAD", "--", "a.cu"], named],
  ])("diff: %s", async (_, argv, message) => {
    const { code, out, err } = await runIn(repo.root, ["diff", "--format", "json", ...argv]);
    expect([code, err]).toEqual([2, `${message}\n`]);
    const { launches, findings, failures } = JSON.parse(out) as { launches: { status: string }[]; findings: object; failures: string[] };
    expect(launches.filter(({ status }) => status !== "unchanged")).toEqual([]);
    expect([findings, failures]).toEqual([{ new: [], gone: [] }, [`a.cu: read failed: ${message}`]]);
  });

  test("diff says so in its text", async () =>
    expect((await runIn(repo.root, ["diff", "HEAD~1", "HEAD"])).out).toContain(`a.cu: read failed: ${named}`));

  test("check --base", async () => {
    const now = spoilt(content);
    now.write(good);
    const { code, out, err } = await runIn(now.root, ["check", ".", "--base", "HEAD"]);
    expect([code, err]).toEqual([2, `${named.replace(repo.short, now.short)}\n`]);
    expect(out).not.toMatch(/double-constant|strided/);
  });

  test.each(["*: no new finding", "*: time <= 105 % of base"])("gate --base: %s", async (gate) => {
    const now = spoilt(content);
    now.write({ ...good, "warplens.json": JSON.stringify({ gates: [gate] }) });
    const { code, err } = await runIn(now.root, ["gate", "--base", "HEAD"]);
    expect([code, err]).toEqual([2, `${named.replace(repo.short, now.short)}\n`]);
  });
});

test("a blob that the base lacks", async () => {
  const repo = repository();
  repo.commit(good);
  const object = repo.git("rev-parse", "HEAD:a.cu");
  repo.commit({ "a.cu": `${including}\n` });
  rmSync(path.join(repo.root, ".git/objects", object.slice(0, 2), object.slice(2)));
  for (const argv of [
    ["diff", "HEAD~1", "HEAD"],
    ["check", ".", "--base", "HEAD~1"],
  ]) {
    const { code, out, err } = await runIn(repo.root, argv);
    expect(code).toBe(2);
    expect(err).toMatch(/^a\.cu is not read at HEAD~1 \(\w+\): git does not have it here, or not whole\n$/);
    expect(out).not.toMatch(/^new|^gone|double-constant/m);
  }
});

test("a name that is not UTF-8", async () => {
  const repo = repository();
  repo.commit(good);
  writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/x`), Buffer.from([0xff]), Buffer.from(".cu")]), kernel("named"));
  expect(await runIn(repo.root, ["diff", "HEAD"])).toMatchObject({
    code: 2,
    err: "x\uFFFD.cu is not read: its name is not UTF-8\n",
  });
  repo.commit({});
  const { code, err, out } = await runIn(repo.root, ["diff", "HEAD~1", "HEAD"]);
  expect([code, err]).toEqual([2, expect.stringContaining("): its name is not UTF-8\n")]);
  expect(out).not.toContain("new ");
});

test("a name that is UTF-8 and holds the character that stands for what is none", async () => {
  const repo = repository();
  repo.commit({ "x\uFFFD.cu": kernel("named") });
  writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/x`), Buffer.from([0xff]), Buffer.from(".cu")]), kernel("nameless"));
  repo.commit({});
  repo.git("rm", "--quiet", "--cached", "x\uFFFD.cu");
  repo.git("commit", "--quiet", "-m", "without");
  const { code, err, out } = await runIn(repo.root, ["diff", "HEAD", "HEAD~1", "--format", "json"]);
  expect([code, err]).toEqual([2, expect.stringMatching(/^(x\uFFFD\.cu is not read at .*: its name is not UTF-8\n){2}$/)]);
  expect(JSON.parse(out).launches).toMatchObject([{ kernel: "named", status: "new" }]);
});

describe("a header that cannot be read", () => {
  const binary = Buffer.from(`${header}\0`);

  test("is told, where it is no source on the other side", async () => {
    const repo = repository();
    repo.commit({ "b.cu": kernel("other"), "data.h": binary });
    const ran = await runIn(repo.root, ["diff", "HEAD", "HEAD"]);
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/^(data\.h is not read at HEAD .*; it is left out\n){2}$/)]);
  });

  test("fails, where it is a source on the other side", async () => {
    const repo = repository();
    repo.commit({ "b.cu": kernel("other"), "h.h": header });
    repo.commit({ "h.h": binary });
    const ran = await runIn(repo.root, ["diff", "HEAD~1", "HEAD"]);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("h.h is not read at HEAD (") });
    expect(ran.out).not.toMatch(/^new|^gone/m);
  });
});

test("a header that the base lacks: what includes it is left out", async () => {
  const repo = repository();
  repo.commit(good);
  const object = repo.git("rev-parse", "HEAD:h.h");
  repo.commit({ "h.h": `${header}// changed` });
  rmSync(path.join(repo.root, ".git/objects", object.slice(0, 2), object.slice(2)));
  const { code, out, err } = await runIn(repo.root, ["diff", "HEAD~1", "HEAD"]);
  expect([code, err]).toEqual([2, expect.stringContaining("a.cu: read failed: its header h.h is not read: git does not have it here")]);
  expect(out).not.toMatch(/^new|^gone|^changed/m);
});

describe("links", () => {
  test("an unchanged tree has nothing new and nothing gone", async () => {
    const outside = folderWith({ "secret.cu": kernel("secret"), "out.h": header, "tree/deep.cu": kernel("deep") });
    const repo = repository();
    repo.write({ "real/h.h": header, "b.cu": kernel("other"), "moved/in.cu": kernel("inner") });
    repo.write({ "a.cu": `#include "out.h"\n#include "up.h"\n${including}` });
    const link = (to: string, name: string): void => symlinkSync(to, path.join(repo.root, name));
    link("real/h.h", "h.h");
    link(path.join(outside, "out.h"), "out.h");
    link(path.relative(repo.root, path.join(outside, "out.h")), "up.h");
    link(path.join(outside, "secret.cu"), "secret.cu");
    link("b.cu", "twin.cu");
    link(path.join(outside, "tree"), "tree");
    repo.commit({});
    const same = await runIn(repo.root, ["diff", "HEAD", "--format", "json"]);
    expect([same.code, same.err]).toEqual([0, ""]);
    expect(JSON.parse(same.out).launches.map(({ kernel, status }: Record<string, string>) => `${kernel} ${status}`)).toEqual([
      "k unchanged",
      "other unchanged",
      "inner unchanged",
    ]);
    expect(JSON.parse(same.out).findings).toEqual({ new: [], gone: [] });
    expect(await runIn(repo.root, ["check", ".", "--base", "HEAD"])).toMatchObject({ code: 0, err: "" });
    // A tracked folder gives way to a link out of the project.
    rmSync(path.join(repo.root, "moved"), { recursive: true });
    link(path.join(outside, "tree"), "moved");
    writeFileSync(path.join(outside, "tree/in.cu"), kernel("foreign"));
    const moved = await runIn(repo.root, ["diff", "HEAD"]);
    expect(moved.out).toContain("inner");
    expect(moved.out).not.toMatch(/foreign|secret/);
  });
});

test("a bare repository has no work tree", async () => {
  const repo = repository();
  repo.commit(good);
  const bare = path.join(folderWith(), "bare.git");
  repo.git("clone", "--quiet", "--bare", repo.root, bare);
  expect(await runIn(bare, ["diff", "HEAD", "HEAD"])).toMatchObject({
    code: 2,
    err: "warplens: this folder is in no work tree (a bare repository has none): revisions are compared from within one\n",
  });
});
