/** What makes compiler data wrong: what makes any figure wrong, a figure that is missing, lists that do not go together. */
import { lintCitation, lintFigure, type Rules } from "../figures/lint.ts";
import { type CompilerFigureName, compilerFigureDefinitions, compilerFigureNames } from "./figures.ts";
import type { CompilerData, CompilerFile } from "./files.ts";

const bases: readonly string[] = ["documented", "upstream", "measured", "fitted", "assumed"];

function* lintIntervals({ id, figures }: CompilerFile): Generator<string> {
  const [upTo, low, high] = (["registerIntervals", "registerIntervalLow", "registerIntervalHigh"] as const).map((name) => {
    const value = figures[name]?.value;
    return Array.isArray(value) ? (value as readonly number[]) : [];
  }) as [readonly number[], readonly number[], readonly number[]];
  if (low.length !== upTo.length || high.length !== upTo.length) yield `${id}: the register intervals have different lengths`;
  if (upTo.some((value, k) => k > 0 && value <= (upTo[k - 1] ?? 0))) yield `${id}: registerIntervals are not ascending`;
  if (low.some((value) => value > 1) || high.some((value) => value < 1)) yield `${id}: a register interval does not hold its own estimate`;
}

function* lintSequences({ id, sequences }: CompilerFile, rules: Rules): Generator<string> {
  for (const [name, sequence] of Object.entries(sequences)) {
    yield* lintCitation(`${id}.${name}`, sequence, rules);
    if (!/^(f32(\.fast)?(\.flushed)?|f64|i32|i64)\.\w+$/.test(name)) yield `${id}: no sequence can be called ${name}`;
    const opcodes = sequence.code.split(" ");
    const all = [sequence.code, ...Object.values(sequence.slow ?? {})].flatMap((code) => code.split(" "));
    const wrong = all.find((opcode) => !/^[A-Z][A-Z0-9]*(\.[A-Z0-9]+)*(\*[1-9]\d*)?$/.test(opcode));
    if (wrong !== undefined) yield `${id}.${name}: ${wrong || "nothing"} is no opcode`;
    if (sequence.callee !== undefined && !opcodes.some((opcode) => /^BRA(\*|$)/.test(opcode)))
      yield `${id}.${name}: calls a function without a branch to it`;
    if (sequence.slow !== undefined && sequence.callee === undefined) yield `${id}.${name}: has a slow path without a function`;
  }
}

/** Everything wrong with the data, one sentence each; empty when it is sound. */
export function lintCompilerData({ sources, compilers }: CompilerData): string[] {
  const found: string[] = [];
  for (const compiler of compilers) {
    const { id, figures } = compiler;
    for (const [name, figure] of Object.entries(figures))
      found.push(...lintFigure(id, name, figure, compilerFigureDefinitions[name as CompilerFigureName], { bases, sources }));
    for (const name of compilerFigureNames) if (!figures[name]) found.push(`${id}: ${name} is missing`);
    found.push(...lintIntervals(compiler), ...lintSequences(compiler, { bases, sources }));
  }
  const ids = compilers.map(({ id }) => id);
  if (new Set(ids).size < ids.length) found.push("two compilers have one id");
  return found;
}
