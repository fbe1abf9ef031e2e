import { expect, test } from "vitest";
import { compileOptions } from "./compile-commands.ts";
import { buildFiles } from "./makefile.ts";

const host = (files: Readonly<Record<string, string>>) => ({ read: (path: string) => files[path] });

const makefile = `
CC        = nvcc
OPTIMIZE  = yes
DEBUG     = no
program = main
CFLAGS := $(EXTRA_CFLAGS) -std=c++17 -I../include -DSIZE=64 \\
          -DNAME='"a b"'

ifeq ($(DEBUG),yes)
  CFLAGS += -DDEBUG
else ifeq ($(OPTIMIZE),yes)
  CFLAGS += -DFAST
else
  CFLAGS += -DSLOW
endif
ifdef UNSET
CFLAGS += -DUNSET
endif

$(program): main.o other.o
	$(CC) $(CFLAGS) main.o other.o -o $@ $(shell ls)

%.o: %.cu Makefile # how each is compiled
	$(CC) $(CFLAGS) -c $< -o $@

run: $(program)
	@$(LAUNCHER) ./$(program) 1000 "two words" > log
`;

test("variables, conditions and the recipe of a kind of file", () => {
  const { defines, includeDirs } = compileOptions("/p/src/main.cu", host({ "/p/src/Makefile": makefile }));
  expect(new Map(defines.map(({ name, value }) => [name, value]))).toEqual(
    new Map([
      ["SIZE", "64"],
      ["NAME", '"a b"'],
      ["FAST", undefined],
    ]),
  );
  expect(new Set(includeDirs)).toEqual(new Set(["/p/include"]));
});

test("a recipe that names the file holds alone", () => {
  const text = "a.o: a.cu\n\tnvcc -DA -c a.cu\nb.o: b.cu\n\tnvcc -DB -c b.cu\n";
  const of = (name: string) => compileOptions(`/p/${name}`, host({ "/p/Makefile": text })).defines.map((define) => define.name);
  expect(of("a.cu")).toEqual(["A"]);
  expect(of("b.cu")).toEqual(["B"]);
  expect(of("c.cu")).toEqual(["A", "B"]);
});

test.each([
  ["those that name it", "%: %.cu\n\tnvcc -G $< -o $@\na: a.cu\n\tnvcc -use_fast_math a.cu -o a\n", { fastMath: true }],
  ["else those for any file of its kind", "%: %.cu\n\tnvcc -G $< -o $@\nb: b.cu\n\tnvcc -use_fast_math b.cu -o b\n", { unoptimised: "-G" }],
  ["else all, as far as they agree", "b: b.cu\n\tnvcc -fmad=false -G b.cu\nc: c.cu\n\tnvcc -fmad=false c.cu\n", { fmad: false }],
  ["not those that link", "b: b.cu\n\tnvcc -fmad=false -c b.cu\n\tnvcc b.o -o b\n", { fmad: false }],
])("of commands for code %s", (_, text, expected) => {
  expect(compileOptions("/p/a.cu", host({ "/p/Makefile": text })).code).toMatchObject(expected);
});

test("a compilation database holds before a makefile", () => {
  const database = JSON.stringify([{ directory: "/p", file: "main.cu", arguments: ["nvcc", "-DDATABASE", "main.cu"] }]);
  const options = compileOptions("/p/main.cu", host({ "/p/compile_commands.json": database, "/p/Makefile": makefile }));
  expect(options.defines).toEqual([{ name: "DATABASE" }]);
  expect(options.run?.argv).toEqual(["1000", "two words"]);
});

test("files beside the makefile belong to the program", () => {
  const listing = { ...host({ "/p/Makefile": makefile }), list: (folder: string) => (folder === "/p" ? ["main.c", "Makefile"] : []) };
  expect(compileOptions("/p/kernel/kernel.cu", listing).files).toContain("/p/main.c");
});

test.each([
  ["the recipe's first program", { "/p/Makefile": makefile }, ["1000", "two words"], "`run` in Makefile"],
  ["no arguments", { "/p/Makefile": "run: main\n\t./main\n" }, [], "`run` in Makefile"],
  ["arguments only a shell knows", { "/p/Makefile": "run: main\n\t./main $$N\n" }, undefined, undefined],
  ["a folder above", { "/Makefile": "", "/q/Makefile": "" }, undefined, undefined],
  ["a script", { "/p/run": "# usage: ./main N\n./main 512 2 ../data > out\n" }, ["512", "2", "../data"], "the script `run`"],
  ["no program", { "/p/run": "echo hello\n" }, undefined, undefined],
])("%s", (_, files, argv, where) => {
  const run = buildFiles("/p/main.cu", host(files))?.run;
  expect(run?.argv).toEqual(argv);
  expect(run?.where).toBe(where);
});

test.each(["", "\t", "ifeq", "endif\nelse\n", "a=$(a)\nrun:\n\t./$(a) 1", "=\n:\n+=", "A := $(A) $(B\n%.o: %.cu\n\tnvcc $(A) $<"])(
  "whatever it says: %j",
  (text) => {
    expect(() => buildFiles("/p/main.cu", host({ "/p/Makefile": text }))).not.toThrow();
  },
);

const doubling = (operator: string, count: number): string =>
  Array.from({ length: count }, (_, k) => `V${k + 1} ${operator} $(V${k}) $(V${k})\n`).join("");

test.each([
  ["variables that double", `V0 := -DA\n${doubling(":=", 40)}`],
  [
    "variables that double when they are used",
    `V0 = ${"-DA ".repeat(10_000)}\n${doubling("=", 40)}%.o: %.cu\n\tnvcc $(V40) $<\n\tnvcc $(V7) $<`,
  ],
  ["a variable that grows by itself", `V := -DA\n${"V += $(V)\nV := $(V)\n".repeat(40)}`],
  ["one variable many times within itself", `A = ${"$(A)".repeat(1000)}\nB := $(A)\n`],
])("%s: the makefile is not used, and that is said", (_, text) => {
  const options = compileOptions("/p/main.cu", host({ "/p/Makefile": text }));
  expect(options).toMatchObject({
    defines: [],
    problems: ["/p/Makefile is not used: its variables stand for more than WarpLens follows."],
  });
});

const rest = "\nCFLAGS := -DREST\n%.o: %.cu\n\tnvcc $(CFLAGS) $<\n";
test.each([
  ["blanks", " ".repeat(200_000)],
  ["blanks before a value", `A${" ".repeat(200_000)}x`],
  ["blanks after a condition", `ifeq${" ".repeat(200_000)}x\nendif`],
  ["a value of blanks", `A =${" x".repeat(100_000)}${" ".repeat(200_000)}`],
  ["words before an assignment", "export ".repeat(100_000)],
  ["quotes in a condition", `ifeq ${'" "'.repeat(100_000)}\nendif`],
  ["commas in a condition", `ifeq (${",".repeat(200_000)}\nendif`],
  ["conditions within conditions", `${"ifeq (a,a)\n".repeat(100_000)}${"endif\n".repeat(100_000)}`],
  ["targets", `${"a ".repeat(200_000)}:`],
  ["recipes of one long rule", `a: ${"b ".repeat(100_000)}\n${"\tc\n".repeat(100_000)}`],
  ["references that are not closed", `A = ${"$(".repeat(200_000)}`],
])("200,000 %s are passed over", (_, text) => {
  expect(compileOptions("/p/main.cu", host({ "/p/Makefile": text + rest })).defines).toContainEqual({ name: "REST" });
});
