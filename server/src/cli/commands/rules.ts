import { rules } from "../../rules/index.ts";
import { optionsOf } from "../../rules/options.ts";
import { guideReference } from "../../rules/rule.ts";
import { severityColour, styleOf } from "../style.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

export default {
  name: "rules",
  operands: "",
  summary: "the rule catalogue",
  options: ["format"],
  async run({ given }, io) {
    if (formatNamed(given.format, ["text", "json"]) === "json") {
      const catalogue = rules.map((rule) => {
        const {
          id,
          group,
          severity,
          offByDefault,
          priority,
          guide,
          alsoIn = [],
          summary,
          why,
          remedy,
          fix,
          simulated,
          url,
          example,
        } = rule;
        return {
          id,
          group,
          severity,
          level: offByDefault ? "off" : severity,
          priority,
          ...(guide ? { guide: { ...guide, ...guideReference(guide) } } : {}),
          ...(alsoIn.length > 0 ? { alsoIn: alsoIn.map((each) => ({ ...each, ...guideReference(each) })) } : {}),
          summary,
          why,
          remedy,
          fix,
          simulated,
          url,
          example,
          options: optionsOf(rule),
        };
      });
      io.out(`${JSON.stringify({ version: 1, rules: catalogue }, null, 2)}\n`);
      return 0;
    }
    const style = styleOf(io, given);
    const width = Math.max(...rules.map(({ id }) => id.length));
    for (const { id, severity, offByDefault, summary, guide, fix } of rules) {
      const notes = [
        ...(guide ? [guideReference(guide).text] : []),
        ...(fix === "none" ? [] : ["fix"]),
        ...(offByDefault ? ["off by default"] : []),
      ].join("; ");
      io.out(
        `${style(id.padEnd(width), "bold")}  ${style(severity.padEnd(11), severityColour[severity])}  ${summary}${notes === "" ? "" : style(` (${notes})`, "dim")}\n`,
      );
    }
    return 0;
  },
} satisfies Command;
