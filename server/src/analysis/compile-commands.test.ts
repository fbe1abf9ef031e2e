import { expect, test } from "vitest";
import { NotRead } from "../syntax/file-text.ts";
import { compileOptions } from "./compile-commands.ts";

const host = (files: Readonly<Record<string, string | NotRead>>) => ({ read: (path: string) => files[path] });
const optionsWith = (database: unknown, path = "/p/a.cu") =>
  compileOptions(path, host({ "/p/compile_commands.json": typeof database === "string" ? database : JSON.stringify(database) }));
const good = { directory: "/p", file: "a.cu", command: "nvcc -DGOOD a.cu" };

test.each<[string, unknown, string]>([
  ["no JSON", "{,", " is not JSON."],
  ["another shape", { files: [] }, " should be a list of commands."],
  [
    "an entry that is none",
    [good, 1],
    '[1] should be { "directory": "...", "file": "...", "command": "..." }, or with "arguments": ["..."].',
  ],
  ["a number for a file", [{ ...good, file: 1 }], "[0] should be"],
  ["arguments that are no words", [{ directory: "/p", file: "a.cu", arguments: ["nvcc", null] }], "[0] should be"],
  ["no command", [{ directory: "/p", file: "a.cu" }], "[0] should be"],
])("%s is said with its place", (_, database, problem) => {
  const { problems } = optionsWith(database);
  expect(problems).toEqual([expect.stringContaining(`/p/compile_commands.json${problem}`)]);
});

test("the other entries hold, and of two for a file the first", () => {
  const options = optionsWith([null, good, { ...good, command: "nvcc -DSECOND a.cu" }]);
  expect(options.defines).toEqual([{ name: "GOOD" }]);
  expect(options.files).toEqual(["/p/a.cu"]);
});

test("one that is not read is said", () => {
  expect(compileOptions("/p/a.cu", host({ "/p/build/compile_commands.json": new NotRead("it is a pipe") })).problems).toEqual([
    "/p/build/compile_commands.json is not read: it is a pipe.",
  ]);
});

test("a million entries: the first are looked at, and only the file's own command is parted", () => {
  const database = `[${'{"directory":"/p","file":"b/c.cu","command":"x"},'.repeat(1_000_000)}${JSON.stringify(good)}]`;
  const { problems, files } = optionsWith(database);
  expect(problems).toEqual(["/p/compile_commands.json has 1,000,001 entries; WarpLens looks at the first 100,000."]);
  expect(files).toEqual(["/p/b/c.cu"]);
});

test("architectures and folders without number", () => {
  const words = [
    "nvcc",
    ...Array<string>(200_000).fill("-gencode=arch=compute_90,code=sm_90"),
    ...Array.from({ length: 5000 }, (_, k) => `-I/i${k}`),
  ];
  const options = optionsWith([{ directory: "/p", file: "a.cu", arguments: words }]);
  expect(options.computeCapability).toBe(90);
  expect(options.includeDirs).toHaveLength(1000);
  expect(options.problems).toEqual(["/p/compile_commands.json names 5000 folders of headers; WarpLens looks into the first 1000."]);
});

test("other files that a command names are not read: response files, forced includes", () => {
  const asked = new Set<string>();
  const files = {
    "/p/compile_commands.json": JSON.stringify([
      { ...good, command: "nvcc @all.rsp --options-file all.rsp -include /etc/passwd -DA a.cu" },
    ]),
  };
  const options = compileOptions("/p/a.cu", {
    read: (path) => {
      asked.add(path);
      return host(files).read(path);
    },
  });
  expect(options.defines).toEqual([{ name: "A" }]);
  expect([...asked].filter((path) => !/\/(?:compile_commands\.json|(?:GNU)?[Mm]akefile|run(?:\.sh)?)$/.test(path))).toEqual([]);
});
