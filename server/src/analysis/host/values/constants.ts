/** Names of the C library and the CUDA runtime that stand for numbers. */

import type { Name } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import type { Value } from "./model.ts";
import { float, int, nullPointer } from "./values.ts";

const integers: Readonly<Record<string, number>> = {
  RAND_MAX: 2147483647,
  INT_MAX: 2147483647,
  INT_MIN: -2147483648,
  UINT_MAX: 4294967295,
  SHRT_MAX: 32767,
  USHRT_MAX: 65535,
  UCHAR_MAX: 255,
  CHAR_BIT: 8,
  EXIT_SUCCESS: 0,
  EXIT_FAILURE: 1,
  EXIT_WAIVED: 2,
  TRUE: 1,
  FALSE: 0,
  cudaSuccess: 0,
  CUDA_SUCCESS: 0,
  CUBLAS_STATUS_SUCCESS: 0,
  CUFFT_SUCCESS: 0,
  CURAND_STATUS_SUCCESS: 0,
  CUSPARSE_STATUS_SUCCESS: 0,
  CUSOLVER_STATUS_SUCCESS: 0,
  cudaErrorNotReady: 600,
  cudaErrorMemoryAllocation: 2,
  cudaErrorInvalidValue: 1,
  cudaErrorPeerAccessAlreadyEnabled: 704,
  cudaErrorInvalidConfiguration: 9,
  cudaMemcpyHostToHost: 0,
  cudaMemcpyHostToDevice: 1,
  cudaMemcpyDeviceToHost: 2,
  cudaMemcpyDeviceToDevice: 3,
  cudaMemcpyDefault: 4,
  cudaHostAllocDefault: 0,
  cudaHostAllocPortable: 1,
  cudaHostAllocMapped: 2,
  cudaHostAllocWriteCombined: 4,
  cudaMemAttachGlobal: 1,
  cudaStreamDefault: 0,
  cudaStreamNonBlocking: 1,
  cudaStreamLegacy: 1,
  cudaStreamPerThread: 2,
  cudaComputeModeDefault: 0,
  cudaComputeModeExclusive: 1,
  cudaComputeModeProhibited: 2,
  cudaComputeModeExclusiveProcess: 3,
  cudaDevAttrMaxThreadsPerBlock: 1,
  cudaDevAttrMaxBlockDimX: 2,
  cudaDevAttrMaxGridDimX: 5,
  cudaDevAttrMaxSharedMemoryPerBlock: 8,
  cudaDevAttrWarpSize: 10,
  cudaDevAttrClockRate: 13,
  cudaDevAttrMultiProcessorCount: 16,
  cudaDevAttrL2CacheSize: 38,
  cudaDevAttrMaxThreadsPerMultiProcessor: 39,
  cudaDevAttrComputeCapabilityMajor: 75,
  cudaDevAttrComputeCapabilityMinor: 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor: 81,
  cudaDevAttrManagedMemory: 83,
  cudaDevAttrConcurrentManagedAccess: 89,
  cudaDevAttrCooperativeLaunch: 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin: 97,
  cudaDevAttrMemoryPoolsSupported: 115,
  cudaLaunchAttributeClusterDimension: 4,
};
const floats: Readonly<Record<string, number>> = {
  M_PI: Math.PI,
  M_PI_2: Math.PI / 2,
  M_E: Math.E,
  M_SQRT2: Math.SQRT2,
  FLT_MAX: 3.4028234663852886e38,
  FLT_MIN: 1.1754943508222875e-38,
  DBL_MAX: Number.MAX_VALUE,
  DBL_EPSILON: Number.EPSILON,
  FLT_EPSILON: 1.1920928955078125e-7,
  INFINITY: Number.POSITIVE_INFINITY,
  HUGE_VAL: Number.POSITIVE_INFINITY,
  CLOCKS_PER_SEC: 1e6,
};

/** The value of a library's name; undefined when it is none. */
export function libraryConstant(name: Name): Value | undefined {
  const text = lastName(name);
  const value = Object.hasOwn(integers, text) ? integers[text] : undefined;
  if (value !== undefined) return int(value, value > 2147483647 ? "uint" : "int");
  const number = Object.hasOwn(floats, text) ? floats[text] : undefined;
  if (number !== undefined) return float(number);
  if (text === "LONG_MAX" || text === "LLONG_MAX" || text === "INT64_MAX") return int(9223372036854775807n, "long");
  if (text === "NULL") return nullPointer;
  return undefined;
}
