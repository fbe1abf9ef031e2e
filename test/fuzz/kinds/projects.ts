/** What stands beside the sources, and the words of the command line: warplens.json, compile_commands.json, baselines, makefiles. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Io } from "../../../server/src/cli/io.ts";
import { main } from "../../../server/src/cli/run.ts";
import { inlineInspector } from "../../../server/src/cli/testing/inline-inspector.ts";
import { Fault, type Kind } from "../kind.ts";
import { mutatedText } from "../mutate.ts";
import { mutatedValue } from "../mutate-value.ts";
import { byLines, byMembers, byTokens } from "../parts.ts";
import type { Random } from "../random.ts";

interface ProjectInput {
  readonly files: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
}

const source = `#include "common.h"
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[2 * i] *= 0.5;
}
int main(int argc, char **argv) {
  float *a; int n = argc > 1 ? atoi(argv[1]) : 4096;
  cudaMalloc(&a, 8 * n);
  scale<<<n / 256, 256>>>(a, n);
}
`;

const json: Readonly<Record<string, unknown>> = {
  "warplens.json": {
    gpu: "h200",
    gpus: [
      { id: "mine", name: "Mine", extends: "h200", figures: { smCount: 100, clock: 1500, l2Bytes: 4194304, registersPerBlock: 65536 } },
    ],
    rules: { "double-constant-in-float": "error", "strided-global-access": "off" },
    launches: ["scale: grid=(16,1,1) block=(256,1,1) shared=0"],
    assume: ["n=4096", "scale.n=64"],
    argv: ["4096"],
    defines: ["N=1", "DEBUG"],
    includeDirs: ["inc"],
    gates: ["scale on h200: time < 200 us", "*: no new finding of error", "scale: registers <= 100 % of base"],
    baseline: "baseline.json",
    simulate: true,
  },
  "compile_commands.json": [
    { directory: ".", file: "a.cu", command: "nvcc -arch=sm_90 -DN=2 -Iinc -gencode arch=compute_80,code=sm_80 -c a.cu -o a.o" },
    { directory: "src", file: "../a.cu", arguments: ["nvcc", "-D", 'NAME="a b"', "-I", "../inc", "-isystem", "/usr", "@options.rsp"] },
  ],
  "baseline.json": {
    version: 1,
    findings: [{ path: "a.cu", rule: "double-constant-in-float", code: "0.5", message: "x", count: 1 }],
  },
};

const makefile = `NVCC ?= nvcc
FLAGS := -O3 -arch=sm_90 $(EXTRA) \\
  -DSIZE=64 -DNAME='"a b"'
SRC = $(wildcard *.cu)
OBJ = $(patsubst %.cu,%.o,$(SRC:.cu=.o))
ifeq ($(DEBUG),1)
FLAGS += -G
else ifdef FAST
FLAGS += -DFAST
endif
define run
./$(1) 1000 \\
  "two words"
endef
include other.mk
all: a
%.o: %.cu Makefile
	$(NVCC) $(FLAGS) -Iinc -c $< -o $@
a: $(OBJ)
	@$(NVCC) $^ -o $@ && true; $(foreach x,1 2 3,echo $(x);)
run: a
	$(call run,a)
	for i in 1 2; do ./a 4096 > log; done
`;

const script = '#!/bin/sh\nN=$1\nnvcc -DSCRIPT a.cu -o a || exit 1\nfor i in 1 2 3; do ./a $N "$i" | tee log; done\n';

const commands: readonly (readonly string[])[] = [
  ["check", "."],
  ["check", "a.cu", "--baseline", "baseline.json", "--format", "json"],
  ["check", "a.cu", "--format", "sarif", "--select", "double-constant-in-float"],
  ["check", "a.cu", "--fail-on", "warning", "--gpu", "t4", "--shard", "1/2"],
  ["check", "a.cu", "--format", "github", "-D", "N=3", "-I", "inc", "--argv", "64"],
  ["check", "a.cu", "--launch", "scale: grid=(8,1,1) block=(64,1,1)", "--assume", "n=64"],
  ["simulate", "a.cu"],
  ["simulate", "a.cu", "--kernel", "scale", "--gpu", "h100-sxm", "--registers", "scale=40"],
  ["gate"],
  ["gate", "a.cu", "--gate", "scale: occupancy >= 50 %"],
  ["gpus", "--gpu", "h200"],
  ["occupancy", "--gpu", "h200", "--block", "256", "--registers", "64", "--dynamic-shared", "1024"],
  ["explain", "double-constant-in-float"],
  ["rules", "--format", "json"],
];

function odd(random: Random, name: string, value: unknown): string {
  const text = JSON.stringify(value, undefined, random.below(3));
  switch (random.below(6)) {
    case 0:
      return text;
    case 1:
      return mutatedText(text, random);
    case 2:
      return JSON.stringify(mutatedValue(mutatedValue(value, random), random)) ?? name;
    default:
      return JSON.stringify(mutatedValue(value, random)) ?? "";
  }
}

/** What no input may bring about: what could not be read, and settings that are wrong, are failures of a file and no fault of ours. */
const faults =
  /internal error\n(?:.*\n?)*|.*\b(?:TypeError|RangeError|SyntaxError|ReferenceError)\b.*|.*\b(?!settings failed|read failed: (?:there is no |.* (?:cannot be searched|is not read|holds more)))\w+ failed: .*/;

export const projects: Kind<ProjectInput> = {
  share: 6,

  make(random) {
    const files: Record<string, string> = { "a.cu": source, "inc/common.h": "#pragma once\n" };
    for (const [name, value] of Object.entries(json)) if (random.once(2)) files[name] = odd(random, name, value);
    if (random.once(2)) files[random.pick(["Makefile", "makefile", "GNUmakefile"])] = mutatedText(makefile, random);
    if (random.once(6)) files["other.mk"] = mutatedText(makefile, random);
    if (random.once(4)) files["run.sh"] = mutatedText(script, random);
    const argv = random.pick(commands);
    const changed = random.once(3) ? (mutatedValue(argv, random) as unknown[]) : argv;
    return { files, argv: [changed].flat(2).map((word) => String(word).replaceAll("\0", "")) };
  },

  async run({ files, argv }) {
    const folder = mkdtempSync(path.join(tmpdir(), "warplens-fuzz-"));
    try {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text);
      }
      let out = "";
      let err = "";
      const io: Io = {
        cwd: folder,
        env: {},
        isTerminal: false,
        out: (text) => void (out += text),
        error: (text) => void (err += text),
        async *lines() {},
        startInspector: inlineInspector,
        build: () => undefined,
        serve: () => Promise.resolve(),
      };
      const code = await main(argv, io);
      if (![0, 1, 2].includes(code)) throw new Fault(`the exit code is ${code}`);
      const wrong = faults.exec(`${err}\n${out}`)?.[0];
      if (wrong !== undefined) throw new Fault(wrong.slice(0, 600));
      // Whatever is refused says why.
      if (code === 2 && err.trim() === "" && out.trim() === "") throw new Fault("exit code 2 without a word");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return {};
  },

  parts: (input) => [
    byMembers(Object.entries(input.files), (left) => ({ ...input, files: Object.fromEntries(left) })),
    byMembers(input.argv, (argv) => ({ ...input, argv })),
    ...Object.entries(input.files).flatMap(([name, text]) =>
      [byLines, byTokens].map((by) => by(text, (left) => ({ ...input, files: { ...input.files, [name]: left } }))),
    ),
  ],
};
