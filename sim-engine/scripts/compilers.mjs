#!/usr/bin/env node
// Writes what is generated from the compiler data files: src/compilers/data.ts with the sources, src/compilers/values.ts without, and
// docs/compilers.md. `--check` fails when one is stale.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { load, write } from "../../scripts/support/generated.mjs";
import { citation, citedSources, engine, figureTable, formatted, plainOf, readData, sourceList } from "./figures.mjs";

const { compilerFigureDefinitions } = await load("sim-engine/src/compilers/figures.ts");
const compilers = readdirSync(join(engine, "compilers"))
  .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
  .map((name) => readData("compilers", name));
const sources = citedSources(compilers);

/** Without sources. */
const plainCompiler = ({ sequences, ...compiler }) => ({
  ...plainOf(compiler),
  sequences: Object.fromEntries(
    Object.entries(sequences).map(([name, { code, callee, slow, instead, ptx, loops }]) => [
      name,
      { code, callee, slow, instead, ptx, loops },
    ]),
  ),
});

const generated = "// Generated from sim-engine/compilers by sim-engine/scripts/compilers.mjs. Do not edit.";
const source = `${generated}
import type { CompilerData } from "./files.ts";

export const data: CompilerData = ${JSON.stringify({ sources, compilers })};
`;
const values = `${generated}
import type { PlainCompiler } from "./files.ts";

export const plain: readonly PlainCompiler[] = ${JSON.stringify(compilers.map(plainCompiler))};
`;

const says = Object.fromEntries(
  Object.entries(compilerFigureDefinitions).map(([name, definition]) => [name, `${definition.part}: ${definition.says}`]),
);
const docs = [
  "<!-- Generated from sim-engine/compilers by sim-engine/scripts/compilers.mjs. Do not edit. -->",
  "# Compiler models",
  "",
  "Kernels are simulated as nvcc would compile them. What it was seen to decide by stands here, every figure with where it comes from.",
  "*documented*: NVIDIA says so. *upstream*: LLVM's source has it, on which NVVM, the first of nvcc's two compilers, is built. *measured*:",
  "recorded probes show it (`sim-engine/validation/compiler`). *fitted*: the value with which estimates of compiled kernels come out nearest;",
  "where probes differ its row says so. *assumed*: no measurement shows it.",
  "",
  "Sizes are counted in operations of this engine's kernels, which stand for LLVM instructions in NVVM and for machine instructions in ptxas.",
  "",
  ...compilers.flatMap(({ id, name, llvm, figures, sequences }) => [
    `## ${id}`,
    "",
    `${name}; NVVM is built on LLVM ${llvm}.`,
    "",
    ...figureTable(figures, sources, says),
    "",
    "What the hardware lacks becomes these instructions, on the usual path; rare operands are left to a function that takes some registers.",
    "By what library functions are in PTX NVVM tells how large a loop is.",
    "What of doubles is not here goes as for floats.",
    "",
    "| operation | instructions | registers of the function | in PTX | basis | source |",
    "| --- | --- | --- | --- | --- | --- |",
    ...Object.entries(sequences).map(
      ([operation, { code, callee, slow: _, instead: __, ptx, loops, ...cited }]) =>
        `| ${operation} | ${code} | ${callee ?? ""} | ${ptx ?? ""}${loops ? ", with a loop" : ""} | ${citation(cited, sources)} |`,
    ),
    "",
    "What a warp runs besides for operands of a kind that is left to that function; where it says so, without the rest of the usual path.",
    "",
    "| operation | operands | instructions |",
    "| --- | --- | --- |",
    ...Object.entries(sequences).flatMap(([operation, { slow = {}, instead }]) =>
      Object.entries(slow).map(([kind, code]) => `| ${operation} | ${kind} | ${code}${instead ? ", without the rest" : ""} |`),
    ),
    "",
  ]),
  ...sourceList(sources),
].join("\n");

write("sim-engine/src/compilers/data.ts", formatted("sim-engine/src/compilers/data.ts", source));
write("sim-engine/src/compilers/values.ts", formatted("sim-engine/src/compilers/values.ts", values));
write("docs/compilers.md", docs);
