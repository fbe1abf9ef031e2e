/** Ways to make another text of a source: by the grammar's pieces, by tokens, and by characters. */
import type { Corpus, Piece, Source } from "./corpus.ts";
import type { Random } from "./random.ts";

/** This text in place of that range. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Mutator = (source: Source, random: Random, corpus: Corpus) => readonly Change[];

const numbers = [
  "0",
  "1",
  "-1",
  "2",
  "31",
  "32",
  "33",
  "1024",
  "1025",
  "65535",
  "65536",
  "0x7fffffff",
  "2147483648",
  "0xffffffffu",
  "4294967296",
  "9223372036854775807LL",
  "0xffffffffffffffffull",
  "18446744073709551616",
  "99999999999999999999999999",
  "0b1010",
  "0777",
  "1'000'000",
  "0.5",
  "0.5f",
  "-0.0",
  "1e308",
  "1e309",
  "1e-320",
  "1e99999",
  "0x1p-1074",
  "NAN",
  "INFINITY",
  "'a'",
  "true",
  "nullptr",
  "sizeof(int)",
  "(1 << 31)",
  "(1 / 0)",
  "(0 % 0)",
  "n",
  "threadIdx.x",
  "blockDim.x * gridDim.x",
];
const types = [
  "int",
  "unsigned",
  "char",
  "signed char",
  "short",
  "long long",
  "unsigned long long",
  "float",
  "double",
  "half",
  "__nv_bfloat16",
  "bool",
  "void",
  "auto",
  "size_t",
  "float4",
  "double2",
  "dim3",
  "cudaStream_t",
  "__half2",
  "int*",
  "const float* __restrict__",
  "float**",
  "int&",
  "T",
  "struct Unknown",
  "std::vector<float>",
  "std::function<void(int)>",
  "volatile int",
  "__int128",
];
const operators = [
  ..."+ - * / % & | ^ << >> < > <= >= == != && || = += -= *= /= %= &= |= ^= <<= >>= , . -> :: ? : ! ~ ++ -- <<< >>> <=> #".split(" "),
];
const tokens = [
  ...'( ) { } [ ] ; , : :: < > <<< >>> # ## \\ " \' ` @ $ /* */ // ... [[ ]] R"( )" #if #endif #else #define #include'.split(" "),
  "template <",
  "__global__ ",
  "__device__ ",
  "__shared__ ",
  "__syncthreads();",
  "return ",
  "goto x; ",
  "x: ",
  "for (;;) ",
  "while (true) ",
  "if (threadIdx.x == 0) ",
  "else ",
  "switch (n) { case 0: ",
  "default: ",
  "break; ",
  "do { } while (0); ",
  "struct S { ",
  "namespace { ",
  'extern "C" { ',
  "operator()",
  "[&](auto x) { return x; }",
  'asm volatile("mov.u32 %0, %tid.x;" : "=r"(x));',
  "throw ",
  "try { ",
  "#pragma unroll\n",
  "#pragma unroll 0\n",
  "#if 0\n",
  "\n#endif\n",
  "#define N N\n",
  "#define F(x, ...) F(x) x __VA_ARGS__\n",
  '#include "itself.cu"\n',
  "\n// warplens: grid=(64,1,1) block=(256,1,1)\n",
  "\n// warplens: n=0..1e99, x=uniform(-1), grid=(0)\n",
  "\n// warplens: ignore\n",
  "// warplens-disable-next-line\n",
  "atomicAdd(&a[0], 1);",
  "__shfl_sync(0xffffffff, x, 1)",
  "cudaMalloc(&p, n);",
  "cudaMemcpy(p, q, n, cudaMemcpyHostToDevice);",
  "\\\n",
  "\r\n",
  "\0",
  "\ufeff",
  "\ud800",
  "\u202e",
  "😀",
  "é",
];

const within = (random: Random, { text }: Source): number => random.below(text.length + 1);

/** A piece of any type: types first, so that rare ones are as likely as common ones. */
function anyPiece({ pieces }: Source, random: Random): Piece | undefined {
  return pieces.size === 0 ? undefined : random.pick(random.pick([...pieces.values()]));
}

const ofTypes =
  (types: RegExp) =>
  ({ pieces }: Source, random: Random): Piece | undefined => {
    const fitting = [...pieces].filter(([type]) => types.test(type)).flatMap(([, all]) => all);
    return fitting.length > 0 ? random.pick(fitting) : undefined;
  };
const number = ofTypes(/^(number_literal|char_literal|true|false)$/);
const typeName = ofTypes(/^(primitive_type|type_identifier|sized_type_specifier)$/);
const name = ofTypes(/identifier$/);
const operator = ofTypes(/^[-+*/%&|^<>=!~?:.]+$/);
const expression = ofTypes(/(_expression|literal|^identifier)$/);
const statement = ofTypes(/(_statement|^declaration|function_definition)$/);

const put = (piece: Piece | undefined, text: string): Change[] => (piece ? [{ start: piece.start, end: piece.end, text }] : []);

const wrappings: readonly (readonly [string, string])[] = [
  ["(", ")"],
  ["-", ""],
  ["!", ""],
  ["*&", ""],
  ["(double)", ""],
  ["(char)", ""],
  ["f(", ")"],
  ["1 ? ", " : 0"],
  ["[&] { return ", "; }()"],
  ["sizeof(", ")"],
  ["", " + 1"],
  ["", "[0]"],
  ["", " / 0"],
];

/** By name, so that a run can be told which did what. */
const mutators: Readonly<Record<string, Mutator>> = {
  delete: (source, random) => put(anyPiece(source, random), ""),
  duplicate(source, random) {
    const piece = anyPiece(source, random);
    return piece ? [{ start: piece.end, end: piece.end, text: random.pick(["", " ", "\n", ", ", "; "]) + textOf(source, piece) }] : [];
  },
  swap(source, random) {
    const [all] = [...source.pieces.values()].filter(({ length }) => length > 1).slice(random.below(source.pieces.size));
    if (!all) return [];
    const [a, b] = [random.pick(all), random.pick(all)];
    return [...put(a, textOf(source, b)), ...put(b, textOf(source, a))];
  },
  move(source, random) {
    const [from, to] = [anyPiece(source, random), anyPiece(source, random)];
    return from && to ? [...put(from, ""), { start: to.start, end: to.start, text: textOf(source, from) }] : [];
  },
  replace(source, random, { texts }) {
    const piece = anyPiece(source, random);
    const others = piece && texts.get(piece.type);
    return others ? put(piece, random.pick(others)) : [];
  },
  number: (source, random) => put(number(source, random), random.pick(numbers)),
  type: (source, random) => put(typeName(source, random), random.pick(types)),
  operator: (source, random) => put(operator(source, random), random.pick(operators)),
  name(source, random) {
    const [a, b] = [name(source, random), name(source, random)];
    return b ? put(a, textOf(source, b)) : [];
  },
  wrap(source, random) {
    const piece = expression(source, random);
    if (!piece) return [];
    const [open, close] = random.pick(wrappings);
    const times = random.once(8) ? random.below(80) : 1;
    return put(piece, open.repeat(times) + textOf(source, piece) + close.repeat(times));
  },
  nest(source, random) {
    const piece = statement(source, random);
    if (!piece) return [];
    const open = random.pick(["{ ", "if (n) ", "for (int i = 0; i < n; i++) ", "while (n--) ", "do ", "else ", "template <class T> "]);
    return [{ start: piece.start, end: piece.start, text: open.repeat(1 + random.below(4)) }];
  },
  token(source, random) {
    const at = within(random, source);
    return [{ start: at, end: at, text: random.pick(tokens) }];
  },
  break(source, random) {
    const at = within(random, source);
    return [{ start: at, end: Math.min(source.text.length, at + 1 + random.below(12)), text: "" }];
  },
  characters(source, random) {
    const at = within(random, source);
    const text = Array.from({ length: 1 + random.below(6) }, () => String.fromCharCode(random.below(random.once(4) ? 0xffff : 128)));
    return [{ start: at, end: Math.min(source.text.length, at + random.below(4)), text: text.join("") }];
  },
  cut(source, random) {
    const at = within(random, source);
    return random.once(2) ? [{ start: at, end: source.text.length, text: "" }] : [{ start: 0, end: at, text: "" }];
  },
  splice(source, random, { sources }) {
    const other = random.pick(sources);
    return [{ start: within(random, source), end: source.text.length, text: other.text.slice(within(random, other)) }];
  },
};

/** Those that leave more of a program than the others, and so get further into the analysis. */
const gentle = ["swap", "replace", "number", "type", "operator", "name", "wrap", "nest", "duplicate"];

const textOf = ({ text }: Source, { start, end }: Piece): string => text.slice(start, end);

/** A source with one to four changes. */
export function mutated(source: Source, random: Random, corpus: Corpus): string {
  const names = random.once(2) ? gentle : Object.keys(mutators);
  const changes: Change[] = [];
  const count = 1 + random.below(4);
  for (let attempt = 0; attempt < 4 * count && changes.length < count; attempt++)
    for (const change of mutators[random.pick(names)]?.(source, random, corpus) ?? [])
      if (changes.every(({ start, end }) => change.end <= start || end <= change.start)) changes.push(change);
  changes.sort((a, b) => b.start - a.start || b.end - a.end);
  return changes.reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), source.text);
}

/** The same with a text that the grammar does not know: by lines, tokens and characters. */
export function mutatedText(text: string, random: Random): string {
  let present = text;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(present.length + 1);
    const lines = present.split(/(?<=\n)/);
    const line = random.pick([...lines, ""]);
    const [before, after] = [present.slice(0, at), present.slice(at)];
    switch (random.below(7)) {
      case 0:
        present = before + random.pick(tokens) + after;
        break;
      case 1:
        present = before + after.slice(1 + random.below(12));
        break;
      case 2:
        present = present.replace(line, () => "");
        break;
      case 3:
        present = present.replace(line, () => line.repeat(2 + random.below(3)));
        break;
      case 4:
        present = before + line + after;
        break;
      case 5:
        present = present.replace(/\d+/g, (digits) => (random.once(4) ? random.pick(numbers) : digits));
        break;
      default:
        present = before + String.fromCharCode(random.below(random.once(4) ? 0xffff : 128)) + after;
    }
  }
  return present;
}
