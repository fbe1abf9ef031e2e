import { expect, test } from "vitest";
import { Deaths, whyEnded } from "./deaths.ts";

const minute = 60_000;
/** What is done at each death: started again and said, started again, or not. */
function judged(times: readonly number[]): string {
  const deaths = new Deaths();
  return times
    .map((time) => {
      const { startsAgain, isNews } = deaths.judge("SIGKILL", time);
      return startsAgain ? (isNews ? "S" : "s") : "x";
    })
    .join("");
}

test.each<[string, number[], string]>([
  ["one", [0], "S"],
  ["one now and then", [0, 10 * minute, 20 * minute, 30 * minute, 40 * minute, 50 * minute], "SSSSSS"],
  ["several at once are said once", [0, 1, 2, 3], "Ssss"],
  ["too many at once", [0, 1, 2, 3, 4], "Ssssx"],
  ["too many, but over some time", [0, minute, 2 * minute, 3 * minute, 4 * minute, 5 * minute], "Ssssss"],
  ["once the user starts it again it starts anew", [0, 1, 2, 3, 4, 5, 6], "SsssxSs"],
])("%s", (_, times, done) => expect(judged(times)).toBe(done));

test("says why", () => {
  expect(new Deaths().judge("out of memory", 0).message).toBe("The WarpLens language server ended (out of memory) and was started again.");
});

test.each<[number | null, string | null, string[], string]>([
  [1, null, [], "exit code 1"],
  [null, "SIGKILL", ["a warning"], "SIGKILL"],
  [
    null,
    "SIGABRT",
    ["<--- Last few GCs --->", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"],
    "out of memory",
  ],
  [1, null, ["node:internal", "TypeError: x is not a function", "    at f (server.js:1)"], "exit code 1: TypeError: x is not a function"],
  [1, null, [`Error: ${"x".repeat(1000)}`], `exit code 1: Error: ${"x".repeat(193)}`],
])("code %j, signal %j, said %j: %s", (code, signal, said, why) => expect(whyEnded(code, signal, said)).toBe(why));
