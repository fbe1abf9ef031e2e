#!/usr/bin/env node
// Asks nvcc what it makes of the probes and records it beside this file, a line a probe. Needs nvcc 13.0 on the PATH; no GPU.
// usage: record.mjs [family...]           writes FAMILY.json
//        record.mjs --check [family...]   fails when nvcc answers otherwise than recorded
import { execFileSync, spawnSync } from "node:child_process";
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
const commandOf = (told) => (told.some((option) => option.startsWith("-arch")) ? told : [`-arch=${architecture}`, ...told]);

const inPtx = {
  fma: /^\s*(@\S+ )?(fma\.rn|mul|add)\.f32/,
  store: /^\s*(@\S+ )?st\.(volatile\.)?global/,
  load: /^\s*(@\S+ )?ld\.(global|const)/,
  turn: /^\s*shl\.b64/,
  multiplied: /^\s*(@\S+ )?m(ul|ad)\.lo\.[su](32|64)/,
  multipliedOutside: /^\s*(@\S+ )?m(ul|ad)\.lo\.[su](32|64)/,
  access: /^\s*(ld|st)\./,
  registers: /^\s*setmaxnreg/,
  filling: /^\s*st\.shared/,
  shared: /^\s*ld\.shared/,
  local: /^\s*(@\S+ )?(ld|st)\.local/,
  uniform: /^\s*(@\S+ )?mul\.(lo|wide)\.[su](32|64)/,
  double: /^\s*(@\S+ )?(?!mov|ld|st)\S+\.f64/,
  product: /^\s*wmma\.mma/,
  compared: /^\s*setp\.\S+\.[su]32/,
  sunk: /^\s*(ld\.global(\.nc)?\.[su]16|min\.f32)/,
};

/** Conditional branches in front of the last of some lines: how deep what they are about has gone. */
function branchesBefore(lines, isMarked) {
  const last = lines.findLastIndex(isMarked);
  return lines.slice(0, last).filter((line) => /^\s*@\S+ bra/.test(line)).length;
}

/** The lines of each loop: from a label to a branch back to it. */
function loopsOf(lines) {
  return lines.flatMap((line, at) => {
    const [, label] = /^\s*@\S+ bra(?:\.uni)?\s+(\S+);/.exec(line) ?? [];
    const start = label === undefined ? -1 : lines.indexOf(`${label}:`);
    return start >= 0 && start < at ? [lines.slice(start, at + 1)] : [];
  });
}

/** The lines of the loop that ends first, and of the longest. */
const turnsOf = (lines) => loopsOf(lines)[0] ?? [];
const outerTurnsOf = (lines) => loopsOf(lines).reduce((longest, each) => (each.length > longest.length ? each : longest), []);

/** Instructions of the longest turn; of each of its loads and stores, where asked so: 0 where there is no turn or no access in it. */
function longestTurn(machine, ofEachAccess) {
  const turns = machine.map(({ turn = 0 }, at) => ({ turn, accesses: machine.slice(at - turn, at).filter(isAccess).length }));
  const longest = turns.reduce((most, each) => (each.turn > most.turn ? each : most), { turn: 0, accesses: 0 });
  if (!ofEachAccess) return longest.turn;
  return longest.accesses === 0 ? 0 : Math.round((100 * longest.turn) / longest.accesses) / 100;
}

/** The most loads that are issued before a store to shared memory, all of whose kind stand behind loads of their own. */
function mostAhead(machine) {
  let [ahead, most] = [0, 0];
  for (const { kind } of machine) {
    ahead = kind === "load" ? ahead + 1 : kind === "filling" ? 0 : ahead;
    most = Math.max(most, ahead);
  }
  return most;
}

const isAccess = ({ kind }) => kind === "load" || kind === "store" || kind === "shared";

/** A probe's answer: markers and branches in PTX, and the same in machine code with how many markers are under a predicate. */
function answers(probes, told) {
  const source = join(work, "probes.cu");
  writeFileSync(source, `#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n${probes.map((probe) => probe.source).join("\n")}\n`);
  const nvcc = (...more) => {
    const ran = spawnSync("nvcc", [...commandOf(told), ...more, source], { encoding: "utf8" });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return ran.stderr;
  };
  nvcc("-ptx", "-o", join(work, "probes.ptx"));
  const said = nvcc("-Xptxas=-v", "-cubin", "-o", join(work, "probes.cubin"));
  const registers = new Map(
    [...said.matchAll(/entry function '(\w+)'[\s\S]*?Used (\d+) registers/g)].map(([, name, count]) => [name, Number(count)]),
  );
  const ptx = readFileSync(join(work, "probes.ptx"), "utf8")
    .split(/\.visible \.entry /)
    .slice(1);
  const code = kernelsOf(readFileSync(join(work, "probes.cubin")));
  return probes.map(({ name, varied, marker, source: text }) => {
    const found = ptx.find((each) => each.startsWith(`${name}(`)) ?? "";
    // Behind the last kernel stand functions that all of them call.
    const lines = (marker === "double" ? (found.split("\n}\n")[0] ?? "") : found).split("\n");
    const machine = code.get(name) ?? [];
    const marked = machine.filter(({ kind }) => kind === marker);
    const ofTurns = marker === "turn" || marker === "access" || /^multiplied/.test(marker);
    return {
      name,
      ...varied,
      ptx: {
        instructions: lines.filter((line) => /^\s+(@\S+ )?[a-z][a-z0-9]*(\.\S+)?\s+[^;]*;/.test(line)).length,
        markers:
          marker === "sunk"
            ? branchesBefore(lines, (line) => inPtx.sunk.test(line))
            : (marker === "multipliedOutside" ? outerTurnsOf(lines) : ofTurns ? turnsOf(lines) : lines).filter((line) =>
                inPtx[marker].test(line),
              ).length,
        branches: lines.filter((line) => /^\s*(@\S+ )?bra/.test(line)).length,
      },
      sass: {
        instructions: machine.length,
        ...(marker === "shared" ? { stores: machine.filter(({ kind }) => kind === "filling").length } : {}),
        ...(marker === "compared" ? { comparisons: machine.filter(({ kind }) => kind === "comparison").length } : {}),
        ...(marker === "filling" ? { registers: registers.get(name) } : {}),
        markers:
          marker === "registers"
            ? registers.get(name)
            : marker === "filling"
              ? mostAhead(machine)
              : ofTurns
                ? longestTurn(machine, marker === "access")
                : marked.length,
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
    const head = JSON.stringify({ nvcc: version, command: ["nvcc", ...commandOf(told), "-cubin"].join(" "), family }).slice(0, -1);
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
