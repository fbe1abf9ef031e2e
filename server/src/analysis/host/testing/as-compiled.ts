/**
 * What hosts leave in memory, against what g++ 12 (-std=c++20 -O1 -fwrapv) leaves there: what is told as exact is so byte by byte. `told` says
 * whether all of it is known, a part, or nothing, as is right for what is not followed.
 */
import { beforeAll, expect, test } from "vitest";
import { bytesOf } from "./elements.ts";
import { launchesOf, useInstalledParser } from "./launches-of.ts";

export interface Row {
  readonly name: string;
  readonly type: string;
  readonly told: "all" | "part" | "none";
  /** What the compiled program holds, byte by byte. */
  readonly bytes: string;
  /** What stands in front of `main`. */
  readonly before?: string;
  /** `SEND(h, n)` gives the first `n` elements to a kernel. */
  readonly code: string;
}

const headers = [
  ...["algorithm", "array", "climits", "cmath", "cstdint", "cstdlib", "cstring", "deque", "functional", "list", "map", "memory", "numeric"],
  ...[
    "optional",
    "queue",
    "set",
    "span",
    "sstream",
    "stack",
    "stdexcept",
    "string",
    "tuple",
    "unordered_map",
    "unordered_set",
    "utility",
    "variant",
    "vector",
  ],
].map((name) => `#include <${name}>\n`);

export function testAsCompiled(rows: readonly Row[]): void {
  beforeAll(useInstalledParser);
  test.each(rows.map((row) => [row.name, row] as const))("%s", (_, { type, told, bytes, before = "", code }) => {
    const body = code.replace(
      /SEND\((.*), ?([^,]*)\);/,
      `{ ${type} *d; cudaMalloc(&d, ($2) * sizeof(${type})); cudaMemcpy(d, $1, ($2) * sizeof(${type}), cudaMemcpyHostToDevice); k<<<1, 32>>>(d); }`,
    );
    const [fact] = launchesOf(`${headers.join("")}${before}\n__global__ void k(const ${type} *p) {}\nint main() { ${body} }`);
    const [buffer] = fact?.launch?.buffers ?? [];
    if (!buffer) throw new Error("nothing is given to the kernel");
    const expected = bytes.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
    const found = bytesOf(buffer, expected.length);
    const known = found.filter((byte) => byte !== undefined).length;
    expect(found.map((byte, k) => byte ?? expected[k])).toEqual(expected);
    expect(known === 0 ? "none" : known === expected.length ? "all" : "part").toBe(told);
  });
}
