/*
 * tensor_permute_im2col.cu
 *
 * Layout shuffling routines, ported from the CPU tensor library (tensor.c).
 * Everything is described by a struct of extents and strides, sizes are size_t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <stdint.h>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define MAX_RANK 4

typedef struct tensor_desc {
    size_t dim[MAX_RANK];
    size_t stride[MAX_RANK];
    size_t numel;
} tensor_desc;

typedef struct conv_params {
    unsigned n, c, h, w;
    unsigned kh, kw;
    unsigned pad, step;
    unsigned oh, ow;
} conv_params;

static void die_on(cudaError_t rc, const char *where)
{
    if (rc != cudaSuccess) {
        fprintf(stderr, "tensor: %s: %s\n", where, cudaGetErrorString(rc));
        exit(2);
    }
}

static tensor_desc tensor_make(size_t a, size_t b, size_t c, size_t d)
{
    tensor_desc t;
    t.dim[0] = a; t.dim[1] = b; t.dim[2] = c; t.dim[3] = d;
    t.stride[3] = 1;
    for (int i = MAX_RANK - 2; i >= 0; --i)
        t.stride[i] = t.stride[i + 1] * t.dim[i + 1];
    t.numel = t.stride[0] * t.dim[0];
    return t;
}

/* out[y][x] = in[x][y], straight port of the CPU double loop */
__global__ void k_transpose_plain(float *out, const float *in, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols)
        return;
    out[c * rows + r] = in[r * cols + c];
}

/* tiled version; SKEW = 0 keeps the bank conflicts for comparison */
template <typename T, unsigned TILE, unsigned ROWS, unsigned SKEW>
__global__ void k_transpose_tiled(T *__restrict__ out, const T *__restrict__ in, size_t rows, size_t cols)
{
    __shared__ T tile[TILE][TILE + SKEW];
    size_t c = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t r = (size_t)blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (c < cols && r + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * cols + c];
    __syncthreads();
    c = (size_t)blockIdx.y * TILE + threadIdx.x;
    r = (size_t)blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (c < rows && r + j < cols)
            out[(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
}

/* generic rank-4 permute: div/mod of the linear output index, all 64-bit */
template <typename T>
__global__ void k_permute4(T *out, const T *in, tensor_desc od, tensor_desc id, int p0, int p1, int p2, int p3)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < od.numel; i += step) {
        size_t rest = i;
        size_t i0 = rest / od.stride[0]; rest -= i0 * od.stride[0];
        size_t i1 = rest / od.stride[1]; rest -= i1 * od.stride[1];
        size_t i2 = rest / od.stride[2]; rest -= i2 * od.stride[2];
        size_t src = i0 * id.stride[p0] + i1 * id.stride[p1] + i2 * id.stride[p2] + rest * id.stride[p3];
        out[i] = in[src];
    }
}

/* NCHW -> NHWC where the divisions are done with 32-bit unsigned and the channel is innermost */
__global__ void k_nchw_to_nhwc_u32(float *out, const float *in, unsigned n, unsigned c, unsigned hw)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * c * hw)
        return;
    unsigned ch = i % c;
    unsigned px = (i / c) % hw;
    unsigned im = i / (c * hw);
    out[i] = in[(im * c + ch) * hw + px];
}

/* [B,S,H,D] -> [B,H,S,D], D copied as 16-byte words; grid = (S, H, B) */
__global__ void k_split_heads(uint4 *out, const uint4 *in, unsigned seq, unsigned heads, unsigned dvec)
{
    size_t s = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
    for (unsigned d = threadIdx.x; d < dvec; d += blockDim.x)
        out[((b * heads + h) * seq + s) * dvec + d] = in[((b * seq + s) * heads + h) * dvec + d];
}

/* classic caffe im2col: one thread per (channel, oy, ox), loops over the window */
__global__ void k_im2col(float *col, const float *im, conv_params p)
{
    size_t idx = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t total = (size_t)p.n * p.c * p.oh * p.ow;
    if (idx >= total)
        return;
    size_t ox = idx % p.ow;
    size_t oy = (idx / p.ow) % p.oh;
    size_t c = (idx / ((size_t)p.ow * p.oh)) % p.c;
    size_t n = idx / ((size_t)p.ow * p.oh * p.c);
    const float *src = im + (n * p.c + c) * p.h * p.w;
    float *dst = col + ((n * p.c + c) * p.kh * p.kw) * p.oh * p.ow + oy * p.ow + ox;
    for (unsigned ky = 0; ky < p.kh; ++ky) {
        for (unsigned kx = 0; kx < p.kw; ++kx) {
            int iy = (int)(oy * p.step + ky) - (int)p.pad;
            int ix = (int)(ox * p.step + kx) - (int)p.pad;
            float v = 0.0f;
            if (iy >= 0 && iy < (int)p.h && ix >= 0 && ix < (int)p.w)
                v = src[(size_t)iy * p.w + ix];
            *dst = v;
            dst += (size_t)p.oh * p.ow;
        }
    }
}

/* gather form of the inverse, compile-time window */
template <unsigned KH, unsigned KW>
__global__ void __launch_bounds__(256) k_col2im(float *__restrict__ im, const float *__restrict__ col, conv_params p)
{
    unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= p.n * p.c * p.h * p.w)
        return;
    unsigned x = idx % p.w + p.pad;
    unsigned y = (idx / p.w) % p.h + p.pad;
    unsigned plane = idx / (p.w * p.h);
    float acc = 0.0f;
#pragma unroll
    for (unsigned ky = 0; ky < KH; ++ky) {
#pragma unroll
        for (unsigned kx = 0; kx < KW; ++kx) {
            if (y < ky || x < kx)
                continue;
            unsigned oy = y - ky, ox = x - kx;
            if (oy % p.step || ox % p.step)
                continue;
            oy /= p.step;
            ox /= p.step;
            if (oy < p.oh && ox < p.ow)
                acc += col[((size_t)(plane * KH + ky) * KW + kx) * p.oh * p.ow + (size_t)oy * p.ow + ox];
        }
    }
    im[idx] = acc;
}

/* interleave planar r,g,b -> array of struct, struct store is 12 bytes */
struct rgb { float r, g, b; };
__global__ void k_planar_to_rgb(rgb *out, const float *r, const float *g, const float *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rgb px;
        px.r = r[i];
        px.g = g[i];
        px.b = b[i];
        out[i] = px;
    }
}

static conv_params conv_make(unsigned n, unsigned c, unsigned h, unsigned w, unsigned k, unsigned pad, unsigned step)
{
    conv_params p = { n, c, h, w, k, k, pad, step, (h + 2 * pad - k) / step + 1, (w + 2 * pad - k) / step + 1 };
    return p;
}

static unsigned blocks_for(size_t n, unsigned threads) { return (unsigned)((n + threads - 1) / threads); }

int main(void)
{
    const size_t numel = (size_t)1 << 23; /* 32 MB of floats */
    std::vector<float> host(numel), back(numel);
    for (size_t i = 0; i < numel; ++i)
        host[i] = (float)((i * 2654435761u) & 0xffff) * 0.001f;
    float *a, *b, *col;
    die_on(cudaMalloc((void **)&a, numel * sizeof(float)), "malloc a");
    die_on(cudaMalloc((void **)&b, numel * sizeof(float)), "malloc b");
    die_on(cudaMalloc((void **)&col, 2 * numel * sizeof(float)), "malloc col");
    die_on(cudaMemcpy(a, host.data(), numel * sizeof(float), cudaMemcpyHostToDevice), "h2d");

    /* 2D transposes */
    k_transpose_plain<<<dim3(2048 / 32, 2048 / 8), dim3(32, 8)>>>(b, a, 2048, 2048);
    k_transpose_plain<<<dim3(blocks_for(3000, 16), blocks_for(1999, 16)), dim3(16, 16)>>>(b, a, 1999, 3000);
    k_transpose_tiled<float, 32, 8, 0><<<dim3(64, 64), dim3(32, 8)>>>(b, a, 2048, 2048);
    k_transpose_tiled<float, 32, 8, 1><<<dim3(blocks_for(3000, 32), blocks_for(1999, 32)), dim3(32, 8)>>>(b, a, 1999, 3000);
    k_transpose_tiled<__half, 64, 4, 2><<<dim3(4096 / 64, 2048 / 64), dim3(64, 4)>>>((__half *)b, (const __half *)a, 2048, 4096);
    k_transpose_tiled<double, 16, 16, 1><<<dim3(1024 / 16, 2048 / 16), dim3(16, 16)>>>((double *)b, (const double *)a, 2048, 1024);
    die_on(cudaDeviceSynchronize(), "transpose");

    /* 4D permutes */
    tensor_desc nchw = tensor_make(16, 64, 64, 64), nhwc = tensor_make(16, 64, 64, 64);
    k_permute4<float><<<132 * 8, 256>>>(b, a, nhwc, nchw, 0, 2, 3, 1);
    tensor_desc in2 = tensor_make(8, 30, 100, 200), out2 = tensor_make(200, 100, 30, 8);
    k_permute4<float><<<blocks_for(in2.numel, 128), 128>>>(b, a, out2, in2, 3, 2, 1, 0);
    tensor_desc in3 = tensor_make(32, 128, 16, 64), out3 = tensor_make(32, 16, 128, 64);
    k_permute4<__half><<<132 * 4, 512>>>((__half *)b, (const __half *)a, out3, in3, 0, 2, 1, 3);
    k_nchw_to_nhwc_u32<<<blocks_for(8 * 96 * 56 * 56, 256), 256>>>(b, a, 8, 96, 56 * 56);
    k_split_heads<<<dim3(1024, 16, 4), 16>>>((uint4 *)b, (const uint4 *)a, 1024, 16, 64 * 2 / 16);
    die_on(cudaDeviceSynchronize(), "permute");

    /* convolution lowering */
    conv_params p3 = conv_make(4, 64, 56, 56, 3, 1, 1);
    conv_params p5 = conv_make(2, 32, 112, 112, 5, 2, 2);
    k_im2col<<<blocks_for((size_t)p3.n * p3.c * p3.oh * p3.ow, 256), 256>>>(col, a, p3);
    k_col2im<3, 3><<<blocks_for((size_t)p3.n * p3.c * p3.h * p3.w, 256), 256>>>(b, col, p3);
    k_im2col<<<blocks_for((size_t)p5.n * p5.c * p5.oh * p5.ow, 128), 128>>>(col, a, p5);
    k_col2im<5, 5><<<blocks_for((size_t)p5.n * p5.c * p5.h * p5.w, 192), 192>>>(b, col, p5);
    k_planar_to_rgb<<<blocks_for(2000000, 256), 256>>>((rgb *)b, a, a + 2000000, a + 4000000, 2000000);
    die_on(cudaGetLastError(), "launch");
    die_on(cudaDeviceSynchronize(), "conv");
    die_on(cudaMemcpy(back.data(), b, numel * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    size_t bad = 0;
    for (size_t i = 0; i < 2000000; ++i)
        bad += back[3 * i + 1] != host[2000000 + i];
    printf("interleave mismatches: %zu\n", bad);
    cudaFree(a);
    cudaFree(b);
    cudaFree(col);
    return bad ? 1 : 0;
}
