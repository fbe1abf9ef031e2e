import { describe, expect, it } from "vitest";
import { printedStatement } from "../testing/parse-text.ts";

const table: Readonly<Record<string, string>> = {
  "if (a) b(); else if (c) d();":
    "(if condition:(name a) then:(expression (call callee:(name b))) else:(if condition:(name c) then:(expression (call callee:(name d)))))",
  "if constexpr (N > 3) x();": "(if constexpr condition:(binary > (name N) 3) then:(expression (call callee:(name x))))",
  "if (auto i = f(); i > 2) x();":
    "(if init:(declaration [(variable i type:(auto) init:(style:copy [(call callee:(name f))]))]) condition:(binary > (name i) 2) then:(expression (call callee:(name x))))",
  "if (int *p = g()) x();":
    "(if condition:(variable p type:(pointer (builtin int)) init:(style:copy [(call callee:(name g))])) then:(expression (call callee:(name x))))",
  "for (int i = 0, j = 1; i < n; ++i, j += 2) ;":
    "(for init:(declaration [(variable i type:(builtin int) init:(style:copy [0])) (variable j type:(builtin int) init:(style:copy [1]))]) condition:(binary < (name i) (name n)) step:(binary , (unary ++ (name i)) (assign + (name j) 2)) body:(empty))",
  "for (;;) break;": "(for body:(break))",
  "for (i = 0; ; ) continue;": '(for init:(expression (assign "" (name i) 0)) body:(continue))',
  "for (const auto& x : v) f(x);":
    "(range-for variable:(variable x type:(reference (auto const))) range:(name v) body:(expression (call callee:(name f) arguments:[(name x)])))",
  "float (*f)() = g;": "(declaration [(variable f type:(pointer (function result:(builtin float))) init:(style:copy [(name g)]))])",
  "float (*t[])() = {a, b};":
    "(declaration [(variable t type:(array (pointer (function result:(builtin float)))) init:(style:copy [(list elements:[((name a)) ((name b))])]))])",
  "int (*r)[3] = p;": "(declaration [(variable r type:(pointer (array (builtin int) size:3)) init:(style:copy [(name p)]))])",
  "for (int i = 0; auto x : xs) f(x);":
    "(block body:[(declaration [(variable i type:(builtin int) init:(style:copy [0]))]) (range-for variable:(variable x type:(auto)) range:(name xs) body:(expression (call callee:(name f) arguments:[(name x)])))])",
  "table[i](a, b);": "(expression (call callee:(subscript base:(name table) indices:[(name i)]) arguments:[(name a) (name b)]))",
  "steps[i][j]();": "(expression (call callee:(subscript base:(subscript base:(name steps) indices:[(name i)]) indices:[(name j)])))",
  "for (auto [a, b] : v) ;": "(range-for variable:(variable  type:(auto) bindings:[a b]) range:(name v) body:(empty))",
  "while (int x = f()) ;": "(while condition:(variable x type:(builtin int) init:(style:copy [(call callee:(name f))])) body:(empty))",
  "do x++; while (x < 3);": "(do body:(expression (postfix ++ (name x))) condition:(binary < (name x) 3))",
  "switch (x) { case 1: case 2: f(); break; default: g(); }":
    "(switch condition:(name x) body:(block body:[(case 1) (case 2) (expression (call callee:(name f))) (break) (case) (expression (call callee:(name g)))]))",
  "switch (x) { case 1: { int y; } case N + 1: return; }":
    "(switch condition:(name x) body:(block body:[(case 1) (block body:[(declaration [(variable y type:(builtin int))])]) (case (binary + (name N) 1)) (return)]))",
  "goto end; end: return;": "(goto label:end) (label end) (return)",
  "if (x) l: f();": "(if condition:(name x) then:(block body:[(label l) (expression (call callee:(name f)))]))",
  "return {1, 2};": "(return (list elements:[(1) (2)]))",
  "throw 1;": "(throw 1)",
  "try { f(); } catch (int e) { g(); }":
    "(try body:(block body:[(expression (call callee:(name f)))]) handlers:[(block body:[(expression (call callee:(name g)))])] caught:[[(type:(builtin int) e)]])",
  "#pragma unroll\nfor (;;) ;": "(for body:(empty) unroll:full)",
  "#pragma unroll 4\nfor (;;) ;": "(for body:(empty) unroll:4)",
  "#pragma unroll (N / 2)\nwhile (1) ;": "(while condition:1 body:(empty) unroll:(parenthesized (binary / (name N) 2)))",
  "#pragma nounroll\ndo ; while (1);": "(do body:(empty) condition:1 unroll:1)",
  '_Pragma("unroll 8") for (auto x : v) ;': "(range-for variable:(variable x type:(auto)) range:(name v) body:(empty) unroll:8)",
  "if (a)\n#pragma unroll\nfor (;;) ;": "(if condition:(name a) then:(for body:(empty) unroll:full))",
  'asm volatile("add %0, %1;" : "=r"(x), "+f"(y) : "r"(z) : "memory");':
    '(asm template:"add %0, %1;" volatile outputs:[(constraint:"=r" (name x)) (constraint:"+f" (name y))] inputs:[(constraint:r (name z))])',
  'asm("bar.sync 0;");': '(asm template:"bar.sync 0;")',
  'asm volatile("ld.global" "x" :: "l"(p));': '(asm template:"ld.globalx" volatile inputs:[(constraint:l (name p))])',
  "int a = 1, *b = &a;":
    "(declaration [(variable a type:(builtin int) init:(style:copy [1])) (variable b type:(pointer (builtin int)) init:(style:copy [(unary & (name a))]))])",
  "CUDA_KERNEL_LOOP(i, n) { a[i] = 0; }":
    '(for init:(declaration [(variable i type:(builtin int) init:(style:copy [(binary + (binary * (member base:(name blockIdx) x) (member base:(name blockDim) x)) (member base:(name threadIdx) x))]))]) condition:(binary < (name i) (parenthesized (name n))) step:(assign + (name i) (binary * (member base:(name blockDim) x) (member base:(name gridDim) x))) body:(block body:[(expression (assign "" (subscript base:(name a) indices:[(name i)]) 0))]))',
  "FOR_EACH(i, n) { a[i] = 0; }": '(unknown text:"FOR_EACH(i, n) { a[i] = 0; }")',
  "m(x, y) = 0;": '(expression (assign "" (call callee:(name m) arguments:[(name x) (name y)]) 0))',
  ";": "(empty)",
};

describe("statements", () => {
  for (const [code, tree] of Object.entries(table)) it(code, async () => expect(await printedStatement(code)).toBe(tree));
});
