// BROKEN: the counters that the edges add to are never set to zero.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void degrees(const int2* edges, int* degree, int m) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    atomicAdd(&degree[edges[e].x], 1);  // BUG: uninitialised-memory-read (or line 10)
    atomicAdd(&degree[edges[e].y], 1);
}

int main() {
    const int nodes = 500, m = 6000;
    std::vector<int2> h(m);
    for (int e = 0; e < m; ++e) h[e] = make_int2(e % nodes, (e * 7 + 1) % nodes);
    int2* edges;
    int* degree;
    cudaMalloc(&edges, m * sizeof(int2));
    cudaMalloc(&degree, nodes * sizeof(int));
    cudaMemcpy(edges, h.data(), m * sizeof(int2), cudaMemcpyHostToDevice);

    degrees<<<(m + 255) / 256, 256>>>(edges, degree, m);
    std::vector<int> r(nodes);
    cudaMemcpy(r.data(), degree, nodes * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r[0]);
    cudaFree(edges);
    cudaFree(degree);
}
