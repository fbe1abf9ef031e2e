// What the driver says of the first GPU. Kernels for another architecture need not run: it has none.
#include "measure.h"

int main() {
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  printf("name %s\n", prop.name);
  printf("computeCapability %d.%d\n", prop.major, prop.minor);
  sample("smCount", prop.multiProcessorCount);
  sample("l2Bytes", prop.l2CacheSize);
  sample("dramBytes", (double)prop.totalGlobalMem);
  sample("memoryClock", attribute(cudaDevAttrMemoryClockRate) / 1000.0);
  sample("memoryBus", attribute(cudaDevAttrGlobalMemoryBusWidth));
  return 0;
}
