// Simulations: random walks, finite differences in three dimensions, molecules, lattices, fractals in double.
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned int lcg(unsigned int &state) {
    state = state * 1664525u + 1013904223u;
    return state;
}

__global__ void monteCarloPi(unsigned int *hits, int samples) {
    unsigned int state = (blockIdx.x * blockDim.x + threadIdx.x) * 9781u + 1;
    int inside = 0;
    for (int s = 0; s < samples; ++s) {
        float x = (lcg(state) >> 8) * (1.0f / 16777216.0f);
        float y = (lcg(state) >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y <= 1.0f) ++inside;
    }
    atomicAdd(hits, inside);
}

__global__ void stencil3d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, i = y * nx + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < nz - 1; ++z) {
        i += plane;
        float above = in[i + plane];
        out[i] = -6.0f * here + below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx];
        below = here;
        here = above;
    }
}

__global__ void lennardJones(const float4 *pos, float3 *force, const int *neighbours, int n, int max, float cutoff2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i];
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < max; ++k) {
        int j = neighbours[k * n + i];
        float4 q = pos[j];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff2) {
            float inv = 1.0f / r2;
            float inv6 = inv * inv * inv;
            float s = inv6 * (48.0f * inv6 - 24.0f) * inv;
            f.x += dx * s;
            f.y += dy * s;
            f.z += dz * s;
        }
    }
    force[i] = f;
}

__global__ void lbm(const float *f, float *g, int nx, int ny, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    int n = nx * ny, i = y * nx + x;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    float v[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; ++k) {
        v[k] = f[k * n + i];
        rho += v[k];
        ux += v[k] * cx[k];
        uy += v[k] * cy[k];
    }
    ux /= rho;
    uy /= rho;
    for (int k = 0; k < 9; ++k) {
        float cu = 3 * (cx[k] * ux + cy[k] * uy);
        float eq = w[k] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        g[k * n + i] = v[k] + omega * (eq - v[k]);
    }
}

__global__ void julia(double *out, int width, int height, double cr, double ci, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    double zr = 3.0 * x / width - 1.5, zi = 3.0 * y / height - 1.5;
    int k = 0;
    for (; k < limit; ++k) {
        double r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0) break;
        zi = 2.0 * zr * zi + ci;
        zr = r2 - i2 + cr;
    }
    out[y * width + x] = (double)k / limit;
}

__global__ void collatz(const unsigned *in, unsigned *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = i + 1;
    unsigned count = 0;
    while (v != 1) {
        v = (v & 1) ? 3 * v + 1 : v >> 1;
        ++count;
    }
    steps[i] = count;
}

struct Vec3 {
    float x, y, z;
    __device__ Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    __device__ Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    __device__ Vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
    __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};

struct Sphere { Vec3 center; float radius; Vec3 color; };

__global__ void raySpheres(const Sphere *spheres, int count, Vec3 *image, int width, int height) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    Vec3 origin = {0, 0, -5}, dir = {(px - width / 2.0f) / width, (py - height / 2.0f) / height, 1.0f};
    dir = dir * rsqrtf(dir.dot(dir));
    float best = 1e30f;
    Vec3 color = {0, 0, 0};
    for (int s = 0; s < count; ++s) {
        Vec3 oc = origin - spheres[s].center;
        float b = oc.dot(dir), c = oc.dot(oc) - spheres[s].radius * spheres[s].radius;
        float disc = b * b - c;
        if (disc > 0) {
            float t = -b - sqrtf(disc);
            if (t > 0 && t < best) {
                best = t;
                Vec3 normal = (origin + dir * t - spheres[s].center) * (1.0f / spheres[s].radius);
                color = spheres[s].color * fmaxf(0.0f, normal.dot({0.577f, 0.577f, -0.577f}));
            }
        }
    }
    image[py * width + px] = color;
}

int main() {
    const int n = 1 << 20;
    float *a, *b, *c;
    cudaMalloc(&a, n * 16 * sizeof(float));
    cudaMalloc(&b, n * 16 * sizeof(float));
    cudaMalloc(&c, n * 16 * sizeof(float));
    cudaMemset(a, 0, n * 16 * sizeof(float));
    cudaMemset(b, 0, n * 16 * sizeof(float));
    monteCarloPi<<<132, 256>>>((unsigned *)a, 1000);
    stencil3d<<<dim3(256 / 32, 256 / 8), dim3(32, 8)>>>(b, c, 256, 256, 64);
    lennardJones<<<n / 16 / 128, 128>>>((float4 *)a, (float3 *)b, (int *)c, n / 16, 32, 2.5f);
    lbm<<<dim3(1024 / 128, 512), 128>>>(a, b, 1024, 512, 1.2f);
    julia<<<dim3(512 / 16, 512 / 16), dim3(16, 16)>>>((double *)a, 512, 512, -0.8, 0.156, 100);
    collatz<<<n / 8 / 256, 256>>>((unsigned *)a, (unsigned *)b, n / 8);
    raySpheres<<<dim3(512 / 16, 512 / 16), dim3(16, 16)>>>((Sphere *)a, 16, (Vec3 *)b, 512, 512);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
