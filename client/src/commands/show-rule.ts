import { type RuleSummary, rulesRequest } from "@warplens/server/protocol";
import { commands, window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { rulePageUri } from "../rule-pages.ts";

/** Opens a rule's page in the Markdown preview. Without an id the user picks a rule. */
export async function showRule(client: BaseLanguageClient, id: string | undefined): Promise<void> {
  const chosen = id ?? (await pickRule(client));
  if (chosen !== undefined) await commands.executeCommand("markdown.showPreview", rulePageUri(chosen));
}

async function pickRule(client: BaseLanguageClient): Promise<string | undefined> {
  const rules: Promise<RuleSummary[]> = client.sendRequest(rulesRequest);
  const items = rules.then((all) => all.map(({ id, summary }) => ({ label: id, detail: summary })));
  return (await window.showQuickPick(items, { title: "WarpLens rules", matchOnDetail: true }))?.label;
}
