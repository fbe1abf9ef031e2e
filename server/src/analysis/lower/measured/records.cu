// Structures, unions, bit-fields, vector types, methods, operators, constructors, inheritance.
#define RESULT(k) out[threadIdx.x * 8 + (k)]

struct Vec { float x, y, z; };
__device__ Vec operator+(const Vec &a, const Vec &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Vec operator*(Vec a, float s) { a.x *= s; a.y *= s; a.z *= s; return a; }
__device__ float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void vectors(long long *out) {
    float t = threadIdx.x;
    Vec a = {t, 2, 3};
    Vec b{1, t};
    Vec c = a + b * 2.0f;
    Vec d;
    d = c;
    d.x++;
    Vec e[3] = {a, b};
    e[2] = e[0] + e[1];
    const Vec *p = &e[1];
    RESULT(0) = dot(a, b);
    RESULT(1) = c.x * 10000 + c.y * 100 + c.z;
    RESULT(2) = d.x - c.x;
    RESULT(3) = p->y + p[1].x * 1000;
    RESULT(4) = sizeof(Vec) + sizeof(e);
    RESULT(5) = (threadIdx.x & 1 ? a : b).y;
    RESULT(6) = dot(threadIdx.x > 5 ? c : d, Vec{1, 1, 1});
    RESULT(7) = (&e[2] - e) + (p == &e[1]);
}

class Counter {
    int count;
    int step = 3;
public:
    __device__ Counter(int start) : count(start) {}
    __device__ Counter() : Counter(7) {}
    __device__ Counter &add(int n = 1) { count += n * step; return *this; }
    __device__ int value() const { return count; }
    __device__ int operator()(int k) const { return count * k; }
    __device__ int &operator[](int k) { return k ? step : count; }
    __device__ Counter &operator++() { count++; return *this; }
    __device__ Counter operator++(int) { Counter old = *this; ++*this; return old; }
    __device__ bool operator<(const Counter &other) const { return count < other.count; }
    __device__ explicit operator bool() const { return count > 10; }
    static __device__ int twice(int n) { return 2 * n; }
};

__global__ void classes(long long *out) {
    Counter a(threadIdx.x), b;
    a.add().add(2);
    RESULT(0) = a.value();
    RESULT(1) = b(3);
    a[1] = 5;
    a.add();
    RESULT(2) = a[0];
    Counter c = b++;
    RESULT(3) = c.value() * 100 + (++b).value();
    RESULT(4) = a < b;
    RESULT(5) = a ? 1 : 2;
    RESULT(6) = Counter::twice(a.value());
    Counter list[2] = {Counter(1), 5};
    RESULT(7) = list[0].value() + list[1].value() + (b ? 100 : 0);
}

struct Base { int a; __device__ int twice() const { return 2 * a; } };
struct Derived : Base { short b; char c; __device__ Derived(int n) : Base{n}, b(n + 1), c('x') {} };
union Bits { float f; unsigned u; unsigned char bytes[4]; };
struct Packed { unsigned low : 5; unsigned mid : 11; int high : 10; unsigned char flag : 1; };
struct __align__(16) Wide { double d; int i; };
struct Nested { struct Inner { int a, b; } inner[2]; union { int n; float f; }; struct { short s, t; } pair; };

__global__ void layouts(long long *out) {
    Derived d(threadIdx.x);
    Base &base = d;
    base.a += 5;
    RESULT(0) = d.twice() + d.b * 1000 + d.c;
    Bits bits;
    bits.f = 1.0f + threadIdx.x;
    RESULT(1) = bits.u + bits.bytes[2];
    Packed p = {threadIdx.x, threadIdx.x * 40, -(int)threadIdx.x, 1};
    p.low += 3; p.high--;
    RESULT(2) = p.low + p.mid * 100 + p.high * 1000000LL + p.flag;
    RESULT(3) = sizeof(Derived) + 100 * sizeof(Packed) + 10000 * sizeof(Wide) + 1000000 * sizeof(Nested) + 100000000 * alignof(Wide);
    Nested n = {{{1, 2}, {3, 4}}};
    n.inner[1].b += threadIdx.x; n.f = 2.0f; n.pair.t = 9; n.pair.s = -1;
    RESULT(4) = n.inner[0].a + n.inner[1].b * 10 + n.pair.t + n.pair.s;
    RESULT(5) = n.n;
    Wide w[2] = {{1.5, 2}, {2.5, (int)threadIdx.x}};
    Wide &r = w[threadIdx.x & 1];
    RESULT(6) = r.d * 2 + r.i;
    auto [x, y] = n.inner[1];
    RESULT(7) = x * 1000 + y;
}

__global__ void builtinVectors(long long *out) {
    float4 a = make_float4(threadIdx.x, 1, 2, 3);
    int2 b = {(int)threadIdx.x, 4};
    uchar4 c = make_uchar4(threadIdx.x * 10, 2, 3, 255);
    double2 d = make_double2(0.5, a.x);
    dim3 e(threadIdx.x, 2);
    uint3 f = threadIdx;
    __shared__ float4 tile[64];
    tile[threadIdx.x] = a;
    __syncthreads();
    float4 g = tile[63 - threadIdx.x];
    g.w += a.y;
    RESULT(0) = a.x + a.w;
    RESULT(1) = b.x * b.y;
    RESULT(2) = c.x + c.w;
    RESULT(3) = d.x * 4 + d.y;
    RESULT(4) = e.x * 100 + e.y * 10 + e.z;
    RESULT(5) = f.x + f.y + blockDim.x + gridDim.z;
    RESULT(6) = g.x * 100 + g.w;
    RESULT(7) = sizeof(float3) + sizeof(float4) * 100 + alignof(double2) * 10000 + alignof(uchar4) * 1000000;
}

__global__ void references(long long *out) {
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int (&row)[3] = a[1];
    int &cell = a[threadIdx.x & 1][2];
    cell += threadIdx.x;
    int *p = &a[0][0];
    int **pp = &p;
    (*pp)[4] *= 2;
    int (*rows)[3] = a;
    const int &temporary = a[0][0] + 10;
    a[0][0] = 99;
    RESULT(0) = row[2]; RESULT(1) = a[0][2]; RESULT(2) = row[1]; RESULT(3) = rows[1][0];
    RESULT(4) = temporary; RESULT(5) = *(*(a + 1) + 1); RESULT(6) = 1[p]; RESULT(7) = sizeof(a) / sizeof(a[0]);
}
