import { describe, expect, it } from "vitest";
import { printedStatement } from "../testing/parse-text.ts";

const table: Readonly<Record<string, string>> = {
  "1 + 2 * 3;": "(expression (binary + 1 (binary * 2 3)))",
  "a - b - c;": "(expression (binary - (binary - (name a) (name b)) (name c)))",
  "a = b = c, d += 2;": '(expression (binary , (assign "" (name a) (assign "" (name b) (name c))) (assign + (name d) 2)))',
  "x < y ? a : b;": "(expression (conditional condition:(binary < (name x) (name y)) then:(name a) else:(name b)))",
  "i++, --j;": "(expression (binary , (postfix ++ (name i)) (unary -- (name j))))",
  "!a && ~b || *p == &q;":
    "(expression (binary || (binary && (unary ! (name a)) (unary ~ (name b))) (binary == (unary * (name p)) (unary & (name q)))))",
  "a.b->c.*d;": "(expression (binary .* (member base:(member base:(name a) b) arrow c) (name d)))",
  "s.template f<3>(x);": "(expression (call callee:(member base:(name s) f<3>) arguments:[(name x)]))",
  "std::max<float>(a, b);": "(expression (call callee:(name std::max<(builtin float)>) arguments:[(name a) (name b)]))",
  "::g(1);": "(expression (call callee:(name ::g) arguments:[1]))",
  "a[i][j];": "(expression (subscript base:(subscript base:(name a) indices:[(name i)]) indices:[(name j)]))",
  "m[i, j];": "(expression (subscript base:(name m) indices:[(name i) (name j)]))",
  "k<<<grid, 256>>>(a, n);": "(expression (call callee:(name k) arguments:[(name a) (name n)] launch:(grid:(name grid) block:256)))",
  "k<float, N><<<g, b, 4 * n, s>>>();":
    "(expression (call callee:(name k<(builtin float), (named N)>) launch:(grid:(name g) block:(name b) shared:(binary * 4 (name n)) stream:(name s))))",
  "k<<<{1, 2}, {3}>>>();": "(expression (call callee:(name k) launch:(grid:(list elements:[(1) (2)]) block:(list elements:[(3)]))))",
  "(float)x * y;": "(expression (binary * (cast style:c type:(builtin float) [(name x)]) (name y)))",
  "(float*)p;": "(expression (cast style:c type:(pointer (builtin float)) [(name p)]))",
  "(half)x;": "(expression (cast style:c type:(named half) [(name x)]))",
  "(float4)-x;": "(expression (cast style:c type:(named float4) [(unary - (name x))]))",
  "2 * (uint)-x + 1;": "(expression (binary + (binary * 2 (cast style:c type:(named uint) [(unary - (name x))])) 1))",
  "(uint)*p;": "(expression (cast style:c type:(named uint) [(unary * (name p))]))",
  "(uint)&x == y;": "(expression (binary == (cast style:c type:(named uint) [(unary & (name x))]) (name y)))",
  "(uint)(x)[i];": "(expression (cast style:c type:(named uint) [(subscript base:(parenthesized (name x)) indices:[(name i)])]))",
  "(uint)(x).y;": "(expression (cast style:c type:(named uint) [(member base:(parenthesized (name x)) y)]))",
  "(unknown)(x);": "(expression (call callee:(parenthesized (name unknown)) arguments:[(name x)]))",
  "(unknown)-x;": "(expression (binary - (parenthesized (name unknown)) (name x)))",
  "static_cast<float>(x);": "(expression (cast style:static type:(builtin float) [(name x)]))",
  "reinterpret_cast<const float4*>(&a[i])[0];":
    "(expression (subscript base:(cast style:reinterpret type:(pointer (named const float4)) [(unary & (subscript base:(name a) indices:[(name i)]))]) indices:[0]))",
  "64_KiB + 1'5_x;":
    '(expression (binary + (call callee:(name operator""_KiB) arguments:[64]) (call callee:(name operator""_x) arguments:[15])))',
  "f(decltype(b)::value);": "(expression (call callee:(name f) arguments:[(name decltype(b)::value)]))",
  "float(x);": "(expression (cast style:functional type:(builtin float) [(name x)]))",
  "uint32_t(x);": "(expression (cast style:functional type:(named uint32_t) [(name x)]))",
  "make_float4(1, 2, 3, 4);": "(expression (call callee:(name make_float4) arguments:[1 2 3 4]))",
  "float4{1, 2, 3, 4};": "(expression (list elements:[(1) (2) (3) (4)] type:(named float4)))",
  "f({1, 2}, T{.x = 3});":
    "(expression (call callee:(name f) arguments:[(list elements:[(1) (2)]) (list elements:[(designator:x 3)] type:(named T))]))",
  "sizeof(float) + sizeof x + sizeof(x) + sizeof(uint4);":
    "(expression (binary + (binary + (binary + (sizeof type:(builtin float)) (sizeof (name x))) (sizeof (parenthesized (name x)))) (sizeof type:(named uint4))))",
  "sizeof...(xs) + alignof(int);": "(expression (binary + (sizeof packName:xs) (sizeof align type:(builtin int))))",
  "new float[n];": "(expression (new type:(builtin float) count:(name n)))",
  "new float*[n];": "(expression (new type:(pointer (builtin float)) count:(name n)))",
  "new (p) T(1);": "(expression (new type:(named T) arguments:[1] placement:[(name p)]))",
  "new T(1, 2);": "(expression (new type:(named T) arguments:[1 2]))",
  "new int[2][3];": "(expression (new type:(array (builtin int) size:3) count:2))",
  "delete p, delete[] q;": "(expression (binary , (delete (name p)) (delete (name q) array)))",
  "auto l = [=, &x, y = 3](int i, auto... r) mutable -> float { return i; };":
    "(declaration [(variable l type:(auto) init:(style:copy [(lambda captures:[(x byReference) (y init:3)] parameters:[(type:(builtin int) i) (type:(auto) r pack)] body:(block body:[(return (name i))]) captureDefault:= result:(builtin float))]))])",
  "auto l = [=] __host__ __device__ (int i) { return i; };":
    "(declaration [(variable l type:(auto) init:(style:copy [(lambda parameters:[(type:(builtin int) i)] specifiers:(host device) body:(block body:[(return (name i))]) captureDefault:=)]))])",
  "(xs + ...), (... + xs), (0 + ... + xs), f(xs...);":
    "(expression (binary , (fold op:+ left:(name xs)) (binary , (fold op:+ right:(name xs)) (binary , (fold op:+ left:0 right:(name xs)) (call callee:(name f) arguments:[(pack pattern:(name xs))])))))",
  "({ int t = a; t + 1; });":
    "(expression (call callee:(lambda captureDefault:& body:(block body:[(declaration [(variable t type:(builtin int) init:(style:copy [(name a)]))]) (return (binary + (name t) 1))]))))",
  "a < b && c > (d);": "(expression (binary && (binary < (name a) (name b)) (binary > (name c) (parenthesized (name d)))))",
  "if (i < n && j > -1) return;": "(if condition:(binary && (binary < (name i) (name n)) (binary > (name j) (unary - 1))) then:(return))",
  "x.operator()(3), p->operator[](2);":
    "(expression (binary , (call callee:(member base:(name x) operator()) arguments:[3]) (call callee:(member base:(name p) arrow operator[]) arguments:[2])))",
  "this->x, nullptr, NULL, true;": "(expression (binary , (member base:(this) arrow x) (binary , (null) (binary , (null) (bool value)))))",
  "__half2float(x) and not y;": "(expression (binary && (call callee:(name __half2float) arguments:[(name x)]) (unary ! (name y))))",
};

describe("expressions", () => {
  for (const [code, tree] of Object.entries(table)) it(code, async () => expect(await printedStatement(code)).toBe(tree));
});

const literals: Readonly<Record<string, unknown>> = {
  "1": { kind: "integer", value: 1n, suffix: "" },
  "0x1FULL": { kind: "integer", value: 31n, suffix: "ull" },
  "0b101u": { kind: "integer", value: 5n, suffix: "u" },
  "010": { kind: "integer", value: 8n, suffix: "" },
  "1'000'000L": { kind: "integer", value: 1_000_000n, suffix: "l" },
  "5LLU": { kind: "integer", value: 5n, suffix: "ull" },
  "18446744073709551615UL": { kind: "integer", value: 18_446_744_073_709_551_615n, suffix: "ul" },
  "1.5f": { kind: "float", value: 1.5, suffix: "f" },
  "1.": { kind: "float", value: 1, suffix: "" },
  ".5F": { kind: "float", value: 0.5, suffix: "f" },
  "1e-3": { kind: "float", value: 0.001, suffix: "" },
  "1e15": { kind: "float", value: 1e15, suffix: "" },
  "2E4f": { kind: "float", value: 20000, suffix: "f" },
  "0x1.8p3f": { kind: "float", value: 12, suffix: "f" },
  "'a'": { kind: "char", value: 97 },
  "'\\n'": { kind: "char", value: 10 },
  "'\\x41'": { kind: "char", value: 65 },
  "'ab'": { kind: "char", value: 24_930 },
  '"a\\tb" "c"': { kind: "string", value: "a\tbc" },
  'R"x(a\\n")x"': { kind: "string", value: 'a\\n"' },
};

describe("literals", async () => {
  const { parseText } = await import("../testing/parse-text.ts");
  for (const [code, expected] of Object.entries(literals)) {
    it(code, async () => {
      const { unit } = await parseText(`auto x = ${code};`);
      const [variable] = unit.declarations;
      expect(variable?.kind === "variable" && variable.init?.values[0]).toMatchObject(expected as object);
    });
  }
});
