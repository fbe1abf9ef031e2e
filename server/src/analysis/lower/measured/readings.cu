// Texts that only names can tell apart, and expressions whose reading is easy to get wrong.
#define RESULT(k) out[threadIdx.x * 8 + (k)]
#define IN_RANGE(x, lo, hi) ((x) >= (lo) && (x) <= (hi))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SQUARE(x) ((x) * (x))

typedef float real;
using word = unsigned short;
template <int N> __device__ int scaled(int x) { return N * x; }
struct Point { int x, y; };

__global__ void casts(long long *out) {
    int t = threadIdx.x, n = 7, lo = 3, hi = 40;
    int a[4] = {t, 2, 3, 4};
    RESULT(0) = (real)(t) / 2 * 100;
    RESULT(1) = (word)-t + (word)~t;
    RESULT(2) = (word)*a * 3 + (real)-t * 2;
    RESULT(3) = (n) - 1 + (t) * (n) + ((lo) & (hi)) + (n) * -1;
    RESULT(4) = IN_RANGE(t, lo, hi) + 2 * ((lo) && (t) > 5) + 4 * ((a[1]) && (t) < 9);
    RESULT(5) = MIN(SQUARE(t), SQUARE(n) + (a[2]) * (t));
    RESULT(6) = (int)(real(t) / 3) + int(2.9f) + short(70000) + unsigned(t) % 3u;
    RESULT(7) = (a[1]) + (a[2]) - (a[3]) * (n);
}

__global__ void comparisons(long long *out) {
    int t = threadIdx.x, a = t, b = 20, c = 5, d = 3;
    RESULT(0) = a < b && c > (d);
    RESULT(1) = scaled<3>(t) + scaled<2 + 1>(c);
    bool flag(a < b), other(c > (d));
    RESULT(2) = flag + 2 * other;
    Point p(Point{1, t}), *q = &p;
    RESULT(3) = q->y * q->x + (*q).y;
    int value(t * 2), pair[2] = {a < b, c > d};
    RESULT(4) = value + pair[0] + pair[1];
    RESULT(5) = a < b == true ? a & 3 | 4 ^ 1 : a << 2 + 1;
    RESULT(6) = -a % 3 + ~a / 2 - -a + !a * 10;
    RESULT(7) = a > 10 ? b > 10 ? 1 : 2 : c < 3 ? 3 : 4;
}

__global__ void lvalues(long long *out) {
    int t = threadIdx.x, a = 1, b = 2, log = 0;
    (t & 1 ? a : b) = t;
    (a += 2) *= 3;
    ++(t & 2 ? a : b);
    int list[3] = {0};
    int i = 0;
    list[i++] = i + 5;
    list[i] += list[i - 1]++;
    log = 3, b -= 1;
    int *p = list, *q = p + 2;
    *q-- = 9;
    *--q += 100;
    RESULT(0) = a; RESULT(1) = b; RESULT(2) = list[0]; RESULT(3) = list[1]; RESULT(4) = list[2]; RESULT(5) = log + i; RESULT(6) = q - p;
    unsigned char bytes[8] = {};
    *(int *)(bytes + 4) = t * 257;
    RESULT(7) = bytes[4] + bytes[5] * 1000 + *reinterpret_cast<unsigned short *>(&bytes[5]);
}

__device__ const int primes[] = {2, 3, 5, 7, 11, 13};
__constant__ float grid[2][3] = {1, 2, 3, 4, 5};
__device__ Point corners[2] = {{1, 2}, {3, 4}};
__device__ unsigned char text[] = "warp";
static __device__ double ratio = 0.25;
const int hostConstant = 12;
__constant__ float halves[3] = {0.5f, 1.5f, 2.5f};
__device__ int lookup(int k) { static const int table[3] = {100, 200, 300}; const int local[] = {1, 2, 3}; return table[k % 3] + local[k % 3]; }

__global__ void tables(long long *out) {
    int t = threadIdx.x;
    RESULT(0) = primes[t % 6] + sizeof(primes);
    RESULT(1) = grid[t & 1][t % 3] * 10;
    RESULT(2) = corners[t & 1].y;
    RESULT(3) = text[t % 5];
    RESULT(4) = ratio * 8 * t;
    RESULT(5) = hostConstant + lookup(t);
    RESULT(6) = halves[t % 3] * 2;
    RESULT(7) = sizeof("abc");
}
