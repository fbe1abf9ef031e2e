import { expect, test } from "vitest";
import { type CodeAction, CodeActionTriggerKind } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { DiagnosticFix, FixProof } from "../lint.ts";
import { type ActionSettings, codeActions, titleOf } from "./code-actions.ts";
import { toLsp } from "./diagnostics.ts";
import { finding } from "./testing.ts";

const document = TextDocument.create("file:///w/a.cu", "cuda-cpp", 3, "  abc\n");
const range = { start: { line: 0, character: 2 }, end: { line: 0, character: 5 } };
const fix = (title: string, proof?: FixProof, safe = true): DiagnosticFix => ({
  title,
  safe,
  edits: [{ range, newText: title }],
  ...(proof ? { proof } : {}),
});
const gaining = (fromNs: number, toNs: number): FixProof => ({ verdict: "proved", gain: { fromNs, toNs } });
const withheld: FixProof = { verdict: "withheld", why: "it changes the result" };
const unchecked: FixProof = { verdict: "unchecked", why: "`k` is not simulated" };

function actionsOf(fixes: readonly DiagnosticFix[], settings: Partial<ActionSettings> = {}): CodeAction[] {
  const diagnostics = fixes.map((each) => toLsp({ ...finding(each.title), fixes: [each] }, () => ""));
  const context = { diagnostics, triggerKind: CodeActionTriggerKind.Invoked };
  return codeActions(document, context, diagnostics, { tries: true, snippets: false, ...settings });
}
const shown = ({ title, isPreferred, disabled }: CodeAction): string => `${title}${isPreferred ? " *" : ""}${disabled ? " -" : ""}`;

test("the fix that gains most comes first and is preferred, those that failed are not there, and Disable is last", () =>
  expect(actionsOf([fix("a", gaining(300, 200)), fix("b", withheld), fix("c", gaining(9000, 2000)), fix("d")]).map(shown)).toEqual([
    "c: 9 to 2 µs *",
    "a: 300 to 200 ns",
    "d -",
    ...Array.from({ length: 4 }, () => "Show the rule some-rule"),
    ...Array.from({ length: 4 }, () => "Disable some-rule for this line"),
    "Apply all safe WarpLens fixes",
  ]));

test.each<[string, DiagnosticFix, boolean, string]>([
  ["other units", fix("f", gaining(2_650_000_000, 105_000)), true, "f: 2.65 s to 105 µs"],
  ["results that may change", fix("f", gaining(304_000, 144_000), false), true, "f: 304 to 144 µs (may change results)"],
  [
    "a launch that nobody makes",
    fix("f", { verdict: "proved", gain: { fromNs: 4000, toNs: 3000 }, assumedLaunch: true }),
    true,
    "f: 4 to 3 µs (as an assumed launch)",
  ],
  ["nothing gained", fix("f", { verdict: "proved" }), true, "f"],
  ["what cannot be simulated", fix("f", unchecked), true, "f (not checked)"],
  ["no simulations", fix("f"), false, "f (not checked)"],
])("a title says what is known: %s", (_, each, tries, title) => expect(titleOf(each, tries)).toBe(title));

test.each<[string, DiagnosticFix, boolean, boolean]>([
  ["is proved", fix("f", { verdict: "proved" }), true, true],
  ["is still tried", fix("f"), true, false],
  ["will not be tried", fix("f"), false, true],
  ["is withheld", fix("f", withheld), true, false],
  ["is not checked", fix("f", unchecked), true, false],
  ["is not safe", fix("f", { verdict: "proved" }, false), true, false],
])("fix all takes what is safe and proved: %s", (_, each, tries, isTaken) =>
  expect(actionsOf([each], { tries }).some(({ kind }) => kind === "source.fixAll.warplens")).toBe(isTaken),
);

test("Disable has the reason selected, where the client can", () => {
  const disable = (snippets: boolean) => actionsOf([fix("a")], { snippets }).find(({ title }) => /^Disable/.test(title))?.edit;
  expect(disable(true)).toMatchObject({
    documentChanges: [
      {
        textDocument: { uri: document.uri, version: 3 },
        edits: [
          {
            snippet: {
              kind: "snippet",
              value: expect.stringMatching(/^ {2}\/\/ warplens-disable-next-line some-rule -- \$\{1:reason\}\n$/),
            },
          },
        ],
      },
    ],
  });
  expect(disable(false)).toMatchObject({
    changes: { [document.uri]: [{ newText: "  // warplens-disable-next-line some-rule -- reason\n" }] },
  });
});

test("what the client made of a proof is no proof", () => {
  const diagnostic = toLsp({ ...finding("x"), fixes: [fix("a", { verdict: "proved" })] }, () => "");
  const forged = { ...diagnostic, data: { ruleId: "some-rule", fixes: [{ ...fix("a"), proof: { verdict: "trust me" } }] } };
  const context = { diagnostics: [forged], triggerKind: CodeActionTriggerKind.Invoked };
  expect(codeActions(document, context, [forged], { tries: true, snippets: false })).toEqual([]);
});
