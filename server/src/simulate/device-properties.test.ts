import { findGpu } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { devicePropertiesOf } from "./device-properties.ts";

test("what host code holds in integers is whole, whatever a user's GPU has", () => {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no H200");
  const { name: _, occupancy: __, ...numbers } = devicePropertiesOf({ ...gpu, values: { ...gpu.values, clock: 1234.5678 } });
  expect(Object.entries(numbers).filter(([, value]) => !Number.isInteger(value))).toEqual([]);
  expect(numbers.clockRateKHz).toBe(1_234_568);
});
