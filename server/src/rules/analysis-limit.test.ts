import { testRule } from "../testing/rule-tables.ts";
import analysisLimit from "./analysis-limit.ts";

const nested = (count: number, open: string, inner: string, close: string): string => open.repeat(count) + inner + close.repeat(count);

testRule(analysisLimit, {
  clean: {
    "a long sum": `int a = 1${" + 1".repeat(3000)};`,
    "parentheses as deep as compilers read them": `int a = ${nested(256, "(", "1", ")")};`,
    "blocks as deep as compilers read them": `void f() { ${nested(256, "{", "", "}")} }`,
  },
  found: {},
});
