import { expect, test } from "vitest";
import { bandwidth, bytes, percent, significant, size, time, words } from "./format.ts";

test.each([
  [bytes(0), "0 B"],
  [bytes(999), "999 B"],
  [bytes(999_600), "1 MB"],
  [bytes(268_435_456), "268 MB"],
  [bandwidth(2473), "2.47 TB/s"],
  [bandwidth(898), "898 GB/s"],
  [time(813.4), "813 ns"],
  [time(100_320), "100 µs"],
  [time(7_250_000), "7.25 ms"],
  [percent(51.4), "51 %"],
  [percent(0.126), "0.126 %"],
  [significant(12_345), "12,345"],
  [size([256, 256, 1]), "256 × 256"],
  [size([1, 1, 1]), "1"],
  [size([1, 4, 1]), "1 × 4"],
  [size([8, 1, 2]), "8 × 1 × 2"],
  [words("l2-latency"), "L2 latency"],
])("%s", (written, expected) => expect(written).toBe(expected));
