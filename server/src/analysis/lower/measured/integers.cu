// Integer arithmetic: promotions, wrap-around, signedness, shifts, conversions.
// Every kernel runs as one block of 64 threads and writes eight 64-bit results a thread.
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__global__ void promotions(long long *out) {
    unsigned char uc = 200 + threadIdx.x;
    signed char sc = (signed char)(120 + threadIdx.x);
    short s = -30000 - (int)threadIdx.x * 100;
    unsigned short us = 65000 + threadIdx.x * 20;
    char c = 'a' + threadIdx.x;
    bool b = threadIdx.x & 4;
    RESULT(0) = uc + uc;
    RESULT(1) = sc * sc - uc;
    RESULT(2) = s * us;
    RESULT(3) = -uc;
    RESULT(4) = ~us;
    RESULT(5) = c - b;
    RESULT(6) = b + b + (b == true);
    uc += 100; sc <<= 1; s -= us; us *= 3;
    RESULT(7) = uc * 1000003LL + sc * 10007 + s * 31 + us;
}

__global__ void mixedSigns(long long *out) {
    int i = (int)threadIdx.x - 32;
    unsigned u = 7u + threadIdx.x;
    long l = i * 1000000007L;
    unsigned long ul = u * 0x123456789abcdefUL;
    RESULT(0) = i / u;
    RESULT(1) = i % 7;
    RESULT(2) = i / 7;
    RESULT(3) = (i < u) + 2 * (l < u) + 4 * (i < ul) + 8 * (-1 < 1u);
    RESULT(4) = l % 1000;
    RESULT(5) = ul / 1000 + i;
    RESULT(6) = i - u;
    RESULT(7) = (long)(i - u) + (unsigned)l + (int)ul;
}

__global__ void shifts(long long *out) {
    int i = (int)(0x80000001u + threadIdx.x * 77777777u);
    unsigned u = i;
    long long ll = ((long long)i << 20) ^ threadIdx.x;
    int n = threadIdx.x % 32;
    RESULT(0) = i >> n;
    RESULT(1) = u >> n;
    RESULT(2) = u << n;
    RESULT(3) = ll >> (threadIdx.x % 64);
    RESULT(4) = (unsigned long long)ll >> (threadIdx.x % 64);
    RESULT(5) = 1LL << (threadIdx.x % 63);
    RESULT(6) = (char)i >> 1;
    RESULT(7) = (short)(u >> 3) << 2;
}

__global__ void casts(long long *out) {
    float f = 3.75f * ((int)threadIdx.x - 20);
    double d = -1.0e10 / (threadIdx.x + 1);
    long long ll = (long long)(0x1234567890abcdefULL * (threadIdx.x + 1));
    RESULT(0) = (int)f;
    RESULT(1) = (long long)d;
    RESULT(2) = (int)ll;
    RESULT(3) = (unsigned char)ll + (signed char)ll;
    RESULT(4) = (unsigned short)(ll >> 5);
    RESULT(5) = (bool)(ll & 2) + (bool)f + !!d;
    RESULT(6) = static_cast<long long>(static_cast<float>(ll >> 20));
    RESULT(7) = long(short(f)) + int('A') + (unsigned)(f < 0 ? -f : f);
}

__global__ void increments(long long *out) {
    int i = threadIdx.x;
    int a = i++ + i;
    int b = ++i * 2;
    int c = i-- - --i;
    unsigned char w = 254;
    w++; w++;
    unsigned char v = w--;
    int array[4] = {1, 2, 3};
    int *p = array;
    int d = *p++ + *p;
    (*p)++;
    int e = *++p;
    p += 1; p -= 2;
    RESULT(0) = a; RESULT(1) = b; RESULT(2) = c; RESULT(3) = w * 1000 + v;
    RESULT(4) = d * 100 + e; RESULT(5) = p - array; RESULT(6) = array[1] + array[3]; RESULT(7) = (i, a, b += 2);
}

__global__ void intrinsics(long long *out) {
    unsigned x = 0x9e3779b9u * (threadIdx.x + 1);
    unsigned y = x ^ (x >> 13);
    unsigned long long z = ((unsigned long long)x << 32) | y;
    RESULT(0) = __popc(x) + 100 * __clz(x) + 10000 * __ffs(y) + 1000000 * __popcll(z);
    RESULT(1) = __brev(x);
    RESULT(2) = __brevll(z);
    RESULT(3) = __umulhi(x, y) + (long long)__mulhi((int)x, (int)y);
    RESULT(4) = __byte_perm(x, y, 0x5410 + threadIdx.x % 4);
    RESULT(5) = __funnelshift_l(x, y, threadIdx.x) + (long long)__funnelshift_r(x, y, threadIdx.x);
    RESULT(6) = __umul64hi(z, z * 3) ^ __mul24((int)x, (int)y) ^ __umul24(x, y);
    RESULT(7) = __sad((int)x, (int)y, 5u) + __usad(x, y, 7u) + __ffsll(z) + __clzll(z) + __hadd((int)x, (int)y) + __uhadd(x, y);
}

__global__ void extremes(long long *out) {
    int i = (int)threadIdx.x - 32;
    unsigned u = threadIdx.x;
    RESULT(0) = min(i, 3) + 100 * max(i, -3);
    RESULT(1) = max(i, u);
    RESULT(2) = min(i, u);
    RESULT(3) = abs(i) + abs(-5L);
    RESULT(4) = max((long long)i, 5LL) + min(7ULL, (unsigned long long)u);
    RESULT(5) = __float_as_int(fminf(i, 2.5f)) ^ __float_as_int(max(1.0f * i, -2.0f));
    RESULT(6) = umin(u, 9u) + llmax(i, 1) + (i > 0 ? i : u);
    RESULT(7) = i > 3 && u < 50 || i == -32;
}
