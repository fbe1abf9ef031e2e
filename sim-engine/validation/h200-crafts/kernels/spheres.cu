// A weekend ray tracer on the GPU: rays vs. a few hundred spheres.
// (the scene is stored three different ways, because I wanted to know)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define cuda_safe(v) check_cuda((v), #v, __FILE__, __LINE__)
void check_cuda(cudaError_t r, const char* f, const char* file, int line) {
    if (r) { fprintf(stderr, "CUDA error %d (%s) at %s:%d '%s'\n", r, cudaGetErrorString(r), file, line, f); cudaDeviceReset(); exit(99); }
}

struct vec3 {
    float x, y, z;
    __host__ __device__ vec3() {}
    __host__ __device__ vec3(float a, float b, float c) : x(a), y(b), z(c) {}
};
__host__ __device__ inline vec3 operator+(vec3 a, vec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline vec3 operator-(vec3 a, vec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ inline vec3 operator*(float s, vec3 a) { return vec3(s * a.x, s * a.y, s * a.z); }
__host__ __device__ inline float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline vec3 unit(vec3 a) { return (1.0f / sqrtf(dot(a, a))) * a; }

struct Sphere { vec3 c; float r; vec3 albedo; int material; };   // 32 bytes
struct Hit { float t; int id; };

const int NS = 200;
__constant__ float4 cs[NS];

__host__ __device__ inline float hit_sphere(vec3 o, vec3 d, vec3 c, float r) {
    vec3 oc = o - c;
    float b = dot(oc, d), q = dot(oc, oc) - r * r, disc = b * b - q;
    if (disc < 0) return -1;
    float s = sqrtf(disc), t = -b - s;
    if (t > 1e-3f) return t;
    t = -b + s;
    return t > 1e-3f ? t : -1;
}
__host__ __device__ inline vec3 primary(int px, int py, int w, int h) {
    return unit(vec3((px + 0.5f - 0.5f * w) / h, (0.5f * h - py - 0.5f) / h, -1.0f));
}

// 1. spheres straight from global memory, array of structs, 8x8 blocks
__global__ void trace_global(const Sphere* s, int n, Hit* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    vec3 d = primary(x, y, w, h), o(0, 0, 0);
    Hit best = {1e30f, -1};
    for (int i = 0; i < n; i++) {
        float t = hit_sphere(o, d, s[i].c, s[i].r);
        if (t > 0 && t < best.t) { best.t = t; best.id = i; }
    }
    out[y * w + x] = best;
}
// 2. constant memory
__global__ void trace_const(int n, Hit* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    vec3 d = primary(x, y, w, h), o(0, 0, 0);
    Hit best = {1e30f, -1};
    for (int i = 0; i < n; i++) {
        float4 q = cs[i];
        float t = hit_sphere(o, d, vec3(q.x, q.y, q.z), q.w);
        if (t > 0 && t < best.t) { best.t = t; best.id = i; }
    }
    out[y * w + x] = best;
}
// 3. shared memory, camera at origin so we can precompute |c|^2-r^2 ; two pixels per thread
__global__ void trace_shared(const Sphere* s, int n, Hit* out, int w, int h) {
    __shared__ float4 sc[NS];
    __shared__ float sq[NS];
    int tid = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = tid; i < n; i += blockDim.x * blockDim.y) {
        Sphere k = s[i];
        sc[i] = make_float4(k.c.x, k.c.y, k.c.z, k.r);
        sq[i] = dot(k.c, k.c) - k.r * k.r;
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= w) return;
    for (int y = y0; y < y0 + 2 && y < h; y++) {
        vec3 d = primary(x, y, w, h);
        float bt = 1e30f; int id = -1;
        for (int i = 0; i < n; i++) {
            float b = sc[i].x * d.x + sc[i].y * d.y + sc[i].z * d.z;
            float disc = b * b - sq[i];
            if (disc >= 0) {
                float t = b - sqrtf(disc);
                if (t > 1e-3f && t < bt) { bt = t; id = i; }
            }
        }
        out[y * w + x] = Hit{bt, id};
    }
}

__device__ inline bool occluded(vec3 p, vec3 d, int n, float far) {
    for (int i = 0; i < n; i++) {
        float4 q = cs[i];
        float t = hit_sphere(p, d, vec3(q.x, q.y, q.z), q.w);
        if (t > 0 && t < far) return true;
    }
    return false;
}

// direct light with a shadow ray
__global__ void shade(const Sphere* s, const Hit* hits, float4* img, int n, vec3 light, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Hit k = hits[y * w + x];
    vec3 d = primary(x, y, w, h);
    float4 c = make_float4(0.5f + 0.4f * d.y, 0.7f, 1.0f, 0.0f);
    if (k.id >= 0) {
        vec3 p = k.t * d, nrm = unit(p - s[k.id].c), l = light - p, a = s[k.id].albedo;
        float dist = sqrtf(dot(l, l));
        l = (1 / dist) * l;
        float e = fmaxf(dot(nrm, l), 0.0f);
        if (e > 0 && occluded(p + 1e-3f * nrm, l, n, dist)) e = 0;
        e = 0.1f + 0.9f * e;
        c = make_float4(a.x * e, a.y * e, a.z * e, 1.0f);
    }
    img[y * w + x] = c;
}

__device__ inline unsigned rnd(unsigned& s) { s = s * 747796405u + 2891336453u; unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u; return (w >> 22) ^ w; }

__global__ void ambient(const Sphere* s, const Hit* hits, float* ao, int n, int rays, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Hit k = hits[y * w + x];
    float open = 1.0f;
    if (k.id >= 0) {
        vec3 p = k.t * primary(x, y, w, h), nrm = unit(p - s[k.id].c);
        unsigned seed = (y * w + x) * 9781u + 1;
        int free = 0;
        for (int r = 0; r < rays; r++) {
            vec3 d;
            do {
                d = vec3(rnd(seed) * 4.6566e-10f - 1, rnd(seed) * 4.6566e-10f - 1, rnd(seed) * 4.6566e-10f - 1);
            } while (dot(d, d) > 1 || dot(d, d) < 1e-6f);
            d = unit(d);
            if (dot(d, nrm) < 0) d = -1.0f * d;
            free += !occluded(p + 1e-3f * nrm, d, n, 2.0f);
        }
        open = (float)free / rays;
    }
    ao[y * w + x] = open;
}

// edge-aware 5x5 blur of the occlusion
__global__ void denoise(const float* ao, const Hit* hits, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int id = hits[y * w + x].id;
    float sum = 0, wt = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int u = min(max(x + dx, 0), w - 1), v = min(max(y + dy, 0), h - 1);
            if (hits[v * w + u].id != id) continue;
            float g = expf(-0.3f * (dx * dx + dy * dy));
            sum += g * ao[v * w + u];
            wt += g;
        }
    out[y * w + x] = sum / wt;
}

__global__ void tonemap(const float4* img, const float* ao, uchar4* rgba, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 c = img[i];
    float a = ao[i];
    auto q = [a](float v) { return (unsigned char)(255.99f * powf(fminf(v * a / (0.3f + v * a) * 1.3f, 1.0f), 1 / 2.2f)); };
    rgba[i] = make_uchar4(q(c.x), q(c.y), q(c.z), 255);
}
__global__ void tonemap_half(const float4* img, const float* ao, __half2* rg_ba, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 c = img[i];
        __half2 a = __float2half2_rn(ao[i]), k = __float2half2_rn(0.3f);
        __half2 p = __hmul2(__floats2half2_rn(c.x, c.y), a), q = __hmul2(__floats2half2_rn(c.z, 1.0f), a);
        rg_ba[2 * i] = __h2div(p, __hadd2(p, k));
        rg_ba[2 * i + 1] = __h2div(q, __hadd2(q, k));
    }
}

int main(int argc, char** argv) {
    int w = 1000, h = 620;
    if (argc == 3) { w = atoi(argv[1]); h = atoi(argv[2]); }
    int np = w * h;
    std::vector<Sphere> scene(NS);
    srand(1);
    auto f = [] { return rand() / (float)RAND_MAX; };
    for (auto& s : scene) {
        s.c = vec3(10 * f() - 5, 6 * f() - 3, -4 - 10 * f());
        s.r = 0.15f + 0.5f * f();
        s.albedo = vec3(f(), f(), f());
        s.material = 0;
    }
    std::vector<float4> packed;
    for (auto& s : scene) packed.push_back(make_float4(s.c.x, s.c.y, s.c.z, s.r));
    cuda_safe(cudaMemcpyToSymbol(cs, packed.data(), NS * sizeof(float4)));

    Sphere* d_s; Hit* hits; float4* img; float *ao, *ao2; uchar4* rgba; __half2* hdr;
    cuda_safe(cudaMalloc(&d_s, NS * sizeof(Sphere)));
    cuda_safe(cudaMalloc(&hits, np * sizeof(Hit)));
    cuda_safe(cudaMalloc(&img, np * sizeof(float4)));
    cuda_safe(cudaMalloc(&ao, np * 4));
    cuda_safe(cudaMalloc(&ao2, np * 4));
    cuda_safe(cudaMallocManaged(&rgba, np * sizeof(uchar4)));
    cuda_safe(cudaMalloc(&hdr, np * 2 * sizeof(__half2)));
    cuda_safe(cudaMemcpy(d_s, scene.data(), NS * sizeof(Sphere), cudaMemcpyHostToDevice));

    bool ok = true;
    std::vector<Hit> got(np);
    dim3 b8(8, 8), g8((w + 7) / 8, (h + 7) / 8), b16(16, 16), g16((w + 15) / 16, (h + 15) / 16), b32(32, 4), g32((w + 31) / 32, (h + 3) / 4), g32h((w + 31) / 32, (h + 7) / 8);
    for (int v = 0; v < 4; v++) {
        cuda_safe(cudaMemset(hits, 0xff, np * sizeof(Hit)));
        if (v == 0) trace_global<<<g8, b8>>>(d_s, NS, hits, w, h);
        if (v == 1) trace_const<<<g8, b8>>>(NS, hits, w, h);
        if (v == 2) trace_const<<<g16, b16>>>(NS, hits, w, h);
        if (v == 3) trace_shared<<<g32h, b32>>>(d_s, NS, hits, w, h);
        cuda_safe(cudaGetLastError());
        cuda_safe(cudaMemcpy(got.data(), hits, np * sizeof(Hit), cudaMemcpyDeviceToHost));
        int bad = 0, seen = 0;
        for (int p = 0; p < np; p += 211) {
            vec3 d = primary(p % w, p / w, w, h);
            float bt = 1e30f; int id = -1;
            for (int i = 0; i < NS; i++) { float t = hit_sphere(vec3(0, 0, 0), d, scene[i].c, scene[i].r); if (t > 0 && t < bt) { bt = t; id = i; } }
            seen++;
            bad += id != got[p].id;
        }
        printf("trace %d: %d of %d sampled pixels differ\n", v, bad, seen);
        ok &= bad * 200 <= seen;
    }
    shade<<<g16, b16>>>(d_s, hits, img, NS, vec3(4, 8, 2), w, h);
    ambient<<<g32, b32>>>(d_s, hits, ao, NS, 4, w, h);
    denoise<<<g32, b32>>>(ao, hits, ao2, w, h);
    tonemap<<<(np + 255) / 256, 256>>>(img, ao2, rgba, np);
    tonemap_half<<<264, 512>>>(img, ao2, hdr, np);
    cuda_safe(cudaGetLastError());
    cuda_safe(cudaDeviceSynchronize());
    std::vector<float> ha(np), hb(np);
    std::vector<__half2> hh(2 * np);
    cuda_safe(cudaMemcpy(ha.data(), ao, np * 4, cudaMemcpyDeviceToHost));
    cuda_safe(cudaMemcpy(hb.data(), ao2, np * 4, cudaMemcpyDeviceToHost));
    cuda_safe(cudaMemcpy(hh.data(), hdr, np * 8, cudaMemcpyDeviceToHost));
    double mean = 0, sky = 0; int nsky = 0;
    for (int p = 0; p < np; p++) {
        ok &= hb[p] >= 0 && hb[p] <= 1.0001f && rgba[p].w == 255;
        if (got[p].id < 0) { sky += ha[p]; nsky++; }
        mean += hb[p];
        float al = __half2float(hh[2 * p + 1].y), want = hb[p] / (0.3f + hb[p]);
        ok &= fabsf(al - want) < 5e-3f;
    }
    ok &= nsky > 0 && sky == nsky && mean / np > 0.3 && mean / np < 0.999;
    printf("mean openness %.4f\n%s\n", mean / np, ok ? "PASS" : "FAIL");
    return !ok;
}
