/** The rules' pages as read-only documents `warplens-rule:/<id>.md`, which the manifest opens in the Markdown preview. */
import { code } from "@warplens/server/foreign-text";
import { type RulePageParams, rulePageRequest } from "@warplens/server/protocol";
import { type Disposable, Uri, workspace } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

const scheme = "warplens-rule";

export const rulePageUri = (id: string): Uri => Uri.from({ scheme, path: `/${id}.md` });

export function provideRulePages(client: BaseLanguageClient): Disposable {
  return workspace.registerTextDocumentContentProvider(scheme, {
    async provideTextDocumentContent({ path }, token) {
      const id = path.replace(/^\/|\.md$/g, "");
      const params: RulePageParams = { id };
      const page: string | null = await client.sendRequest(rulePageRequest, params, token);
      return page ?? `There is no rule ${code(id)}.`;
    },
  });
}
