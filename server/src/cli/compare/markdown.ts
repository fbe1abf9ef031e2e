/** What changed between two revisions, as a comment of a pull request. */
import { code, literal, prose, row } from "../../foreign-text.ts";
import type { Figure } from "../../lint/figures.ts";
import type { FindingAt, LaunchChange } from "./compare.ts";
import {
  type Compared,
  changeText,
  columns,
  counted,
  detailsOf,
  findingsChange,
  isAssumed,
  isWorse,
  kindOf,
  nameOf,
  placeOf,
  sites,
  summaryText,
  unchangedText,
} from "./words.ts";

/** Rows and entries of a list that are shown; the others are counted. */
const mostRows = 25;
const mostFindings = 50;
/** GitHub refuses longer comments: 65,536 characters. */
const longestComment = 60_000;

/** A table of what changed; details are folded, what did not change is counted. */
export function comparisonMarkdown(compared: Compared): string {
  const { comparison, gpu, before, after, threshold } = compared;
  const { changed, newFindings, goneFindings, failures } = comparison;
  const shown = changed.slice(0, mostRows);
  const table =
    shown.length === 0
      ? []
      : [
          [
            row("", "kernel", ...columns.map(({ name }) => name), "findings"),
            row("---", "---", ...columns.map(() => "---"), "---"),
            ...shown.map((change) =>
              row(
                kindOf(change),
                `${code(nameOf(change))}${isAssumed(change) ? "\\*" : ""}`,
                ...columns.map((figure) => cell(change, figure)),
                findingsChange(change),
              ),
            ),
          ].join("\n"),
        ];
  const notes = [
    ...(changed.length > shown.length ? [`${sites(changed.length - shown.length)} more changed.`] : []),
    ...(shown.some(isAssumed) ? ["\\* rests on values that are assumed."] : []),
    [unchangedText(comparison, threshold), `${code(before)} → ${code(after)}, simulated on ${literal(gpu.name)}`]
      .filter((text) => text !== "")
      .join("; "),
  ];
  const parts = [
    `### WarpLens: ${summaryText(comparison)}`,
    ...table,
    ...(failures.length > 0 ? [list("What failed, and is missing above", failures.map(prose))] : []),
    ...(newFindings.length > 0 ? [list(counted(newFindings.length, "new finding", "new findings"), newFindings.map(findingItem))] : []),
    ...(goneFindings.length > 0
      ? [list(`${counted(goneFindings.length, "finding", "findings")} gone`, goneFindings.map(findingItem))]
      : []),
    ...(shown.length > 0
      ? [
          list(
            "All figures that changed",
            shown.map((change) => `${code(nameOf(change))} at ${literal(placeOf(change))}: ${detailsOf(change).map(prose).join("; ")}`),
          ),
        ]
      : []),
  ];
  const end = notes.join("\n");
  let text = "";
  for (const part of parts) if (text.length + part.length + end.length < longestComment) text += `${part}\n\n`;
  return `${text}${end}\n`;
}

/** The figure as it is, and as it was where it changed; what is worse stands out. */
function cell({ shown, changes }: LaunchChange, figure: Figure): string {
  const change = changes.find((each) => each.figure === figure);
  if (change) return isWorse(change) ? `**${changeText(change)}**` : changeText(change);
  const value = figure.of(shown.report);
  return value === undefined ? "" : figure.dimension.format(value);
}

const findingItem = ({ name, diagnostic: { severity, ruleId, message, range, url } }: FindingAt): string =>
  `${literal(`${name}:${range.start.line + 1}`)}: ${severity} [${ruleId}](${url}): ${prose(message)}`;

function list(title: string, items: readonly string[]): string {
  const shown = items.slice(0, mostFindings).map((item) => `- ${item.trimStart()}`);
  const more = items.length > shown.length ? [`- and ${items.length - shown.length} more`] : [];
  return `<details><summary>${title}</summary>\n\n${[...shown, ...more].join("\n")}\n\n</details>`;
}
