import { beforeAll, expect, test } from "vitest";
import { analyze } from "../../analysis/analyze.ts";
import { loadGrammarFromDisk } from "../../grammar.ts";
import { lint } from "../../lint.ts";

beforeAll(loadGrammarFromDisk);

const code = `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[0] = 1.0f / sqrtf(x);
  a[1] = powf(x, 0.5f) + sinf(x) * cosf(x);
  d[0] = 1.0 / sqrt(y);
  a[2] = pow(x, 2);
}`;

test.each([
  [false, [2, 3, 3, 4, 5]],
  [true, [4, 5]],
])("functions of floats are fast already with -use_fast_math: %s", (fastMath, lines) => {
  const settings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [], code: { fastMath } };
  const program = analyze("/project/case.cu", code, settings, { read: () => undefined });
  expect(lint(program, undefined).map(({ range }) => range.start.line + 1)).toEqual(lines);
});
