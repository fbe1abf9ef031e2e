/* Lab 1: how the way you touch memory changes the speed.
 *   a[i] + b[i] with offset, with stride, as float2 / float4, array of
 *   structures against structure of arrays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

static void die_on(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        printf("FAILED %s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

typedef struct {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int   id;
} Body;

__global__ void initData(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = (float)(i % 1000) * 0.5f;
        b[i] = (float)(i % 777) * 0.25f;
    }
}

__global__ void addOffset(const float *a, const float *b, float *c, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void addStrided(const float *a, const float *b, float *c, int n, int stride)
{
    /* thread t handles element t*stride, so a warp touches 32*stride floats */
    long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long i = t * stride;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void addGridStride(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        c[i] = a[i] + b[i];
}

/* every thread works on a contiguous piece: bad for coalescing */
__global__ void addChunked(const float *a, const float *b, float *c, int n, int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    int last = first + chunk;
    if (last > n) last = n;
    for (int i = first; i < last; i++)
        c[i] = a[i] + b[i];
}

__global__ void addFloat2(const float2 *a, const float2 *b, float2 *c, int n2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        float2 p = a[i], q = b[i];
        c[i] = make_float2(p.x + q.x, p.y + q.y);
    }
}

__global__ void addFloat4(const float4 *a, const float4 *b, float4 *c, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 p = a[i], q = b[i];
        c[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
}

__global__ void driftAoS(Body *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
    p[i].z += dt * p[i].vz;
}

__global__ void driftSoA(float *x, float *y, float *z,
                         const float *vx, const float *vy, const float *vz, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] += dt * vx[i];
    y[i] += dt * vy[i];
    z[i] += dt * vz[i];
}

int main(void)
{
    const int n = 1 << 24;
    const int np = 1 << 21;
    const int T = 256;
    float *a, *b, *c;
    die_on(cudaMalloc((void **)&a, n * sizeof(float)), "malloc a");
    die_on(cudaMalloc((void **)&b, n * sizeof(float)), "malloc b");
    die_on(cudaMalloc((void **)&c, n * sizeof(float)), "malloc c");
    die_on(cudaMemset(c, 0, n * sizeof(float)), "memset c");

    initData<<<(n + T - 1) / T, T>>>(a, b, n);
    addOffset<<<(n + T - 1) / T, T>>>(a, b, c, n, 3);
    {
        int stride = 8;
        int threads = n / stride;
        addStrided<<<(threads + T - 1) / T, T>>>(a, b, c, n, stride);
    }
    addGridStride<<<132 * 8, T>>>(a, b, c, n);
    {
        int chunk = 32;
        int threads = (n + chunk - 1) / chunk;
        addChunked<<<(threads + T - 1) / T, T>>>(a, b, c, n, chunk);
    }
    addFloat2<<<(n / 2 + T - 1) / T, T>>>((float2 *)a, (float2 *)b, (float2 *)c, n / 2);
    addFloat4<<<(n / 4 + T - 1) / T, T>>>((float4 *)a, (float4 *)b, (float4 *)c, n / 4);
    die_on(cudaGetLastError(), "launch");
    die_on(cudaDeviceSynchronize(), "sync");

    float *h = (float *)malloc(n * sizeof(float));
    die_on(cudaMemcpy(h, c, n * sizeof(float), cudaMemcpyDeviceToHost), "copy c");
    int bad = 0;
    for (int i = 0; i < n; i += 101)
        if (fabsf(h[i] - ((i % 1000) * 0.5f + (i % 777) * 0.25f)) > 1e-4f) bad++;
    printf("vector add: %d bad samples\n", bad);
    free(h);

    Body *hb = (Body *)malloc(np * sizeof(Body));
    float *hs = (float *)malloc(6 * (size_t)np * sizeof(float));
    for (int i = 0; i < np; i++) {
        hb[i].x = i * 0.001f; hb[i].y = -i * 0.002f; hb[i].z = 1.0f;
        hb[i].vx = (i % 10) * 0.1f; hb[i].vy = (i % 7) * 0.2f; hb[i].vz = (i % 3) * 0.3f;
        hb[i].mass = 1.0f; hb[i].id = i;
        hs[i] = hb[i].x; hs[np + i] = hb[i].y; hs[2 * np + i] = hb[i].z;
        hs[3 * np + i] = hb[i].vx; hs[4 * np + i] = hb[i].vy; hs[5 * np + i] = hb[i].vz;
    }
    Body *db; float *ds;
    die_on(cudaMalloc((void **)&db, np * sizeof(Body)), "malloc bodies");
    die_on(cudaMalloc((void **)&ds, 6 * (size_t)np * sizeof(float)), "malloc soa");
    die_on(cudaMemcpy(db, hb, np * sizeof(Body), cudaMemcpyHostToDevice), "h2d");
    die_on(cudaMemcpy(ds, hs, 6 * (size_t)np * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    driftAoS<<<(np + T - 1) / T, T>>>(db, np, 0.01f);
    driftSoA<<<(np + T - 1) / T, T>>>(ds, ds + np, ds + 2 * np, ds + 3 * np, ds + 4 * np, ds + 5 * np, np, 0.01f);
    die_on(cudaGetLastError(), "launch");
    die_on(cudaMemcpy(hb, db, np * sizeof(Body), cudaMemcpyDeviceToHost), "d2h");
    die_on(cudaMemcpy(hs, ds, 6 * (size_t)np * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    bad = 0;
    for (int i = 0; i < np; i++)
        if (fabsf(hb[i].x - hs[i]) > 1e-5f || fabsf(hb[i].y - hs[np + i]) > 1e-5f) bad++;
    printf("AoS vs SoA: %d differences\n", bad);

    free(hb); free(hs);
    cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(db); cudaFree(ds);
    return bad != 0;
}
