// Control flow: loops, switches, short circuits, early exits, goto.
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__device__ int early(int n) {
    for (int i = 0; i < 100; ++i) {
        if (i * i > n) return i;
        if (i == 7) break;
    }
    return -n;
}
__device__ int classify(int n) {
    switch (n % 8) {
        case 0: return 10;
        case 1:
        case 2: n += 5;
        case 3: n *= 2; break;
        case 4: { int k = n; while (k > 3) k -= 3; return k; }
        default:
            if (n > 40) break;
            return -1;
        case 6: n = 66;
    }
    return n;
}

__global__ void loops(long long *out) {
    int t = threadIdx.x, s = 0, steps = 0;
    for (int i = 0, j = t; i < j; ++i, --j) s += i * j;
    RESULT(0) = s;
    int n = t + 1;
    while (n != 1 && steps < 200) { n = n % 2 ? 3 * n + 1 : n / 2; ++steps; }
    RESULT(1) = steps;
    do { n += 3; if (n % 5 == 0) continue; s ^= n; } while (n < t);
    RESULT(2) = s;
    RESULT(3) = early(t * 3);
    RESULT(4) = classify(t);
    int found = 0;
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            if (i * j == t) { found = i * 10 + j; goto done; }
            if (j > i) break;
        }
    }
done:
    RESULT(5) = found;
    int a[6], k = 0;
    for (auto &x : a) x = t + k++;
    int total = 0;
    for (int x : a) { if (x & 1) continue; total += x; }
    RESULT(6) = total;
    unsigned u = 3;
    int rounds = 0;
    for (unsigned v = u; v-- > 0;) rounds += v;
    RESULT(7) = rounds + (int)u;
}

__device__ int touch(int *p, int v) { *p = *p * 10 + v; return v & 1; }

__global__ void shortCircuits(long long *out) {
    int t = threadIdx.x, log = 0;
    bool a = touch(&log, t & 3) && touch(&log, 5) || touch(&log, 8);
    RESULT(0) = log; RESULT(1) = a;
    log = 0;
    int b = touch(&log, t) ? touch(&log, 3) : touch(&log, 4);
    RESULT(2) = log; RESULT(3) = b;
    if (!(t > 5 && t < 20) || t == 11) log = 1; else log = 2;
    RESULT(4) = log;
    if (int q = t / 10) RESULT(5) = q; else RESULT(5) = -1;
    RESULT(6) = t < 3 ? 1 : t < 9 ? 2 : t < 27 ? 3 : 4;
    int *p = t & 1 ? &log : nullptr;
    RESULT(7) = p ? *p : -7;
}

__global__ void switches(long long *out) {
    int t = threadIdx.x, r = 0;
    switch (char c = 'a' + t % 5; c) { case 'a': r = 1; break; case 'b': r = 2; break; case 'e': r = 5; }
    RESULT(0) = r;
    int count = t % 7, s = 0;
    switch (count) { case 0: do { s += 1; case 3: s += 10; case 2: s += 100; case 1: s += 1000; } while (--count > 0); }
    RESULT(1) = s;
    switch (t) { default: s = 3; break; case 5: s = 4; }
    RESULT(2) = s;
    unsigned long long big = t * 0x100000000ULL;
    switch (big) { case 0x300000000ULL: s = 33; break; case 0: s = 22; break; }
    RESULT(3) = s;
    for (int i = 0; i < 3; ++i) { switch (i) { case 1: continue; case 2: s += 7; break; } s += 100; }
    RESULT(4) = s; RESULT(5) = RESULT(6) = RESULT(7) = t;
}
