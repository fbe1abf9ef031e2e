#!/usr/bin/env node
// Asks NVIDIA's cuda_occupancy.h for the recorded table. Needs g++ and a CUDA toolkit (CUDA_HOME, else /usr/local/cuda).
// usage: record.mjs            writes table.txt.br
//        record.mjs --check    fails when the table is not what the header answers
//        record.mjs N SEED     prints N cases of another seed, for comparing without recording
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { cases } from "./cases.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const table = join(here, "table.txt.br");
const [first, seed] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "occupancy-"));
try {
  const oracle = join(work, "oracle");
  const include = join(process.env.CUDA_HOME ?? "/usr/local/cuda", "include");
  execFileSync("g++", ["-std=c++17", "-O2", `-I${include}`, join(here, "oracle.cpp"), "-o", oracle], { stdio: "inherit" });
  const ask = (lines) => execFileSync(oracle, { input: `${lines.join("\n")}\n`, encoding: "utf8", maxBuffer: 1 << 28 });
  if (first !== undefined && first !== "--check") process.stdout.write(ask(cases(Number(first), Number(seed ?? 2))));
  else {
    const answers = ask(cases(25_200, 1));
    if (first === "--check") {
      if (brotliDecompressSync(readFileSync(table)).toString() !== answers)
        throw new Error("the recorded table is not what this header answers");
    } else writeFileSync(table, brotliCompressSync(answers, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
} finally {
  rmSync(work, { recursive: true });
}
