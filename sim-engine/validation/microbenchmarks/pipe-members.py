"""Which pipe an instruction goes to, and for how long: writes others in the place of register-banks.cubin's multiply-adds, alone and by turns.

The codes are those of pipe-members.cubin; each reads one register in all of its places. Beside `ffma`, `imad` and `iadd3`, one of each in turn, it takes
about as long as alone where it shares their pipe not, and the sum where it does. Scoreboards are not waited for.
"""
import re
import struct
import subprocess

words = r"\s*;\s+/\* 0x([0-9a-f]{16}) \*/\s+/\* 0x([0-9a-f]{16}) \*/"


def listing(name):
    return subprocess.run(["cuobjdump", "-sass", name], capture_output=True, text=True, check=True).stdout


templates = re.findall(rf"/\*[0-9a-f]{{4}}\*/\s+([A-Z][A-Z0-9_.x]*) ([^;]*?){words}", listing("pipe-members.cubin"))
wanted = """FFMA FADD FMUL FMNMX FSEL IADD3 VIADD LOP3.LUT PRMT SEL SHF.L.W.U32.HI SHF.L.U32 VIMNMX VIMNMX3 VIADDMNMX VIMNMX.S16x2 VABSDIFF4.U8 IABS
    ISETP.GT.AND IMAD IMAD.HI IMAD.WIDE IMAD.MOV.U32 IMAD.SHL.U32 IMAD.IADD IDP.4A.S8.S8 POPC FLO.U32 BREV I2FP.F32.S32 I2F.U8 F2I.TRUNC.NTZ F2I.NTZ FRND
    MUFU.EX2 MUFU.RCP MUFU.RSQ MUFU.LG2 MUFU.SIN MUFU.TANH F2FP.F16.F32.PACK_AB F2FP.BF16.F32.PACK_AB HADD2.F32 HMNMX2 HSET2.GT.AND SHFL.BFLY
    REDUX.SUM.S32 REDUX.MAX.S32 VOTE.ANY""".split()
codes = {}
for name in wanted:
    for opcode, text, low, high in templates:
        if opcode != name or "c[" in text or "desc" in text: continue
        low, high = int(low, 16), int(high, 16)
        first, *rest = [part.strip() for part in text.split(",")]
        read = {int(m[1]) for part in rest if (m := re.match(r"[-|~]*R(\d+)", part))}
        fields = {"a": low >> 24 & 0xFF, "b": low >> 32 & 0xFF, "c": high & 0xFF}
        used = [field for field, value in fields.items() if value in read]
        if first.startswith("R") and not read and name not in ("VOTE.ANY",): continue
        codes[name] = (low, high, first.startswith("R"), used)
        break
    else:
        print("none:", name)

source = open("register-banks.cubin", "rb").read()
operand = r"R(\d+)(?:\.reuse)?"
pattern = rf"/\*([0-9a-f]{{4}})\*/\s+FFMA R(\d+), {operand}, {operand}, {operand}{words}"
slots = [(int(m[1], 16), int(m[2]), int(m[3]), int(m[4]), int(m[6], 16), int(m[7], 16)) for m in re.finditer(pattern, listing("register-banks.cubin"))]
start = source.index(struct.pack("<QQ", *slots[0][4:])) - slots[0][0]
factors = sorted({slot[2] for slot in slots} | {slot[3] for slot in slots})
sums = sorted({slot[1] for slot in slots})
pairs = [s for s in sums if s % 2 == 0 and s + 1 in sums]


def write(*turn):
    written = bytearray(source)
    for k, (address, *_, high_before) in enumerate(slots):
        name = turn[k % len(turn)]
        low, high, gives, used = codes[name]
        d = pairs[k % len(pairs)] if name == "IMAD.WIDE" else sums[k % len(sums)]
        if gives: low = (low & ~(0xFF << 16)) | d << 16
        register = factors[k % len(factors)]
        # What is added to a wide product is a pair.
        third = pairs[k % len(pairs)] if name == "IMAD.WIDE" else register
        if "a" in used: low = (low & ~(0xFF << 24)) | register << 24
        if "b" in used: low = (low & ~(0xFF << 32)) | register << 32
        if "c" in used: high = (high & ~0xFF) | third
        issue = high_before & (((1 << 17) - 1) << 41)
        struct.pack_into("<QQ", written, start + address, low, (high & ((1 << 41) - 1)) | issue)
    open(f"pipe-members.{'+'.join(turn)}.cubin", "wb").write(written)


for name in codes:
    write(name)
    for other in ("FFMA", "IMAD", "IADD3"):
        if name != other: write(other, name)
for one, other in (("MUFU.EX2", "POPC"), ("MUFU.EX2", "I2F.U8"), ("MUFU.EX2", "SHFL.BFLY"), ("MUFU.EX2", "REDUX.SUM.S32"), ("SHFL.BFLY", "REDUX.SUM.S32"), ("FMNMX", "VIMNMX"), ("VIADD", "IMAD"), ("VIADD", "VIMNMX"),
                   ("HADD2.F32", "F2FP.BF16.F32.PACK_AB"), ("SEL", "FSEL"), ("VOTE.ANY", "IADD3"), ("HMNMX2", "FMNMX")):
    write(one, other)
