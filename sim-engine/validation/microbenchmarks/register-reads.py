"""Writes instructions of other kinds in the place of register-banks.cubin's multiply-adds: how long their registers take to be read, side by side.

The codes are those of register-reads.cubin. `n kind` by turns with others; of each, how it reads: `three` two factors and the sum that it adds
to, `two` one factor twice and the sum, `one` the sum alone; `keep_a`, `keep_b`, `keep_c` have that operand in common with the one before, marked
to be reused in seven of eight; `unmarked` the same without the mark; `crossed` takes for its second factor what the one before had for its
first, marked. Sums alternate between the banks.
"""
import re
import struct
import subprocess

words = r"\s*;\s+/\* 0x([0-9a-f]{16}) \*/\s+/\* 0x([0-9a-f]{16}) \*/"


def listing(name):
    return subprocess.run(["cuobjdump", "-sass", name], capture_output=True, text=True, check=True).stdout


templates = listing("register-reads.cubin")
kinds = {
    "ffma": r"FFMA R", "fadd": r"FADD R", "fmul": r"FMUL R", "imad": r"IMAD R\d+, R", "iadd3": r"IADD3 R\d+, R", "lop3": r"LOP3\.LUT R", "shf": r"SHF\.L\.W",
    "dfma": r"DFMA R", "hfma2": r"HFMA2 R\d+, R", "hfma2.mma": r"HFMA2\.MMA R\d+, R", "hadd2": r"HADD2 R\d+, R", "hmul2": r"HMUL2 R",
    "hfma2.half": r"HFMA2 R\d+, R\d+\.H0_H0, R\d+, R", "hfma2.mma.bf16": r"HFMA2\.MMA\.BF16_V2 R", "hadd2.bf16": r"HADD2\.BF16_V2 R", "hadd2.f32": r"HADD2\.F32 R\d+, -RZ", "f2fp": r"F2FP\.BF16",
    "lds": r"LDS R", "lds.128": r"LDS\.128 R", "sts": r"STS \[", "sts.64": r"STS\.64 \[", "hmma": r"HMMA\.16816\.F32 R",
}
codes = {}
for kind, text in kinds.items():
    found = re.search(rf"\s{text}[^;\[]*(?:\[R\d+\][^;\[]*)?{words}", templates)
    assert found, kind
    codes[kind] = (int(found[1], 16), int(found[2], 16))
loads, stores, of_two = {"lds", "lds.128"}, {"sts", "sts.64"}, {"fadd", "fmul", "hadd2", "hmul2", "hadd2.bf16", "hadd2.f32", "f2fp"}

source = open("register-banks.cubin", "rb").read()
operand = r"R(\d+)(?:\.reuse)?"
pattern = rf"/\*([0-9a-f]{{4}})\*/\s+FFMA R(\d+), {operand}, {operand}, {operand}{words}"
slots = [(int(m[1], 16), int(m[2]), int(m[3]), int(m[4]), int(m[6], 16), int(m[7], 16)) for m in re.finditer(pattern, listing("register-banks.cubin"))]
start = source.index(struct.pack("<QQ", *slots[0][4:])) - slots[0][0]
factors = sorted({slot[2] for slot in slots} | {slot[3] for slot in slots})
sums = sorted({slot[1] for slot in slots})
banks = [[factor for factor in factors if factor % 2 == bank] for bank in (0, 1)]
alternating = [s for pair in zip([s for s in sums if s % 2 == 0], [s for s in sums if s % 2 == 1]) for s in pair]
wide = lambda registers, n: [r for r in registers if r % n == 0 and all(r + k in registers for k in range(n))]


def operands(kind, way, k, of_kind):
    """Destination, two factors, what is added, and which of the three is marked. `of_kind`: how many of the kind came before the k-th of all."""
    if kind == "hmma":
        d, a, b = wide(sums, 4)[of_kind % len(wide(sums, 4))], wide(factors, 4), wide(factors, 2)
        return d, a[of_kind % len(a)], b[(of_kind * 3 + 1) % len(b)], d, None
    if kind == "dfma":
        d, pairs = wide(sums, 2)[of_kind % len(wide(sums, 2))], wide(factors, 2)
        pick = lambda n: pairs[(of_kind + n) % len(pairs)]
        kept = pairs[of_kind // 8 % len(pairs)]
        return {"three": (d, pick(0), pick(2), d, None), "two": (d, pick(0), pick(0), d, None), "one": (d, d, d, d, None), "keep_a": (d, kept, pick(1), d, 0)}[way]
    d = alternating[k % len(alternating)]
    same = lambda n: banks[d % 2][(k // 2 + n) % len(banks[d % 2])]
    other = lambda n: banks[1 - d % 2][(k // 2 + n) % len(banks[1 - d % 2])]
    kept = banks[0][k // 8 % len(banks[0])]
    shared, free = banks[0][k // 2 % len(banks[0])], lambda n: banks[1][(k // 2 + n) % len(banks[1])]
    return {
        "three": (d, same(0), other(3), d, None),
        "two": (d, other(0), other(0), d, None),
        "one": (d, d, d, d, None),
        "keep_a": (d, kept, other(3), d, 0),
        "keep_b": (d, other(3), kept, d, 1),
        "keep_c": (d, same(0), other(3), kept, 2),
        "unmarked": (d, kept, other(3), d, None),
        "crossed": (d, shared, free(0), d, 0) if k % 2 == 0 else (d, free(1), shared, d, None),
    }[way]


def write(*parts):
    """Parts: (how many, of which kind, how it reads)."""
    turn = [(kind, way) for count, kind, way in parts for _ in range(count)]
    counts = dict.fromkeys(codes, 0)
    chosen = []
    for k in range(len(slots)):
        kind, way = turn[k % len(turn)]
        chosen.append((kind, way, operands(kind, way, k, counts[kind])))
        counts[kind] += 1
    written = bytearray(source)
    for k, (address, *_, high_before) in enumerate(slots):
        kind, way, (d, a, b, c, marked) = chosen[k]
        low, high = codes[kind]
        d = 0xFF if kind in loads else 0 if kind in stores else d
        # It converts one half: what it is added to is zero.
        a = 0xFF if kind == "hadd2.f32" else a
        b = 0 if kind in loads else b & ~3 if kind in stores else b
        low = (low & 0xFFFFFF000000FFFF) | d << 16 | a << 24 | b << 32
        # When it is issued is told as for the multiply-add.
        issue = high_before & (((1 << 17) - 1) << 41)
        third = high & 0xFF if kind in loads | stores | of_two else c
        high = (high & ((1 << 41) - 1) & ~0xFF) | issue | third
        if marked is not None and k + 1 < len(chosen) and (way == "crossed" or chosen[k + 1][2][1 + marked] == (a, b, c)[marked]):
            high |= 1 << (58 + marked)
        struct.pack_into("<QQ", written, start + address, low, high)
    name = "+".join(f"{count if count > 1 else ''}{kind}_{way}" for count, kind, way in parts)
    open(f"register-reads.{name}.cubin", "wb").write(written)


every = "three two one keep_a keep_b keep_c unmarked crossed".split()
for kind in ("ffma", "imad", "iadd3", "lop3", "shf"):
    for way in every:
        write((1, kind, way))
for kind in ("fadd", "fmul", "hadd2", "hmul2"):
    for way in ("three", "two", "keep_a"):
        write((1, kind, way))
for kind, ways in (("dfma", "three two one keep_a"), ("hfma2", "three two one"), ("hfma2.mma", "three two one"), ("hmma", "three")):
    for way in ways.split():
        write((1, kind, way))
for one, others in (("ffma", "imad iadd3 lop3 shf fadd dfma hfma2 hfma2.mma"), ("imad", "iadd3 lop3 shf hfma2 hfma2.mma"), ("iadd3", "hfma2"), ("hfma2", "hfma2.mma")):
    for other in others.split():
        for ways in (("three", "three"), ("three", "two"), ("two", "two"), ("three", "one"), ("one", "three"), ("one", "one")):
            write((1, one, ways[0]), (1, other, ways[1]))
        if other not in ("dfma", "hfma2", "hfma2.mma"):
            write((1, one, "keep_a"), (1, other, "keep_a"))
for kind in ("hfma2.half", "hfma2.mma.bf16", "hadd2.bf16", "hadd2.f32", "f2fp"):
    write((1, kind, "two"))
for kind in ("hfma2", "hmul2", "hadd2", "hadd2.bf16", "hadd2.f32", "f2fp"):
    for count in (1, 2, 4):
        write((count, "ffma", "one"), (1, kind, "two"))
for kind in ("imad", "iadd3", "lop3", "hfma2", "hfma2.mma", "hadd2", "f2fp", "lds"):
    write((1, kind, "one"), (1, "hadd2.f32", "two"))
for kind in ("imad", "iadd3", "fadd", "hfma2.mma"):
    write((1, kind, "one"), (1, "f2fp", "two"))
for other in ("lds", "lds.128", "sts", "sts.64", "iadd3", "ffma"):
    for way in ("three", "two"):
        for own in ("one", "two"):
            write((7, "ffma", way), (1, other, own))
for count in (1, 2, 3, 4, 6, 8, 12, 16):
    for way in ("three", "two", "one"):
        write((count, "ffma", way), (1, "hmma", "three"))
