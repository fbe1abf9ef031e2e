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
