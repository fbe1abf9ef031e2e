import { describe, expect, test } from "vitest";
import { Pulse } from "./pulse.ts";
import { Watchdog } from "./watchdog.ts";

const few = { silent: 3, unwanted: 5, whole: 9 };

/** Ticks until it barks, one character a tick: `.` without and `!` with a sign of life, `c` it is cancelled. */
function barksAt(mayBeCancelled: boolean, ticks: string): [number, string] | undefined {
  const dog = new Watchdog(few);
  const pulse = new Pulse();
  pulse.beat();
  dog.begins(pulse.beats, mayBeCancelled);
  for (const [at, what] of [...ticks].entries()) {
    if (what === "!") pulse.beat();
    if (what === "c") dog.cancelled();
    const why = dog.tick(pulse.beats);
    if (why !== undefined) return [at + 1, why];
  }
  return undefined;
}

const silent = "no sign of life for 3 s";
test.each<[string, boolean, string, [number, string] | undefined]>([
  ["stuck", true, "......", [3, silent]],
  ["stuck, and cannot be cancelled", false, "......", [3, silent]],
  ["slow, but not stuck", true, "..!..!..!..!..!..!..!..!..!", undefined],
  ["stuck in the middle", true, "..!.!!...", [9, silent]],
  ["goes on and on, and cannot be cancelled", false, "!!!!!!!!!!!!", [9, "no answer within 9 s"]],
  ["takes its time, and nobody minds", true, "!!!!!!!!!!!!!!!!!!!!", undefined],
  ["is cancelled and does not mind", true, "!!!c!!!!!!!!!", [8, "no answer within 5 s"]],
  ["is cancelled again and again", true, "!c!c!c!c!c!c", [6, "no answer within 5 s"]],
])("%s", (_, mayBeCancelled, ticks, barks) => expect(barksAt(mayBeCancelled, ticks)).toEqual(barks));

describe("a pulse", () => {
  test("tells the stage through its memory", () => {
    const own = new Pulse();
    const seen = new Pulse(own.memory);
    expect([seen.beats, seen.stage]).toEqual([0, undefined]);
    own.enter("preprocess");
    expect([seen.beats, seen.stage]).toEqual([1, "preprocess"]);
    own.enter("parse");
    own.beat();
    expect([seen.beats, seen.stage]).toEqual([3, "parse"]);
    own.enter("x".repeat(1000));
    expect(seen.stage).toMatch(/^x{40,60}$/);
    own.begin(7);
    expect(seen.request).toBe(7);
    own.enter(undefined);
    expect(seen.stage).toBeUndefined();
  });
});
