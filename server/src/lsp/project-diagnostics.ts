/** What is wrong in an open `warplens.json`, at its place. */
import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { readProjectFile } from "../lint/project-file.ts";
import { rangeOf } from "./convert.ts";

export const isProjectFile = (uri: string): boolean => uri.endsWith("/warplens.json");

export const projectDiagnostics = (document: TextDocument): Diagnostic[] =>
  readProjectFile(document.getText()).problems.map(({ message, start, end }) => ({
    source: "warplens",
    severity: DiagnosticSeverity.Error,
    message,
    range: rangeOf(document, { start, end }),
  }));
