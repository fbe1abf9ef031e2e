import { expect, test } from "vitest";
import { directoryOf, join, normalize } from "./paths.ts";

test.each([
  ["/w/a.cu", "/w/a.cu"],
  ["/w/./x/../a.cu", "/w/a.cu"],
  // Part of a name, where the host has no other separator.
  ["/w/a\\b.cu", "/w/a\\b.cu"],
  ["C:/w/../a.cu", "C:/a.cu"],
  ["memfs://host/w//a.cu", "memfs://host/w/a.cu"],
])("%s is %s", (path, normal) => expect(normalize(path)).toBe(normal));

test.each([
  ["/w", "a.h", "/w/a.h"],
  ["/w/", "../x/a.h", "/x/a.h"],
  ["/w", "..\\common\\a.h", "/common/a.h"],
  ["/w/a\\b", "c.h", "/w/a\\b/c.h"],
  ["/w", "C:\\cuda\\a.h", "C:/cuda/a.h"],
  ["/w", "/usr/a.h", "/usr/a.h"],
])("in %s %s is %s", (directory, said, path) => expect(join(directory, said)).toBe(path));

test("a file at the top lies in the root", () => expect(["/a.cu", "a.cu", "/w/a.cu"].map(directoryOf)).toEqual(["/", ".", "/w"]));
