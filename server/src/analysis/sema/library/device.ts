/** What threads do together: barriers, warps, atomics, cached loads and stores, asynchronous copies. */
import type { Recipe } from "./recipe.ts";

type Entry = readonly [recipe: Recipe, ...signatures: string[]];

const atomicTypes = [
  "int",
  "unsigned",
  "unsigned long long",
  "float",
  "double",
  "half",
  "half2",
  "__nv_bfloat16",
  "__nv_bfloat162",
  "float2",
  "float4",
  "unsigned long",
  "long long",
  "long",
] as const;
const atomicOperations: readonly (readonly [name: string, op: (Recipe & { kind: "atomic" })["op"], types: readonly string[]])[] = [
  ["Add", "add", atomicTypes],
  ["Sub", "sub", ["int", "unsigned"]],
  ["Exch", "exch", ["int", "unsigned", "unsigned long long", "float", "unsigned long", "long long", "long"]],
  ["Min", "min", ["int", "unsigned", "unsigned long long", "long long", "unsigned long", "long"]],
  ["Max", "max", ["int", "unsigned", "unsigned long long", "long long", "unsigned long", "long"]],
  ["Inc", "inc", ["unsigned"]],
  ["Dec", "dec", ["unsigned"]],
  ["And", "and", ["int", "unsigned", "unsigned long long", "unsigned long"]],
  ["Or", "or", ["int", "unsigned", "unsigned long long", "unsigned long"]],
  ["Xor", "xor", ["int", "unsigned", "unsigned long long", "unsigned long"]],
];
const scopes = [
  ["", "device"],
  ["_block", "block"],
  ["_system", "system"],
] as const;

const atomics: Entry[] = scopes.flatMap(([suffix, scope]): Entry[] => [
  ...atomicOperations.map(
    ([name, op, types]): Entry => [
      { kind: "atomic", op, scope },
      ...types.map((type) => `${type} atomic${name}${suffix}(${type}*, ${type})`),
    ],
  ),
  [
    { kind: "atomic", op: "cas", scope },
    ...["int", "unsigned", "unsigned long long", "unsigned short", "unsigned long", "long long"].map(
      (type) => `${type} atomicCAS${suffix}(${type}*, ${type}, ${type})`,
    ),
  ],
]);

const loads: Entry[] = (["ca", "cg", "cs", "cv", "lu"] as const).map(
  (cache): Entry => [{ kind: "load", cache }, `T __ld${cache}(const T*)`],
);
const stores: Entry[] = (["wb", "cg", "cs", "wt"] as const).map(
  (cache): Entry => [{ kind: "store", cache }, `<T, U> void __st${cache}(T*, U)`],
);

const reductions = (["add", "min", "max"] as const).map(
  (op): Entry => [{ kind: "reduce", op }, `unsigned __reduce_${op}_sync(unsigned, unsigned)`, `int __reduce_${op}_sync(unsigned, int)`],
);
const bitReductions = (["and", "or", "xor"] as const).map(
  (op): Entry => [{ kind: "reduce", op }, `unsigned __reduce_${op}_sync(unsigned, unsigned)`],
);

export const deviceFunctions: readonly Entry[] = [
  [{ kind: "barrier" }, "void __syncthreads()", "void __barrier_sync(unsigned)"],
  // What the headers of barriers and pipelines are made of.
  [{ kind: "special form", name: "barrier wait" }, "void __warplens_barrier_wait()"],
  [{ kind: "special form", name: "barrier arrive" }, "void __warplens_barrier_arrive()"],
  // And those of matrices: lines, their length, whether they run the other way.
  [{ kind: "special form", name: "matrix load" }, "<int L, int C, bool T, X, P> void __warplens_matrix_load(X*, const P*, unsigned)"],
  [
    { kind: "special form", name: "sums load" },
    "<int L, int C, bool T, int K, X, P> void __warplens_matrix_load_sums(X*, const P*, unsigned)",
  ],
  [
    { kind: "special form", name: "sums store" },
    "<int L, int C, bool T, int K, X, P> void __warplens_matrix_store(P*, const X*, unsigned)",
  ],
  [
    { kind: "special form", name: "matrix product" },
    "<int M, int N, int K, E, D, A, B, C> void __warplens_matrix_product(D*, const A*, const B*, const C*)",
  ],
  [{ kind: "barrier", reduce: "count" }, "int __syncthreads_count(int)"],
  [{ kind: "barrier", reduce: "and" }, "int __syncthreads_and(int)"],
  [{ kind: "barrier", reduce: "or" }, "int __syncthreads_or(int)"],
  [{ kind: "syncwarp" }, "void __syncwarp(unsigned = 4294967295)"],
  [{ kind: "fence", scope: "block" }, "void __threadfence_block()"],
  [{ kind: "fence", scope: "device" }, "void __threadfence()"],
  [{ kind: "fence", scope: "system" }, "void __threadfence_system()"],

  [{ kind: "shuffle", mode: "idx", sync: true }, "T __shfl_sync(unsigned, T, int, int = 32)"],
  [{ kind: "shuffle", mode: "up", sync: true }, "T __shfl_up_sync(unsigned, T, unsigned, int = 32)"],
  [{ kind: "shuffle", mode: "down", sync: true }, "T __shfl_down_sync(unsigned, T, unsigned, int = 32)"],
  [{ kind: "shuffle", mode: "xor", sync: true }, "T __shfl_xor_sync(unsigned, T, int, int = 32)"],
  [{ kind: "shuffle", mode: "idx", sync: false }, "T __shfl(T, int, int = 32)"],
  [{ kind: "shuffle", mode: "up", sync: false }, "T __shfl_up(T, unsigned, int = 32)"],
  [{ kind: "shuffle", mode: "down", sync: false }, "T __shfl_down(T, unsigned, int = 32)"],
  [{ kind: "shuffle", mode: "xor", sync: false }, "T __shfl_xor(T, int, int = 32)"],
  [{ kind: "vote", mode: "any", sync: true }, "int __any_sync(unsigned, int)"],
  [{ kind: "vote", mode: "all", sync: true }, "int __all_sync(unsigned, int)"],
  [{ kind: "vote", mode: "uni", sync: true }, "int __uni_sync(unsigned, int)"],
  [{ kind: "vote", mode: "ballot", sync: true }, "unsigned __ballot_sync(unsigned, int)"],
  [{ kind: "vote", mode: "any", sync: false }, "int __any(int)", "int any(int)"],
  [{ kind: "vote", mode: "all", sync: false }, "int __all(int)", "int all(int)"],
  [{ kind: "vote", mode: "ballot", sync: false }, "unsigned __ballot(int)", "unsigned ballot(int)"],
  [{ kind: "match", mode: "any" }, "unsigned __match_any_sync(unsigned, T)"],
  [{ kind: "special form", name: "match all" }, "unsigned __match_all_sync(unsigned, T, int*)"],
  ...reductions,
  ...bitReductions,
  [{ kind: "special", register: "activemask" }, "unsigned __activemask()"],
  [{ kind: "special form", name: "lane mask lt" }, "unsigned __lanemask_lt()"],

  ...atomics,
  // The newer spelling: an order and perhaps a scope follow.
  [{ kind: "load", atomic: "device" }, "T __nv_atomic_load_n(const T*, ...)"],
  [{ kind: "store", atomic: "device" }, "<T, U> void __nv_atomic_store_n(T*, U, ...)"],
  // What the header of atomics is made of.
  ...scopes.flatMap(([suffix, scope]): Entry[] => [
    [{ kind: "load", atomic: scope }, `T __warplens_atomic_load${suffix}(const T*)`],
    [{ kind: "store", atomic: scope }, `<T, U> void __warplens_atomic_store${suffix}(T*, U)`],
  ]),
  ...(["add", "min", "max", "and", "or", "xor"] as const).map(
    (op): Entry => [{ kind: "atomic", op, scope: "device" }, `<T, U> T __nv_atomic_fetch_${op}(T*, U, ...)`],
  ),
  [{ kind: "atomic", op: "exch", scope: "device" }, "<T, U> T __nv_atomic_exchange_n(T*, U, ...)"],
  [{ kind: "load", cache: "nc" }, "T __ldg(const T*)"],
  ...loads,
  ...stores,

  [{ kind: "copy.async" }, "void __pipeline_memcpy_async(void*, const void*, size_t, size_t = 0)"],
  [{ kind: "copy.commit" }, "void __pipeline_commit()"],
  [{ kind: "copy.wait" }, "void __pipeline_wait_prior(size_t)"],
  [
    { kind: "special form", name: "memcpy" },
    "void* memcpy(void*, const void*, size_t)",
    "void* memmove(void*, const void*, size_t)",
    "void* __builtin_memcpy(void*, const void*, size_t)",
  ],
  [{ kind: "special form", name: "memset" }, "void* memset(void*, int, size_t)", "void* __builtin_memset(void*, int, size_t)"],

  [{ kind: "special", register: "clock" }, "long long clock64()", "long clock()", "long __clock()"],
  [{ kind: "special", register: "globaltimer" }, "unsigned long long __globaltimer()"],
  [{ kind: "call", callee: "printf" }, "int printf(const char*, ...)"],
  [{ kind: "ignore", time: "the warp sleeps about as long as it says" }, "void __nanosleep(unsigned)"],
  [
    { kind: "ignore" },
    "void assert(bool)",
    "void __prof_trigger(int)",
    "void __builtin_assume(bool)",
    "void __builtin_unreachable()",
    "void __assume(bool)",
    "void static_assert(bool)",
    "void __pipeline_arrive_on(void*)",
    "void cudaGridDependencySynchronize()",
    "void cudaTriggerProgrammaticLaunchCompletion()",
  ],
  [{ kind: "special form", name: "expect" }, "long __builtin_expect(long, long)"],
  [{ kind: "special form", name: "assume aligned" }, "void* __builtin_assume_aligned(const void*, size_t)"],
  [{ kind: "trap" }, "void __trap()", "void abort()", "void __brkpt()", "void exit(int)"],
  [{ kind: "special form", name: "shared address" }, "size_t __cvta_generic_to_shared(const void*)"],
  [{ kind: "special form", name: "is shared" }, "unsigned __isShared(const void*)"],
  [{ kind: "special form", name: "is global" }, "unsigned __isGlobal(const void*)"],
  [{ kind: "special form", name: "device cudaMalloc" }, "<T> int cudaMalloc(T**, size_t)"],
  [
    { kind: "special form", name: "runtime call" },
    ...[
      "cudaFree",
      "cudaStreamCreateWithFlags",
      "cudaStreamDestroy",
      "cudaDeviceSynchronize",
      "cudaMemcpyAsync",
      "cudaMemsetAsync",
      "cudaGetLastError",
      "cudaPeekAtLastError",
      "cudaEventCreateWithFlags",
      "cudaEventRecord",
      "cudaEventDestroy",
      "cudaStreamWaitEvent",
      "cudaGraphLaunch",
      "cudaGraphSetConditional",
    ].map((name) => `int ${name}(...)`),
  ],
  [{ kind: "special form", name: "current graph" }, "cudaGraphExec_t cudaGetCurrentGraphExec()"],
  [{ kind: "special form", name: "device malloc" }, "void* malloc(size_t)"],
  [{ kind: "call", callee: "free" }, "void free(void*)"],
];
