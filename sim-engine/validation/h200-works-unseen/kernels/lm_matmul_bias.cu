// Matmul + bias forward, weight gradient, bias gradient reductions and GELU.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define CUDA_CALL(x) { cudaError_t err__ = (x); if (err__ != cudaSuccess) { \
    printf("Error %s at %s:%d\n", cudaGetErrorString(err__), __FILE__, __LINE__); exit(1); } }
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define GELU_SCALING_FACTOR sqrtf(2.0f / (float)M_PI)

// out (BT, OC) = inp (BT, C) * weight^T (OC, C) + bias
__global__ void matmul_forward_kernel1(float* out, const float* inp, const float* weight, const float* bias,
                                       int BT, int C, int OC) {
    int bt = blockIdx.x * blockDim.x + threadIdx.x;
    int oc = blockIdx.y * blockDim.y + threadIdx.y;
    if (bt < BT && oc < OC) {
        float val = (bias != NULL) ? bias[oc] : 0.0f;
        const float* wrow = weight + oc * C;
        const float* inp_bt = inp + bt * C;
        for (int i = 0; i < C; i++) val += inp_bt[i] * wrow[i];
        out[bt * OC + oc] = val;
    }
}

#define TILE 32
__global__ void matmul_forward_tiled(float* out, const float* inp, const float* weight, const float* bias,
                                     int BT, int C, int OC) {
    __shared__ float As[TILE][TILE + 1];
    __shared__ float Ws[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < C; k0 += TILE) {
        As[ty][tx] = (row < BT && k0 + tx < C) ? inp[row * C + k0 + tx] : 0.0f;
        int wr = blockIdx.x * TILE + ty;
        Ws[ty][tx] = (wr < OC && k0 + tx < C) ? weight[wr * C + k0 + tx] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; k++) acc += As[ty][k] * Ws[tx][k];
        __syncthreads();
    }
    if (row < BT && col < OC) out[row * OC + col] = acc + bias[col];
}

// 128x128 block tile, 8x8 per thread, 16x16 threads. Dimensions must be multiples of 128 (and C of 8)
__global__ void __launch_bounds__(256) matmul_forward_kernel4(float* out, const float* __restrict__ inp,
                                                              const float* __restrict__ weight,
                                                              const float* __restrict__ bias, int C, int OC) {
    __shared__ float lhs_s[8][128];
    __shared__ float rhs_s[8][128];
    int tid = threadIdx.y * 16 + threadIdx.x;
    inp += (size_t)128 * blockIdx.x * C;
    weight += (size_t)128 * blockIdx.y * C;
    int lr = tid / 2, lc = (tid % 2) * 4;
    float vals[8][8];
    int oc0 = 128 * blockIdx.y + 8 * threadIdx.x;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) vals[i][j] = bias ? bias[oc0 + j] : 0.0f;
    for (int so = 0; so < C; so += 8) {
        float4 a = *(const float4*)(inp + lr * C + so + lc);
        float4 b = *(const float4*)(weight + lr * C + so + lc);
        __syncthreads();
        lhs_s[lc + 0][lr] = a.x; lhs_s[lc + 1][lr] = a.y; lhs_s[lc + 2][lr] = a.z; lhs_s[lc + 3][lr] = a.w;
        rhs_s[lc + 0][lr] = b.x; rhs_s[lc + 1][lr] = b.y; rhs_s[lc + 2][lr] = b.z; rhs_s[lc + 3][lr] = b.w;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 8; k++) {
            float l[8], r[8];
            #pragma unroll
            for (int i = 0; i < 8; i += 4) {
                *(float4*)&l[i] = *(float4*)&lhs_s[k][8 * threadIdx.y + i];
                *(float4*)&r[i] = *(float4*)&rhs_s[k][8 * threadIdx.x + i];
            }
            #pragma unroll
            for (int i = 0; i < 8; i++)
                #pragma unroll
                for (int j = 0; j < 8; j++) vals[i][j] += l[i] * r[j];
        }
    }
    for (int i = 0; i < 8; i++) {
        int row = 128 * blockIdx.x + 8 * threadIdx.y + i;
        for (int j = 0; j < 8; j += 4)
            *(float4*)(out + (size_t)row * OC + oc0 + j) = make_float4(vals[i][j], vals[i][j + 1], vals[i][j + 2], vals[i][j + 3]);
    }
}

// dweight (OC, C) = dout^T (OC, BT) * inp (BT, C); 64x64 tile, 4x4 per thread
__global__ void matmul_backward_dweight(float* dweight, const float* dout, const float* inp, int BT, int C, int OC) {
    __shared__ float ds[16][64];
    __shared__ float xs[16][64];
    int tid = threadIdx.x;
    int tx = tid & 15, ty = tid >> 4;
    int oc0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < BT; k0 += 16) {
        for (int i = tid; i < 16 * 64; i += 256) {
            int k = i / 64, x = i % 64;
            ds[k][x] = dout[(k0 + k) * OC + oc0 + x];
            xs[k][x] = inp[(k0 + k) * C + c0 + x];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float a[4], b[4];
            for (int i = 0; i < 4; i++) { a[i] = ds[k][ty * 4 + i]; b[i] = xs[k][tx * 4 + i]; }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) dweight[(oc0 + ty * 4 + i) * C + c0 + tx * 4 + j] += acc[i][j];
}

// one block per output column (strided reads)
__global__ void matmul_backward_bias_kernel1(float* dbias, const float* dout, int BT, int OC) {
    extern __shared__ float shared[];
    int o = blockIdx.x;
    int tid = threadIdx.x;
    double sum = 0.0;
    for (int i = tid; i < BT; i += blockDim.x) sum += dout[i * OC + o];
    shared[tid] = (float)sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
        if (tid < stride) shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    if (tid == 0) dbias[o] += shared[0];
}

// 32 columns per block, warps walk down rows, coalesced
__global__ void matmul_backward_bias_kernel4(float* dbias, const float* dout, int BT, int OC) {
    extern __shared__ float smem[];
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int vstep = blockDim.x / 32;
    const float* dout_col = dout + blockIdx.x * 32 + lane;
    float s = 0.0f;
    for (int row = warp_id; row < BT; row += vstep) s += dout_col[row * OC];
    smem[lane + warp_id * 32] = s;
    __syncthreads();
    if (warp_id == 0) {
        s = 0.0f;
        for (int j = 0; j < vstep; j++) s += smem[lane + j * 32];
        dbias[blockIdx.x * 32 + lane] += s;
    }
}

__global__ void gelu_forward_kernel(float* out, const float* inp, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float xi = inp[i];
        float cube = 0.044715f * xi * xi * xi;
        out[i] = 0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube)));
    }
}

__device__ __forceinline__ float gelu_grad(float x, float d) {
    float cube = 0.044715f * x * x * x;
    float tanh_arg = GELU_SCALING_FACTOR * (x + cube);
    float tanh_out = tanhf(tanh_arg);
    float cosh_out = coshf(tanh_arg);
    float sech_out = 1.0f / (cosh_out * cosh_out);
    float local = 0.5f * (1.0f + tanh_out) + x * 0.5f * sech_out * GELU_SCALING_FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
    return local * d;
}

__global__ void gelu_backward_kernel(float4* dinp, const float4* inp, const float4* dout, int N4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N4) {
        float4 x = inp[i], d = dout[i];
        dinp[i] = make_float4(gelu_grad(x.x, d.x), gelu_grad(x.y, d.y), gelu_grad(x.z, d.z), gelu_grad(x.w, d.w));
    }
}

int main() {
    const int BT = 1024, C = 768, OC = 3072;
    float *inp, *weight, *bias, *out, *act, *dout, *dinp, *dweight, *dbias;
    CUDA_CALL(cudaMalloc((void**)&inp, BT * C * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&weight, OC * C * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&bias, OC * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&out, BT * OC * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&act, BT * OC * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&dout, BT * OC * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&dinp, BT * OC * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&dweight, OC * C * sizeof(float)));
    CUDA_CALL(cudaMalloc((void**)&dbias, OC * sizeof(float)));
    size_t biggest = (size_t)BT * OC;
    float* h = (float*)malloc(biggest * sizeof(float));
    srand(7);
    float* bufs[4] = {inp, weight, bias, dout};
    size_t sizes[4] = {(size_t)BT * C, (size_t)OC * C, (size_t)OC, (size_t)BT * OC};
    for (int b = 0; b < 4; b++) {
        for (size_t i = 0; i < sizes[b]; i++) h[i] = (rand() % 2001 - 1000) / 5000.0f;
        CUDA_CALL(cudaMemcpy(bufs[b], h, sizes[b] * sizeof(float), cudaMemcpyHostToDevice));
    }
    CUDA_CALL(cudaMemset(dweight, 0, OC * C * sizeof(float)));
    CUDA_CALL(cudaMemset(dbias, 0, OC * sizeof(float)));

    // naive on a quarter of the output columns (slow)
    matmul_forward_kernel1<<<dim3(CEIL_DIV(BT, 16), CEIL_DIV(OC / 4, 16)), dim3(16, 16)>>>(out, inp, weight, bias, BT, C, OC / 4);
    matmul_forward_tiled<<<dim3(CEIL_DIV(OC, TILE), CEIL_DIV(BT, TILE)), dim3(TILE, TILE)>>>(out, inp, weight, bias, BT, C, OC);
    matmul_forward_kernel4<<<dim3(BT / 128, OC / 128), dim3(16, 16)>>>(out, inp, weight, bias, C, OC);
    gelu_forward_kernel<<<CEIL_DIV(BT * OC, 128), 128>>>(act, out, BT * OC);
    gelu_backward_kernel<<<CEIL_DIV(BT * OC / 4, 128), 128>>>((float4*)dinp, (const float4*)out, (const float4*)dout, BT * OC / 4);
    matmul_backward_dweight<<<dim3(C / 64, OC / 64), 256>>>(dweight, dinp, inp, BT, C, OC);
    matmul_backward_bias_kernel1<<<OC, 256, 256 * sizeof(float)>>>(dbias, dinp, BT, OC);
    matmul_backward_bias_kernel4<<<OC / 32, 1024, 1024 * sizeof(float)>>>(dbias, dinp, BT, OC);
    CUDA_CALL(cudaGetLastError());
    CUDA_CALL(cudaDeviceSynchronize());

    double s = 0.0;
    CUDA_CALL(cudaMemcpy(h, act, biggest * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < biggest; i++) s += h[i];
    CUDA_CALL(cudaMemcpy(h, dweight, OC * C * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < OC * C; i++) s += fabs(h[i]);
    CUDA_CALL(cudaMemcpy(h, dbias, OC * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < OC; i++) s += fabs(h[i]);
    printf("checksum: %.5f\n", s);
    free(h);
    return 0;
}
