/** What buffers hold before a launch, element by element, made when asked for: seeded, so the same every time. */
import type { Content } from "../ir/kernel.ts";

/** The contents that one is made of; none, where it is not made of others. */
export function innerContents(content: Content): readonly Content[] {
  if (content.kind === "parts") return content.parts.map((part) => part.content);
  return content.kind === "records" ? content.members.map((member) => member.content) : [];
}

/** The same with others in the place of the contents that it is made of. */
export function withInner(content: Content, change: (inner: Content) => Content): Content {
  if (content.kind === "parts") return { ...content, parts: content.parts.map((part) => ({ ...part, content: change(part.content) })) };
  if (content.kind !== "records") return content;
  return { ...content, members: content.members.map((member) => ({ ...member, content: change(member.content) })) };
}

/** Each element is the one that the program finds there. */
export const isExact = (content: Content | undefined): boolean =>
  content !== undefined &&
  !(content.kind === "values" && content.drawn) &&
  (/^(zero|constant|linear|cyclic|values|computed|bytes)$/.test(content.kind) ||
    (/^(parts|records)$/.test(content.kind) && innerContents(content).every(isExact)));

/** Element `index` of a buffer, as a number: integers of the element's own range, floats as they are. */
export type ElementSource = (index: number) => number;

/** A 32-bit hash of an index and a seed with well mixed bits (the finaliser of MurmurHash3). */
function hash(index: number, seed: number): number {
  let h = Math.imul(index, 0x9e3779b1) ^ Math.imul(Math.floor(index / 0x1_0000_0000) + seed, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number in [0, 1) with 32 random bits. */
export const random = (index: number, seed: number): number => hash(index, seed) / 0x1_0000_0000;

/**
 * A pseudo-random permutation of the first `numbers` numbers that needs no table: a Feistel network over the next even power of two,
 * walked until it falls below as many again.
 */
function permutation(numbers: number, seed: number): ElementSource {
  const n = Math.floor(numbers);
  // No number falls below none.
  if (!(n > 0)) return () => 0;
  const half = Math.max(1, Math.ceil(Math.ceil(Math.log2(Math.max(2, n))) / 2));
  const mask = 2 ** half - 1;
  const shuffle = (value: number): number => {
    let left = Math.floor(value / (mask + 1));
    let right = value % (mask + 1);
    for (let round = 0; round < 4; round++) [left, right] = [right, (left ^ hash(right, seed + round)) & mask];
    return left * (mask + 1) + right;
  };
  return (index) => {
    // Before the buffer's beginning it goes on as behind its end: from a place of its own below n each walk comes back there.
    let value = ((index % n) + n) % n;
    do value = shuffle(value);
    while (value >= n);
    return value;
  };
}

/**
 * The elements of a buffer. `isFloat` tells uniform floats from uniform integers. `bytes` content and `unknown` have
 * none here: bytes are the same at every width, and what is unknown the caller replaces by an assumption. Nor have contents that
 * are made of others (see `sources.ts`).
 */
export function elements(content: Content, isFloat: boolean, seed: number): ElementSource {
  switch (content.kind) {
    case "zero":
    case "unknown":
    case "written":
    case "parts":
    case "records":
      return () => 0;
    case "constant":
      return () => content.value;
    case "linear":
      return (index) => content.start + content.stride * index;
    case "cyclic": {
      const { start, stride, modulus } = content;
      return (index) => {
        const rest = (start + stride * index) % modulus;
        return rest < 0 ? rest + modulus : rest;
      };
    }
    case "uniform": {
      const { lo, hi } = content;
      return isFloat ? (index) => lo + random(index, seed) * (hi - lo) : (index) => lo + Math.floor(random(index, seed) * (hi - lo));
    }
    case "permutation":
      return permutation(content.n, seed);
    case "values":
      return (index) => content.values[index] ?? 0;
    case "computed":
      return (index) => content.by.at(index);
    case "bytes": {
      const byte = content.value & 0xff;
      return () => byte;
    }
  }
}
