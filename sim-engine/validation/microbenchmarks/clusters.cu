// What cudaOccupancyMaxActiveClusters answers: threads and dynamic shared bytes a block, blocks an SM, and the clusters of 1 to 16 blocks
// that can be resident on the GPU. `nvcc -arch=sm_90 clusters.cu && ./a.out`
#include <cstdio>
#include <cuda_runtime.h>

__global__ void kernel(float *data) {
  extern __shared__ float shared[];
  shared[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = shared[threadIdx.x ^ 1];
}

int main() {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  printf("block\tshared\tblocksPerSm\tclusters1\tclusters2\tclusters4\tclusters8\tclusters16\n");
  for (int block : {32, 128, 256, 512, 1024})
    for (int shared : {0, 20480, 40960, 73728, 110592, 231424}) {
      int blocks = 0;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, shared);
      printf("%d\t%d\t%d", block, shared, blocks);
      for (unsigned size = 1; size <= 16; size *= 2) {
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {size, 1, 1};
        cudaLaunchConfig_t launch = {};
        launch.gridDim = dim3(16 * 1024);
        launch.blockDim = dim3(block);
        launch.dynamicSmemBytes = shared;
        launch.attrs = &attribute;
        launch.numAttrs = 1;
        int clusters = 0;
        cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch);
        printf("\t%d", clusters);
      }
      printf("\n");
    }
}
