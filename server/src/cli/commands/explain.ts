import { rules } from "../../rules/index.ts";
import { rulePage } from "../../rules/page.ts";
import { suggest } from "../../rules/suggest.ts";
import { UsageError } from "../io.ts";
import type { Command } from "./command.ts";

export default {
  name: "explain",
  operands: "RULE",
  summary: "one rule's page",
  options: [],
  async run({ operands }, io) {
    const [id, ...others] = operands;
    if (id === undefined || others.length > 0)
      throw new UsageError("explain needs one rule: warplens explain RULE; `warplens rules` lists them");
    const rule = rules.find((each) => each.id === id);
    if (!rule) {
      const near = suggest(
        id,
        rules.map((each) => each.id),
      );
      throw new UsageError(`there is no rule \`${id}\`${near === undefined ? "; `warplens rules` lists them" : `; did you mean ${near}?`}`);
    }
    io.out(rulePage(rule));
    return 0;
  },
} satisfies Command;
