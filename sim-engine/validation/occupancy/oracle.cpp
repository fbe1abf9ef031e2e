// NVIDIA's occupancy calculation, asked case by case. Needs the toolkit's header; no GPU, no CUDA runtime.
// stdin, a case a line: major minor registers staticShared dynamicShared blockSize carveout optIn barriers caching
// stdout, the case and what the header answers:
//   blocks limiters limitWarps limitRegisters limitShared limitBlocks limitBarriers registersPerBlock sharedPerBlock preferredShared caching
// limiters: bits 1 warps, 2 registers, 4 shared memory, 8 blocks, 16 barriers. A limit that does not apply is -1.
#include <cuda_occupancy.h>
#include <cstdio>

struct Limits {
  int major, minor, threadsPerSm, registersPerSm, registersPerBlock;
  int sharedPerSm, sharedPerBlockOptIn, reserved;
};
// CUDA C++ Programming Guide, Technical Specifications per Compute Capability; kilobytes of shared memory.
static const Limits known[] = {
    {3, 5, 2048, 65536, 65536, 48, 48, 0},      {3, 7, 2048, 131072, 65536, 112, 48, 0},    {5, 0, 2048, 65536, 65536, 64, 48, 0},
    {5, 2, 2048, 65536, 65536, 96, 48, 0},      {5, 3, 2048, 65536, 32768, 64, 48, 0},      {6, 0, 2048, 65536, 65536, 64, 48, 0},
    {6, 1, 2048, 65536, 65536, 96, 48, 0},      {6, 2, 2048, 65536, 32768, 64, 48, 0},      {7, 0, 2048, 65536, 65536, 96, 96, 0},
    {7, 2, 2048, 65536, 65536, 96, 96, 0},      {7, 5, 1024, 65536, 65536, 64, 64, 0},      {8, 0, 2048, 65536, 65536, 164, 163, 1024},
    {8, 6, 1536, 65536, 65536, 100, 99, 1024},  {8, 7, 1536, 65536, 65536, 164, 163, 1024}, {8, 9, 1536, 65536, 65536, 100, 99, 1024},
    {9, 0, 2048, 65536, 65536, 228, 227, 1024}, {10, 0, 2048, 65536, 65536, 228, 227, 1024}, {10, 3, 2048, 65536, 65536, 228, 227, 1024},
    {11, 0, 1536, 65536, 65536, 228, 227, 1024}, {12, 0, 1536, 65536, 65536, 100, 99, 1024}, {12, 1, 1536, 65536, 65536, 100, 99, 1024},
};

static int limit(int blocks) { return blocks == INT_MAX ? -1 : blocks; }

int main() {
  int major, minor, registers, fixedShared, dynamicShared, block, carveout, optIn, barriers, caching;
  while (scanf("%d %d %d %d %d %d %d %d %d %d", &major, &minor, &registers, &fixedShared, &dynamicShared, &block, &carveout, &optIn,
               &barriers, &caching) == 10) {
    const Limits *limits = nullptr;
    for (const Limits &l : known)
      if (l.major == major && l.minor == minor) limits = &l;
    if (!limits) return 1;
    cudaOccDeviceProp device;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = limits->threadsPerSm;
    device.regsPerBlock = limits->registersPerBlock;
    device.regsPerMultiprocessor = limits->registersPerSm;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = limits->sharedPerSm * 1024;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = limits->sharedPerBlockOptIn * 1024;
    device.reservedSharedMemPerBlock = limits->reserved;
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = 1024;
    function.numRegs = registers;
    function.sharedSizeBytes = fixedShared;
    function.partitionedGCConfig = (cudaOccPartitionedGCConfig)caching;
    function.shmemLimitConfig = optIn ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    function.maxDynamicSharedSizeBytes = dynamicShared;
    function.numBlockBarriers = barriers;
    function.virtualResourceCount = 0;
    cudaOccDeviceState state;
    state.carveoutConfig = carveout;
    cudaOccResult got;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&got, &device, &function, &state, block, dynamicShared) != CUDA_OCC_SUCCESS) return 2;
    size_t preferred = 0;
    cudaOccSMemPerMultiprocessor(&preferred, &device, &state);
    printf("%d %d %d %d %d %d %d %d %d %d %d %u %d %d %d %d %d %d %zu %zu %d\n", major, minor, registers, fixedShared, dynamicShared, block,
           carveout, optIn, barriers, caching, got.activeBlocksPerMultiprocessor, got.limitingFactors & 31, limit(got.blockLimitWarps),
           limit(got.blockLimitRegs), limit(got.blockLimitSharedMem), limit(got.blockLimitBlocks), limit(got.blockLimitBarriers),
           got.allocatedRegistersPerBlock, got.allocatedSharedMemPerBlock, preferred, (int)got.partitionedGCConfig);
  }
}
