import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { bundled } from "../testing/bundled.ts";
import { folderWith } from "./testing/command.ts";
import { writeWhole } from "./write-file.ts";

const isUnix = process.platform !== "win32";
const text = (file: string): string => readFileSync(file, "utf8");

test("writes a new file, and replaces one", () => {
  const folder = folderWith({ "old.cu": "old" });
  for (const name of ["old.cu", "new.cu"]) {
    writeWhole(path.join(folder, name), "text");
    expect(text(path.join(folder, name))).toBe("text");
  }
  expect(readdirSync(folder).sort()).toEqual(["new.cu", "old.cu"]);
});

test("names the folder that is not there", () => {
  const folder = path.join(folderWith(), "none");
  expect(() => writeWhole(path.join(folder, "a.json"), "text")).toThrow(`there is no folder ${folder}`);
});

describe.runIf(isUnix)("what stays as it was", () => {
  test("permissions", () => {
    const file = path.join(folderWith({ "a.sh": "old" }), "a.sh");
    chmodSync(file, 0o754);
    writeWhole(file, "text");
    expect(statSync(file).mode & 0o7777).toBe(0o754);
  });

  // None but root can make files of others.
  test.runIf(process.getuid?.() === 0)("the group of a file that is another's: all of it may still write", async () => {
    const { scripts, remove } = await bundled({ "write-file": "cli/write-file.ts" });
    const folder = folderWith({ "a.cu": "old" });
    const file = path.join(folder, "a.cu");
    const [owner, user, group, groupOfFolder] = [4001, 4002, 4003, 4004];
    chownSync(file, owner, group);
    chmodSync(file, 0o664);
    chownSync(folder, user, groupOfFolder);
    // What is new in the folder gets its group.
    chmodSync(folder, 0o2775);
    const script = `import { writeWhole } from ${JSON.stringify(fileURLToPath(scripts["write-file"]))};
      process.setgroups([]);
      process.setgid(${group});
      process.setuid(${user});
      writeWhole(${JSON.stringify(file)}, "text");`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    remove();
    expect([status, stderr]).toEqual([0, ""]);
    const { uid, gid, mode } = statSync(file);
    expect([uid, gid, mode & 0o7777]).toEqual([user, group, 0o664]);
  });

  test("a link, and what it leads to is written where it is", () => {
    const folder = folderWith({ "real/a.cu": "old" });
    const link = path.join(folder, "link.cu");
    symlinkSync("real/a.cu", link);
    writeWhole(link, "text");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(text(path.join(folder, "real/a.cu"))).toBe("text");
    expect(readdirSync(path.join(folder, "real"))).toEqual(["a.cu"]);
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ["a pipe", (file) => void spawnSync("mkfifo", [file]), /^it is a pipe, a socket or a device, not a file$/],
    ["a folder", (file) => mkdirSync(file), /^it is a folder$/],
    ["a link that leads nowhere", (file) => symlinkSync("none", file), /ENOENT/],
  ])("%s, which is not written", (_, make, reason) => {
    const folder = folderWith();
    const file = path.join(folder, "a.cu");
    make(file);
    const before = lstatSync(file).ino;
    expect(() => writeWhole(file, "text")).toThrow(reason);
    expect(lstatSync(file).ino).toBe(before);
    expect(readdirSync(folder)).toEqual(["a.cu"]);
  });

  test("a file of which the new text cannot be written whole", async () => {
    const { scripts, remove } = await bundled({ "write-file": "cli/write-file.ts" });
    const folder = folderWith({ "a.cu": "old" });
    const script = `import { writeWhole } from ${JSON.stringify(fileURLToPath(scripts["write-file"]))};
      writeWhole("a.cu", "text".repeat(100_000));`;
    // A limit on the size of files, in blocks of 512 or 1024 bytes, stands for a full disk.
    const limited = ["-c", 'ulimit -f 1; exec "$0" --input-type=module -e "$1"', process.execPath, script];
    const { status, stderr } = spawnSync("sh", limited, { cwd: folder, encoding: "utf8" });
    remove();
    expect([status, stderr]).toEqual([1, expect.stringContaining("EFBIG")]);
    expect(text(path.join(folder, "a.cu"))).toBe("old");
    expect(readdirSync(folder)).toEqual(["a.cu"]);
  });
});
