/** What a test run says: one JSON object a line, written as each test ends, so that nothing is lost if the run is cut short. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Runner, Test } from "mocha";

export interface TestResult {
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly ms?: number;
  readonly error?: string;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
}

/** Calls `record` with each test's result as it ends. A failed hook counts as a failed test. */
export function follow(runner: Runner, record: (result: TestResult) => void): void {
  const title = (test: Test) => test.titlePath().join(" › ");
  runner.on("pass", (test) => record({ title: title(test), state: "passed", ms: test.duration ?? 0 }));
  runner.on("fail", (test, error: Error) => record({ title: title(test), state: "failed", error: error.stack ?? String(error) }));
  runner.on("pending", (test) => record({ title: title(test), state: "skipped" }));
}

export const writeResult = (file: string, result: TestResult): void => appendFileSync(file, `${JSON.stringify(result)}\n`);

export function readResults(file: string): TestResult[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line): TestResult => JSON.parse(line));
}

export function print({ title, state, ms, error }: TestResult): void {
  const mark = { passed: "✓", failed: "✗", skipped: "-" }[state];
  console.log(`  ${mark} ${title}${ms === undefined ? "" : ` (${ms} ms)`}${error ? `\n${error.replace(/^/gm, "      ")}` : ""}`);
}

export function tally(results: readonly TestResult[]): Tally {
  const those = (state: TestResult["state"]) => results.filter((result) => result.state === state);
  return { passed: those("passed").length, failed: those("failed").length, skipped: those("skipped").map(({ title }) => title) };
}
