/**
 * `cuda.h`, as far as tensor maps go: what `cuTensorMapEncodeTiled` is told, which the driver packs in a form of its own, stands here
 * in plain fields of as many bytes (see the engine's `tensor-maps.ts`). What the driver refuses is refused.
 */
export const driver = `#pragma once
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef int CUdevice;
typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_NOT_FOUND = 500 } CUresult;
typedef enum CUdriverProcAddressQueryResult_enum { CU_GET_PROC_ADDRESS_SUCCESS = 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2 } CUdriverProcAddressQueryResult;
typedef enum CUtensorMapDataType_enum {
 CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_INT32,
 CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
 CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
 CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum { CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B } CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum { CU_TENSOR_MAP_SWIZZLE_NONE = 0, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B } CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum { CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B } CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA } CUtensorMapFloatOOBfill;
typedef struct alignas(64) CUtensorMap_st {
 void *address;
 cuuint64_t size[5];
 cuuint64_t stride[4];
 unsigned short box[5];
 unsigned char step[5];
 unsigned char rank;
 unsigned char type;
 unsigned char swizzle;
 unsigned char interleave;
 unsigned char fill;
 unsigned char rest[28];
} CUtensorMap;
inline CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *size,
                                       const cuuint64_t *stride, const cuuint32_t *box, const cuuint32_t *step, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
 if (rank < 1 || rank > 5) return CUDA_ERROR_INVALID_VALUE;
 for (cuuint32_t k = 0; k < rank; k++)
  if (box[k] < 1 || box[k] > 256 || step[k] < 1 || step[k] > 8) return CUDA_ERROR_INVALID_VALUE;
 map->address = address;
 for (cuuint32_t k = 0; k < 5; k++) {
  map->size[k] = k < rank ? size[k] : 1;
  map->box[k] = k < rank ? box[k] : 1;
  map->step[k] = k < rank ? step[k] : 1;
  if (k < 4) map->stride[k] = k + 1 < rank ? stride[k] : 0;
 }
 map->rank = rank;
 map->type = type;
 map->swizzle = swizzle;
 map->interleave = interleave;
 map->fill = fill;
 return CUDA_SUCCESS;
}
typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                                                      const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                                      CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1, cudaDriverEntryPointVersionNotSufficent = 2 };
enum { cudaEnableDefault = 0, cudaEnableLegacyStream = 1, cudaEnablePerThreadDefaultStream = 2, CU_GET_PROC_ADDRESS_DEFAULT = 0 };
inline bool warplens_is_encode(const char *name) {
 const char *wanted = "cuTensorMapEncodeTiled";
 for (int k = 0; k < 23; k++)
  if (name[k] != wanted[k]) return false;
 return true;
}
inline cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long, cudaDriverEntryPointQueryResult *result = nullptr) {
 bool found = warplens_is_encode(name);
 *function = found ? (void *)cuTensorMapEncodeTiled : nullptr;
 if (result) *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
 return cudaSuccess;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long flags, cudaDriverEntryPointQueryResult *result = nullptr) {
 return cudaGetDriverEntryPoint(name, function, flags, result);
}
inline CUresult cuGetProcAddress(const char *name, void **function, int, unsigned long long flags, CUdriverProcAddressQueryResult *result = nullptr) {
 cudaGetDriverEntryPoint(name, function, flags);
 if (result) *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
 return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
`;
