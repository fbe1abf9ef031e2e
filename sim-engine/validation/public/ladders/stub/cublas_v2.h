#pragma once
#include <cuda_runtime.h>
#include <library_types.h>
typedef void *cublasHandle_t;
enum { CUBLAS_OP_N, CUBLAS_GEMM_DEFAULT_TENSOR_OP, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32 };
template <typename... T> int cublasGemmEx(T...) { return 0; }
template <typename... T> int cublasSgemm(T...) { return 0; }
