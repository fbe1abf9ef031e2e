import { expect, it } from "vitest";
import type { Node } from "../ast.ts";
import { keepTrees } from "./kept-trees.ts";
import type { Repair } from "./parser.ts";

/** What is parsed of a text after `repairs` by a parser that finds these errors in each, and asks so often whether to go on. */
function parsedWith(errors: Readonly<Record<string, readonly Node[]>>, repairs: readonly Repair[], text: string, questions = 0) {
  let asked = 0;
  const parser = keepTrees<string>({
    parse(each, _, cancelled) {
      for (let left = questions; left > 0; left--, asked++) if (cancelled?.()) return undefined;
      return each;
    },
    errors: (tree) => [...(errors[tree] ?? [])],
    copyOut: (_tree) => ({ type: "translation_unit", named: true, field: undefined, start: 0, end: 0, missing: false, children: [] }),
    free: () => undefined,
    dispose: () => undefined,
  });
  const parsed = parser.parse(text, { repairs });
  return { text: parsed?.text, asked };
}

const error = (start: number, length: number): Node => ({ start, end: start + length });

it("a repair is kept that leaves fewer errors, but not for one that takes in the whole file", () => {
  const few = [error(0, 10), error(500, 10), error(900, 10)];
  expect(parsedWith({ a: few, b: [error(0, 900)] }, [() => "b"], "a").text).toBe("b");
  expect(parsedWith({ a: few, b: [error(0, 100_000)] }, [() => "b"], "a").text).toBe("a");
});

it("all repairs of a text together cost about what its parse may cost", () => {
  const texts = Array.from({ length: 12 }, (_, k) => `${k}`);
  const errors = Object.fromEntries(["first", ...texts].map((text) => [text, [error(0, 1)]]));
  const repairs = texts.map((text) => () => text);
  // Cheap ones are tried all.
  expect(parsedWith(errors, repairs, "first", 100).asked).toBe(13 * 100);
  expect(parsedWith(errors, repairs, "first", 1500).asked).toBe(1500 + 2000);
});

it("nothing comes of a parse that is cancelled while it repairs, and its trees are freed", () => {
  const trees = new Set<string>();
  const parser = keepTrees<string>({
    parse(text, _, cancelled) {
      if (cancelled?.()) return undefined;
      trees.add(text);
      return text;
    },
    errors: (tree) => Array.from({ length: 4 - tree.length }, (_, k) => error(10 * k, 1)),
    copyOut: () => ({ type: "translation_unit", named: true, field: undefined, start: 0, end: 0, missing: false, children: [] }),
    free: (tree) => void trees.delete(tree),
    dispose: () => undefined,
  });
  for (let asked = 0; asked < 4; asked++) {
    let left = asked;
    expect(parser.parse("a", { repairs: [(text) => `${text}a`], cancelled: () => left-- === 0 })).toBe(undefined);
    expect([...trees]).toEqual([]);
  }
  expect(parser.parse("a", { repairs: [(text) => `${text}a`] })?.text).toBe("aaaa");
});

it("nothing is left of what it parsed before once all trees are forgotten", () => {
  const previous: (string | undefined)[] = [];
  const freed: string[] = [];
  const parser = keepTrees<string>({
    parse(text, before) {
      previous.push(before?.tree);
      return text;
    },
    errors: () => [],
    copyOut: () => ({ type: "translation_unit", named: true, field: undefined, start: 0, end: 0, missing: false, children: [] }),
    free: (tree) => void freed.push(tree),
    dispose: () => undefined,
  });
  for (const key of ["a", "b"]) parser.parse(`first of ${key}`, { key });
  parser.parse("second of a", { key: "a" });
  parser.forgetAll();
  for (const key of ["a", "b"]) parser.parse(`third of ${key}`, { key });
  expect(previous).toEqual([undefined, undefined, "first of a", undefined, undefined]);
  expect(freed.sort()).toEqual(["first of a", "first of b", "second of a"]);
});
