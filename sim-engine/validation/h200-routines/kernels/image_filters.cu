// Image processing lab: pixels in, pixels out.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
template <typename T>
void check(T result, const char *func, const char *file, int line) {
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line, (int)result, func);
        exit(EXIT_FAILURE);
    }
}

const int W = 2048, H = 1536;

__global__ void rgba_to_grey(const uchar4 *rgba, unsigned char *grey, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 p = rgba[y * w + x];
    grey[y * w + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

// Sobel straight from global memory with clamped borders
__global__ void sobel_global(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int gx = 0, gy = 0;
    const int kx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int v = in[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
            gx += kx[dy + 1][dx + 1] * v;
            gy += kx[dx + 1][dy + 1] * v;
        }
    float m = sqrtf((float)(gx * gx + gy * gy));
    out[y * w + x] = (unsigned char)fminf(m, 255.0f);
}

// Sobel, four pixels per thread, rows read as 32-bit words
__global__ void sobel_uchar4(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w4, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w4 || y >= h) return;
    int px[3][6];
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        const uchar4 *row = in + clampi(y + r - 1, 0, h - 1) * w4;
        uchar4 c = row[x];
        px[r][0] = x > 0 ? row[x - 1].w : c.x;
        px[r][1] = c.x; px[r][2] = c.y; px[r][3] = c.z; px[r][4] = c.w;
        px[r][5] = x < w4 - 1 ? row[x + 1].x : c.w;
    }
    unsigned char res[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int gx = px[0][k + 2] - px[0][k] + 2 * (px[1][k + 2] - px[1][k]) + px[2][k + 2] - px[2][k];
        int gy = px[2][k] - px[0][k] + 2 * (px[2][k + 1] - px[0][k + 1]) + px[2][k + 2] - px[0][k + 2];
        res[k] = (unsigned char)min(abs(gx) + abs(gy), 255);
    }
    out[y * w4 + x] = make_uchar4(res[0], res[1], res[2], res[3]);
}

// Separable convolution with the taps in constant memory
#define MAX_RADIUS 16
__constant__ float c_taps[2 * MAX_RADIUS + 1];

template <int RADIUS, int BX, int BY>
__global__ void conv_rows(const float *in, float *out, int w, int h) {
    __shared__ float s[BY][BX + 2 * RADIUS];
    int y = blockIdx.y * BY + threadIdx.y, x0 = blockIdx.x * BX;
    for (int k = threadIdx.x; k < BX + 2 * RADIUS; k += BX) {
        int x = x0 + k - RADIUS;
        s[threadIdx.y][k] = (x >= 0 && x < w && y < h) ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    int x = x0 + threadIdx.x;
    if (x >= w || y >= h) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += c_taps[RADIUS + k] * s[threadIdx.y][threadIdx.x + RADIUS + k];
    out[y * w + x] = sum;
}

template <int RADIUS, int BX, int BY, int STEPS>
__global__ void conv_cols(const float *in, float *out, int w, int h) {
    __shared__ float s[BX][BY * STEPS + 2 * RADIUS + 1];
    int x = blockIdx.x * BX + threadIdx.x, y0 = blockIdx.y * BY * STEPS;
    for (int k = threadIdx.y; k < BY * STEPS + 2 * RADIUS; k += BY) {
        int y = y0 + k - RADIUS;
        s[threadIdx.x][k] = (y >= 0 && y < h && x < w) ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < STEPS; ++i) {
        int yy = threadIdx.y + i * BY;
        float sum = 0.0f;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; ++k) sum += c_taps[RADIUS + k] * s[threadIdx.x][yy + RADIUS + k];
        if (x < w && y0 + yy < h) out[(y0 + yy) * w + x] = sum;
    }
}

// Bilateral filter on a float image; spatial weights in dynamic shared memory
__global__ void bilateral_naive(const float *in, float *out, int w, int h, int radius, float inv2ss, float inv2sr) {
    extern __shared__ float spatial[];
    int side = 2 * radius + 1, tid = threadIdx.y * blockDim.x + threadIdx.x;
    for (int k = tid; k < side * side; k += blockDim.x * blockDim.y) {
        int dx = k % side - radius, dy = k / side - radius;
        spatial[k] = __expf(-(dx * dx + dy * dy) * inv2ss);
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x], sum = 0.0f, norm = 0.0f;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            float v = in[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
            float d = v - centre;
            float wgt = spatial[(dy + radius) * side + dx + radius] * __expf(-d * d * inv2sr);
            sum += wgt * v;
            norm += wgt;
        }
    out[y * w + x] = sum / norm;
}

// Bilateral through a texture object (hardware clamps for us)
template <int RADIUS>
__global__ void bilateral_texture(cudaTextureObject_t tex, float *out, int w, int h, float inv2ss, float inv2sr) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = tex2D<float>(tex, x + 0.5f, y + 0.5f), sum = 0.0f, norm = 0.0f;
#pragma unroll 1
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
#pragma unroll
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            float v = tex2D<float>(tex, x + dx + 0.5f, y + dy + 0.5f), d = v - centre;
            float wgt = __expf(-(dx * dx + dy * dy) * inv2ss - d * d * inv2sr);
            sum += wgt * v;
            norm += wgt;
        }
    out[y * w + x] = sum / norm;
}

// Bilinear resize by hand and by texture unit
__global__ void resize_bilinear(const float *in, int w, int h, float *out, int ow, int oh) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float fx = fmaxf((x + 0.5f) * w / ow - 0.5f, 0.0f), fy = fmaxf((y + 0.5f) * h / oh - 0.5f, 0.0f);
    int x0 = min((int)fx, w - 1), y0 = min((int)fy, h - 1), x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    float ax = fx - x0, ay = fy - y0;
    float top = in[y0 * w + x0] * (1 - ax) + in[y0 * w + x1] * ax;
    float bot = in[y1 * w + x0] * (1 - ax) + in[y1 * w + x1] * ax;
    out[y * ow + x] = top * (1 - ay) + bot * ay;
}

__global__ void rotate_texture(cudaTextureObject_t tex, float *out, int w, int h, float c, float s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float u = x - w * 0.5f, v = y - h * 0.5f;
    out[y * w + x] = tex2D<float>(tex, c * u - s * v + w * 0.5f, s * u + c * v + h * 0.5f);
}

dim3 gridFor(int w, int h, dim3 b) { return dim3((w + b.x - 1) / b.x, (h + b.y - 1) / b.y); }

int main() {
    const int N = W * H;
    std::vector<uchar4> img(N);
    std::vector<float> lum(N);
    unsigned int seed = 5;
    for (int i = 0; i < N; ++i) {
        seed = seed * 1664525u + 1013904223u;
        int x = i % W, y = i / W;
        img[i] = make_uchar4((x * 255) / W, (y * 255) / H, ((x / 64 + y / 64) & 1) * 200, seed >> 24);
        lum[i] = 0.5f * img[i].z / 255.0f + 0.5f * (seed >> 24) / 255.0f;
    }
    uchar4 *dImg;
    unsigned char *dGrey, *dEdge;
    float *dIn, *dOut, *dTmp;
    checkCudaErrors(cudaMalloc(&dImg, N * sizeof(uchar4)));
    checkCudaErrors(cudaMalloc(&dGrey, N));
    checkCudaErrors(cudaMalloc(&dEdge, N));
    checkCudaErrors(cudaMalloc(&dIn, N * sizeof(float)));
    checkCudaErrors(cudaMalloc(&dTmp, N * sizeof(float)));
    checkCudaErrors(cudaMalloc(&dOut, N * sizeof(float)));
    checkCudaErrors(cudaMemcpy(dImg, img.data(), N * sizeof(uchar4), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(dIn, lum.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    std::vector<float> taps(2 * MAX_RADIUS + 1, 1.0f / 17.0f);
    checkCudaErrors(cudaMemcpyToSymbol(c_taps, taps.data(), taps.size() * sizeof(float)));

    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    cudaArray_t arr;
    checkCudaErrors(cudaMallocArray(&arr, &fmt, W, H));
    checkCudaErrors(cudaMemcpy2DToArray(arr, 0, 0, lum.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = arr;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModeLinear;
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    checkCudaErrors(cudaCreateTextureObject(&tex, &res, &td, nullptr));

    dim3 b1(32, 8), b2(16, 16), b3(64, 4), b4(8, 32);
    rgba_to_grey<<<gridFor(W, H, b2), b2>>>(dImg, dGrey, W, H);
    sobel_global<<<gridFor(W, H, b1), b1>>>(dGrey, dEdge, W, H);
    sobel_global<<<gridFor(1000, 1000, b4), b4>>>(dGrey, dEdge, 1000, 1000);
    sobel_uchar4<<<gridFor(W / 4, H, b1), b1>>>((uchar4 *)dGrey, (uchar4 *)dEdge, W / 4, H);
    conv_rows<8, 128, 2><<<dim3(W / 128, H / 2), dim3(128, 2)>>>(dIn, dTmp, W, H);
    conv_cols<8, 32, 8, 4><<<dim3(W / 32, H / 32), dim3(32, 8)>>>(dTmp, dOut, W, H);
    conv_rows<3, 32, 8><<<dim3((1900 + 31) / 32, (1501 + 7) / 8), dim3(32, 8)>>>(dIn, dTmp, 1900, 1501);
    conv_cols<3, 16, 16, 2><<<dim3((1900 + 15) / 16, (1501 + 31) / 32), dim3(16, 16)>>>(dTmp, dOut, 1900, 1501);
    checkCudaErrors(cudaDeviceSynchronize());
    bilateral_naive<<<gridFor(W, H, b2), b2, 11 * 11 * sizeof(float)>>>(dIn, dOut, W, H, 5, 0.02f, 12.5f);
    bilateral_naive<<<gridFor(1024, 768, b3), b3, 5 * 5 * sizeof(float)>>>(dIn, dOut, 1024, 768, 2, 0.1f, 12.5f);
    bilateral_texture<4><<<gridFor(W, H, b1), b1>>>(tex, dOut, W, H, 0.03f, 12.5f);
    resize_bilinear<<<gridFor(1280, 720, b1), b1>>>(dIn, W, H, dOut, 1280, 720);
    resize_bilinear<<<gridFor(2048, 1500, b2), b2>>>(dIn, 640, 480, dOut, 2048, 1500);
    rotate_texture<<<gridFor(W, H, b2), b2>>>(tex, dOut, W, H, cosf(0.4f), sinf(0.4f));
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaDeviceSynchronize());

    std::vector<float> out(N);
    checkCudaErrors(cudaMemcpy(out.data(), dOut, N * sizeof(float), cudaMemcpyDeviceToHost));
    double mean = 0;
    for (float v : out) mean += v;
    printf("mean of rotated image %.4f\n", mean / N);
    cudaDestroyTextureObject(tex);
    cudaFreeArray(arr);
    return 0;
}
