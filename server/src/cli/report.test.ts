import { gpus } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { type FileResult, type Result, reportOf, reportText } from "./report.ts";

function resultOf(...names: string[]): Result {
  const [gpu] = gpus;
  if (!gpu) throw new Error("no GPU");
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const message = "two\nlines, and\u2028more";
  const files = names.map(
    (name): FileResult => ({
      input: { path: `/${name}`, name, text: "", bom: "", exact: true },
      diagnostics: [
        {
          path: `/${name}`,
          ruleId: "a-rule",
          severity: "hint",
          message,
          range,
          fixes: [],
          related: [],
          tags: [],
          simulated: false,
          url: "",
        },
      ],
      failures: [],
    }),
  );
  return { gpu, files };
}

test.each([0, 1, 3])("in pieces, the report of %i files is the same text as in one", (count) => {
  const result = resultOf(...["a.cu", "b.cu", "c.cu"].slice(0, count));
  const nameOf = (path: string): string => path.slice(1);
  expect([...reportText(result, "1.0.0", nameOf)].join("")).toBe(`${JSON.stringify(reportOf(result, "1.0.0", nameOf), null, 2)}\n`);
});
