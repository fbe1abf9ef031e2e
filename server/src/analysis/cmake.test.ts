import { expect, test } from "vitest";
import { cmakeFiles } from "./cmake.ts";
import { compileOptions } from "./compile-commands.ts";

/** A variable of CMake. */
const of = (name: string) => `$\{${name}}`;

const host = (files: Readonly<Record<string, string>>, folders: Readonly<Record<string, readonly string[]>> = {}) => ({
  read: (path: string) => files[path],
  list: (folder: string) => folders[folder] ?? [],
});

test.each([
  ["names", "add_executable(p main.cu src/k.cu) # other.cu", ["/p/main.cu", "/p/src/k.cu"]],
  ["variables", `set(S a.cu ${of("PROJECT_SOURCE_DIR")}/b.cpp)\ncuda_add_executable(p ${of("S")})`, ["/p/a.cu", "/p/b.cpp"]],
  ["patterns", `file(GLOB S ${of("CMAKE_SOURCE_DIR")}/src/*.cu)`, ["/p/src/x.cu", "/p/src/y.cu"]],
  ["nothing outside, and nothing unknown", `add_executable(p ../q/z.cu ${of("UNSET")}/u.cu /etc/e.c)`, []],
])("sources by %s", (_, text, expected) => {
  const listed = { "/p/src": ["x.cu", "y.cu", "z.cpp"] };
  expect(cmakeFiles("/p/src/x.cu", host({ "/p/CMakeLists.txt": text }, listed))?.sources).toEqual(expected);
});

test("folders of headers, beside what a makefile says", () => {
  const text = `include_directories(SYSTEM inc ${of("UNSET")}/no)\ntarget_include_directories(p PRIVATE ${of("CMAKE_CURRENT_LIST_DIR")}/src/common)`;
  const files = { "/p/CMakeLists.txt": text, "/p/Makefile": "a: a.cu\n\tnvcc -Iown a.cu" };
  expect(compileOptions("/p/a.cu", host(files)).includeDirs).toEqual(["/p/own", "/p/inc", "/p/src/common"]);
});

test("the nearest one", () => {
  const files = { "/p/CMakeLists.txt": "add_executable(p a.cu)", "/p/q/CMakeLists.txt": "add_executable(q b.cu)" };
  expect(cmakeFiles("/p/q/b.cu", host(files))?.sources).toEqual(["/p/q/b.cu"]);
  expect(cmakeFiles("/x/y.cu", host(files))).toBeUndefined();
});

test.each([
  ["in each other", Array.from({ length: 60 }, (_, each) => `set(A${each + 1} "${of(`A${each}`)}${of(`A${each}`)}")`).join("\n")],
  ["in themselves", `set(A x)\n${`set(A "${of("A")}${of("A")}")\n`.repeat(1000)}`],
  ["by words", `set(A x x)\n${`set(A ${of("A")} ${of("A")})\n`.repeat(1000)}`],
  ["of one long word", "a".repeat(900_000)],
])("variables that stand for more and more %s: what stands before is read", (_, text) => {
  const files = { "/p/CMakeLists.txt": `add_executable(p a.cu)\nset(A0 x)\n${text}\n` };
  expect(cmakeFiles("/p/a.cu", host(files))?.sources).toEqual(["/p/a.cu"]);
});
