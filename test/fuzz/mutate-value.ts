/** Other values than JSON has where they are expected. */
import type { Random } from "./random.ts";

const odd: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  -0.0,
  1e21,
  1e308,
  2 ** 31,
  2 ** 53,
  -(2 ** 31),
  "",
  " ",
  "0",
  "-1",
  "1e99",
  "toString",
  "__proto__",
  "constructor",
  "*",
  "k: grid=(0,0,0) block=(-1)",
  "k: grid=(1e9,1e9,1e9) block=(1024,1024,64) shared=1e99",
  "k: grid",
  "n=1e99",
  "n=uniform(0)",
  "k on h200: time < 1 us",
  "*: registers <= 0 % of base",
  "../../../../etc/passwd",
  "/dev/stdin",
  "file:///",
  "\u0000",
  "\ud800",
  "`".repeat(40),
  "x".repeat(4000),
  [],
  [[]],
  [null],
  {},
  { __proto__: 1 },
  { length: 3 },
];

type Path = readonly (string | number)[];

/** Paths to everything in a value, to itself too. */
function paths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((each, index) => paths(each, [...path, index]))
    : Object.entries(value).flatMap(([key, each]) => paths(each, [...path, key]));
  return [path, ...inner];
}

function at(value: unknown, [key, ...rest]: Path): unknown {
  return key === undefined ? value : at((value as Record<string | number, unknown>)[key], rest);
}

function withAt(value: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((each, index) => (index === key ? withAt(each, rest, change) : each));
  return { ...(value as object), [key]: withAt((value as Record<string, unknown>)[key], rest, change) };
}

/** The value with something in it that should be otherwise. */
export function mutatedValue(value: unknown, random: Random): unknown {
  const all = paths(value);
  const path = random.pick(all);
  return withAt(value, path, (old) => {
    switch (random.below(5)) {
      case 0:
        return at(value, random.pick(all));
      case 1:
        return Array.isArray(old) ? [...old, ...old, random.pick(odd)] : [old];
      case 2:
        if (Array.isArray(old)) return old.slice(1);
        if (typeof old === "object" && old) return Object.fromEntries(Object.entries(old).slice(1));
        return random.pick(odd);
      case 3:
        if (typeof old === "string")
          return old.slice(0, random.below(old.length)) + String(random.pick(odd)) + old.slice(random.below(old.length));
        if (typeof old === "number") return old * random.pick([-1, 0, 1e3, 1e9, 1e18, 0.1]);
        return random.pick(odd);
      default:
        return random.pick(odd);
    }
  });
}
