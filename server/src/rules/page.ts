import { optionsOf } from "./options.ts";
import { guideReference, type Rule } from "./rule.ts";

const fixes: Readonly<Record<Rule["fix"], string>> = {
  safe: "yes; marked safe where the program provably computes the same, else unsafe with the reason",
  unsafe: "yes, but it may change results: apply it knowingly",
  none: "no",
};

function foundBy({ group, simulated }: Rule): string {
  if (group === "directives") return "reading the comments";
  return simulated ? "simulating the launches on the chosen GPU" : "reading the source: syntax, types and data flow";
}

/** A rule's page in Markdown: `docs/rules/<id>.md`, and what `warplens explain` prints. */
export function rulePage(rule: Rule): string {
  const { id, group, severity, priority, guide, summary, why, remedy, fix, example, notes } = rule;
  const reference = guide && guideReference(guide);
  const facts = [
    ["severity", rule.offByDefault ? `${severity}; off by default` : severity],
    ["group", group],
    ...(reference
      ? [["source", `[${reference.text}](${reference.url}) (${priority === "correctness" ? priority : `${priority} priority`})`]]
      : []),
    ["found by", foundBy(rule)],
    ["fix", fixes[fix]],
  ];
  const parts = [
    `# ${id}`,
    summary,
    ["| | |", "| --- | --- |", ...facts.map(([name, value]) => `| ${name} | ${value} |`)].join("\n"),
    `## Why\n\n${why}`,
    `## What to do\n\n${remedy}`,
    `## Example\n\n\`\`\`cuda\n${example.bad}\n\`\`\`\n\nbetter:\n\n\`\`\`cuda\n${example.good}\n\`\`\``,
    ...(notes === undefined ? [] : [`## Details\n\n${notes}`]),
    ...optionsSection(rule),
    ...(rule.offByDefault
      ? [`## Turn it on\n\n\`"${id}": "${severity}"\` under \`rules\` in \`warplens.json\` or the setting \`warplens.rules\`.`]
      : []),
    `## Silence it\n\n\`// warplens-disable-next-line ${id} -- reason\` above the line, with \`disable-kernel\` above a kernel or \`disable-file\` anywhere in the file; or \`"${id}": "off"\` under \`rules\` in \`warplens.json\` or the setting \`warplens.rules\`.`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function optionsSection(rule: Rule): string[] {
  const options = Object.entries(optionsOf(rule));
  const [name, option] = options.at(-1) ?? [];
  if (!name || !option) return [];
  const rows = options.map(([each, { unit, default: initial, says }]) => `| \`${each}\` | ${says} | ${initial} ${unit} |`);
  const example = `\`"${rule.id}": { "level": "${rule.severity}", "${name}": ${2 * option.default} }\``;
  return [
    `## Options\n\n| option | is | default |\n| --- | --- | --- |\n${rows.join("\n")}\n\nSet under \`rules\` in \`warplens.json\` or the setting \`warplens.rules\`: ${example}; what is left out stays as it is.`,
  ];
}

/** The catalogue in Markdown: `docs/rules/README.md`. */
export function catalogue(rules: readonly Rule[]): string {
  const rows = rules.map(({ id, summary, severity, offByDefault, guide, fix }) => {
    const source = guide ? guideReference(guide).text : "";
    return `| [${id}](${id}.md) | ${summary} | ${severity}${offByDefault ? " (off by default)" : ""} | ${source} | ${fix === "none" ? "" : fix} |`;
  });
  return `# Rules\n\n| rule | finds | severity | source | fix |\n| --- | --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}
