import { expect, test } from "vitest";
import {
  formatAssumption,
  formatBandwidth,
  formatBound,
  formatCapacity,
  formatChange,
  formatCount,
  formatDim,
  formatEstimate,
  formatPercent,
  formatRatio,
  formatTime,
  formatTraffic,
  shortGpuName,
} from "./units.ts";

test.each([
  [shortGpuName("NVIDIA GeForce GTX 980"), "GTX 980"],
  [formatBound("l2-latency"), "L2 latency"],
  [formatTime(812), "812 ns"],
  [formatTime(999.7), "1 µs"],
  [formatTime(100_240), "100 µs"],
  [formatTime(2_470_000), "2.47 ms"],
  [formatBandwidth(2470), "2.47 TB/s"],
  [formatBandwidth(480), "480 GB/s"],
  [formatTraffic(268_435_456), "268 MB"],
  [formatCapacity(49_152), "48 KB"],
  [formatCapacity(1056), "1.03 KB"],
  [formatCount(8192), "8192"],
  [formatCount(1_048_576), "1.05M"],
  [formatChange(304, 144), "\u221253 %"],
  [formatChange(144, 304), "+111 %"],
  [formatChange(1000, 1004), undefined],
  [formatChange(0, 4), "up"],
  [formatChange(0, 0), undefined],
  [formatPercent(51.4), "51 %"],
  [formatPercent(0.3), "< 1 %"],
  [formatPercent(0), "0 %"],
  [formatDim([256, 1, 1]), "256"],
  [formatDim([32, 8, 1]), "32 × 8"],
  [formatDim([4, 1, 2]), "4 × 1 × 2"],
  [formatRatio(32), "32"],
  [formatRatio(4.26), "4.3"],
])("%s", (actual, expected) => expect(actual).toBe(expected));

test.each([
  ["n", 1024, "n = 1024"],
  ["contents of index", "uniform(0, 64)", "contents of index = uniform(0, 64)"],
  ["contents of index", "as `fill` of line 12 stored it", "contents of index as `fill` of line 12 stored it"],
])("the assumption of %s", (what, value, text) => {
  expect(formatAssumption(what, value)).toBe(text);
});

test.each([
  [[690, [493, 966]], "690 ns ± 40 %"],
  [[500, [251, 995]], "500 ns ± 99 %"],
  [[164, [80, 335]], "164 ns within 2.0 times"],
] as const)("a time with its error bar: %j is %s", ([ns, range], text) => expect(formatEstimate({ ns, range })).toBe(text));
