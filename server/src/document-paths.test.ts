import { expect, test } from "vitest";
import { pathOfUri, uriOfPath } from "./document-paths.ts";

test.each<[uri: string, path: string]>([
  ["file:///w/a.cu", "/w/a.cu"],
  ["file:///w/with%20blank%231.cu", "/w/with blank#1.cu"],
  ["file:///w/%E2%80%AEx.cu", "/w/\u202Ex.cu"],
  ...(process.platform === "win32" ? [] : ([["file:///w/a%5Cb.cu", "/w/a\\b.cu"]] satisfies [string, string][])),
  ["untitled:Untitled-1", "/untitled::Untitled-1"],
  ["untitled:/w/new.cu", "/w/untitled::new.cu"],
  ["git:/w/a.cu?%7B%22ref%22%3A%22HEAD%22%7D", "/w/git:%7B%22ref%22%3A%22HEAD%22%7D:a.cu"],
  ["git:/w/a.cu?%7B%22ref%22%3A%22~%22%7D", "/w/git:%7B%22ref%22%3A%22~%22%7D:a.cu"],
  ["vscode-remote://ssh-remote%2Bhost/w/a.cu", "/w/vscode-remote:ssh-remote%2Bhost:a.cu"],
  ["vscode-vfs://github/owner/repo/a.cu", "/owner/repo/vscode-vfs:github:a.cu"],
  ["x:", "/x::"],
  ["untitled://host", "/untitled:host:"],
])("%s is %s", (uri, path) => expect(pathOfUri(uri)).toBe(path));

test.each(["", "a.cu", "/w/a.cu", "://", "a b:/w"])("%j is no document", (uri) => {
  expect(() => pathOfUri(uri)).toThrow();
});

test("a file's path gives its URI", () => {
  for (const uri of ["file:///w/a.cu", "file:///w/with%20blank%231.cu", "file:///w/%25.cu"]) expect(uriOfPath(pathOfUri(uri))).toBe(uri);
});
