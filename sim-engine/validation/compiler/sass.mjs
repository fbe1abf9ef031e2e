/**
 * Just enough of a cubin to count instructions: an ELF file with a section `.text.NAME` a kernel, whose instructions are 16 bytes
 * from Volta on. The low nine bits say the operation (bits 9 to 11 where its operands come from), bits 12 to 15 the predicate it
 * runs under: 7 is none.
 */

/** @type {Record<number, string>} */
const kinds = {
  387: "local",
  391: "local",
  388: "shared",
  392: "filling",
  12: "comparison",
  140: "compared",
  40: "double",
  41: "double",
  42: "double",
  43: "double",
  32: "fma",
  33: "fma",
  55: "product",
  60: "product",
  63: "product",
  35: "fma",
  390: "store",
  385: "load",
  386: "load",
  327: "branch",
  164: "uniform",
  165: "uniform",
};
const nothing = 0x118;

/**
 * @param {Buffer} elf
 * @returns {Map<string, { kind: string | undefined, predicated: boolean, turn?: number }[]>} by kernel, up to where the code only fills up;
 *   `turn`: of a branch back, the instructions from where it leads up to it
 */
export function kernelsOf(elf) {
  const sections = Number(elf.readBigUInt64LE(0x28));
  const size = elf.readUInt16LE(0x3a);
  const count = elf.readUInt16LE(0x3c);
  const section = (index) => {
    const at = sections + index * size;
    return { name: elf.readUInt32LE(at), offset: Number(elf.readBigUInt64LE(at + 0x18)), bytes: Number(elf.readBigUInt64LE(at + 0x20)) };
  };
  const names = section(elf.readUInt16LE(0x3e));
  const found = new Map();
  for (let index = 0; index < count; index++) {
    const { name, offset, bytes } = section(index);
    const start = names.offset + name;
    const title = elf.toString("latin1", start, elf.indexOf(0, start));
    if (title.startsWith(".text.")) found.set(title.slice(6), instructionsOf(elf.subarray(offset, offset + bytes)));
  }
  return found;
}

/** @param {Buffer} code */
function instructionsOf(code) {
  const found = [];
  for (let at = 0; at < code.length; at += 16) {
    const word = code.readUInt32LE(at);
    const operation = word & 0x1ff;
    found.push({ operation, predicated: ((word >>> 12) & 0xf) !== 7, turn: kinds[operation] === "branch" ? turnOf(code, at) : undefined });
  }
  // Behind the end stand a branch to itself and what fills up the last line.
  const end = found.findLastIndex(({ operation }) => operation !== nothing);
  return found.slice(0, end).map(({ operation, predicated, turn }) => ({ kind: kinds[operation], predicated, ...(turn ? { turn } : {}) }));
}

/** Where a branch leads is told in words of four bytes from the next instruction on: in bits 16 to 23, and on from bit 34. */
function turnOf(code, at) {
  const words = (code.readInt32LE(at + 4) >> 2) * 256 + ((code.readUInt32LE(at) >>> 16) & 0xff);
  return words < 0 ? (-words * 4) / 16 : undefined;
}
