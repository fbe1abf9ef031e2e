// Inline PTX that kernels write by hand.
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__device__ unsigned lane() { unsigned r; asm volatile("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__device__ unsigned maskBelow() { unsigned r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); return r; }
__device__ unsigned field(unsigned v, unsigned at, unsigned bits) { unsigned r; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "r"(at), "r"(bits)); return r; }
__device__ unsigned insert(unsigned into, unsigned v, unsigned at, unsigned bits) { unsigned r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(v), "r"(into), "r"(at), "r"(bits)); return r; }
__device__ unsigned majority(unsigned a, unsigned b, unsigned c) { unsigned r; asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ float fused(float a, float b, float c) { float r; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }

__global__ void instructions(long long *out) {
    unsigned t = threadIdx.x, x = t * 0x9e3779b9u;
    RESULT(0) = lane() + 100u * __popc(maskBelow());
    RESULT(1) = field(x, t % 20, 8);
    RESULT(2) = insert(x, t, 4, 12);
    RESULT(3) = majority(x, x >> 3, x << 5);
    RESULT(4) = __float_as_int(fused(t, 1.5f, 0.25f));
    int swapped;
    asm("prmt.b32 %0, %1, %2, 0x0123;" : "=r"(swapped) : "r"(x), "r"(0));
    RESULT(5) = swapped;
    unsigned shuffled;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(shuffled) : "r"(x));
    RESULT(6) = shuffled;
    unsigned low; int least;
    asm("{ .reg .u32 t1; add.u32 t1, %1, 7; mul.lo.u32 %0, t1, 3; }" : "=r"(low) : "r"(t));
    asm("min.s32 %0, %1, %2;" : "=r"(least) : "r"((int)t - 30), "r"(5));
    RESULT(7) = low + least;
}

__global__ void accesses(long long *out) {
    __shared__ float4 tile[64];
    unsigned t = threadIdx.x;
    tile[t] = make_float4(t, t + 1, t + 2, t + 3);
    __syncthreads();
    unsigned address = (unsigned)__cvta_generic_to_shared(&tile[63 - t]);
    float a, b, c, d;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(address));
    RESULT(0) = a + b * 1000; RESULT(1) = c + d * 1000;
    long long *slot = &RESULT(2);
    asm volatile("st.global.u64 [%0], %1;" :: "l"(slot), "l"((long long)t * 5) : "memory");
    long long back;
    asm volatile("ld.global.cg.s64 %0, [%1 + 0];" : "=l"(back) : "l"(slot));
    RESULT(3) = back + 1;
    asm volatile("membar.cta;");
    asm volatile("bar.sync 0;");
    RESULT(4) = RESULT(5) = RESULT(6) = RESULT(7) = 0;
}
