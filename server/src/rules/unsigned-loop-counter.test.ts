import { testRule } from "../testing/rule-tables.ts";
import rule from "./unsigned-loop-counter.ts";

const kernel = (body: string): string =>
  `#define N 1024\n__global__ void k(float *a, const float *b, int n, unsigned m, int stride) {\n  int tid = threadIdx.x;\n${body}\n}`;
const safe = (marked: string, fixed: string) => ({ code: kernel(marked), fixed: kernel(fixed) });
const unsafe = (marked: string, fixed: string) => ({ code: kernel(marked), unsafe: kernel(fixed) });

testRule(rule, {
  clean: {
    signed: kernel("  for (int i = 0; i < n; i++) a[i] = b[stride * i];"),
    "host code": "void h(float *a, unsigned n) { for (unsigned i = 0; i < n; ++i) a[i] = 0; }",
    "64 bits": kernel("  for (size_t i = 0; i < m; ++i) a[i] = b[i];\n  for (unsigned long long i = 0; i < m; ++i) a[i] = b[i];"),
    "no address and no product": kernel("  float s = 0;\n  for (unsigned i = 0; i < m; ++i) s += sinf(s);\n  a[0] = s;"),
    "by a factor": kernel(
      "  for (unsigned s = 512; s > 0; s >>= 1) if (tid < s) a[tid] += a[tid + s];\n  for (unsigned s = 1; s < 512; s *= 2) a[tid] += a[tid + s];",
    ),
    "division is cheaper unsigned": kernel("  for (unsigned i = tid; i < m; i += 256) a[i / 3] = b[i % 7];"),
    "unrolled away": kernel("#pragma unroll\n  for (unsigned i = 0; i < 4; ++i) a[i] = b[i];"),
    "only bits": kernel("  unsigned s = 0;\n  for (unsigned i = 0; i < 32; ++i) s |= ((m >> i) & 1u) << (31 - i);\n  a[0] = s;"),
  },
  found: {
    "a constant bound": safe(
      `  for (unsigned int i = 0; i < N; ++i) a[i] = b[i];
  //   ^^^^^^^^^^^^^^ 2^32`,
      "  for (int i = 0; i < N; ++i) a[i] = b[i];",
    ),
    "every spelling": safe(
      `  for (unsigned i = 0; i < 8; i++) a[i] = 0;
  //   ^^^^^^^^^^
  for (uint i = 0; i != 8; i++) a[i] = 0;
  //   ^^^^^^
  for (uint32_t i = 0; 8 > i; i += 2) a[i] = 0;
  //   ^^^^^^^^^^
  for (std::uint32_t i = 0; i <= 8; i = i + 1) a[i] = 0;
  //   ^^^^^^^^^^^^^^^`,
      `  for (int i = 0; i < 8; i++) a[i] = 0;
  for (int i = 0; i != 8; i++) a[i] = 0;
  for (int32_t i = 0; 8 > i; i += 2) a[i] = 0;
  for (std::int32_t i = 0; i <= 8; i = i + 1) a[i] = 0;`,
    ),
    "within the limits of a launch": safe(
      `  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) a[i] = b[i];
  //   ^^^^^^^^^^`,
      "  for (int i = threadIdx.x; i < 4096; i += blockDim.x) a[i] = b[i];",
    ),
    downwards: safe(
      `  for (unsigned i = 64; i > 0; --i) a[i] = b[i];
  //   ^^^^^^^^^^`,
      "  for (int i = 64; i > 0; --i) a[i] = b[i];",
    ),
    "the guide's example": unsafe(
      `  for (unsigned int i = 0; i < n; i++) a[i] = b[tid + stride * i];
  //   ^^^^^^^^^^^^^^ a[i]`,
      "  for (int i = 0; i < n; i++) a[i] = b[tid + stride * i];",
    ),
    "an unsigned bound": unsafe(
      `  for (unsigned int i = 0; i < m; i++) a[i] = b[i];
  //   ^^^^^^^^^^^^^^`,
      "  for (int i = 0; i < m; i++) a[i] = b[i];",
    ),
    "an address by way of a variable": unsafe(
      `  for (unsigned int i = 0; i < N; i++) { int j = i * stride; a[j] = 0; }
  //   ^^^^^^^^^^^^^^ i * stride`,
      "  for (int i = 0; i < N; i++) { int j = i * stride; a[j] = 0; }",
    ),
    "a product that may overflow": unsafe(
      `  for (unsigned i = 0; i < N; i++) a[i * 4194304] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) a[i * 4194304] = 0;",
    ),
    "a difference that may wrap": unsafe(
      `  for (unsigned i = 0; i < N; i++) a[i - 1] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) a[i - 1] = 0;",
    ),
    "a difference that cannot": safe(
      `  for (unsigned i = 1; i < N; i++) a[i - 1] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 1; i < N; i++) a[i - 1] = 0;",
    ),
    "compared with what may be negative": unsafe(
      `  for (unsigned i = 0; i < N; i++) if (i < n) a[i] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) if (i < n) a[i] = 0;",
    ),
    "changed in the body": unsafe(
      `  for (unsigned i = 0; i < N; i++) { a[i] = 0; if (a[i + 1] > 0) i += 2; }
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) { a[i] = 0; if (a[i + 1] > 0) i += 2; }",
    ),
    "its address is taken": {
      code: `__device__ void f(unsigned *);\n${kernel("  for (unsigned i = 0; i < N; i++) { a[i] = 0; f(&i); }\n  //   ^^^^^^^^^^")}`,
    },
    "it narrows in braces": {
      code: kernel("  for (unsigned i = 0; i < N; i++) { a[i] = 0; uint2 v = {i, i}; }\n  //   ^^^^^^^^^^"),
    },
    "a type for two variables": {
      code: kernel("  for (unsigned i = 0, e = 8; i < e; i++) a[i] = 0;\n  //   ^^^^^^^^^^"),
    },
    "declared before the loop": unsafe(
      `  unsigned i;
//^^^^^^^^^^
  for (i = 0; i < m; i++) a[i] = 0;`,
      "  int i;\n  for (i = 0; i < m; i++) a[i] = 0;",
    ),
  },
});
