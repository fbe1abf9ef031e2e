import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFiles, entriesOf, isFolder, readText, repositoryOf } from "./files.ts";
import { NotRead } from "./syntax/file-text.ts";

let folder = "";
const at = (name: string): string => path.join(folder, name);
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "files-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reasonOf = (file: string): string | undefined => {
  const text = readText(file);
  return text instanceof NotRead ? text.reason : undefined;
};
const unix = test.skipIf(process.platform === "win32");
const linux = test.skipIf(process.platform !== "linux");

describe("a text", () => {
  test("is read, through links too", () => {
    writeFileSync(at("a.cu"), "\uFEFFint é;");
    symlinkSync(at("a.cu"), at("link.cu"));
    expect([readText(at("a.cu")), readText(at("link.cu"))]).toEqual(["\uFEFFint é;", "\uFEFFint é;"]);
  });
  test("of nothing is nothing", () => {
    writeFileSync(at("empty.cu"), "");
    expect(readText(at("empty.cu"))).toBe("");
  });
  test.each(["no.cu", "a.cu/no.cu", "x".repeat(5000), "nul\0.h", ""])("that is not there: %j", (name) => {
    expect(readText(name === "" ? "" : at(name))).toBeUndefined();
  });
  test("may have 8 MB, and no more: that is told", () => {
    writeFileSync(at("large.h"), "x".repeat(8 * 2 ** 20));
    expect(readText(at("large.h"))).toHaveLength(8 * 2 ** 20);
    truncateSync(at("large.h"), 8 * 2 ** 20 + 1);
    expect(reasonOf(at("large.h"))).toBe("it has 8.1 MB; WarpLens reads up to 8 MB");
    truncateSync(at("large.h"), 12 * 2 ** 20);
    expect(reasonOf(at("large.h"))).toBe("it has 12 MB; WarpLens reads up to 8 MB");
    truncateSync(at("large.h"), 2 ** 40);
    expect(reasonOf(at("large.h"))).toBe("it has 1048576 MB; WarpLens reads up to 8 MB");
  });
  test("that a build system writes may have 32 MB", () => {
    writeFileSync(at("compile_commands.json"), " ".repeat(9 * 2 ** 20));
    expect(readText(at("compile_commands.json"))).toHaveLength(9 * 2 ** 20);
    truncateSync(at("compile_commands.json"), 33 * 2 ** 20);
    expect(reasonOf(at("compile_commands.json"))).toBe("it has 33 MB; WarpLens reads up to 32 MB");
  });
  test("is UTF-8", () => {
    writeFileSync(at("utf16.h"), Buffer.from("int x;", "utf16le"));
    expect(reasonOf(at("utf16.h"))).toBe("it is not UTF-8 text");
  });
});

describe("nothing but files is read, and nothing waits", () => {
  test("a folder", () => expect(reasonOf(folder)).toBe("it is a folder"));
  unix("a pipe, and a link to one", () => {
    execFileSync("mkfifo", [at("pipe.h")]);
    symlinkSync(at("pipe.h"), at("pipe-link.h"));
    expect([reasonOf(at("pipe.h")), reasonOf(at("pipe-link.h"))]).toEqual(Array(2).fill("it is a pipe, not a file"));
  });
  unix("a device, and a link to one", () => {
    symlinkSync("/dev/zero", at("zero.h"));
    expect([reasonOf("/dev/tty"), reasonOf(at("zero.h"))]).toEqual(Array(2).fill("it is a device, not a file"));
  });
  unix("a socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("socket.h"), resolve));
    expect(reasonOf(at("socket.h"))).toBe("it is a socket, not a file");
    await new Promise((resolve) => server.close(resolve));
  });
  linux.each(["/proc/kmsg", "/proc/self/environ", "/proc/kcore", "/sys/kernel/notes"])("what the kernel makes up: %s", (file) => {
    symlinkSync(file, at(`kernel${file.replaceAll("/", "-")}`));
    for (const each of [file, at(`kernel${file.replaceAll("/", "-")}`)])
      expect(reasonOf(each) ?? "it is the kernel's, not a file").toBe("it is the kernel's, not a file");
    expect(readText(file)).not.toBeTypeOf("string");
  });
  test("links in a circle", () => {
    symlinkSync(at("one"), at("two"));
    symlinkSync(at("two"), at("one"));
    expect(reasonOf(at("one"))).toBe("its links lead in a circle");
    expect(isFolder(at("one"))).toBe(false);
  });
});

describe("a folder", () => {
  test("is listed by name, up to a length; of a program its sources count", () => {
    mkdirSync(at("list/below"), { recursive: true });
    for (const name of ["c.cpp", "a.cu", "b.o"]) writeFileSync(at(`list/${name}`), "");
    const entries = entriesOf(at("list"), 4);
    expect(entries instanceof NotRead ? entries : entries.map(({ name }) => name)).toEqual(["a.cu", "b.o", "below", "c.cpp"]);
    expect(entriesOf(at("list"), 3)).toEqual(new NotRead("it has more than 3 entries"));
    expect(diskFiles.list?.(at("list"))).toEqual(["a.cu", "c.cpp"]);
  });
  test("that is none has nothing", () => {
    expect(entriesOf(at("nowhere"), 3)).toEqual(new NotRead("it is not there"));
    expect(diskFiles.list?.(at("a.cu"))).toEqual([]);
  });
  test("belongs to a repository, or to none", () => {
    mkdirSync(at("repository/.git"), { recursive: true });
    mkdirSync(at("repository/src/deep"), { recursive: true });
    expect(repositoryOf(at("repository/src/deep/a.cu"))).toBe(at("repository").replaceAll(path.sep, "/"));
    expect(repositoryOf(at("a.cu"))).toBeUndefined();
  });
});
