// Kernels in the style of Rodinia: hotspot, pathfinder, breadth-first search, k-means, needleman-wunsch, srad.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BLOCK_SIZE 16
#define HALO 1
#define IN_RANGE(x, lo, hi) ((x) >= (lo) && (x) <= (hi))

__global__ void hotspot(int iteration, const float *power, const float *temp_src, float *temp_dst, int grid_cols, int grid_rows,
                        float Cap, float Rx, float Ry, float Rz, float step) {
    __shared__ float temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float power_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float temp_t[BLOCK_SIZE][BLOCK_SIZE];
    float amb_temp = 80.0f;
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    float step_div_Cap = step / Cap, Rx_1 = 1 / Rx, Ry_1 = 1 / Ry, Rz_1 = 1 / Rz;
    int small = BLOCK_SIZE - iteration * 2;
    int blkY = small * by - iteration, blkX = small * bx - iteration;
    int yidx = blkY + ty, xidx = blkX + tx;
    int index = grid_cols * yidx + xidx;
    bool inside = IN_RANGE(yidx, 0, grid_rows - 1) && IN_RANGE(xidx, 0, grid_cols - 1);
    if (inside) {
        temp_on_cuda[ty][tx] = temp_src[index];
        power_on_cuda[ty][tx] = power[index];
    }
    __syncthreads();
    int N = ty == 0 ? 0 : ty - 1, S = ty == BLOCK_SIZE - 1 ? BLOCK_SIZE - 1 : ty + 1;
    int W = tx == 0 ? 0 : tx - 1, E = tx == BLOCK_SIZE - 1 ? BLOCK_SIZE - 1 : tx + 1;
    bool computed = false;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2) && inside) {
            computed = true;
            temp_t[ty][tx] = temp_on_cuda[ty][tx] +
                             step_div_Cap * (power_on_cuda[ty][tx] + (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0f * temp_on_cuda[ty][tx]) * Ry_1 +
                                             (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0f * temp_on_cuda[ty][tx]) * Rx_1 + (amb_temp - temp_on_cuda[ty][tx]) * Rz_1);
        }
        __syncthreads();
        if (i == iteration - 1) break;
        if (computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
        __syncthreads();
    }
    if (computed) temp_dst[index] = temp_t[ty][tx];
}

__global__ void pathfinder(int iteration, const int *gpuWall, const int *gpuSrc, int *gpuResults, int cols, int startStep) {
    __shared__ int prev[256];
    __shared__ int result[256];
    int tx = threadIdx.x;
    int small = 256 - iteration * HALO * 2;
    int blkX = small * blockIdx.x - HALO * iteration;
    int xidx = blkX + tx;
    int W = max(tx - 1, 0), E = min(tx + 1, 255);
    bool valid = xidx >= 0 && xidx < cols;
    if (valid) prev[tx] = gpuSrc[xidx];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, 256 - i - 2) && valid) {
            computed = true;
            int shortest = min(min(prev[W], prev[tx]), prev[E]);
            result[tx] = shortest + gpuWall[cols * (startStep + i) + xidx];
        }
        __syncthreads();
        if (i == iteration - 1) break;
        if (computed) prev[tx] = result[tx];
        __syncthreads();
    }
    if (computed) gpuResults[xidx] = result[tx];
}

struct Node { int starting, no_of_edges; };

__global__ void bfs(const Node *nodes, const int *edges, bool *mask, bool *updating, const bool *visited, int *cost, int n) {
    int tid = blockIdx.x * 256 + threadIdx.x;
    if (tid < n && mask[tid]) {
        mask[tid] = false;
        for (int i = nodes[tid].starting; i < nodes[tid].no_of_edges + nodes[tid].starting; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = cost[tid] + 1;
                updating[id] = true;
            }
        }
    }
}

__global__ void kmeansPoint(const float *features, int nfeatures, int npoints, int nclusters, int *membership, const float *clusters) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < npoints) {
        float min_dist = 3.402823466e+38f;
        int index = -1;
        for (int i = 0; i < nclusters; i++) {
            int base = i * nfeatures;
            float ans = 0.0f;
            for (int j = 0; j < nfeatures; j++) {
                float diff = features[id + j * npoints] - clusters[base + j];
                ans += diff * diff;
            }
            if (ans < min_dist) {
                min_dist = ans;
                index = i;
            }
        }
        membership[id] = index;
    }
}

__global__ void srad1(float *E, float *W, float *N, float *S, const float *J, float *C, int cols, int rows, float q0sqr) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows) return;
    int i = y * cols + x;
    float jc = J[i];
    float n = J[max(y - 1, 0) * cols + x] - jc, s = J[min(y + 1, rows - 1) * cols + x] - jc;
    float w = J[y * cols + max(x - 1, 0)] - jc, e = J[y * cols + min(x + 1, cols - 1)] - jc;
    float g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
    float l = (n + s + w + e) / jc;
    float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
    float den = 1 + (.25f * l);
    float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
    float c = 1.0f / (1.0f + den);
    C[i] = c < 0 ? 0 : c > 1 ? 1 : c;
    E[i] = e; W[i] = w; N[i] = n; S[i] = s;
}

int main() {
    const int n = 1024;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * 4 * sizeof(float));
    cudaMalloc(&b, n * n * 4 * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMemset(a, 0x3f, n * n * 4 * sizeof(float));
    cudaMemset(b, 0x3f, n * n * 4 * sizeof(float));
    hotspot<<<dim3(n / 12, n / 12), dim3(16, 16)>>>(2, a, b, c, n, n, 0.5f, 1.0f, 2.0f, 3.0f, 0.01f);
    pathfinder<<<n * n / 216, 256>>>(20, (int *)a, (int *)b, (int *)c, 100000, 0);
    std::vector<Node> nodes(n * 64);
    std::vector<int> edges(n * 64 * 4);
    for (int i = 0; i < n * 64; ++i) { nodes[i].starting = i * 4; nodes[i].no_of_edges = 4; }
    for (int i = 0; i < n * 64 * 4; ++i) edges[i] = i * 7 % (n * 64);
    cudaMemcpy(a, nodes.data(), nodes.size() * sizeof(Node), cudaMemcpyHostToDevice);
    cudaMemcpy(b, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice);
    bool *mask;
    int *cost;
    cudaMalloc(&mask, n * 64 * 3);
    cudaMalloc(&cost, n * 64 * sizeof(int));
    cudaMemset(mask, 1, n * 64);
    cudaMemset(mask + n * 64, 0, n * 128);
    bfs<<<n * 64 / 256, 256>>>((Node *)a, (int *)b, mask, mask + n * 64, mask + n * 128, cost, n * 64);
    kmeansPoint<<<n * n / 16 / 256, 256>>>(a, 16, n * n / 16, 5, (int *)c, b);
    srad1<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, a + n * n, a + 2 * n * n, a + 3 * n * n, b, c, n, n, 0.05f);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
