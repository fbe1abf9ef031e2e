/** What changed between two revisions, for people. */
import { visible, visibleName } from "../../foreign-text.ts";
import { type Style, severityColour } from "../style.ts";
import { type Compared, detailsOf, kindOf, nameOf, placeOf, summaryText, unchangedText } from "./words.ts";

export function comparisonText({ comparison, gpu, before, after, threshold }: Compared, style: Style): string {
  const { changed, newFindings, goneFindings, failures } = comparison;
  const colours = { slower: "red", faster: "green", changed: "yellow", new: "blue", gone: "blue" } as const;
  const launches = changed.map((change) => {
    const kind = kindOf(change);
    const details = detailsOf(change).map((text) => `         ${visible(text)}`);
    return [`${style(kind.padEnd(7), "bold", colours[kind])}  ${style(nameOf(change), "bold")} at ${placeOf(change)}`, ...details].join(
      "\n",
    );
  });
  const findings = [...newFindings.map((each) => [each, "new"] as const), ...goneFindings.map((each) => [each, "gone"] as const)].map(
    ([{ name, diagnostic }, kind]) => {
      const { severity, ruleId, message, range } = diagnostic;
      return `${kind.padEnd(7)}  ${visibleName(name)}:${range.start.line + 1}  ${style(severity, severityColour[severity])} ${ruleId}\n         ${visible(message)}`;
    },
  );
  const parts = [
    `${style(gpu.name, "bold")}, ${visibleName(before)} → ${visibleName(after)}`,
    ...(launches.length > 0 ? [launches.join("\n")] : []),
    ...(findings.length > 0 ? [`${style("findings", "bold")}\n${findings.join("\n")}`] : []),
    ...failures.map((failure) => visible(failure)),
    [style(summaryText(comparison), "bold"), unchangedText(comparison, threshold)].filter((text) => text !== "").join("; "),
  ];
  return `${parts.join("\n\n")}\n`;
}
