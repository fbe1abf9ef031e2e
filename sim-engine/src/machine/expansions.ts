/**
 * Operations the hardware lacks: what they become, as opcodes in order, each working on the result of the one before. Counts
 * are those a warp was measured to execute on the usual path (H200, CUDA 13.0: no denormals, no special values, |x| below
 * 105615 in trigonometry); what handles the rest is behind a branch that is counted but not taken.
 */
import type { MathFunction } from "../ir/kernel.ts";

/** `FFMA*5` is five in a row. */
const sequence = (text: string): readonly string[] =>
  text.split(" ").flatMap((each) => {
    const [opcode = "", times] = each.split("*");
    return Array.from({ length: times ? Number(times) : 1 }, () => opcode);
  });

const float: Partial<Record<MathFunction | "div" | "divConstant" | "powConstant", string>> = {
  div: "BSSY MUFU.RCP FCHK FFMA*5 BRA BSYNC",
  divConstant: "IMAD.MOV FCHK FFMA*4 BRA BSYNC",
  rcp: "BSSY IADD3 LOP3 ISETP BRA MUFU.RCP FFMA FADD FFMA BSYNC",
  sqrt: "BSSY MUFU.RSQ IADD3 ISETP BRA FMUL*2 FFMA*2 BSYNC",
  rsqrt: "FSETP FMUL MUFU.RSQ FMUL",
  exp: "IMAD.MOV*2 FFMA.SAT FFMA.RM FADD FFMA*2 SHF MUFU.EX2",
  exp2: "FSETP FMUL MUFU.EX2 FMUL",
  exp10: "IMAD.MOV*2 FFMA.SAT FFMA.RM FADD FFMA*2 SHF MUFU.EX2",
  expm1: "FMUL FRND FSETP*2 FADD FFMA*2 IMAD.MOV FFMA*9 MUFU.EX2 FADD*3 FSEL*3 FMUL*2 SHF*2 FSETP",
  log: "FSETP IMAD.MOV FMUL IADD3*2 LOP3 IADD3 I2FP FSEL FADD FFMA*10 IMAD.MOV FMUL FFMA*2 ISETP FSETP FFMA FSEL",
  log2: "FSETP IMAD.MOV FMUL IADD3*2 LOP3 IADD3 I2FP FSEL FADD FFMA*11 IMAD.MOV FMUL FFMA*3 ISETP FSETP FFMA FSEL",
  log10: "FSETP IMAD.MOV FMUL IADD3*2 LOP3 IADD3 I2FP FSEL FADD FFMA*10 IMAD.MOV FMUL FFMA*3 ISETP FSETP FFMA FSEL",
  log1p: "FADD IADD3 LOP3 IADD3*2 FADD FFMA IMAD.MOV I2FP FMUL FFMA*10 FMUL FFMA*2 ISETP BRA FSETP",
  sin: "FMUL FSETP F2I I2FP FFMA*3 BSSY BRA BSYNC LOP3*2 IMAD.MOV*4 FMUL FSEL*3 FFMA*6 FMUL ISETP",
  cos: "FMUL FSETP F2I I2FP FFMA*3 BSSY BRA BSYNC IADD3 LOP3*2 IMAD.MOV*4 FMUL FSEL*3 FFMA*6 FMUL ISETP",
  tan: "FMUL FSETP F2I I2FP FFMA*3 BSSY BRA BSYNC IMAD.MOV*2 FMUL FFMA*7 FSEL LOP3 MUFU.RCP FSETP ISETP",
  sinpi: "FMUL FRND FADD F2I FFMA*3 LOP3*2 FMUL IMAD.MOV*3 FSEL*3 FFMA*5 FSETP FMUL ISETP",
  cospi: "FMUL FRND FADD F2I FFMA*3 LOP3*2 FMUL IMAD.MOV*3 FSEL*3 FFMA*5 FSETP IADD3 ISETP",
  asin: "IMAD.MOV FFMA FSETP MUFU.RSQ FMUL*3 FFMA*4 FSEL*3 FMUL FFMA*6 FADD LOP3 FSETP FMUL",
  acos: "IMAD.MOV FFMA FSETP MUFU.RSQ FMUL*3 FFMA*4 FSEL*3 FMUL FFMA*6 FADD LOP3 FSETP FMUL FADD",
  atan: "FSETP MUFU.RCP IMAD.MOV FSEL FMUL FFMA*8 FMUL FFMA FADD FSEL LOP3 FSETP",
  powConstant:
    "FMUL FSETP*2 FSEL*2 IADD3*2 LOP3 I2FP FADD*7 MUFU.RCP FMUL*5 FFMA*13 FRND F2I FADD*3 FSETP*3 SEL LEA IADD3 FFMA*6 FMUL*2 FSEL BSSY BRA*3 FSETP*3 IMAD.MOV*4 BSYNC FSEL*3",
  atan2: "FSETP FSEL*2 BSSY MUFU.RCP FCHK FFMA*5 BRA BSYNC FMUL IMAD.MOV*2 FFMA*9 BSSY BRA ISETP BSYNC FSETP*3 FADD FSEL*3 LOP3 ISETP",
  sinh: "FADD FMUL IMAD.MOV*2 FFMA*3 MUFU.EX2*2 FADD FMUL*2 FFMA*8 FSETP FSEL LOP3 BRA FADD FMUL",
  cosh: "FMUL IMAD.MOV*2 FFMA*4 MUFU.EX2*2 FADD*2 FMUL*2 SHF FSETP FFMA",
  tanh: "FMUL IMAD.MOV MUFU.EX2 FADD MUFU.RCP FSETP*2 FMUL FFMA*6 FSEL*2 LOP3",
  asinh: "FADD FMUL FFMA*3 MUFU.RSQ FMUL FADD IADD3*2 LOP3 I2FP FFMA*12 FSETP FSEL LOP3",
  acosh: "FADD FMUL FFMA*3 MUFU.RSQ FMUL FADD IADD3*2 LOP3 I2FP FFMA*12 FSETP FSEL",
  atanh: "FADD*2 MUFU.RCP FMUL FFMA*3 FADD IADD3*2 LOP3 I2FP FFMA*12 FMUL FSEL LOP3",
  pow: "FMUL*2 FSETP*3 FSEL*2 IADD3*2 LOP3 I2FP FADD*7 MUFU.RCP FMUL*6 FFMA*14 FRND F2I FADD*3 FSETP*3 SEL LEA IADD3 FFMA*7 FMUL*2 FSEL BSSY BRA*3 FSETP*3 IMAD.MOV*4 BSYNC*1 FRND FADD FSETP*2 BRA*2 FSEL FMUL",
  erf: "FSETP IMAD.MOV*6 FSEL*7 FMUL*2 FFMA*7 MUFU.EX2 FADD LOP3 FSETP FSEL*2",
  erfc: "FADD*3 FMUL*3 MUFU.RCP FFMA*22 IMAD.MOV*3 MUFU.EX2 FRND FSETP*2 FSEL*3 SHF FFMA*6 FMUL",
  cbrt: "FSETP FMUL*2 MUFU.LG2 FMUL MUFU.EX2 FFMA*4 FMUL*2 MUFU.RCP FSEL FSETP FADD",
  rcbrt: "FSETP FMUL*2 MUFU.LG2 FMUL MUFU.EX2 FFMA*4 FMUL*2 FSEL FSETP FADD",
  hypot: "FMNMX*2 LOP3 FADD*2 FMUL*2 FFMA FSETP*2 IADD3 MUFU.RSQ FFMA*4 BSSY BRA BSYNC FMUL*3 FSEL*2 ISETP",
  rhypot: "FMNMX*2 LOP3 FADD*2 FMUL*2 FFMA FSETP*2 MUFU.RSQ FFMA*2 FMUL*3 FSEL*2",
  fmod: "FSETP FADD BSSY BRA FMUL*2 MUFU.RCP FRND FFMA LOP3",
  remainder: "FSETP FADD BSSY BRA FMUL*2 MUFU.RCP FRND FFMA*2 LOP3 FSETP",
  round: "LOP3 FADD FRND FSETP",
  ldexp: "IADD3 VIMNMX SHF FMUL",
  scalbn: "IADD3 VIMNMX SHF FMUL",
  lgamma: "FSETP*4 FFMA*34 FADD*6 MUFU.RCP MUFU.LG2 FMUL*6 IADD3*3 LOP3*2 I2FP FSEL*4 BRA*2",
  tgamma: "FSETP*3 FFMA*16 FADD*3 FMUL*5 MUFU.RCP BRA*3 FSEL",
  normcdf: "FMUL*4 FADD*4 FFMA*34 MUFU.RCP MUFU.EX2 FRND FSETP*4 FSEL*6 SHF*2 IMAD.MOV*4 LOP3*2",
  normcdfinv: "FADD*2 FMUL*3 FFMA*24 MUFU.LG2 MUFU.RSQ FSETP*3 FSEL*3",
  erfinv: "FADD*2 FMUL*3 FFMA*20 MUFU.LG2 MUFU.RSQ FSETP*3 FSEL*3",
  erfcx: "FADD*3 FMUL*3 MUFU.RCP FFMA*22 FSETP*2 FSEL*3",
  j0: "FFMA*40 FMUL*6 FADD*4 MUFU.RCP FSETP*3 FSEL*3",
  j1: "FFMA*40 FMUL*6 FADD*4 MUFU.RCP FSETP*3 FSEL*3",
  y0: "FFMA*50 FMUL*6 FADD*4 MUFU.RCP MUFU.LG2 FSETP*3 FSEL*3",
  y1: "FFMA*50 FMUL*6 FADD*4 MUFU.RCP MUFU.LG2 FSETP*3 FSEL*3",
  ilogb: "SHF IADD3 ISETP SEL",
  logb: "SHF IADD3 I2FP FSEL",
};

/** `__expf` and its kind. */
const fastFloat: Partial<Record<MathFunction | "div", string>> = {
  div: "FSETP FMUL*2 MUFU.RCP FMUL",
  rcp: "MUFU.RCP",
  sqrt: "MUFU.RSQ FMUL",
  rsqrt: "MUFU.RSQ",
  exp: "FMUL FSETP FMUL MUFU.EX2 FMUL",
  exp2: "MUFU.EX2",
  exp10: "FMUL FSETP FMUL MUFU.EX2 FMUL",
  log: "FSETP FMUL MUFU.LG2 FMUL",
  log2: "FSETP FMUL MUFU.LG2",
  log10: "FSETP FMUL MUFU.LG2 FMUL",
  sin: "FMUL.RZ MUFU.SIN",
  cos: "FMUL.RZ MUFU.COS",
  tan: "FMUL.RZ MUFU.SIN MUFU.COS MUFU.RCP FMUL",
  tanh: "MUFU.TANH",
  pow: "FSETP FMUL MUFU.LG2 FMUL FSETP FMUL MUFU.EX2 FMUL*2",
};

const double: Partial<Record<MathFunction | "div" | "divConstant" | "min", string>> = {
  div: "MUFU.RCP64H IMAD.MOV DFMA*6 DMUL FSETP*2 FFMA BSSY BRA BSYNC IMAD.MOV",
  divConstant: "MUFU.RCP64H IMAD.MOV*2 DFMA*5 DMUL FSETP*2 FFMA BSSY BRA BSYNC",
  rcp: "MUFU.RCP64H IADD3 DFMA*4 FSETP BSSY BRA BSYNC IMAD.MOV",
  sqrt: "MUFU.RSQ64H IADD3 IMAD.MOV*2 DMUL*3 DFMA*5 ISETP BSSY BRA BSYNC MOV*2",
  rsqrt: "MUFU.RSQ64H LOP3 DMUL*3 DFMA*4 IMAD.MOV*2 ISETP BSSY BRA",
  exp: "IMAD.MOV*16 DFMA*14 DADD UMOV*12 FSETP LEA*2 BRA*2",
  exp2: "IMAD.MOV*14 DFMA*13 DADD UMOV*10 FSETP LEA*2 BRA*2",
  exp10: "IMAD.MOV*16 DFMA*15 DADD UMOV*12 FSETP LEA*2 BRA*2",
  log: "ISETP*3 IMAD.MOV*24 LOP3*2 I2F.F64 MUFU.RCP64H DADD*6 DMUL*5 DFMA*17 UMOV*20 BRA*2 LEA IADD3*2",
  log2: "ISETP*3 IMAD.MOV*24 LOP3*2 I2F.F64 MUFU.RCP64H DADD*6 DMUL*6 DFMA*17 UMOV*20 BRA*2 LEA IADD3*2",
  log10: "ISETP*3 IMAD.MOV*24 LOP3*2 I2F.F64 MUFU.RCP64H DADD*6 DMUL*6 DFMA*17 UMOV*20 BRA*2 LEA IADD3*2",
  sin: "DSETP DMUL F2I.F64 I2F.F64 DFMA*3 BSSY BRA BSYNC LDC.64*3 DMUL*2 DFMA*8 FSEL*4 IMAD.MOV*8 LOP3*3 ISETP*2 UMOV*4",
  cos: "DSETP DMUL F2I.F64 I2F.F64 DFMA*3 BSSY BRA BSYNC LDC.64*3 DMUL*2 DFMA*8 FSEL*4 IMAD.MOV*8 LOP3*3 ISETP*2 UMOV*4 IADD3",
  tan: "DSETP DMUL F2I.F64 I2F.F64 DFMA*18 BSSY BRA BSYNC DMUL*3 MUFU.RCP64H IMAD.MOV*16 UMOV*12",
  pow: "CALL RET DSETP*6 IMAD.MOV*50 DFMA*44 DADD*16 DMUL*12 MUFU.RCP64H I2F.F64 LOP3*8 ISETP*10 UMOV*36 BRA*8",
  tanh: "DSETP*2 IMAD.MOV*30 DFMA*28 DADD*3 DMUL*4 MUFU.RCP64H UMOV*30 LOP3*2 FSEL*2 BRA",
  round: "DADD FRND.F64 DSETP FSEL*2",
  min: "DSETP IMAD.MOV*3 SEL FSEL LOP3 ISETP",
};

const cached = new Map<string, readonly string[]>();

/** The opcodes of a library function or division; undefined for what one instruction does, or takes as a modifier. */
export function expansion(name: string, type: "f32" | "f64", fast: boolean): readonly string[] | undefined {
  const key = `${name} ${type} ${fast}`;
  const known = cached.get(key);
  if (known) return known;
  const tables: readonly Readonly<Record<string, string | undefined>>[] = type === "f64" ? [double] : fast ? [fastFloat, float] : [float];
  const text =
    tables.map((table) => table[name]).find((each) => each !== undefined) ??
    (type === "f64" ? float[name as MathFunction]?.replace(/\bF(FMA|ADD|MUL)/g, "D$1") : undefined);
  if (!text) return undefined;
  const opcodes = sequence(text);
  cached.set(key, opcodes);
  return opcodes;
}

/**
 * Words of registers of the functions that take over for rare operands, beside what is live across the call: medians over kernels
 * that nvcc 13.0 compiled for sm_90 (`__cuda_sm20_div_rn_f64_full` and its kind).
 */
const callees: Readonly<Record<"f32" | "f64", Readonly<Record<string, number>>>> = {
  f32: { div: 9, divConstant: 9, rcp: 7, sqrt: 6 },
  f64: { div: 17, divConstant: 17, rcp: 10, sqrt: 14, rsqrt: 11, sin: 19, cos: 19, tan: 19, pow: 25 },
};

export const calleeWords = (name: string, type: "f32" | "f64", fast: boolean): number | undefined =>
  fast ? undefined : callees[type][name];

/** Integer division: by a variable, or by a constant that is no power of two. */
export const integerExpansions: Readonly<Record<string, readonly string[]>> = {
  /** The reciprocal of a divisor, which all divisions by it share. */
  reciprocal: sequence("I2F.U32 ISETP MUFU.RCP IADD3 F2I IMAD.MOV IADD3 IMAD IMAD.HI"),
  signedReciprocal: sequence("IABS I2F.RP ISETP MUFU.RCP IADD3 F2I IMAD.MOV IADD3 IMAD IMAD.HI"),
  udiv: sequence("IMAD.HI IADD3 IMAD ISETP IADD3 VIADD ISETP VIADD LOP3"),
  urem: sequence("IMAD.HI IADD3 IMAD ISETP IADD3 ISETP IADD3 LOP3"),
  sdiv: sequence("IABS LOP3 ISETP IABS IMAD.HI IADD3 IMAD ISETP IADD3 VIADD ISETP VIADD IADD3 LOP3"),
  srem: sequence("IABS ISETP IMAD.HI IADD3 IMAD ISETP IADD3 ISETP IADD3 IADD3 LOP3 ISETP"),
  udivConstant: sequence("IMAD.HI SHF"),
  uremConstant: sequence("IMAD.HI SHF IMAD"),
  sdivConstant: sequence("IMAD.HI SHF LEA.HI"),
  sremConstant: sequence("IMAD.HI SHF LEA.HI IMAD"),
  sdivPower: sequence("SHF LEA.HI SHF"),
  sremPower: sequence("SHF LEA.HI LOP3 IADD3"),
  div64: sequence(
    "LOP3 ISETP*2 BSSY BRA I2F.U32 MUFU.RCP IADD3 F2I IMAD.MOV IADD3 IMAD IMAD.HI*2 IADD3 IMAD ISETP IADD3 VIADD ISETP VIADD LOP3 IMAD.MOV*2 BRA BSYNC MOV",
  ),
  rem64: sequence(
    "LOP3 ISETP*2 BSSY BRA I2F.U32 MUFU.RCP IADD3 F2I IMAD.MOV IADD3 IMAD IMAD.HI*2 IADD3 IMAD ISETP IADD3 ISETP IADD3 LOP3 IMAD.MOV BRA BSYNC MOV",
  ),
  div64Constant: sequence("IMAD.WIDE*4 IADD3*3 IMAD.X SHF*2 IADD3 IADD3.X LEA"),
  rem64Constant: sequence("IMAD.WIDE*4 IADD3*3 IMAD.X SHF*2 IADD3 IADD3.X LEA IMAD.WIDE IMAD*2 IADD3"),
};
