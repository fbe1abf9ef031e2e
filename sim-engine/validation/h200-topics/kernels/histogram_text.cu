/*
 * Histograms of text. Letters are counted in 7 bins of four letters and in
 * all 256 byte values; words and lines are counted too.
 *
 *   histo_global            atomics on global memory
 *   histo_private_global    one private copy per block in global memory
 *   histo_private_shared    one private copy per block in shared memory
 *   histo_contiguous        + coarsening, contiguous partition
 *   histo_interleaved       + coarsening, interleaved partition
 *   histo_aggregated        + run aggregation
 *   histo256_per_warp       256 bins, one copy per warp, 4 bytes per load
 *   count_words             word starts by flags, ballot and popc
 *   to_upper                plain map, char4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <cuda_runtime.h>

#define NUM_BINS 7
#define BLOCK_DIM 512
#define CFACTOR 16

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

__global__ void histo_global(const char *data, unsigned int length, unsigned int *histo)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) {
        int pos = data[i] - 'a';
        if (pos >= 0 && pos < 26) atomicAdd(&histo[pos / 4], 1);
    }
}

__global__ void histo_private_global(const char *data, unsigned int length, unsigned int *histo)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) {
        int pos = data[i] - 'a';
        if (pos >= 0 && pos < 26) atomicAdd(&histo[blockIdx.x * NUM_BINS + pos / 4], 1);
    }
    if (blockIdx.x > 0) {
        __syncthreads();
        for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
            /* volatile: the atomics went to L2, do not read a stale line */
            unsigned int v = *(volatile unsigned int *)&histo[blockIdx.x * NUM_BINS + bin];
            if (v > 0) atomicAdd(&histo[bin], v);
        }
    }
}

__device__ void merge_bins(unsigned int *sh, unsigned int *histo)
{
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
        unsigned int v = sh[bin];
        if (v > 0) atomicAdd(&histo[bin], v);
    }
}

__global__ void histo_private_shared(const char *data, unsigned int length, unsigned int *histo)
{
    __shared__ unsigned int sh[NUM_BINS];
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) sh[bin] = 0u;
    __syncthreads();
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) {
        int pos = data[i] - 'a';
        if (pos >= 0 && pos < 26) atomicAdd(&sh[pos / 4], 1);
    }
    merge_bins(sh, histo);
}

__global__ void histo_contiguous(const char *data, unsigned int length, unsigned int *histo)
{
    __shared__ unsigned int sh[NUM_BINS];
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) sh[bin] = 0u;
    __syncthreads();
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stop = min((tid + 1) * CFACTOR, length);
    for (unsigned int i = tid * CFACTOR; i < stop; ++i) {
        int pos = data[i] - 'a';
        if (pos >= 0 && pos < 26) atomicAdd(&sh[pos / 4], 1);
    }
    merge_bins(sh, histo);
}

__global__ void histo_interleaved(const char *data, unsigned int length, unsigned int *histo)
{
    __shared__ unsigned int sh[NUM_BINS];
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) sh[bin] = 0u;
    __syncthreads();
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int i = tid; i < length; i += blockDim.x * gridDim.x) {
        int pos = data[i] - 'a';
        if (pos >= 0 && pos < 26) atomicAdd(&sh[pos / 4], 1);
    }
    merge_bins(sh, histo);
}

__global__ void histo_aggregated(const char *data, unsigned int length, unsigned int *histo)
{
    __shared__ unsigned int sh[NUM_BINS];
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) sh[bin] = 0u;
    __syncthreads();
    unsigned int acc = 0;
    int prev = -1;
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int i = tid; i < length; i += blockDim.x * gridDim.x) {
        int pos = data[i] - 'a';
        if (pos >= 0 && pos < 26) {
            int bin = pos / 4;
            if (bin == prev) {
                ++acc;
            } else {
                if (acc > 0) atomicAdd(&sh[prev], acc);
                acc = 1;
                prev = bin;
            }
        }
    }
    if (acc > 0) atomicAdd(&sh[prev], acc);
    merge_bins(sh, histo);
}

#define WARPS 8
__global__ void histo256_per_warp(const unsigned int *data4, unsigned int words, unsigned int *histo)
{
    __shared__ unsigned int sh[WARPS][256];
    unsigned int *mine = sh[threadIdx.x / 32];
    for (unsigned int b = threadIdx.x; b < WARPS * 256; b += blockDim.x) (&sh[0][0])[b] = 0;
    __syncthreads();
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned int v = data4[i];
        atomicAdd(&mine[v & 0xff], 1u);
        atomicAdd(&mine[(v >> 8) & 0xff], 1u);
        atomicAdd(&mine[(v >> 16) & 0xff], 1u);
        atomicAdd(&mine[v >> 24], 1u);
    }
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < 256; b += blockDim.x) {
        unsigned int sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += sh[w][b];
        if (sum) atomicAdd(&histo[b], sum);
    }
}

__device__ __forceinline__ bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* counts[0] words, counts[1] lines */
__global__ void count_words(const char *data, unsigned int length, unsigned int *counts)
{
    unsigned int words = 0, lines = 0;
    unsigned int stride = gridDim.x * blockDim.x;
    unsigned int rounds = (length + stride - 1) / stride;      /* the same for all threads */
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int r = 0; r < rounds; ++r, i += stride) {
        bool inside = i < length;
        char c = inside ? data[i] : ' ';
        char before = (inside && i > 0) ? data[i - 1] : ' ';
        unsigned int starts = __ballot_sync(0xffffffffu, is_letter(c) && !is_letter(before));
        unsigned int nl = __ballot_sync(0xffffffffu, c == '\n');
        words += __popc(starts);
        lines += __popc(nl);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&counts[0], words);
        atomicAdd(&counts[1], lines);
    }
}

__global__ void to_upper(char4 *text, unsigned int n4)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    char4 c = text[i];
    if (c.x >= 'a' && c.x <= 'z') c.x -= 32;
    if (c.y >= 'a' && c.y <= 'z') c.y -= 32;
    if (c.z >= 'a' && c.z <= 'z') c.z -= 32;
    if (c.w >= 'a' && c.w <= 'z') c.w -= 32;
    text[i] = c;
}

typedef void (*histo_fn)(const char *, unsigned int, unsigned int *);

struct variant {
    const char *name;
    histo_fn fn;
    int blocks;          /* 0: one thread per character */
    int private_copies;
};

int main(void)
{
    const unsigned int length = 8u * 1000 * 1000 + 4;      /* multiple of four */
    static const char *lexicon[] = {"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog",
                                    "zephyr", "Kernel", "warp", "of", "a", "memory", "bank", "Shared"};
    char *text = (char *)malloc(length + 16);
    unsigned int len = 0, seed = 7, col = 0;
    while (len < length) {
        seed = seed * 1103515245u + 12345u;
        const char *w = lexicon[(seed >> 16) & 15];
        while (*w && len < length) { text[len++] = *w++; ++col; }
        if (len < length) {
            text[len++] = col > 70 ? '\n' : ' ';
            if (col > 70) col = 0;
        }
    }

    /* reference */
    unsigned int ref7[NUM_BINS] = {0}, ref256[256] = {0}, ref_words = 0, ref_lines = 0;
    char before = ' ';
    for (unsigned int i = 0; i < length; ++i) {
        char c = text[i];
        ref256[(unsigned char)c]++;
        if (c >= 'a' && c <= 'z') ref7[(c - 'a') / 4]++;
        if (isalpha((unsigned char)c) && !isalpha((unsigned char)before)) ref_words++;
        if (c == '\n') ref_lines++;
        before = c;
    }

    char *d_text;
    unsigned int *d_histo;
    const unsigned int full_blocks = (length + BLOCK_DIM - 1) / BLOCK_DIM;
    const size_t histo_bytes = (size_t)full_blocks * NUM_BINS * sizeof(unsigned int);
    check(cudaMalloc((void **)&d_text, length), "malloc text");
    check(cudaMalloc((void **)&d_histo, histo_bytes), "malloc histo");
    check(cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice), "copy text");

    struct variant table[] = {
        {"global atomics", histo_global, 0, 0},
        {"private, global", histo_private_global, 0, 1},
        {"private, shared", histo_private_shared, 0, 0},
        {"contiguous", histo_contiguous, (int)((length + BLOCK_DIM * CFACTOR - 1) / (BLOCK_DIM * CFACTOR)), 0},
        {"interleaved", histo_interleaved, 528, 0},
        {"aggregated", histo_aggregated, 528, 0},
    };
    int failed = 0;
    unsigned int got[256];
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); ++k) {
        int blocks = table[k].blocks ? table[k].blocks : (int)full_blocks;
        check(cudaMemset(d_histo, 0, table[k].private_copies ? histo_bytes : NUM_BINS * sizeof(unsigned int)), "memset");
        table[k].fn<<<blocks, BLOCK_DIM>>>(d_text, length, d_histo);
        check(cudaGetLastError(), table[k].name);
        check(cudaMemcpy(got, d_histo, NUM_BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost), "copy back");
        int bad = memcmp(got, ref7, sizeof(ref7)) != 0;
        printf("%-18s %s\n", table[k].name, bad ? "wrong" : "right");
        failed |= bad;
    }

    check(cudaMemset(d_histo, 0, 256 * sizeof(unsigned int)), "memset");
    histo256_per_warp<<<396, WARPS * 32>>>((const unsigned int *)d_text, length / 4, d_histo);
    check(cudaGetLastError(), "histo256");
    check(cudaMemcpy(got, d_histo, sizeof(got), cudaMemcpyDeviceToHost), "copy back");
    if (memcmp(got, ref256, sizeof(ref256))) { printf("256 bins wrong\n"); failed = 1; }

    check(cudaMemset(d_histo, 0, 2 * sizeof(unsigned int)), "memset");
    count_words<<<660, 256>>>(d_text, length, d_histo);
    check(cudaGetLastError(), "count_words");
    check(cudaMemcpy(got, d_histo, 2 * sizeof(unsigned int), cudaMemcpyDeviceToHost), "copy back");
    printf("words %u lines %u (expected %u, %u)\n", got[0], got[1], ref_words, ref_lines);
    if (got[0] != ref_words || got[1] != ref_lines) failed = 1;

    to_upper<<<(length / 4 + 255) / 256, 256>>>((char4 *)d_text, length / 4);
    check(cudaGetLastError(), "to_upper");
    char *upper = (char *)malloc(length);
    check(cudaMemcpy(upper, d_text, length, cudaMemcpyDeviceToHost), "copy back");
    for (unsigned int i = 0; i < length; ++i) {
        char want = (text[i] >= 'a' && text[i] <= 'z') ? (char)(text[i] - 32) : text[i];
        if (upper[i] != want) { printf("upper case wrong at %u\n", i); failed = 1; break; }
    }

    cudaFree(d_text);
    cudaFree(d_histo);
    free(text);
    free(upper);
    printf("%s\n", failed ? "FAIL" : "PASS");
    return failed;
}
