#!/usr/bin/env node
// Asks nvcc what it makes of the probes and records it beside this file, a line a probe. Needs nvcc 13.0 on the PATH; no GPU.
// usage: record.mjs [family...]           writes FAMILY.json
//        record.mjs --check [family...]   fails when nvcc answers otherwise than recorded
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { families, options } from "./probes.mjs";
import { kernelsOf } from "./sass.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes("--check");
const asked = process.argv.slice(2).filter((each) => !each.startsWith("--"));
const work = mkdtempSync(join(tmpdir(), "compiler-"));
const architecture = "sm_90";

const inPtx = {
  fma: /^\s*(@\S+ )?(fma\.rn|mul|add)\.f32/,
  store: /^\s*(@\S+ )?st\.(volatile\.)?global/,
  load: /^\s*(@\S+ )?ld\.(global|const)/,
};

/** A probe's answer: markers and branches in PTX, and the same in machine code with how many markers are under a predicate. */
function answers(probes, told) {
  const source = join(work, "probes.cu");
  writeFileSync(source, `#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n${probes.map((probe) => probe.source).join("\n")}\n`);
  const nvcc = (...more) =>
    execFileSync("nvcc", [`-arch=${architecture}`, ...told, ...more, source], { stdio: ["ignore", "ignore", "inherit"] });
  nvcc("-ptx", "-o", join(work, "probes.ptx"));
  nvcc("-cubin", "-o", join(work, "probes.cubin"));
  const ptx = readFileSync(join(work, "probes.ptx"), "utf8")
    .split(/\.visible \.entry /)
    .slice(1);
  const code = kernelsOf(readFileSync(join(work, "probes.cubin")));
  return probes.map(({ name, varied, marker, source: text }) => {
    const lines = (ptx.find((each) => each.startsWith(`${name}(`)) ?? "").split("\n");
    const machine = code.get(name) ?? [];
    const marked = machine.filter(({ kind }) => kind === marker);
    return {
      name,
      ...varied,
      ptx: {
        instructions: lines.filter((line) => /^\s+(@\S+ )?[a-z][a-z0-9]*(\.\S+)?\s+[^;]*;/.test(line)).length,
        markers: lines.filter((line) => inPtx[marker].test(line)).length,
        branches: lines.filter((line) => /^\s*(@\S+ )?bra/.test(line)).length,
      },
      sass: {
        instructions: machine.length,
        markers: marked.length,
        predicated: marked.filter(({ predicated }) => predicated).length,
        branches: machine.filter(({ kind }) => kind === "branch").length,
      },
      source: text,
    };
  });
}

try {
  const version = /V(\d+\.\d+\.\d+)/.exec(execFileSync("nvcc", ["--version"], { encoding: "utf8" }))?.[1];
  for (const [family, probes] of Object.entries(families)) {
    if (asked.length > 0 && !asked.includes(family)) continue;
    const told = options[family] ?? [];
    const path = join(here, `${family}.json`);
    const head = JSON.stringify({ nvcc: version, command: ["nvcc", `-arch=${architecture}`, ...told, "-cubin"].join(" "), family }).slice(
      0,
      -1,
    );
    const text = `${head},"probes":[\n${answers([...probes()], told)
      .map((each) => JSON.stringify(each))
      .join(",\n")}\n]}\n`;
    if (!check) writeFileSync(path, text);
    else if (readFileSync(path, "utf8") !== text) {
      console.error(`${family}.json is not what nvcc ${version} answers`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(work, { recursive: true });
}
