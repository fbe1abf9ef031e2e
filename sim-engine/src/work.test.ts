import { describe, expect, test } from "vitest";
import { Cancelled, Work } from "./work.ts";

describe("a budget", () => {
  test("is over when as much was spent as there was", () => {
    const work = new Work(10);
    expect(work.spend(9)).toBe(1);
    expect(work.isOver).toBe(false);
    expect(work.spend(1)).toBe(0);
    expect(work.isOver).toBe(true);
    expect(work.spend(5)).toBe(-5);
    expect(work.spent).toBe(15);
  });

  test("without a limit is never over", () => {
    const work = new Work();
    work.spend(1e12);
    expect(work.isOver).toBe(false);
  });

  test("is over for all its shares when it is over", () => {
    const whole = new Work(10);
    const [one, other] = [whole.share(100), whole.share(8)];
    expect(one.spend(4)).toBe(6);
    expect(other.left).toBe(6);
    expect(other.spend(7)).toBe(-1);
    expect(one.isOver).toBe(true);
  });

  test("pays what its shares spend, but for what goes beyond them", () => {
    const whole = new Work(1000);
    const share = whole.share(100);
    share.spend(60);
    share.spend(60);
    share.spend(60);
    expect(share.spent).toBe(180);
    expect(whole.spent).toBe(100);
    const part = whole.share(500).share(200);
    expect(part.spend(150)).toBe(50);
    expect(whole.spent).toBe(250);
  });
});

test("what an answer took is counted whoever spends it, though no budget pays for it", () => {
  const whole = new Work(10);
  whole.share(100).spend(60);
  whole.share(0).ask(5);
  whole.spend(1);
  expect([whole.taken, whole.share(3).taken]).toEqual([66, 66]);
});

describe("cancellation", () => {
  const asking = (answers: () => boolean): { work: Work; asked: () => number } => {
    let asked = 0;
    const work = new Work(Number.POSITIVE_INFINITY, () => {
      asked++;
      return answers();
    });
    return { work, asked: () => asked };
  };

  test("is asked for after so many steps, whoever spends them", () => {
    const { work, asked } = asking(() => false);
    const share = work.share(1e9);
    for (let k = 0; k < 10_000; k++) [work, share, share.share(1e9)][k % 3]?.spend(1);
    expect(asked()).toBe(10);
    share.ask(999);
    expect(asked()).toBe(10);
    share.ask(1);
    expect(asked()).toBe(11);
    expect(share.spent).toBe(6666);
  });

  test("is asked for in the middle of what is spent already, which is taken once", () => {
    const { work, asked } = asking(() => false);
    work.spend(500);
    for (let k = 0; k < 10; k++) work.goOn(100);
    expect([asked(), work.taken, work.spent]).toEqual([1, 500, 500]);
  });

  test("ends the work at the next question", () => {
    let wanted = true;
    const { work } = asking(() => !wanted);
    work.spend(5000);
    wanted = false;
    expect(() => {
      for (let k = 0; k < 1000; k++) work.share(10).ask(1);
    }).toThrow(Cancelled);
  });
});
