import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BlockClocks } from "./clocks.ts";
import { SharedShadow, type Touch } from "./shared-shadow.ts";

/** A shadow with its clocks, and touches at their present. */
class Shadow extends SharedShadow {
  readonly clocks: BlockClocks;
  constructor(atomics: readonly number[] = [], clocks = new BlockClocks()) {
    super(64, 4, clocks, (site) => atomics.includes(site));
    this.clocks = clocks;
  }
  by(warp: number, lane: number, site = 0, copies = false): Touch {
    return { warp, lane, site, ...this.clocks.now(warp, copies) };
  }
}
const never = (): boolean => false;
const always = (): boolean => true;
const shadow = (atomics: readonly number[] = []): Shadow => new Shadow(atomics);

describe("shared memory's shadow", () => {
  test("a read of what another warp wrote", () => {
    const s = shadow();
    expect(s.write(3, s.by(0, 5), never)).toBeUndefined();
    expect(s.read(3, s.by(1, 0, 1))).toEqual({ warp: 0, lane: 5, site: 0, time: 1, sameWarp: false, underWay: false });
  });
  test("a write of what another warp read, though the writer read it too", () => {
    const s = shadow();
    s.read(0, s.by(1, 0, 1));
    s.read(0, s.by(2, 0, 1));
    expect(s.write(0, s.by(1, 0, 2), never)).toMatchObject({ warp: 2, sameWarp: false });
  });
  test("not across a barrier, nor in another place", () => {
    const s = shadow();
    s.write(3, s.by(0, 5), never);
    expect(s.read(2, s.by(1, 0, 1))).toBeUndefined();
    s.clocks.blockSync();
    expect(s.read(3, s.by(1, 0, 1))).toBeUndefined();
  });
  test("within a warp until its lanes wait for each other", () => {
    const s = shadow();
    s.write(3, s.by(0, 5), never);
    expect(s.read(3, s.by(0, 6, 1))).toMatchObject({ sameWarp: true });
    s.clocks.warpSync(0);
    expect(s.read(3, s.by(0, 7, 1))).toBeUndefined();
    expect(s.read(3, s.by(1, 7, 1))).toMatchObject({ sameWarp: false });
  });
  test("a thread with itself never", () => {
    const s = shadow();
    s.write(3, s.by(0, 5), never);
    expect(s.read(3, s.by(0, 5, 1))).toBeUndefined();
    expect(s.write(3, s.by(0, 5, 2), never)).toBeUndefined();
  });
  test("one value from all, atomics among themselves, lanes that store at once", () => {
    const s = shadow([7]);
    s.write(0, s.by(0, 0, 1), always);
    expect(s.write(0, s.by(3, 0, 1), always)).toBeUndefined();
    s.write(1, s.by(0, 0, 7), never);
    expect(s.write(1, s.by(3, 0, 7), never)).toBeUndefined();
    expect(s.read(1, s.by(4, 0, 2))).toMatchObject({ site: 7 });
    s.write(2, s.by(0, 0, 1), never);
    expect(s.write(2, s.by(0, 1, 1), ({ sameWarp }) => sameWarp)).toBeUndefined();
    expect(s.write(2, s.by(1, 1, 1), ({ sameWarp }) => sameWarp)).toMatchObject({ sameWarp: false });
  });
  test("what was stored before an atomic is not lost behind it, whoever comes first", () => {
    const s = shadow([7]);
    s.write(0, s.by(0, 0, 1), never);
    s.clocks.warpSync(0);
    expect(s.write(0, s.by(0, 3, 7), never)).toBeUndefined();
    expect(s.write(0, s.by(2, 0, 7), never)).toMatchObject({ warp: 0, site: 1 });
    expect(s.write(0, s.by(1, 0, 1), never)).toMatchObject({ warp: 0 });
  });
  test("one value from all is found by who has stored it, too", () => {
    const s = shadow();
    const by = (warp: number, site: number, alike = true): Touch => ({ ...s.by(warp, 0, site), alike });
    s.write(0, by(0, 1), always);
    expect(s.read(0, by(0, 2))).toBeUndefined();
    expect(s.read(0, by(1, 2))).toMatchObject({ site: 1 });
    s.write(1, by(0, 1), always);
    s.read(1, by(0, 2));
    expect(s.write(1, by(1, 1), always)).toBeUndefined();
    expect(s.read(1, by(1, 2))).toBeUndefined();
    expect(s.write(1, by(2, 3, false), never)).toMatchObject({ site: 1 });
    expect(s.read(1, by(1, 2))).toMatchObject({ site: 3 });
    // Who reads before storing it may find what was there before.
    s.read(2, by(0, 2));
    expect(s.write(2, by(1, 1), always)).toMatchObject({ site: 2 });
    // What all store behind a barrier is another value.
    s.write(3, by(0, 1), always);
    s.clocks.blockSync();
    s.write(3, by(1, 1), always);
    expect(s.read(3, by(0, 2))).toMatchObject({ site: 1 });
  });
  test("tells what was stored, where that is known", () => {
    const s = shadow();
    s.write(0, { ...s.by(0, 0, 1), value: 5 }, never);
    expect(s.write(0, { ...s.by(0, 1, 1), value: 6 }, ({ value }) => value === 6)).toMatchObject({ value: 5 });
    expect(s.write(0, s.by(0, 2, 1), ({ value }) => value === 6)).toBeUndefined();
    expect(s.write(0, s.by(0, 3, 1), never)).toMatchObject({ value: undefined });
  });
  test("beyond the memory nothing", () => {
    const s = shadow();
    expect(s.write(16, s.by(0, 0), never)).toBeUndefined();
    expect(s.read(-1, s.by(0, 0))).toBeUndefined();
  });
  test("a block begins with nothing", () => {
    const s = shadow();
    s.write(3, s.by(0, 5), never);
    s.clear();
    expect(s.isWritten(3)).toBe(false);
    expect(s.read(3, s.by(1, 0, 1))).toBeUndefined();
  });

  // Whatever is said has two threads that touch the granule in one interval, one of which writes.
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("read", "write"), granule: fc.nat(3), warp: fc.nat(2), lane: fc.nat(3), site: fc.nat(4) }),
    fc.constant({ kind: "sync" } as const),
  );
  test("says nothing of what did not happen, and something of each pair of warps that meet", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const s = shadow();
        let interval: { kind: string; granule: number; warp: number; lane: number; site: number }[] = [];
        for (const each of steps) {
          if (!("granule" in each)) {
            s.clocks.blockSync();
            interval = [];
            continue;
          }
          const { kind, granule, warp, lane, site } = each;
          const found = kind === "write" ? s.write(granule, s.by(warp, lane, site), never) : s.read(granule, s.by(warp, lane, site));
          const meets = interval.filter((other) => other.granule === granule && (other.kind === "write" || kind === "write"));
          if (found)
            expect(meets.some((other) => other.warp === found.warp && other.lane === found.lane && other.site === found.site)).toBe(true);
          // The last writer is the one that is kept: the first write of another warp is never overlooked.
          const others = meets.filter((other) => other.warp !== warp);
          if (
            others.length > 0 &&
            others.length === meets.length &&
            interval.every((other) => other.granule !== granule || other.warp === others[0]?.warp)
          )
            expect(found).toBeDefined();
          interval.push(each as (typeof interval)[number]);
        }
      }),
    ));
});
