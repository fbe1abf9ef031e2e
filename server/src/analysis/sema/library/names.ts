/** Types, variables and constants that CUDA's and C's headers declare. */
import { floatType, integerType, pointerTo, voidType } from "../type-tools.ts";
import type { IntegerName, Type } from "../types.ts";

const integers: Readonly<Record<IntegerName, readonly string[]>> = {
  bool: [],
  char: [],
  schar: ["int8_t", "int_least8_t", "int_fast8_t"],
  uchar: ["uint8_t", "uchar", "u_char", "uint_least8_t", "uint_fast8_t", "byte"],
  short: ["int16_t", "int_least16_t"],
  ushort: ["uint16_t", "ushort", "u_short", "uint_least16_t"],
  int: ["int32_t", "cudaError_t", "cudaError", "CUresult", "int_least32_t", "int_fast16_t", "cublasStatus_t", "cudaMemcpyKind"],
  uint: ["uint32_t", "uint", "u_int", "uint_least32_t"],
  long: ["int64_t", "ptrdiff_t", "ssize_t", "intptr_t", "clock_t", "time_t", "intmax_t", "int_fast32_t", "int_fast64_t", "off_t"],
  ulong: ["size_t", "uint64_t", "uintptr_t", "ulong", "u_long", "uintmax_t"],
  longlong: [],
  ulonglong: ["cudaGraphConditionalHandle"],
};

export const typeNames: readonly (readonly [name: string, type: Type])[] = [
  ...Object.entries(integers).flatMap(([kind, names]) => names.map((name) => [name, integerType(kind as IntegerName)] as const)),
  ["half", floatType("half")],
  ["__half", floatType("half")],
  ["nv_bfloat16", floatType("bfloat16")],
  ["__nv_bfloat16", floatType("bfloat16")],
  ["float32_t", floatType("float")],
  ["cufftReal", floatType("float")],
  ["cufftDoubleReal", floatType("double")],
  ["float64_t", floatType("double")],
  ["nullptr_t", pointerTo(voidType)],
  ["cudaStream_t", pointerTo(voidType)],
  ["cudaEvent_t", pointerTo(voidType)],
  ["cudaGraph_t", pointerTo(voidType)],
  ["cudaGraphExec_t", pointerTo(voidType)],
];

/** Records that have another name. */
export const recordAliases: readonly (readonly [name: string, record: string])[] = [
  ["cuFloatComplex", "float2"],
  ["cuComplex", "float2"],
  ["cufftComplex", "float2"],
  ["cufftDoubleComplex", "double2"],
  ["cuDoubleComplex", "double2"],
  ["__half2", "half2"],
  ["nv_bfloat162", "__nv_bfloat162"],
];

const int = integerType("int");
const float = floatType("float");
const double = floatType("double");

/** An enumeration's names, from 0 on. */
const enumerators = (names: readonly string[]) => names.map((name, index) => [name, int, BigInt(index)] as const);

/** Macros of headers that are not at hand, as constants. */
export const constants: readonly (readonly [name: string, type: Type, value: bigint | number])[] = [
  ["CHAR_BIT", int, 8n],
  ["SCHAR_MAX", int, 127n],
  ["SCHAR_MIN", int, -128n],
  ["CHAR_MAX", int, 127n],
  ["CHAR_MIN", int, -128n],
  ["UCHAR_MAX", int, 255n],
  ["SHRT_MAX", int, 32767n],
  ["SHRT_MIN", int, -32768n],
  ["USHRT_MAX", int, 65535n],
  ["INT_MAX", int, 2147483647n],
  ["INT_MIN", int, -2147483648n],
  ["UINT_MAX", integerType("uint"), 4294967295n],
  ["LONG_MAX", integerType("long"), 9223372036854775807n],
  ["LONG_MIN", integerType("long"), -9223372036854775808n],
  ["ULONG_MAX", integerType("ulong"), 18446744073709551615n],
  ["LLONG_MAX", integerType("longlong"), 9223372036854775807n],
  ["LLONG_MIN", integerType("longlong"), -9223372036854775808n],
  ["ULLONG_MAX", integerType("ulonglong"), 18446744073709551615n],
  ["INT8_MAX", int, 127n],
  ["INT16_MAX", int, 32767n],
  ["INT32_MAX", int, 2147483647n],
  ["INT32_MIN", int, -2147483648n],
  ["UINT8_MAX", int, 255n],
  ["UINT16_MAX", int, 65535n],
  ["UINT32_MAX", integerType("uint"), 4294967295n],
  ["INT64_MAX", integerType("long"), 9223372036854775807n],
  ["INT64_MIN", integerType("long"), -9223372036854775808n],
  ["UINT64_MAX", integerType("ulong"), 18446744073709551615n],
  ["SIZE_MAX", integerType("ulong"), 18446744073709551615n],
  ["RAND_MAX", int, 2147483647n],
  ["NULL", integerType("long"), 0n],
  ["FLT_MAX", float, (2 - 2 ** -23) * 2 ** 127],
  ["FLT_MIN", float, 2 ** -126],
  ["FLT_EPSILON", float, 2 ** -23],
  ["MAXFLOAT", float, (2 - 2 ** -23) * 2 ** 127],
  ["DBL_MAX", double, Number.MAX_VALUE],
  ["DBL_MIN", double, 2 ** -1022],
  ["DBL_EPSILON", double, Number.EPSILON],
  ["INFINITY", float, Number.POSITIVE_INFINITY],
  ["HUGE_VALF", float, Number.POSITIVE_INFINITY],
  ["HUGE_VAL", double, Number.POSITIVE_INFINITY],
  ["NAN", float, Number.NaN],
  ["M_PI", double, Math.PI],
  ["M_PI_2", double, Math.PI / 2],
  ["M_PI_4", double, Math.PI / 4],
  ["M_1_PI", double, 1 / Math.PI],
  ["M_2_PI", double, 2 / Math.PI],
  ["M_2_SQRTPI", double, 2 / Math.sqrt(Math.PI)],
  ["M_E", double, Math.E],
  ["M_LOG2E", double, Math.LOG2E],
  ["M_LN2", double, Math.LN2],
  ["M_LN10", double, Math.LN10],
  ["M_SQRT2", double, Math.SQRT2],
  ["M_SQRT1_2", double, Math.SQRT1_2],
  ["M_PIf", float, Math.fround(Math.PI)],
  ["CUDART_INF_F", float, Number.POSITIVE_INFINITY],
  ["CUDART_NAN_F", float, Number.NaN],
  ["CUDART_PI_F", float, Math.fround(Math.PI)],
  ["CUDART_PI", double, Math.PI],
  ["CUDART_INF", double, Number.POSITIVE_INFINITY],
  ["CUDART_MAX_NORMAL_F", float, (2 - 2 ** -23) * 2 ** 127],
  ["cudaReadModeElementType", int, 0n],
  ["cudaReadModeNormalizedFloat", int, 1n],
  ["cudaTextureType1D", int, 1n],
  ["cudaTextureType2D", int, 2n],
  ["cudaTextureType3D", int, 3n],
  ["cudaTextureTypeCubemap", int, 12n],
  ["cudaTextureType1DLayered", int, 241n],
  ["cudaTextureType2DLayered", int, 242n],
  ["cudaTextureTypeCubemapLayered", int, 252n],
  ...enumerators(["cudaAddressModeWrap", "cudaAddressModeClamp", "cudaAddressModeMirror", "cudaAddressModeBorder"]),
  ...enumerators(["cudaFilterModePoint", "cudaFilterModeLinear"]),
  ...enumerators(["cudaResourceTypeArray", "cudaResourceTypeMipmappedArray", "cudaResourceTypeLinear", "cudaResourceTypePitch2D"]),
  ...enumerators(["cudaChannelFormatKindSigned", "cudaChannelFormatKindUnsigned", "cudaChannelFormatKindFloat"]),
  ...enumerators(["cudaBoundaryModeZero", "cudaBoundaryModeClamp", "cudaBoundaryModeTrap"]),
  ["cudaStreamDefault", int, 0n],
  ["cudaStreamNonBlocking", int, 1n],
  ["cudaStreamGraphTailLaunch", integerType("long"), 0n],
  ["cudaStreamGraphFireAndForget", integerType("long"), 0n],
  ["cudaStreamTailLaunch", integerType("long"), 0n],
  ["cudaStreamFireAndForget", integerType("long"), 0n],
  ["cudaSuccess", int, 0n],
  ["cudaMemcpyHostToHost", int, 0n],
  ["cudaMemcpyHostToDevice", int, 1n],
  ["cudaMemcpyDeviceToHost", int, 2n],
  ["cudaMemcpyDeviceToDevice", int, 3n],
  ["cudaMemcpyDefault", int, 4n],
];

const sizes = (...names: readonly string[]): (readonly [type: string, name: string])[] => names.map((name) => ["size_t", name]);

/** Records of the runtime that kernels take. */
export const runtimeRecords: readonly (readonly [name: string, fields: readonly (readonly [type: string, name: string])[]])[] = [
  ["cudaExtent", sizes("width", "height", "depth")],
  ["cudaPos", sizes("x", "y", "z")],
  ["cudaPitchedPtr", [["void*", "ptr"], ...sizes("pitch", "xsize", "ysize")]],
  [
    "cudaLaunchConfig_t",
    [
      ["dim3", "gridDim"],
      ["dim3", "blockDim"],
      ...sizes("dynamicSmemBytes"),
      ["void*", "stream"],
      ["void*", "attrs"],
      ["unsigned int", "numAttrs"],
    ],
  ],
  [
    "cudaKernelNodeParams",
    [
      ["void*", "func"],
      ["dim3", "gridDim"],
      ["dim3", "blockDim"],
      ["unsigned int", "sharedMemBytes"],
      ["void**", "kernelParams"],
      ["void**", "extra"],
    ],
  ],
];

/** Scalar kinds of vector types: `float4`, `uchar2`; with bytes. */
export const vectorKinds: readonly (readonly [prefix: string, component: string, bytes: number])[] = [
  ["char", "signed char", 1],
  ["uchar", "unsigned char", 1],
  ["short", "short", 2],
  ["ushort", "unsigned short", 2],
  ["int", "int", 4],
  ["uint", "unsigned int", 4],
  ["long", "long", 8],
  ["ulong", "unsigned long", 8],
  ["longlong", "long long", 8],
  ["ulonglong", "unsigned long long", 8],
  ["float", "float", 4],
  ["double", "double", 8],
];

/** Variables every kernel has; `type` is a record's name, or "int". */
export const deviceVariables: readonly (readonly [name: string, type: string])[] = [
  ["threadIdx", "uint3"],
  ["blockIdx", "uint3"],
  ["blockDim", "dim3"],
  ["gridDim", "dim3"],
  ["warpSize", "int"],
];
