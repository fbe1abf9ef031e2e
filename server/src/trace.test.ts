import { afterEach, describe, expect, it, vi } from "vitest";

/** The module as a process with this environment loads it. */
async function traced(value: string): Promise<typeof import("./trace.ts")> {
  vi.resetModules();
  vi.stubEnv("WARPLENS_TRACE", value);
  return import("./trace.ts");
}

/** Work that the clock says took so many milliseconds. */
function taking(clock: { ms: number }, ms: number): void {
  clock.ms += ms;
}

describe("stages", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it("counts each without those inside, also when one throws, and starts again when asked", async () => {
    const { stage, takeStages } = await traced("1");
    const clock = { ms: 0 };
    vi.spyOn(performance, "now").mockImplementation(() => clock.ms);
    const answer = stage("outer", () => {
      taking(clock, 5);
      for (const ms of [10, 20]) stage("inner", () => taking(clock, ms));
      expect(() =>
        stage("broken", () => {
          taking(clock, 3);
          throw new Error("no");
        }),
      ).toThrow("no");
      taking(clock, 2);
      return 42;
    });
    expect(answer).toBe(42);
    expect(takeStages()).toEqual([
      { name: "inner", calls: 2, ms: 30 },
      { name: "broken", calls: 1, ms: 3 },
      { name: "outer", calls: 1, ms: 7 },
    ]);
    expect(takeStages()).toEqual([]);
  });

  it("adds those of another thread", async () => {
    const { addStages, stage, takeStages } = await traced("1");
    vi.spyOn(performance, "now").mockReturnValue(0);
    stage("parse", () => undefined);
    addStages([{ name: "parse", calls: 2, ms: 6 }]);
    expect(takeStages()).toEqual([{ name: "parse", calls: 3, ms: 6 }]);
  });

  it("does the work and nothing else when it is off", async () => {
    const { stage, takeStages } = await traced("");
    const now = vi.spyOn(performance, "now");
    expect(stage("parse", () => 1)).toBe(1);
    expect(now).not.toHaveBeenCalled();
    expect(takeStages()).toBeUndefined();
  });

  it.each(["", "1"])(
    "tells a watcher which one is under way, and afterwards the innermost that failed (tracing: `%s`)",
    async (tracing) => {
      const { failedStage, stage, watchStages } = await traced(tracing);
      const told: (string | undefined)[] = [];
      watchStages((name) => told.push(name));
      const fault = new Error("no");
      const fail = (): never => {
        throw fault;
      };
      expect(() => stage("outer", () => stage("inner", fail))).toThrow(fault);
      expect(told).toEqual(["outer", "inner", "outer", undefined]);
      expect(failedStage(fault)).toBe("inner");
      expect(failedStage(new Error("no"))).toBeUndefined();
    },
  );
});
