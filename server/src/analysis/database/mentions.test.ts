import { describe, expect, it } from "vitest";
import type { Item } from "../../syntax/item.ts";
import { parseText } from "../../syntax/testing/parse-text.ts";
import { declaredNames, headWords, Mentions } from "./mentions.ts";

const itemsOf = async (text: string): Promise<readonly Item[]> => (await parseText(text)).placed.map(({ item }) => item);
const named = (items: readonly Item[], name: string): Item => {
  const found = items.find((item) => declaredNames(item)?.includes(name));
  if (!found) throw new Error(`nothing is called ${name}`);
  return found;
};

describe("what an item is called by others", () => {
  it.each<[string, readonly string[] | undefined]>([
    ["float f(int x) { return x; }", ["f"]],
    ["template <class T> struct S { int a; struct Inner { }; enum { A, B }; };", ["Inner", "A", "B", "S"]],
    ["int a[3];", ["a"]],
    ["typedef struct { int x; } P;", ["P"]],
    ["using V = int;", ["V"]],
    ["enum Color { red, green };", ["red", "green", "Color"]],
    ["void S::run() { }", ["S", "run"]],
    ["using std::min;", ["std", "min"]],
    ["namespace fs = a::b;", ["fs"]],
    // Used without being named.
    ["float4 operator+(float4 a, float4 b) { return a; }", undefined],
    ["using namespace std;", undefined],
    ["CALL(1);", undefined],
  ])("%s", async (text, expected) => {
    const [item] = await itemsOf(text);
    const found = item && declaredNames(item);
    expect(found && [...found].sort()).toEqual(expected && [...expected].sort());
  });
});

describe("what may matter to an item", () => {
  const text = `struct A { int x; };
struct B { A a; };
B make();
float far(float x) { return x; }
float near(B b) { return far(b.a.x); }
__global__ void k(float *p) { p[0] = near(make()); }
__global__ void other(float *p) { p[0] = far(1); }
`;
  const reached = async (from: string, through: (item: Item) => ReadonlySet<string>): Promise<string[]> => {
    const items = await itemsOf(text);
    const names = ["A", "B", "make", "far", "near", "k", "other"];
    const found = new Mentions(items).reach(named(items, from), through);
    return names.filter((name) => found?.includes(named(items, name)));
  };

  it("by heads", async () => {
    expect(await reached("k", headWords)).toEqual(["A", "B", "make", "near"]);
    expect(await reached("other", headWords)).toEqual(["far"]);
  });
  it("by bodies, too", async () => expect(await reached("k", ({ words }) => words)).toEqual(["A", "B", "make", "far", "near"]));
  it.each<[string, (n: number) => string]>([
    ["a chain of functions", (n) => Array.from({ length: n }, (_, i) => `int f${i + 1}(int x) { return f${i}(x); }`).join("\n")],
    ["overloads", (n) => "int f(int x) { return x; }\n".repeat(n)],
    ["operators", (n) => "int operator+(A a, A b) { return 0; }\n".repeat(n)],
  ])("is not listed where it is much: %s", async (_, chain) => {
    const listed = async (n: number): Promise<number | undefined> => {
      const items = await itemsOf(`int f0(int x) { return x; }\n${chain(n)}\nint last(int x) { return f${n}(x) + f(x); }`);
      return new Mentions(items).reach(named(items, "last"), ({ words }) => words)?.length;
    };
    expect(await listed(100)).toBeGreaterThanOrEqual(100);
    expect(await listed(2000)).toBeUndefined();
  });
});
