import type { PanelModel } from "@warplens/server/protocol";
import { expect, test } from "vitest";
import { wrongThen } from "./wrong.ts";

type Report = NonNullable<PanelModel["report"]>;

const report = (...kinds: readonly string[]): Report => ({ violations: kinds.map((kind) => ({ kind })) }) as unknown as Report;

test.each([
  ["nothing", report(), report(), undefined],
  ["what it does not do with its own values", report("overflow"), report(), "a signed integer of it overflows"],
  ["not what it does in any case", report("overflow"), report("overflow"), undefined],
  ["what comes to that", report("overflow", "out-of-bounds"), report("overflow"), "it reaches out of bounds"],
] as const)("%s", (_, then, own, expected) => expect(wrongThen(then, own)).toBe(expected));
