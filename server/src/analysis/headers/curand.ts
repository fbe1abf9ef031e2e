/** cuRAND's device generators: XORWOW and Philox, the ones kernels use. Their streams are as long as cuRAND's, not the same. */
export const curand = `#pragma once
struct curandStateXORWOW { unsigned d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
struct curandStatePhilox4_32_10 { uint4 ctr, output; uint2 key; unsigned STATE; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/** MTGP32: a state of a block's threads, each of which turns a word of it and waits for the others. Their shifts lie in a table of cuRAND's. */
typedef struct mtgp32_kernel_params { unsigned pos_tbl[200], param_tbl[200][16], temper_tbl[200][16], single_temper_tbl[200][16], sh1_tbl[200], sh2_tbl[200], mask[1]; } mtgp32_kernel_params_t;
struct curandStateMtgp32 { unsigned s[1024]; int offset, pIdx; mtgp32_kernel_params_t *k; };
typedef curandStateMtgp32 curandStateMtgp32_t;
__device__ unsigned curand(curandStateMtgp32 *state) {
int threads = blockDim.x * blockDim.y * blockDim.z;
int t = blockDim.z * blockDim.y * threadIdx.z + blockDim.x * threadIdx.y + threadIdx.x;
int first = t + state->offset, near = 84 + (state->pIdx & 7);
unsigned x = (state->s[first & 1023] & 0xfff80000u) ^ state->s[(first + 1) & 1023], y = state->s[(first + near) & 1023];
x ^= x << 13;
y = x ^ (y >> 4);
unsigned r = y ^ ((y & 15u) * 2654435761u);
state->s[(first + 351) & 1023] = r;
unsigned o = state->s[(first + near - 1) & 1023];
o ^= o >> 16;
o ^= o >> 8;
o = r ^ ((o & 15u) * 1099087573u);
__syncthreads();
if (t == 0) state->offset = (state->offset + threads) & 1023;
__syncthreads();
return o;
}

/** Sobol: a direction vector for each bit; a draw folds in the one of the lowest bit that is not set in its number. */
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
struct curandStateSobol32 { unsigned i, x, c; unsigned direction_vectors[32]; };
typedef curandStateSobol32 curandStateSobol32_t;
struct curandStateSobol64 { unsigned long long i, x, c; unsigned long long direction_vectors[64]; };
typedef curandStateSobol64 curandStateSobol64_t;
__device__ void curand_init(unsigned *directions, unsigned offset, curandStateSobol32 *state) {
for (int k = 0; k < 32; ++k) state->direction_vectors[k] = directions[k];
state->i = 0;
state->c = 0;
state->x = 0;
if (offset > 0) {
// The bits of a Gray code say which vectors are in.
unsigned gray = offset ^ (offset >> 1);
for (int k = 0; k < 32; ++k) if (gray & (1u << k)) state->x ^= state->direction_vectors[k];
state->i = offset;
}
}
__device__ void curand_init(unsigned long long *directions, unsigned long long offset, curandStateSobol64 *state) {
for (int k = 0; k < 64; ++k) state->direction_vectors[k] = directions[k];
state->i = 0;
state->c = 0;
state->x = 0;
if (offset > 0) {
unsigned long long gray = offset ^ (offset >> 1);
for (int k = 0; k < 64; ++k) if (gray & (1ull << k)) state->x ^= state->direction_vectors[k];
state->i = offset;
}
}
__device__ unsigned curand(curandStateSobol32 *state) {
unsigned result = state->x;
state->x ^= state->direction_vectors[__ffs(~state->i) - 1];
state->i++;
return result;
}
__device__ unsigned long long curand(curandStateSobol64 *state) {
unsigned long long result = state->x;
state->x ^= state->direction_vectors[__ffsll(~state->i) - 1];
state->i++;
return result;
}

/** Skips to a sequence as cuRAND does, by a product of matrices of bits for each digit of its number; the matrices are others. */
__device__ void warplens_skip_sequence(unsigned long long sequence, curandStateXORWOW *state) {
for (unsigned digit = 0; sequence; sequence >>= 2, ++digit) {
for (unsigned times = 0; times < (sequence & 3); ++times) {
unsigned result[5] = {0, 0, 0, 0, 0};
for (int i = 0; i < 5; ++i) {
for (int j = 0; j < 32; ++j) {
if (!(state->v[i] & (1u << j))) continue;
unsigned row = (i * 32 + j + 1 + digit * 160) * 2654435761u;
for (int k = 0; k < 5; ++k) result[k] ^= (row << k) ^ (row >> (7 + k));
}
}
for (int i = 0; i < 5; ++i) state->v[i] = result[i];
}
}
}
__device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *state) {
unsigned s0 = (unsigned)seed ^ 0xaad26b49u, s1 = (unsigned)(seed >> 32) ^ 0xf7dcefddu;
unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
state->d = 6615241 + t1 + t0 + (unsigned)offset * 362437;
state->v[0] = 123456789u + t0;
state->v[1] = 362436069u ^ t0;
state->v[2] = 521288629u + t1;
state->v[3] = 88675123u ^ t1;
state->v[4] = 5783321u + t0;
warplens_skip_sequence(sequence, state);
state->boxmuller_flag = 0;
state->boxmuller_flag_double = 0;
}
__device__ unsigned curand(curandStateXORWOW *state) {
unsigned t = state->v[0] ^ (state->v[0] >> 2);
state->v[0] = state->v[1];
state->v[1] = state->v[2];
state->v[2] = state->v[3];
state->v[3] = state->v[4];
state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
state->d += 362437;
return state->v[4] + state->d;
}

__device__ uint4 warplens_philox(uint4 c, uint2 k) {
#pragma unroll
for (int round = 0; round < 10; ++round) {
unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
k.x += 0x9E3779B9u;
k.y += 0xBB67AE85u;
}
return c;
}
__device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *state) {
state->ctr = make_uint4((unsigned)(offset / 4), (unsigned)(offset / 4 >> 32), (unsigned)sequence, (unsigned)(sequence >> 32));
state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
state->STATE = offset & 3;
state->boxmuller_flag = 0;
state->boxmuller_flag_double = 0;
state->output = warplens_philox(state->ctr, state->key);
}
__device__ uint4 curand4(curandStatePhilox4_32_10 *state) {
uint4 old = state->output;
if (++state->ctr.x == 0) if (++state->ctr.y == 0) if (++state->ctr.z == 0) ++state->ctr.w;
state->output = warplens_philox(state->ctr, state->key);
return old;
}
__device__ unsigned curand(curandStatePhilox4_32_10 *state) {
unsigned result = state->STATE == 0 ? state->output.x : state->STATE == 1 ? state->output.y : state->STATE == 2 ? state->output.z : state->output.w;
if (++state->STATE == 4) { curand4(state); state->STATE = 0; }
return result;
}

__device__ float warplens_uniform(unsigned x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
__device__ double warplens_uniform_double(unsigned x, unsigned y) { unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21); return z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0; }
__device__ float2 warplens_box_muller(unsigned x, unsigned y) {
float u = warplens_uniform(x), v = y * 2.3283064e-10f * 6.2831855f + 2.3283064e-10f * 6.2831855f / 2.0f;
float s = sqrtf(-2.0f * logf(u)), a, b;
__sincosf(v, &a, &b);
return make_float2(a * s, b * s);
}
template <class S> __device__ float curand_uniform(S *state) { return warplens_uniform(curand(state)); }
template <class S> __device__ double curand_uniform_double(S *state) { unsigned x = curand(state); return warplens_uniform_double(x, curand(state)); }
__device__ double curand_uniform_double(curandStateSobol64 *state) { return curand(state) * 5.4210108624275222e-20 + 5.4210108624275222e-20 / 2.0; }
template <class S> __device__ float2 curand_normal2(S *state) { unsigned x = curand(state); return warplens_box_muller(x, curand(state)); }
template <class S> __device__ float curand_normal(S *state) {
if (state->boxmuller_flag != 1) {
float2 pair = curand_normal2(state);
state->boxmuller_extra = pair.y;
state->boxmuller_flag = 1;
return pair.x;
}
state->boxmuller_flag = 0;
return state->boxmuller_extra;
}
template <class S> __device__ double curand_normal_double(S *state) {
if (state->boxmuller_flag_double != 1) {
double u = curand_uniform_double(state), v = curand_uniform_double(state), s = sqrt(-2.0 * log(u)), a, b;
sincospi(v * 2.0, &a, &b);
state->boxmuller_extra_double = b * s;
state->boxmuller_flag_double = 1;
return a * s;
}
state->boxmuller_flag_double = 0;
return state->boxmuller_extra_double;
}
template <class S> __device__ float curand_log_normal(S *state, float mean, float deviation) { return expf(mean + deviation * curand_normal(state)); }
__device__ float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
uint4 x = curand4(state);
return make_float4(warplens_uniform(x.x), warplens_uniform(x.y), warplens_uniform(x.z), warplens_uniform(x.w));
}
__device__ float4 curand_normal4(curandStatePhilox4_32_10 *state) {
uint4 x = curand4(state);
float2 a = warplens_box_muller(x.x, x.y), b = warplens_box_muller(x.z, x.w);
return make_float4(a.x, a.y, b.x, b.y);
}
__device__ void skipahead(unsigned long long n, curandStateXORWOW *state) { state->d += (unsigned)n * 362437; }
__device__ void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) { state->ctr.x += (unsigned)(n / 4); state->STATE = (state->STATE + (unsigned)n) & 3; state->output = warplens_philox(state->ctr, state->key); }
`;
