"""Writes other registers into the multiply-adds of register-banks.cubin: one file for each way to share them among the two banks.

A multiply-add reads two factors and the sum that it adds to. Banks are even and odd registers. `same` and `other` are the sum's bank and the
other one; `keep` names a factor that eight in a row have in common, marked to be reused. Sums alternate between the banks, or come in runs of
one bank (`_run`).
"""
import re
import struct
import subprocess

source = open("register-banks.cubin", "rb").read()
listing = subprocess.run(["cuobjdump", "-sass", "register-banks.cubin"], capture_output=True, text=True, check=True).stdout
operand = r"R(\d+)(?:\.reuse)?"
pattern = rf"/\*([0-9a-f]{{4}})\*/\s+FFMA R(\d+), {operand}, {operand}, {operand} ;\s+/\* 0x([0-9a-f]{{16}}) \*/\s+/\* 0x([0-9a-f]{{16}}) \*/"
products = [(int(m[1], 16), int(m[2]), int(m[3]), int(m[4]), int(m[6], 16), int(m[7], 16)) for m in re.finditer(pattern, listing)]
start = source.index(struct.pack("<QQ", *products[0][4:])) - products[0][0]
factors = sorted({product[2] for product in products} | {product[3] for product in products})
sums = sorted({product[1] for product in products})
banks = [[factor for factor in factors if factor % 2 == bank] for bank in (0, 1)]
pairs = list(zip([s for s in sums if s % 2 == 0], [s for s in sums if s % 2 == 1]))
alternating, runs = [s for pair in pairs for s in pair], [s for bank in zip(*pairs) for s in bank]


def chosen(way, k, bank):
    """The factors of the k-th product, whose sum is in a bank, and which of them (1, 2) is kept."""
    same = lambda n: banks[bank][(k // 2 + n) % len(banks[bank])]
    other = lambda n: banks[1 - bank][(k // 2 + n) % len(banks[1 - bank])]
    kept = banks[0][(k // 8) % len(banks[0])]
    return {
        "equal_other": (other(0), other(0), 0),
        "equal_same": (same(0), same(0), 0),
        "pair_other": (other(0), other(3), 0),
        "a_with_c": (same(0), other(3), 0),
        "b_with_c": (other(0), same(3), 0),
        "all_same": (same(0), same(3), 0),
        "keep_a_b_other": (kept, other(3), 1),
        "keep_a_b_same": (kept, same(3), 1),
        "keep_b_a_other": (other(3), kept, 2),
        "keep_b_a_same": (same(3), kept, 2),
    }[way]


for way in "equal_other equal_same pair_other a_with_c b_with_c all_same keep_a_b_other keep_a_b_same keep_b_a_other keep_b_a_same".split():
    for suffix, order in (("", alternating), ("_run", runs)):
        written = bytearray(source)
        all_chosen = [(order[k % len(order)], *chosen(way, k, order[k % len(order)] % 2)) for k in range(len(products))]
        for k, (address, _, _, _, low, high) in enumerate(products):
            total, a, b, keeps = all_chosen[k]
            next_one = all_chosen[k + 1] if k + 1 < len(all_chosen) else None
            low = (low & 0xFFFFFF000000FFFF) | total << 16 | a << 24 | b << 32
            high = (high & ~0xFF & ~(7 << 58)) | total
            if keeps and next_one and next_one[keeps] == (a, b)[keeps - 1]:
                high |= 1 << (57 + keeps)
            struct.pack_into("<QQ", written, start + address, low, high)
        open(f"register-banks.{way}{suffix}.cubin", "wb").write(written)
