/** A WebAssembly module of one function, as bytes: its instructions by name, numbers as the format has them, and its sections. */

export type ValueType = "i32" | "i64" | "f32" | "f64";

const typeCodes: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c };
const comparisonNames = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u";
const integerNames = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr";
const floatComparisonNames = "eq ne lt gt le ge";
const floatNames = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign";

/** Instructions that follow each other, from a first one on. */
const rows: readonly (readonly [first: number, prefix: string, names: string])[] = [
  [0x00, "", "unreachable"],
  [0x02, "", "block loop if else"],
  [0x0b, "", "end br br_if br_table"],
  [0x10, "", "call"],
  [0x1a, "", "drop select"],
  [0x20, "local.", "get set tee"],
  [0x28, "", "i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u"],
  [0x36, "", "i32.store i64.store f32.store f64.store i32.store8 i32.store16"],
  [0x41, "", "i32.const i64.const f32.const f64.const"],
  [0x45, "i32.", `eqz ${comparisonNames}`],
  [0x50, "i64.", `eqz ${comparisonNames}`],
  [0x5b, "f32.", floatComparisonNames],
  [0x61, "f64.", floatComparisonNames],
  [0x67, "i32.", integerNames],
  [0x79, "i64.", integerNames],
  [0x8b, "f32.", floatNames],
  [0x99, "f64.", floatNames],
  [0xa7, "i32.", "wrap_i64 trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"],
  [0xac, "i64.", "extend_i32_s extend_i32_u trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"],
  [0xb2, "f32.", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u demote_f64"],
  [0xb7, "f64.", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u promote_f32"],
  [0xc0, "i32.", "extend8_s extend16_s"],
];

const opcodes = new Map(rows.flatMap(([first, prefix, names]) => names.split(" ").map((name, k) => [prefix + name, first + k] as const)));

export function opcode(name: string): number {
  const code = opcodes.get(name);
  if (code === undefined) throw new Error(`no instruction ${name}`);
  return code;
}

/** LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 128);
  }
}

export function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const byte = Number(rest & 127n);
    if (rest >= -64n && rest < 64n) return [...bytes, byte];
    bytes.push(byte | 128);
  }
}

/** A number below 2^31 in as many bytes as any of them takes, for one that is known later. */
export const padded = (value: number): number[] => [0, 7, 14, 21, 28].map((shift) => ((value >>> shift) & 127) | (shift < 28 ? 128 : 0));

/** A block's type. */
export const blockType = (result: ValueType | undefined): number => (result === undefined ? 0x40 : typeCodes[result]);

export interface Signature {
  readonly parameters: readonly ValueType[];
  readonly result: ValueType | undefined;
}

export interface Parts {
  /** Functions of the host, in the order of their numbers; from module `host`, by their numbers. */
  readonly imports: readonly Signature[];
  readonly locals: readonly ValueType[];
  readonly body: readonly number[];
  /** Of 64 KiB, of the memory `host.memory`. */
  readonly pages: number;
}

const vector = (items: readonly (readonly number[])[]): number[] => [...unsigned(items.length), ...items.flat()];
const text = (name: string): number[] => [...unsigned(name.length), ...[...name].map((letter) => letter.charCodeAt(0))];
const section = (id: number, content: readonly number[]): number[] => [id, ...unsigned(content.length), ...content];

/** It exports `run`, which takes and gives nothing. */
export function moduleOf({ imports, locals, body, pages }: Parts): Uint8Array<ArrayBuffer> {
  const signatures: readonly Signature[] = [...imports, { parameters: [], result: undefined }];
  const types = signatures.map(({ parameters, result }) => [
    0x60,
    ...vector(parameters.map((type) => [typeCodes[type]])),
    ...vector(result === undefined ? [] : [[typeCodes[result]]]),
  ]);
  const imported = [
    ...imports.map((_, k) => [...text("host"), ...text(String(k)), 0, ...unsigned(k)]),
    [...text("host"), ...text("memory"), 2, 0, ...unsigned(pages)],
  ];
  const code = [...vector(locals.map((type) => [1, typeCodes[type]])), ...body, opcode("end")];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    ...section(2, vector(imported)),
    ...section(3, vector([unsigned(imports.length)])),
    ...section(7, vector([[...text("run"), 0, ...unsigned(imports.length)]])),
    ...section(10, vector([[...unsigned(code.length), ...code]])),
  ]);
}
