import { expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { FixProof } from "../lint.ts";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import { appliesAt, proofText, readChosen, refactoringActions, refactoringEdit } from "./refactor-actions.ts";

const document = TextDocument.create("file:///w/a.cu", "cuda-cpp", 3, "  abc\n");
const at = (from: number, to: number, line = 0) => ({ start: { line, character: from }, end: { line, character: to } });
const offer = (more: Partial<OfferedRefactoring> = {}): OfferedRefactoring => ({
  id: "pad-shared-tile",
  title: "Pad",
  safe: true,
  ranges: [at(2, 5)],
  edits: [{ range: at(2, 5), newText: "abcd" }],
  ...more,
});
const slower: FixProof = { verdict: "proved", gain: { fromNs: 144_000, toNs: 146_000 }, compared: { launches: 1, results: "equal" } };
const all = { resolves: true, annotates: true };

test.each<[string, ReturnType<typeof at>, boolean]>([
  ["in it", at(3, 3), true],
  ["at its first character", at(2, 2), true],
  ["behind its last", at(5, 5), true],
  ["a selection around it", at(0, 6), true],
  ["before it", at(1, 1), false],
  ["on another line", at(3, 3, 1), false],
])("a refactoring is offered where the cursor stands: %s", (_, range, applies) => expect(appliesAt(offer(), range)).toBe(applies));

test("one that was tried says what it comes to, also where that is more, and brings its edit with a preview", () => {
  const [action] = refactoringActions(document, "NVIDIA H200", [offer({ proof: slower })], all);
  expect(action).toMatchObject({
    title: "Pad: 144 to 146 µs",
    kind: "refactor.rewrite.pad-shared-tile",
    edit: {
      documentChanges: [{ textDocument: { uri: document.uri, version: 3 }, edits: [{ newText: "abcd", annotationId: "proof" }] }],
      changeAnnotations: {
        proof: { label: "Pad", needsConfirmation: true, description: expect.stringContaining("146 µs then, on the NVIDIA H200") },
      },
    },
  });
});

test("one that was not tried has its edit once it is chosen, where the client asks for that", () => {
  const [action] = refactoringActions(document, "", [offer()], all);
  expect(action?.edit).toBeUndefined();
  expect(readChosen(action?.data)).toMatchObject({ uri: document.uri, version: 3 });
  expect(refactoringActions(document, "", [offer()], { ...all, resolves: false })).toEqual([]);
});

test("a client without previews gets the edits alone", () =>
  expect(refactoringEdit(document, "", offer({ proof: slower }), { annotates: false })).toEqual({
    changes: { [document.uri]: [{ range: at(2, 5), newText: "abcd" }] },
  }));

test("what a fix does already is not offered twice", () => {
  const fix = { title: "f", edit: { changes: { [document.uri]: [{ range: at(2, 5), newText: "abcd" }] } } };
  expect(refactoringActions(document, "", [offer({ proof: slower })], all, [fix])).toEqual([]);
});

test.each<[string, FixProof, string]>([
  ["a gain", slower, "144 µs before, 146 µs then, on the GPU (simulated); what 1 launch leaves in memory is equal"],
  [
    "rounding",
    { verdict: "proved", compared: { launches: 2, results: "equal but for rounding" } },
    "what 2 launches leave in memory is equal but for rounding",
  ],
  ["no comparison", { verdict: "proved" }, "it parses, and no rule of correctness finds more than before"],
])("a preview says how it was proved: %s", (_, proof, text) => expect(proofText(proof, "GPU")).toBe(text));

test.each([undefined, null, 3, {}, { uri: 1, version: 2, key: "" }, { uri: "", key: "" }])("no choice: %j", (data) =>
  expect(readChosen(data)).toBeUndefined(),
);
