// Stencils homework: heat equation in 2D and 3D, Conway's Game of Life.
// Every GPU version runs one or two steps and is compared with the serial code.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      if (abort) exit(code);
   }
}

#define IDX(i, j, nx) ((j) * (nx) + (i))
#define TX 24
#define TY 12

/***************** 2D heat *****************/

__global__ void heat2d_simple(const double *u, double *unew, int nx, int ny, double cx, double cy)
{
   int i = blockIdx.x * blockDim.x + threadIdx.x;
   int j = blockIdx.y * blockDim.y + threadIdx.y;
   if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
      double c = u[IDX(i, j, nx)];
      unew[IDX(i, j, nx)] = c + cx * (u[IDX(i - 1, j, nx)] - 2.0 * c + u[IDX(i + 1, j, nx)])
                              + cy * (u[IDX(i, j - 1, nx)] - 2.0 * c + u[IDX(i, j + 1, nx)]);
   } else if (i < nx && j < ny) {
      unew[IDX(i, j, nx)] = u[IDX(i, j, nx)];   // fixed temperature at the border
   }
}

__global__ void heat2d_shared(const double *u, double *unew, int nx, int ny, double cx, double cy)
{
   __shared__ double s[TY + 2][TX + 2];
   int i = blockIdx.x * TX + threadIdx.x;
   int j = blockIdx.y * TY + threadIdx.y;
   int si = threadIdx.x + 1, sj = threadIdx.y + 1;
   bool in = i < nx && j < ny;

   if (in) {
      s[sj][si] = u[IDX(i, j, nx)];
      if (threadIdx.x == 0 && i > 0)           s[sj][0] = u[IDX(i - 1, j, nx)];
      if (threadIdx.x == TX - 1 && i < nx - 1) s[sj][TX + 1] = u[IDX(i + 1, j, nx)];
      if (threadIdx.y == 0 && j > 0)           s[0][si] = u[IDX(i, j - 1, nx)];
      if (threadIdx.y == TY - 1 && j < ny - 1) s[TY + 1][si] = u[IDX(i, j + 1, nx)];
   }
   __syncthreads();
   if (!in) return;
   double c = s[sj][si];
   if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
      c = c + cx * (s[sj][si - 1] - 2.0 * c + s[sj][si + 1]) + cy * (s[sj - 1][si] - 2.0 * c + s[sj + 1][si]);
   unew[IDX(i, j, nx)] = c;
}

// largest change between two time levels; double max by compare-and-swap
__device__ void atomicMaxDouble(double *addr, double val)
{
   unsigned long long *p = (unsigned long long *)addr;
   unsigned long long old = *p, assumed;
   while (val > __longlong_as_double(old)) {
      assumed = old;
      old = atomicCAS(p, assumed, __double_as_longlong(val));
      if (old == assumed) break;
   }
}

__global__ void max_change(const double *a, const double *b, int n, double *result)
{
   __shared__ double s[256];
   double m = 0.0;
   for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
      m = fmax(m, fabs(a[i] - b[i]));
   s[threadIdx.x] = m;
   __syncthreads();
   for (int k = blockDim.x / 2; k > 0; k /= 2) {
      if (threadIdx.x < k) s[threadIdx.x] = fmax(s[threadIdx.x], s[threadIdx.x + k]);
      __syncthreads();
   }
   if (threadIdx.x == 0) atomicMaxDouble(result, s[0]);
}

/***************** 3D heat: march along z, two planes live in registers *****************/

__global__ void heat3d_march(const float *u, float *unew, int nx, int ny, int nz, float c)
{
   int i = blockIdx.x * blockDim.x + threadIdx.x;
   int j = blockIdx.y * blockDim.y + threadIdx.y;
   if (i >= nx || j >= ny) return;
   int plane = nx * ny;
   int id = IDX(i, j, nx);
   bool edge = (i == 0 || i == nx - 1 || j == 0 || j == ny - 1);

   float below, cur = u[id], above = u[id + plane];
   unew[id] = cur;
   for (int k = 1; k < nz - 1; k++) {
      id += plane;
      below = cur;
      cur = above;
      above = u[id + plane];
      float v = cur;
      if (!edge)
         v = cur + c * (below + above + u[id - 1] + u[id + 1] + u[id - nx] + u[id + nx] - 6.0f * cur);
      unew[id] = v;
   }
   unew[id + plane] = above;
}

/***************** Life, the world is a torus *****************/

__global__ void life_bytes(const unsigned char *cells, unsigned char *next, int w, int h)
{
   int x = blockIdx.x * blockDim.x + threadIdx.x;
   int y = blockIdx.y * blockDim.y + threadIdx.y;
   if (x >= w || y >= h) return;
   int xl = (x + w - 1) % w, xr = (x + 1) % w;
   int yu = (y + h - 1) % h, yd = (y + 1) % h;
   int n = cells[yu * w + xl] + cells[yu * w + x] + cells[yu * w + xr]
         + cells[y * w + xl]                      + cells[y * w + xr]
         + cells[yd * w + xl] + cells[yd * w + x] + cells[yd * w + xr];
   next[y * w + x] = (n == 3 || (n == 2 && cells[y * w + x])) ? 1 : 0;
}

// 32 cells per word, all neighbours counted at once with bit-sliced adders
__global__ void life_bits(const unsigned *cells, unsigned *next, int words, int h)
{
   int x = blockIdx.x * blockDim.x + threadIdx.x;
   int y = blockIdx.y * blockDim.y + threadIdx.y;
   if (x >= words || y >= h) return;
   int xl = (x + words - 1) % words, xr = (x + 1) % words;
   unsigned s0 = 0, s1 = 0, s2 = 0, me = 0;    // counter bits (count 8 wraps to 0, dead anyway)
   for (int d = -1; d <= 1; d++) {
      int yy = (y + d + h) % h;
      unsigned c = cells[yy * words + x];
      unsigned left = (c << 1) | (cells[yy * words + xl] >> 31);   // bit 0 is the leftmost cell
      unsigned right = (c >> 1) | (cells[yy * words + xr] << 31);
      unsigned v[3] = {left, right, c};
      int m = 3;
      if (d == 0) { me = c; m = 2; }
      for (int k = 0; k < m; k++) {
         unsigned carry0 = s0 & v[k];
         s0 ^= v[k];
         unsigned carry1 = s1 & carry0;
         s1 ^= carry0;
         s2 ^= carry1;
      }
   }
   next[y * words + x] = s1 & ~s2 & (s0 | me);   // 3, or 2 and alive
}

/***************** serial versions *****************/

static void heat2d_cpu(const double *u, double *un, int nx, int ny, double cx, double cy)
{
   memcpy(un, u, sizeof(double) * nx * ny);
   for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
         double c = u[IDX(i, j, nx)];
         un[IDX(i, j, nx)] = c + cx * (u[IDX(i - 1, j, nx)] - 2.0 * c + u[IDX(i + 1, j, nx)])
                               + cy * (u[IDX(i, j - 1, nx)] - 2.0 * c + u[IDX(i, j + 1, nx)]);
      }
}

static void life_cpu(const unsigned char *c, unsigned char *nx, int w, int h)
{
   for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
         int n = 0;
         for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
               if (dx || dy) n += c[((y + dy + h) % h) * w + (x + dx + w) % w];
         nx[y * w + x] = n == 3 || (n == 2 && c[y * w + x]);
      }
}

int main(int argc, char **argv)
{
   int errors = 0;
   /* ---------- 2D ---------- */
   {
      int nx = 1200, ny = 905;
      double cx = 0.2, cy = 0.15;
      size_t bytes = sizeof(double) * nx * ny;
      double *u0 = (double *)malloc(bytes), *u1 = (double *)malloc(bytes), *u2 = (double *)malloc(bytes), *g = (double *)malloc(bytes);
      for (int j = 0; j < ny; j++)
         for (int i = 0; i < nx; i++) {
            u0[IDX(i, j, nx)] = (double)(i * (nx - i - 1)) * (j * (ny - j - 1)) / 1.0e9;
            if (i > 300 && i < 500 && j > 200 && j < 350) u0[IDX(i, j, nx)] += 40.0;   // hot plate
         }
      heat2d_cpu(u0, u1, nx, ny, cx, cy);
      heat2d_cpu(u1, u2, nx, ny, cx, cy);

      double *da, *db, *dm;
      gpuErrchk(cudaMalloc(&da, bytes));
      gpuErrchk(cudaMalloc(&db, bytes));
      gpuErrchk(cudaMalloc(&dm, sizeof(double)));
      gpuErrchk(cudaMemcpy(da, u0, bytes, cudaMemcpyHostToDevice));
      gpuErrchk(cudaMemset(dm, 0, sizeof(double)));
      dim3 b1(32, 8), g1((nx + 31) / 32, (ny + 7) / 8);
      heat2d_simple<<<g1, b1>>>(da, db, nx, ny, cx, cy);
      gpuErrchk(cudaPeekAtLastError());
      dim3 b2(TX, TY), g2((nx + TX - 1) / TX, (ny + TY - 1) / TY);
      heat2d_shared<<<g2, b2>>>(db, da, nx, ny, cx, cy);
      gpuErrchk(cudaPeekAtLastError());
      max_change<<<180, 256>>>(da, db, nx * ny, dm);
      gpuErrchk(cudaPeekAtLastError());
      gpuErrchk(cudaMemcpy(g, da, bytes, cudaMemcpyDeviceToHost));
      double change, ref = 0, err = 0;
      gpuErrchk(cudaMemcpy(&change, dm, sizeof(double), cudaMemcpyDeviceToHost));
      for (int k = 0; k < nx * ny; k++) {
         err = fmax(err, fabs(g[k] - u2[k]));
         ref = fmax(ref, fabs(u2[k] - u1[k]));
      }
      printf("heat 2D: max error %g, max change %g (serial %g)\n", err, change, ref);
      if (err > 1e-9 || fabs(change - ref) > 1e-9) errors++;
      cudaFree(da); cudaFree(db); cudaFree(dm);
      free(u0); free(u1); free(u2); free(g);
   }
   /* ---------- 3D ---------- */
   {
      int nx = 200, ny = 150, nz = 60, n = nx * ny * nz;
      float c = 0.125f;
      float *u = (float *)malloc(n * sizeof(float)), *g = (float *)malloc(n * sizeof(float));
      for (int k = 0; k < nz; k++)
         for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
               u[(k * ny + j) * nx + i] = sinf(0.05f * i) * cosf(0.07f * j) + 0.01f * k;
      float *da, *db;
      gpuErrchk(cudaMalloc(&da, n * sizeof(float)));
      gpuErrchk(cudaMalloc(&db, n * sizeof(float)));
      gpuErrchk(cudaMemcpy(da, u, n * sizeof(float), cudaMemcpyHostToDevice));
      dim3 b(32, 4), gr((nx + 31) / 32, (ny + 3) / 4);
      heat3d_march<<<gr, b>>>(da, db, nx, ny, nz, c);
      gpuErrchk(cudaPeekAtLastError());
      gpuErrchk(cudaMemcpy(g, db, n * sizeof(float), cudaMemcpyDeviceToHost));
      float err = 0;
      for (int k = 0; k < nz; k++)
         for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
               int id = (k * ny + j) * nx + i;
               float v = u[id];
               if (i && j && k && i < nx - 1 && j < ny - 1 && k < nz - 1)
                  v += c * (u[id - nx * ny] + u[id + nx * ny] + u[id - 1] + u[id + 1] + u[id - nx] + u[id + nx] - 6.0f * v);
               err = fmaxf(err, fabsf(v - g[id]));
            }
      printf("heat 3D: max error %g\n", err);
      if (err > 1e-5f) errors++;
      cudaFree(da); cudaFree(db);
      free(u); free(g);
   }
   /* ---------- Life ---------- */
   {
      int words = 61, w = words * 32, h = 1690;   /* 1952 x 1690 */
      unsigned char *c0 = (unsigned char *)malloc(w * h), *c1 = (unsigned char *)malloc(w * h), *c2 = (unsigned char *)malloc(w * h);
      unsigned char *g = (unsigned char *)malloc(w * h);
      unsigned *bits = (unsigned *)calloc(words * h, sizeof(unsigned));
      srand(42);
      for (int k = 0; k < w * h; k++) {
         c0[k] = rand() % 100 < 35;
         if (c0[k]) bits[k / 32] |= 1u << (k % 32);
      }
      life_cpu(c0, c1, w, h);
      life_cpu(c1, c2, w, h);

      unsigned char *da, *db;
      unsigned *ba, *bb;
      gpuErrchk(cudaMalloc(&da, w * h));
      gpuErrchk(cudaMalloc(&db, w * h));
      gpuErrchk(cudaMalloc(&ba, words * h * sizeof(unsigned)));
      gpuErrchk(cudaMalloc(&bb, words * h * sizeof(unsigned)));
      gpuErrchk(cudaMemcpy(da, c0, w * h, cudaMemcpyHostToDevice));
      gpuErrchk(cudaMemcpy(ba, bits, words * h * sizeof(unsigned), cudaMemcpyHostToDevice));
      dim3 b(64, 4), gr((w + 63) / 64, (h + 3) / 4);
      life_bytes<<<gr, b>>>(da, db, w, h);
      life_bytes<<<gr, b>>>(db, da, w, h);
      gpuErrchk(cudaPeekAtLastError());
      gpuErrchk(cudaMemcpy(g, da, w * h, cudaMemcpyDeviceToHost));
      int wrong = memcmp(g, c2, w * h) != 0;

      dim3 bbk(16, 16), bgr((words + 15) / 16, (h + 15) / 16);
      life_bits<<<bgr, bbk>>>(ba, bb, words, h);
      gpuErrchk(cudaPeekAtLastError());
      gpuErrchk(cudaMemcpy(bits, bb, words * h * sizeof(unsigned), cudaMemcpyDeviceToHost));
      int wrongBits = 0;
      for (int k = 0; k < w * h; k++)
         if (((bits[k / 32] >> (k % 32)) & 1u) != c1[k]) wrongBits++;
      printf("life: bytes %s, bits %s (%d wrong)\n", wrong ? "WRONG" : "ok", wrongBits ? "WRONG" : "ok", wrongBits);
      errors += wrong + (wrongBits != 0);
      cudaFree(da); cudaFree(db); cudaFree(ba); cudaFree(bb);
      free(c0); free(c1); free(c2); free(g); free(bits);
   }
   printf(errors ? "%d errors\n" : "no errors\n", errors);
   return errors ? 1 : 0;
}
