import { describe, expect, test } from "vitest";
import { NotRead } from "../syntax/file-text.ts";
import { reachOf, readBuildFile } from "./reach.ts";

/** Every file is there; links lead where they say. */
const host = (links: Readonly<Record<string, string>> = {}, repository?: string) => ({
  read: (path: string) => `text of ${path}`,
  realPath: (path: string) => links[path] ?? path,
  repository: () => repository,
});
const file = "/w/p/src/a.cu";

const allowed = (path: string, reach = reachOf(file, ["/w/p"], ["/lib", "/w/x/.."], host())): boolean =>
  typeof reach.within(host()).read(path) === "string";

describe("what may be read", () => {
  test.each([
    ["beside the file", "/w/p/src/data.txt"],
    ["anywhere in the workspace", "/w/p/tables/t.bin"],
    ["a hidden header of it", "/w/p/.generated/t.h"],
    ["a header in a folder that the project names", "/lib/deep/x.hpp"],
    ["a header without an ending, where such are", "/lib/include/cuda/std/complex"],
    ["the system's", "/usr/include/x86_64/vector"],
    ["the toolkit's", "/usr/local/cuda-13.0/targets/x86_64-linux/include/cuda.h"],
    ["the toolkit's on Windows", "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0/include/cuda.h"],
  ])("%s: %s", (_, path) => expect(allowed(path)).toBe(true));

  test.each([
    ["of others", "/etc/passwd"],
    ["beside the workspace", "/w/other/x.h"],
    ["of a folder that begins alike", "/w/p2/x.h"],
    ["hidden in the workspace", "/w/p/.git/config"],
    ["hidden beside it", "/w/p/.env"],
    ["no header, in a folder that the project names", "/lib/id_rsa"],
    ["no header, though named a little like one", "/lib/notes.h.txt"],
    ["a key in a folder called so", "/lib/include/.ssh/id_rsa.pem"],
    ["the system's, but no header", "/usr/share/secret.h"],
    ["above everything", "/x.h"],
    ["not absolute", "x.h"],
  ])("not: %s: %s", (_, path) => expect(allowed(path)).toBe(false));
});

describe("a file that belongs to no workspace", () => {
  const alone = reachOf(file, ["/elsewhere"], [], host());
  test.each([
    ["/w/p/src/data.txt", true],
    ["/w/p/x.h", true],
    ["/w/p/include/deep/x.h", true],
    ["/w/p/secret", false],
    ["/w/p/other/x.h", false],
    ["/w/x.h", false],
  ])("%s: %s", (path, may) => expect(allowed(path, alone)).toBe(may));

  test("but to a repository has all of that", () => {
    const reach = reachOf(file, [], [], host({}, "/w"));
    expect(["/w/other/data.txt", "/w/.git/config", "/x.h"].map((path) => allowed(path, reach))).toEqual([true, false, false]);
  });
});

describe("links", () => {
  const readWith = (links: Readonly<Record<string, string>>, path = "/w/p/src/x.h") =>
    reachOf(file, ["/w/p"], ["/lib"], host()).within(host(links)).read(path);
  test.each([
    ["within the workspace", "/w/p/other/data"],
    ["to a header of a named folder", "/lib/x.h"],
    ["to the system's header", "/usr/include/x.h"],
  ])("%s are followed", (_, target) => expect(readWith({ "/w/p/src/x.h": target })).toBe("text of /w/p/src/x.h"));
  test.each(["/home/u/.ssh/id_rsa", "/lib/id_rsa", "/w/p/.git/config", "/home/u/x.h"])("to %s are not", (target) => {
    expect(readWith({ "/w/p/src/x.h": target })).toEqual(new NotRead("it is a link to a file outside of the project"));
  });
  test("of the workspace's own folder lead to the same files", () => {
    const links = { "/w/p": "/data/p", "/w/p/src": "/data/p/src", "/w/p/src/x.h": "/data/p/src/x.h" };
    expect(readWith(links)).toBe("text of /w/p/src/x.h");
  });
});

test("of what is read, findings are shown where it is the project's, by its real place", () => {
  const links = { "/w/p/link.h": "/lib/x.h" };
  const reach = reachOf(file, ["/w/p"], ["/lib"], host(links));
  const shown = (path: string) => reach.isOfProject(path, host(links));
  expect(["/w/p/a.h", "/w/p/link.h", "/lib/x.h", "/usr/include/x.h"].map(shown)).toEqual([true, false, false, false]);
});

test.each([
  ["is itself", "/w/p/Makefile", true],
  ["is a link beside it", "/w/p/Makefile.cuda", true],
  ["is a link to one of its name", "/w/build/Makefile", true],
  ["is a link to something else", "/home/u/.netrc", false],
])("a build file that %s", (_, target, may) => {
  expect(typeof readBuildFile("/w/p/Makefile", host({ "/w/p/Makefile": target })) === "string").toBe(may);
});

test("where there are no links, nothing is asked of them", () => {
  const plain = { read: (path: string) => path };
  expect(reachOf(file, ["/w/p"], [], plain).within(plain).read("/w/p/b.h")).toBe("/w/p/b.h");
  expect(readBuildFile("/w/p/Makefile", plain)).toBe("/w/p/Makefile");
});
