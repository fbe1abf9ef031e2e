/** The rules' pages and list, for the client. */
import { rules } from "../rules/index.ts";
import { rulePage as pageOf } from "../rules/page.ts";
import type { RuleSummary } from "./protocol.ts";

export const ruleSummaries = (): RuleSummary[] => rules.map(({ id, summary }) => ({ id, summary }));

/** A rule's page in Markdown; null where there is no such rule. */
export function rulePage(id: string): string | null {
  const rule = rules.find((candidate) => candidate.id === id);
  return rule ? pageOf(rule) : null;
}
