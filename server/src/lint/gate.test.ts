import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Gate, matches, readGate } from "./gate.ts";

function gate(text: string): Gate {
  const read = readGate(text);
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

/** A gate in one line: what was understood of it. */
function understood(text: string): string {
  const { kernel, file = "-", gpu = "-", condition } = gate(text);
  const { comparison, limit, ofBase } = condition.bound;
  const what = condition.kind === "figure" ? condition.figure.name : `${condition.isNew ? "new " : ""}findings of ${condition.of ?? "any"}`;
  return `${kernel} ${file} ${gpu}: ${what} ${comparison} ${limit}${ofBase ? " % of base" : ""}`;
}

describe("a gate", () => {
  test.each([
    ["transposePadded on h200: time < 200 us", "transposePadded - h200: time < 200000"],
    ["*: no new finding of error", "* - -: new findings of error = 0"],
    ["k: time <= 1.5ms", "k - -: time <= 1500000"],
    ["k: time < 2 µs", "k - -: time < 2000"],
    ["k: time < 2 μs", "k - -: time < 2000"],
    ["  k  on  t4 :  occupancy  >=  50  %  ", "k - t4: occupancy >= 50"],
    ["k: occupancy >= 50", "k - -: occupancy >= 50"],
    ["k: achieved occupancy ≥ 40 %", "k - -: achieved occupancy >= 40"],
    ["k: registers ≤ 32", "k - -: registers <= 32"],
    ["k: DRAM bytes < 1.2 GB", "k - -: DRAM bytes < 1200000000"],
    ["k: dram bytes < 1 MiB", "k - -: DRAM bytes < 1048576"],
    ["k: static shared <= 48 KB", "k - -: static shared <= 49152"],
    ["k: sectors/request < 5", "k - -: sectors per request < 5"],
    ["k: load sectors per request = 4", "k - -: load sectors per request = 4"],
    ["k: bank conflicts == 0", "k - -: bank conflicts = 0"],
    ["*: time <= 105 % of base", "* - -: time <= 105 % of base"],
    ["k: no finding", "k - -: findings of any = 0"],
    ["k: no findings of memory", "k - -: findings of memory = 0"],
    ["k: new findings of strided-global-access < 3", "k - -: new findings of strided-global-access < 3"],
    ["* in src/fft/* on h200: findings of warning <= 2", "* src/fft/* h200: findings of warning <= 2"],
    ["on on on: registers < 3e1", "on - on: registers < 30"],
    ["sim::gemm<float,N<4>::value> on v100: registers < 64", "sim::gemm<float, N<4>::value> - v100: registers < 64"],
  ])("%s", (text, expected) => expect(understood(text)).toBe(expected));

  test.each([
    ["", "a gate is `KERNEL [in FILE] [on GPU]: CONDITION`"],
    ["time < 200 us", "a gate is `KERNEL"],
    [": time < 200 us", "a gate is `KERNEL"],
    ["k at h200: time < 1 us", "a gate is `KERNEL"],
    ["k on: time < 1 us", "a gate is `KERNEL"],
    ["k on a on b: time < 1 us", "a gate is `KERNEL"],
    ["k: ", "a condition is a figure with a bound"],
    ["k: time", "a condition is a figure with a bound"],
    ["k: < 3 us", "a condition begins with a figure: time, occupancy"],
    ["k: no time < 3 us", "a condition is a figure"],
    ["k: tme < 3 us", "there is no figure `tme`; did you mean `time`?"],
    ["k: speed > 3", "there is no figure `speed`; there are time, occupancy, "],
    ["k: time <", "there is no value behind `<`"],
    ["k: time < fast", "not a value: `fast`"],
    ["k: time < -1 us", "not a value: `-1 us`"],
    ["k: time < 3", "`3` needs a unit; there are ns, us, µs, ms, s, % of base"],
    ["k: time < 1e400 us", "`1e400` is more than can be reckoned with"],
    ["k: time < 1e308 s", "`1e308` is more than can be reckoned with"],
    ["k: time < 1e400 % of base", "`1e400` is more than can be reckoned with"],
    ["k: time < 3 hours", "there is no unit `hours` here; there are ns"],
    ["k: registers < 3 us", "there is no unit `us` here; it is a number, or `% of base`"],
    ["k: no finding of", "findings are bounded as"],
    ["k: no finding < 3", "findings are bounded as"],
    ["k: findings < 100 % of base", "findings are bounded by a number"],
    ["k: findings of error", "findings are bounded as"],
    ["k: no finding of errors", "there is no severity `errors`; did you mean `error`?"],
    ["k: no finding of strided-global-acces", "there is no rule `strided-global-acces`; did you mean `strided-global-access`?"],
  ])("that is none, and why: %s", (text, problem) => expect(readGate(text)).toEqual({ problem: expect.stringContaining(problem) }));

  test("any text is one, or has a reason", () => {
    const part = fc.constantFrom(
      "k",
      "*",
      " ",
      ":",
      "::",
      "<",
      ">",
      "=",
      "on",
      "in",
      "no",
      "new",
      "findings",
      "of",
      "time",
      "3",
      "us",
      "% of base",
      "é",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const read = readGate(parts.join(" "));
        expect("problem" in read ? read.problem : read.kernel).not.toBe("");
      }),
    );
  });
});

test.each([
  ["*", "", true],
  ["*", "anything", true],
  ["k", "k", true],
  ["k", "kk", false],
  ["a*", "abc", true],
  ["*c", "abc", true],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c", false],
  ["ab*ba", "aba", false],
  ["a**c", "ac", true],
  ["*b*", "abc", true],
  ["*bc*c", "abc", false],
])("%s stands for %s: %s", (pattern, name, expected) => expect(matches(pattern, name)).toBe(expected));
