import { expect, test } from "vitest";
import { withValue } from "./directive-text.ts";

test.each([
  ["// warplens: n=4", "// warplens: n=1<<20"],
  ["  //warplens: block=(32, 8) n=4 m=5", "  //warplens: block=(32, 8) n=1<<20 m=5"],
  ["// warplens: n=max(2, 3) k=1", "// warplens: n=1<<20 k=1"],
  ["// warplens: index=uniform(0, n) ", "// warplens: index=uniform(0, n) n=1<<20"],
  ["// warplens: nn=4", "// warplens: nn=4 n=1<<20"],
  ["// warplens: n=(4", "// warplens: n=1<<20"],
  ["// warplens-disable-next-line x", undefined],
  ["int n = 4;", undefined],
  ["", undefined],
])("%s", (line, after) => expect(withValue(line, "n", "1<<20")).toBe(after));
