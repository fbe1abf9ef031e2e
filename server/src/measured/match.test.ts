import type { Dim3 } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { type Identity, matchLaunches } from "./match.ts";
import type { MeasuredLaunch } from "./report.ts";

const launch = (kernel: string, templateArguments: string[], grid: number, block: number, dynamicSharedBytes = 0): Identity => ({
  kernel,
  templateArguments,
  grid: [grid, 1, 1],
  block: [block, 1, 1],
  dynamicSharedBytes,
});
/** The nth measured launch took n ns. */
const measured = (...all: readonly [kernel: string, grid?: number, block?: number, dynamicShared?: number][]): MeasuredLaunch[] =>
  all.map(([kernel, grid, block, dynamicShared], index) => ({
    kernel,
    ...(grid === undefined ? {} : { grid: [grid, 1, 1] as Dim3 }),
    ...(block === undefined ? {} : { block: [block, 1, 1] as Dim3 }),
    device: 0,
    figures: { time: index + 1, ...(dynamicShared === undefined ? {} : { dynamicShared }) },
  }));

describe("launches go together", () => {
  test.each<[string, Identity[], MeasuredLaunch[], (number[] | undefined)[], string[]]>([
    [
      "by name",
      [launch("k", [], 8, 32)],
      measured(["k(int)", 8, 32], ["other(int)", 8, 32]),
      [[1]],
      ["other(int): no launch of this kernel is simulated here"],
    ],
    ["by namespace, where the source leaves it out", [launch("k", [], 8, 32)], measured(["ns::k(int)", 8, 32]), [[1]], []],
    [
      "by configuration",
      [launch("k", [], 8, 32), launch("k", [], 4, 64)],
      measured(["k(int)", 4, 64], ["k(int)", 8, 32], ["k(int)", 2, 128]),
      [[2], [1]],
      ["k(int): launched here with 8 blocks of 32, 4 blocks of 64"],
    ],
    ["all of a loop", [launch("k", [], 8, 32)], measured(["k(int)", 8, 32], ["k(int)", 8, 32], ["k(int)", 8, 32]), [[1, 2, 3]], []],
    [
      "in order, where there are as many",
      [launch("k", [], 8, 32), launch("k", [], 8, 32)],
      measured(["k(int)", 8, 32], ["k(int)", 8, 32]),
      [[1], [2]],
      [],
    ],
    [
      "of none in particular, where there are not",
      [launch("k", [], 8, 32), launch("k", [], 8, 32)],
      measured(["k(int)", 8, 32], ["k(int)", 8, 32], ["k(int)", 8, 32]),
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
      [],
    ],
    [
      "by instance",
      [launch("k", ["4"], 8, 32), launch("k", ["8"], 8, 32)],
      measured(["void k<(int)8>(int)", 8, 32], ["void k<4>(int)", 8, 32], ["void k<16>(int)", 8, 32]),
      [[2], [1]],
      ["void k<16>(int): other template arguments are launched here"],
    ],
    ["by the only instance, however it is spelled", [launch("k", ["T"], 8, 32)], measured(["void k<float>(int)", 8, 32]), [[1]], []],
    [
      "not by a guess among instances",
      [launch("k", ["A"], 8, 32), launch("k", ["B"], 8, 32)],
      measured(["void k<float>(int)", 8, 32]),
      [undefined, undefined],
      ["void k<float>(int): other template arguments are launched here"],
    ],
    [
      "by dynamic shared memory, where nothing else differs",
      [launch("k", [], 8, 32, 1024), launch("k", [], 8, 32, 2048)],
      measured(["k(int)", 8, 32, 2048], ["k(int)", 8, 32, 1024]),
      [[2], [1]],
      [],
    ],
    ["without a configuration, by name alone", [launch("k", [], 8, 32)], measured(["k(int)"]), [[1]], []],
  ])("%s", (_, launches, all, times, unmatched) => {
    const matches = matchLaunches(launches, all);
    expect(launches.map((each) => matches.of.get(each)?.launches.map(({ figures }) => figures.time))).toEqual(times);
    expect(matches.unmatched.map(({ kernel, why }) => `${kernel}: ${why}`)).toEqual(unmatched);
  });

  test("those of none in particular say so", () => {
    const launches = [launch("k", [], 8, 32), launch("k", [], 8, 32)];
    const isShared = (count: number) =>
      launches.map(
        (each) =>
          matchLaunches(launches, measured(...Array<[string, number, number]>(count).fill(["k(int)", 8, 32]))).of.get(each)?.isShared,
      );
    expect(isShared(2)).toEqual([false, false]);
    expect(isShared(4)).toEqual([true, true]);
  });
});
