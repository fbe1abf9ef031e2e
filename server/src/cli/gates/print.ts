/** What became of gates: for people, for scripts, for a pull request and for GitHub's annotations. */
import { code, prose, row, visible } from "../../foreign-text.ts";
import type { Dimension } from "../../lint/figures.ts";
import type { Bound } from "../../lint/gate.ts";
import { significant } from "../../units.ts";
import { annotation } from "../formats/github.ts";
import { launchTitle } from "../launches.ts";
import type { Style } from "../style.ts";
import { type JudgedLaunch, type Judgement, measure } from "./judge.ts";

export type Verdict = "holds" | "broken" | "unknown";

export const verdictOf = ({ holds }: Judgement): Verdict => (holds === undefined ? "unknown" : holds ? "holds" : "broken");

const colours = { holds: "green", broken: "red", unknown: "yellow" } as const;
const marks = { holds: "✅", broken: "❌", unknown: "❔" } as const;
/** More places than these are counted. */
const mostPlaces = 5;

/** The figure, and by how much it keeps the bound or breaks it: `144 µs, 56 µs (28 %) to spare`. */
function figureText({ gate: { condition }, worst, findings, holds }: Judgement): string | undefined {
  const { bound } = condition;
  if (condition.kind === "findings") {
    if (!findings) return undefined;
    return `${findings.length} finding${findings.length === 1 ? "" : "s"}${holds || bound.limit === 0 ? "" : `, ${marginText(findings.length, bound, { format: String })}`}`;
  }
  if (!worst) return undefined;
  const { dimension } = condition.figure;
  const { format } = dimension;
  if (!bound.ofBase || worst.before === undefined) return `${format(worst.value)}, ${marginText(worst.value, bound, dimension)}`;
  const percent = measure(worst, bound);
  return `${format(worst.value)}, ${significant(percent)} % of ${format(worst.before)}, ${marginText(percent, bound, percents)}`;
}

const percents = { format: (value: number): string => `${significant(value)} %`, isShare: true };

function marginText(value: number, { comparison, limit }: Bound, { format, isShare }: Pick<Dimension, "format" | "isShare">): string {
  const difference = Math.abs(value - limit);
  const isBelow = value < limit;
  const share = limit > 0 && Number.isFinite(difference) && !isShare ? ` (${significant((100 * difference) / limit)} %)` : "";
  if (difference === 0) return "at the bound";
  const amount = `${format(difference)}${share}`;
  if (comparison === "=") return `${amount} too ${isBelow ? "little" : "much"}`;
  if (comparison.startsWith("<")) return `${amount} ${isBelow ? "to spare" : "too much"}`;
  return `${amount} ${isBelow ? "too little" : "to spare"}`;
}

const placeOf = ({ name, line, report }: JudgedLaunch): string => `${launchTitle(report)} at ${name}:${line}`;

/** What else a reader must know: where, what is not known, what it rests on. */
function detailsOf(judgement: Judgement): string[] {
  const { worst, reason, findings = [], skipped, gate } = judgement;
  const named = findings
    .slice(0, mostPlaces)
    .map(({ name, diagnostic }) => `${name}:${diagnostic.range.start.line + 1}: ${diagnostic.ruleId}`);
  const more = findings.length - named.length;
  return [
    ...(reason === undefined ? [] : [reason]),
    ...(worst && gate.condition.kind === "figure" ? [placeOf(worst)] : []),
    ...named,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(worst?.assumptions ?? []),
    ...(skipped > 0 && reason === undefined ? [`${skipped} launch${skipped === 1 ? "" : "es"} of ${gate.kernel} could not be judged`] : []),
  ];
}

export function gatesText(judgements: readonly Judgement[], style: Style): string {
  const parts = judgements.map((judgement) => {
    const verdict = verdictOf(judgement);
    const on = judgement.gate.gpu === undefined ? style(`  ${judgement.gpu.id}`, "dim") : "";
    const figure = figureText(judgement);
    const lines = [...(figure === undefined ? [] : [figure]), ...detailsOf(judgement)].map((text) => `         ${visible(text)}`);
    return [`${style(verdict.padEnd(7), "bold", colours[verdict])}  ${visible(judgement.gate.text)}${on}`, ...lines].join("\n");
  });
  return `${parts.join("\n")}\n\n${style(countText(judgements), "bold")}\n`;
}

/** `2 gates hold, 1 is broken, 1 cannot be judged` */
function countText(judgements: readonly Judgement[]): string {
  const count = (verdict: Verdict): number => judgements.filter((each) => verdictOf(each) === verdict).length;
  const [holding, broken, unknown] = [count("holds"), count("broken"), count("unknown")];
  const parts = [
    `${holding} gate${holding === 1 ? " holds" : "s hold"}`,
    ...(broken > 0 ? [`${broken} ${broken === 1 ? "is" : "are"} broken`] : []),
    ...(unknown > 0 ? [`${unknown} cannot be judged`] : []),
  ];
  return parts.join(", ");
}

/** For a comment of a pull request. */
export function gatesMarkdown(judgements: readonly Judgement[]): string {
  const rows = judgements.map((judgement) => {
    const [first = "", ...rest] = detailsOf(judgement).map(prose);
    const figure = figureText(judgement);
    const details = [first, ...rest].filter((text) => text !== "").join("<br>");
    return row(
      `${marks[verdictOf(judgement)]} ${verdictOf(judgement)}`,
      code(judgement.gate.text),
      judgement.gpu.id,
      figure ?? "",
      details,
    );
  });
  return `### WarpLens gates: ${countText(judgements)}\n\n${row("", "gate", "GPU", "figure", "")}\n${row("---", "---", "---", "---", "---")}\n${rows.join("\n")}\n`;
}

/** For scripts, version 1. */
export function gatesReport(judgements: readonly Judgement[], version: string): object {
  return {
    version: 1,
    tool: { name: "warplens", version },
    gates: judgements.map((judgement) => {
      const { gate, gpu, worst, findings, reason, skipped } = judgement;
      const { condition } = gate;
      return {
        gate: gate.text,
        line: gate.line,
        gpu: gpu.id,
        verdict: verdictOf(judgement),
        figure: condition.kind === "figure" ? condition.figure.name : "findings",
        comparison: condition.bound.comparison,
        ...(condition.bound.ofBase ? { limitPctOfBase: condition.bound.limit } : { limit: condition.bound.limit }),
        ...(worst ? launchReport(worst) : {}),
        ...(findings
          ? {
              value: findings.length,
              findings: findings.map(({ name, diagnostic: { ruleId, severity, message, range, kernel } }) => ({
                path: name,
                ruleId,
                severity,
                message,
                range,
                ...(kernel === undefined ? {} : { kernel }),
              })),
            }
          : {}),
        ...(reason === undefined ? {} : { reason }),
        ...(skipped > 0 ? { notJudged: skipped } : {}),
      };
    }),
  };
}

const launchReport = ({ value, before, name, line, report, assumptions }: JudgedLaunch): object => ({
  value,
  ...(before === undefined ? {} : { before }),
  kernel: report.kernel,
  templateArguments: report.templateArguments,
  path: name,
  launchLine: line,
  assumptions,
});

/** An annotation a gate that does not hold: where the launch or the finding is, else where the gate is written. */
export function gatesGithub(judgements: readonly Judgement[], project: string, nameOf: (path: string) => string): string {
  return judgements
    .filter(({ holds }) => !holds)
    .flatMap((judgement) => {
      const { gate, worst, findings = [], holds } = judgement;
      const what = [gate.text, figureText(judgement), ...detailsOf(judgement)].filter((text) => text !== undefined).join("\n");
      const title = holds === false ? "WarpLens: a gate is broken" : "WarpLens: a gate cannot be judged";
      if (holds === false && worst) return [annotation("error", { file: nameOf(worst.path), line: worst.line }, title, what)];
      if (holds === false && findings.length > 0)
        return findings.map(({ diagnostic: { path, range, ruleId, message } }) =>
          annotation("error", { file: nameOf(path), range }, title, `${gate.text}\n${ruleId}: ${message}`),
        );
      return [annotation("error", { file: nameOf(project), line: gate.line }, title, what)];
    })
    .join("");
}
