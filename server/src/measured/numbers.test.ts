import { describe, expect, test } from "vitest";
import { type DecimalMark, factorOf, hasCommaFraction, isAbsent, numberOf, roundingOf } from "./numbers.ts";

describe("numbers as locales print them", () => {
  test.each<[string, DecimalMark, string, number]>([
    ["1,048,576", ".", "1,048,576", 1048576],
    ["2,367.19", ".", "2,367.19", 2367.19],
    ["14.560000", ".", "14.560000", 14.56],
    ["1.048.576,5", ",", "1.048.576", 1048576],
    ["14,56", ",", "14,56", 14.56],
    ["14,5600", ",", "1.234,5", 1234.5],
    ["2 367,19", ",", "2\u202f367,19", 2367.19],
    ["1'048'576", ".", "1'048'576", 1048576],
    ["1.5e+09", ".", "1.5e+09", 1.5e9],
    ["14", ".", "14 (6; 8)", 14],
  ])("%s: `%s` parts the fraction, %s is %d", (other, mark, cell, value) => {
    expect(hasCommaFraction(other)).toBe(mark === ",");
    expect(numberOf(cell, mark)).toBe(value);
  });

  test.each([
    ["14.56", ".", 0.005],
    ["1,048,576", ".", 0.5],
    ["1.234,5", ",", 0.05],
    ["1.5e+09", ".", 5e7],
    ["14 (6; 8)", ".", 0.5],
  ] as const)("`%s` with `%s` is rounded by at most %d", (cell, mark, most) => {
    expect(roundingOf(cell, mark)).toBeCloseTo(most, 12);
  });

  test.each(["", "n/a", "nan", "(!) nan", "-", "inf"])("`%s` is no number, and says so", (cell) => {
    expect(numberOf(cell, ".")).toBeUndefined();
    expect(isAbsent(cell)).toBe(true);
  });

  test.each(["0x10", "1e999", "1.2.3", "many", "1 2 x"])("`%s` is no number, and should be one", (cell) => {
    expect(numberOf(cell, ".")).toBeUndefined();
    expect(isAbsent(cell)).toBe(false);
  });
});

describe("units", () => {
  test.each([
    ["ns", "ns", 1],
    ["us", "ns", 1e3],
    ["usecond", "ns", 1e3],
    ["msecond", "ns", 1e6],
    ["second", "ns", 1e9],
    ["byte", "bytes", 1],
    ["Mbyte", "bytes", 1e6],
    ["Kbyte/block", "bytes", 1e3],
    ["Tbyte/s", "GB/s", 1e3],
    ["byte/second", "GB/s", 1e-9],
    ["Gbyte/usecond", "GB/s", 1e6],
    ["%", "%", 1],
    ["", "%", 1],
    ["register/thread", "count", 1],
    ["inst", "count", 1],
    ["Kinst", "count", 1e3],
    ["", "count", 1],
  ] as const)("%s as %s", (printed, wanted, factor) => {
    expect(factorOf(printed, wanted)).toBeCloseTo(factor, 12);
  });

  test.each([
    ["cycle", "ns"],
    ["byte/block/x", "GB/s"],
    ["ns", "bytes"],
    ["Xbyte", "bytes"],
    ["ratio", "%"],
    ["hz", "count"],
    ["__proto__", "ns"],
    ["constructor", "ns"],
  ] as const)("%s is no unit of %s", (printed, wanted) => {
    expect(factorOf(printed, wanted)).toBeUndefined();
  });
});
