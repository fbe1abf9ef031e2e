/** The language client: which documents it serves, its log, and what it does with what the server sends. */
import { type ReadFileParams, readFileRequest } from "@warplens/server/protocol";
import { type Diagnostic, type LogOutputChannel, Uri, workspace } from "vscode";
import type { BaseLanguageClient, LanguageClientOptions, LSPAny } from "vscode-languageclient";
import { rulePageUri } from "./rule-pages.ts";
import { withoutPrograms } from "./trust.ts";

/** The built-in id of .cu and .cuh files, and the one other extensions give them. */
export const languages = ["cuda-cpp", "cuda"] as const;
/** Documents that a user edits; not the old sides of a diff, nor output. */
const schemes = ["file", "untitled", "vscode-remote", "vscode-vfs", "vscode-test-web"];

export const documentSelector = languages.flatMap((language) => schemes.map((scheme) => ({ language, scheme })));
/** The project's own settings: the server says what is wrong in them. */
const projectFiles = schemes.map((scheme) => ({ scheme, pattern: "**/warplens.json" }));

/** A rule's code opens its page inside the editor: it is there without a network. */
function linkToPage(diagnostic: Diagnostic): Diagnostic {
  if (typeof diagnostic.code === "object") diagnostic.code = { ...diagnostic.code, target: rulePageUri(String(diagnostic.code.value)) };
  return diagnostic;
}

export function clientOptions(log: LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: [...documentSelector, ...projectFiles],
    outputChannel: log,
    traceOutputChannel: log,
    diagnosticCollectionName: "warplens",
    diagnosticPullOptions: { onChange: true, onTabs: true },
    middleware: {
      workspace: {
        // Programs run only where the user trusts what they run on, whoever switched them on.
        async configuration(params, token, next) {
          const sections = await next(params, token);
          return !Array.isArray(sections) || workspace.isTrusted ? sections : withoutPrograms<LSPAny>(sections);
        },
      },
      // In the status bar: one that can be cancelled would come as a notification over the code.
      handleWorkDoneProgress(token, params, next) {
        next(token, params.kind === "begin" ? { ...params, cancellable: false } : params);
      },
      handleDiagnostics: (uri, diagnostics, next) => next(uri, diagnostics.map(linkToPage)),
      async provideDiagnostics(document, previous, token, next) {
        const report = await next(document, previous, token);
        if (report?.kind === "full") for (const diagnostic of report.items) linkToPage(diagnostic);
        return report;
      },
    },
  };
}

/** Answers what the server asks of the editor. Called before the client starts. */
export function answerServer(client: BaseLanguageClient): void {
  workspace.onDidGrantWorkspaceTrust(() => void client.sendNotification("workspace/didChangeConfiguration", { settings: null }));
  client.onRequest(readFileRequest, async ({ uri }: ReadFileParams): Promise<string | null> => {
    const bytes = await workspace.fs.readFile(Uri.parse(uri)).then(undefined, () => undefined);
    return bytes ? new TextDecoder().decode(bytes) : null;
  });
}
