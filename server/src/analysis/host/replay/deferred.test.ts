/** Elements made by formulas, of which many are looked at: they are the same when they are made all at once. */
import { beforeAll, expect, test } from "vitest";
import { digestOf, elementAt } from "../testing/elements.ts";
import { launchOfVector } from "../testing/launch-of-vector.ts";
import { useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const start = "const int n = 1 << 18; std::vector<int> a(n), b(n); std::vector<int> h(n);";
const hash = (k: number): number => (Math.imul(k, 2654435761) >>> 0) >>> 12;
/** Looks at an element of `a` for each turn, in an order that is no formula's. */
const scattered = "for (int i = 0; i < n; i++) h[b[i]] += a[i];";

test.each<readonly [name: string, code: string, value: (k: number) => number]>([
  [
    "what a hash says",
    `${start} for (int i = 0; i < n; i++) { a[i] = (i * 2654435761u) >> 12; b[i] = (i * 5 + 3) % n; } ${scattered}`,
    (k) => hash(inverse(k)),
  ],
  [
    "what was there when the loop was come to, whatever stands there now",
    `${start} for (int i = 0; i < n; i++) { b[i] = (i * 5 + 3) % n; } for (int i = 0; i < n; i++) a[i] = b[i] * 2 + 1; std::vector<int> c = b; for (int i = 0; i < n; i++) b[i] = i; for (int i = 0; i < n; i++) h[c[i]] += a[i];`,
    (k) => k * 2 + 1,
  ],
  [
    "one element that is set afterwards",
    `${start} for (int i = 0; i < n; i++) { a[i] = (i * 2654435761u) >> 12; b[i] = (i * 5 + 3) % n; } a[0] = 77; ${scattered}`,
    (k) => (inverse(k) === 0 ? 77 : hash(inverse(k))),
  ],
  [
    "a variable that has changed since",
    `${start} int m = 9; for (int i = 0; i < n; i++) { a[i] = i % m; b[i] = (i * 5 + 3) % n; } m = 4; ${scattered}`,
    (k) => inverse(k) % 9,
  ],
  [
    "rows that a nest of loops stores",
    `${start} for (int y = 0; y < 512; y++) for (int x = 0; x < 512; x++) { a[y * 512 + x] = y * x; b[y * 512 + x] = ((y * 512 + x) * 5 + 3) % n; } ${scattered}`,
    (k) => (inverse(k) >> 9) * (inverse(k) & 511),
  ],
])("%s", (_, code, value) => {
  const { content } = launchOfVector(code);
  expect(digestOf((index) => elementAt(content, index), 1 << 18)).toBe(digestOf(value, 1 << 18));
});

/** Which index is led to another by `(i * 5 + 3) % n`. */
function inverse(k: number): number {
  // 5 * 209715.2: modulo 2^18 the inverse of 5 is 52429.
  return Number((BigInt(k - 3 + (1 << 18)) * 52429n) % BigInt(1 << 18));
}
