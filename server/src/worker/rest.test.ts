import { expect, test } from "vitest";
import { Rest } from "./rest.ts";

/** Until what is to be done next has been. */
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

function* counted(done: number[], most: number): Generator<void, void, void> {
  for (let step = 0; step < most; step++) {
    done.push(step);
    yield;
  }
}

test("goes through its steps one at a time", async () => {
  const rest = new Rest(Promise.resolve());
  const done: number[] = [];
  rest.begin(() => counted(done, 3));
  expect(done).toEqual([]);
  await turn();
  expect(done.length).toBeLessThan(3);
  for (let turns = 0; turns < 4; turns++) await turn();
  expect(done).toEqual([0, 1, 2]);
});

test("begins nothing before it may, and not what was stopped until then", async () => {
  let open = (): void => undefined;
  const ready = new Promise<void>((resolve) => (open = resolve));
  const rest = new Rest(ready);
  const [first, second]: [number[], number[]] = [[], []];
  rest.begin(() => counted(first, 1));
  await turn();
  expect(first).toEqual([]);
  rest.stop();
  rest.begin(() => counted(second, 1));
  open();
  await turn();
  await turn();
  expect([first, second]).toEqual([[], [0]]);
});

test("does nothing where it never may", async () => {
  const rest = new Rest(Promise.reject(new Error("no grammar")));
  const done: number[] = [];
  rest.begin(() => counted(done, 1));
  await turn();
  expect(done).toEqual([]);
});

test("leaves what it went through for what comes after", async () => {
  const rest = new Rest(Promise.resolve());
  const [first, second]: [number[], number[]] = [[], []];
  rest.begin(() => counted(first, 9));
  await turn();
  rest.begin(() => counted(second, 2));
  for (let turns = 0; turns < 4; turns++) await turn();
  expect(first.length).toBeLessThan(9);
  expect(second).toEqual([0, 1]);
});

test("what throws ends only itself", async () => {
  const rest = new Rest(Promise.resolve());
  const done: number[] = [];
  rest.begin(function* () {
    yield;
    throw new Error("a text that is beyond it");
  });
  for (let turns = 0; turns < 3; turns++) await turn();
  rest.begin(() => counted(done, 1));
  await turn();
  expect(done).toEqual([0]);
});
