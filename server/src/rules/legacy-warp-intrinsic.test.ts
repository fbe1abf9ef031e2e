import { testRule } from "../testing/rule-tables.ts";
import rule from "./legacy-warp-intrinsic.ts";

const kernel = (body: string, launch = "k<<<4, 128>>>(0, 1);"): string =>
  `__global__ void k(float *a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float v = a[i];\n${body}\n  a[i] = v;\n}\nint main() { ${launch} }`;
const safe = (marked: string, fixed: string) => ({ code: kernel(marked), fixed: kernel(fixed) });
const unsafe = (marked: string, fixed: string) => ({ code: kernel(marked), unsafe: kernel(fixed) });

testRule(rule, {
  clean: {
    "with a mask": kernel(
      "  v += __shfl_down_sync(0xffffffff, v, 16);\n  if (__any_sync(0xffffffff, v > 0)) v = __ballot_sync(0xffffffff, v > 1);",
    ),
    "a function of the program's own": `__device__ float __shfl_down(float v, int d) { return __shfl_down_sync(0xffffffff, v, d); }\n${kernel("  v += __shfl_down(v, 16);")}`,
    "a macro of the program's own": `#define __shfl_xor(v, d) __shfl_xor_sync(0xffffffff, v, d)\n${kernel("  v += __shfl_xor(v, 16);")}`,
    "for old compilers only": kernel(
      "#if CUDART_VERSION < 9000\n  v += __shfl(v, 0);\n#else\n  v += __shfl_sync(0xffffffff, v, 0);\n#endif",
    ),
    "for old toolkits only": kernel(
      "#if __CUDACC_VER_MAJOR__ >= 9\n  v += __shfl_sync(0xffffffff, v, 0);\n#else\n  v += __shfl(v, 0);\n#endif",
    ),
    "another namespace's": `namespace mine { __device__ float __shfl(float v, int l) { return v + l; } }\n${kernel("  v += mine::__shfl(v, 0);")}`,
  },
  found: {
    "each of them, the arguments as they were": safe(
      `  v += __shfl(v, 0);
  //   ^^^^^^ since Volta
  v += __shfl_up(v, 1, 16);
  //   ^^^^^^^^^
  v += __shfl_down(v * 2, (1));
  //   ^^^^^^^^^^^
  v += __shfl_xor( v, 1);
  //   ^^^^^^^^^^
  if (__any(v > 0)) v = 1;
  //  ^^^^^
  if (__all(v > 0)) v = 2;
  //  ^^^^^
  v += __ballot(v > 3);
  //   ^^^^^^^^`,
      `  v += __shfl_sync(0xffffffff, v, 0);
  v += __shfl_up_sync(0xffffffff, v, 1, 16);
  v += __shfl_down_sync(0xffffffff, v * 2, (1));
  v += __shfl_xor_sync(0xffffffff,  v, 1);
  if (__any_sync(0xffffffff, v > 0)) v = 1;
  if (__all_sync(0xffffffff, v > 0)) v = 2;
  v += __ballot_sync(0xffffffff, v > 3);`,
    ),
    "in a loop that all lanes make alike": safe(
      `  for (int d = 16; d > 0; d >>= 1) v += __shfl_down(v, d);
  //                                    ^^^^^^^^^^^`,
      "  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);",
    ),
    "under what the block decides": safe(
      `  if (blockIdx.x == 0 && n > 3) v += __shfl(v, 0);
  //                                 ^^^^^^`,
      "  if (blockIdx.x == 0 && n > 3) v += __shfl_sync(0xffffffff, v, 0);",
    ),
    "under what a vote decides": safe(
      `  while (__any_sync(0xffffffff, v > 0)) v -= __shfl(v, 0);
  //                                         ^^^^^^`,
      "  while (__any_sync(0xffffffff, v > 0)) v -= __shfl_sync(0xffffffff, v, 0);",
    ),
    "under what the thread decides": unsafe(
      `  if (i < n) v += __shfl(v, 0);
  //              ^^^^^^ \`i < n\` may differ`,
      "  if (i < n) v += __shfl_sync(__activemask(), v, 0);",
    ),
    "in a loop that lanes leave apart": unsafe(
      `  for (int j = i; j < n; j += 32) v += __shfl(v, 0);
  //                                   ^^^^^^ different iterations`,
      "  for (int j = i; j < n; j += 32) v += __shfl_sync(__activemask(), v, 0);",
    ),
    "behind a return of some": unsafe(
      `  if (i >= n) return;
  v += __shfl(v, 0);
  //   ^^^^^^ \`return\``,
      "  if (i >= n) return;\n  v += __shfl_sync(__activemask(), v, 0);",
    ),
    "behind a return of all": safe(
      `  if (blockIdx.x >= n) return;
  v += __shfl(v, 0);
  //   ^^^^^^`,
      "  if (blockIdx.x >= n) return;\n  v += __shfl_sync(0xffffffff, v, 0);",
    ),
    "behind a break of some": unsafe(
      `  for (int j = 0; j < n; ++j) { if (a[j] > v) break; v += __shfl(v, 0); }
  //                                                      ^^^^^^ \`break\``,
      "  for (int j = 0; j < n; ++j) { if (a[j] > v) break; v += __shfl_sync(__activemask(), v, 0); }",
    ),
    "in one arm of a choice": unsafe(
      `  v = v > 0 ? __shfl(v, 0) : 0;
  //          ^^^^^^`,
      "  v = v > 0 ? __shfl_sync(__activemask(), v, 0) : 0;",
    ),
    "the second of two conditions": unsafe(
      `  if (v > 0 && __any(v > 1)) v = 0;
  //           ^^^^^`,
      "  if (v > 0 && __any_sync(__activemask(), v > 1)) v = 0;",
    ),
    "asking for the active lanes": unsafe(
      `  if (i < n) v = __ballot(1);
  //             ^^^^^^^^ \`__activemask()\``,
      "  if (i < n) v = __activemask();",
    ),
    "by the number of the warp, in blocks of whole warps": safe(
      `  if (threadIdx.x / 32 == 0) v += __shfl(v, 0);
  //                              ^^^^^^`,
      "  if (threadIdx.x / 32 == 0) v += __shfl_sync(0xffffffff, v, 0);",
    ),
    "by the number of the warp, in rows that end within one": {
      code: kernel(
        "  if (threadIdx.x / 32 == 0) v += __shfl(v, 0);\n  //                              ^^^^^^",
        "k<<<4, dim3(16, 16)>>>(0, 1);",
      ),
      unsafe: kernel("  if (threadIdx.x / 32 == 0) v += __shfl_sync(__activemask(), v, 0);", "k<<<4, dim3(16, 16)>>>(0, 1);"),
    },
    "in a function that is called by all": {
      code: `__device__ float sum(float v) {\n  return v + __shfl_xor(v, 1);\n  //         ^^^^^^^^^^\n}\n${kernel("  v = sum(v);")}`,
      fixed: `__device__ float sum(float v) {\n  return v + __shfl_xor_sync(0xffffffff, v, 1);\n}\n${kernel("  v = sum(v);")}`,
    },
    "in a function that is called by some": {
      code: `__device__ float sum(float v) {\n  return v + __shfl_xor(v, 1);\n  //         ^^^^^^^^^^ is called where\n}\n${kernel("  if (i < n) v = sum(v);")}`,
      unsafe: `__device__ float sum(float v) {\n  return v + __shfl_xor_sync(__activemask(), v, 1);\n}\n${kernel("  if (i < n) v = sum(v);")}`,
    },
    "in a function that nobody calls": {
      code: "__device__ float sum(float v) {\n  return v + __shfl_xor(v, 1);\n  //         ^^^^^^^^^^ not known who calls\n}",
      unsafe: "__device__ float sum(float v) {\n  return v + __shfl_xor_sync(__activemask(), v, 1);\n}",
    },
    "in a macro's body, once": {
      code: `#define SUM(v) v += __shfl_xor(v, 1)\n//                  ^^^^^^^^^^\n${kernel("  SUM(v);\n  SUM(v);")}`,
      fixed: `#define SUM(v) v += __shfl_xor_sync(0xffffffff, v, 1)\n${kernel("  SUM(v);\n  SUM(v);")}`,
    },
    "in a macro's body, where the uses differ: at the first of them": {
      code: `#define SUM(v) v += __shfl_xor(v, 1)\n${kernel("  SUM(v);\n//^^^^^^\n  if (i < n) SUM(v);")}`,
    },
  },
});
