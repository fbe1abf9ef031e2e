// Templates: deduction, specialisation, packs, if constexpr, traits, lambdas, function objects.
#include <type_traits>
#include <limits>
#define RESULT(k) out[threadIdx.x * 8 + (k)]

template <typename T> __device__ T square(T x) { return x * x; }
template <typename T, int N> __device__ T sumOf(const T (&a)[N]) { T s = 0; for (int i = 0; i < N; ++i) s += a[i]; return s; }
template <int N> struct Factorial { static constexpr int value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr int value = 1; };
template <typename T> struct Name { static constexpr int id = 0; };
template <typename T> struct Name<T *> { static constexpr int id = 1 + Name<T>::id; };
template <> struct Name<float> { static constexpr int id = 100; };
template <typename T> __device__ int kind(T) { return 1; }
template <typename T> __device__ int kind(T *) { return 2; }
__device__ int kind(double) { return 3; }
template <typename T> __device__ T zero();
template <> __device__ float zero<float>() { return 0.5f; }
template <> __device__ int zero<int>() { return 7; }

__global__ void functions(long long *out) {
    int t = threadIdx.x;
    float f = t;
    int a[5] = {1, 2, 3, 4, t};
    RESULT(0) = square(t) + square(1.5f) * 4 + square<long long>(t) * 1000;
    RESULT(1) = sumOf(a);
    RESULT(2) = Factorial<6>::value;
    RESULT(3) = Name<int>::id + Name<float **>::id * 1000;
    RESULT(4) = kind(t) + 10 * kind(&t) + 100 * kind(1.0) + 1000 * kind(f);
    RESULT(5) = zero<float>() * 2 + zero<int>();
    RESULT(6) = std::is_same<decltype(f), float>::value + 2 * std::is_same_v<decltype(square(t)), float>;
    RESULT(7) = std::numeric_limits<int>::max() - t;
}

template <typename T, int R, int C> struct Matrix {
    T data[R][C];
    static constexpr int size = R * C;
    using value_type = T;
    __device__ T &at(int r, int c) { return data[r][c]; }
    __device__ T at(int r, int c) const { return data[r][c]; }
    template <int K> __device__ Matrix<T, R, K> times(const Matrix<T, C, K> &o) const;
    __device__ void fill(T v);
};
template <typename T, int R, int C> template <int K>
__device__ Matrix<T, R, K> Matrix<T, R, C>::times(const Matrix<T, C, K> &o) const {
    Matrix<T, R, K> result;
    for (int r = 0; r < R; ++r) for (int k = 0; k < K; ++k) {
        T s = 0;
        for (int c = 0; c < C; ++c) s += at(r, c) * o.at(c, k);
        result.at(r, k) = s;
    }
    return result;
}
template <typename U, int Rows, int Columns> __device__ void Matrix<U, Rows, Columns>::fill(U v) {
    for (int r = 0; r < Rows; ++r) for (int c = 0; c < Columns; ++c) data[r][c] = v + r * Columns + c;
}
template <typename M> __device__ typename M::value_type trace(const M &m) { typename M::value_type s = 0; for (int i = 0; i < 2; ++i) s += m.at(i, i); return s; }

__global__ void matrices(long long *out) {
    Matrix<int, 2, 3> a; Matrix<int, 3, 2> b;
    a.fill(threadIdx.x); b.fill(1);
    auto c = a.times(b);
    RESULT(0) = c.at(0, 0); RESULT(1) = c.at(0, 1); RESULT(2) = c.at(1, 0); RESULT(3) = c.at(1, 1);
    RESULT(4) = trace(c); RESULT(5) = Matrix<int, 2, 3>::size; RESULT(6) = sizeof(a); RESULT(7) = a.data[1][2];
}

template <typename... Ts> __device__ auto sumAll(Ts... values) { return (values + ...); }
template <typename T> __device__ T largest(T a) { return a; }
template <typename T, typename... Rest> __device__ T largest(T a, Rest... rest) { T b = largest<T>(rest...); return a > b ? a : b; }
template <int... Ns> __device__ int weighted() { int s = 0, i = 1; ((s += Ns * i++), ...); return s; }
template <typename T> __device__ int branch(T x) {
    if constexpr (std::is_integral<T>::value) return x % 10;
    else if constexpr (sizeof(T) == 8) return 800;
    else return 400;
}
template <typename F, typename... A> __device__ auto apply(F f, A &&...a) { return f(a...); }
struct Adder { int base; __device__ int operator()(int x) const { return base + x; } };
__device__ int triple(int x) { return 3 * x; }
template <int (*Function)(int)> __device__ int twice(int x) { return Function(Function(x)); }

__global__ void packs(long long *out) {
    int t = threadIdx.x;
    RESULT(0) = sumAll(1, 2.5, t);
    RESULT(1) = largest(3, t, 17, -4);
    RESULT(2) = weighted<5, 6, 7>();
    RESULT(3) = branch(t) + branch(1.0) + branch(1.0f);
    RESULT(4) = apply(Adder{10}, t) + apply(triple, t) * 100;
    RESULT(5) = twice<triple>(t);
    RESULT(6) = 0;
    RESULT(7) = std::is_pointer<int *>::value + 2 * std::is_same<std::remove_const_t<const int>, int>::value + 4 * std::conditional_t<true, Name<float>, Name<int>>::id;
}

__global__ void lambdas(long long *out) {
    int t = threadIdx.x, total = 0;
    auto scaled = [t](int x) { return x * t; };
    auto count = [&](int n) { total += n; return total; };
    auto both = [=](auto x, auto y) { return x + y + t; };
    auto twice = [](auto f, int x) { return f(f(x)); };
    int k = 5;
    auto moved = [k, m = k * 2]() mutable { k += m; return k; };
    RESULT(0) = scaled(3);
    RESULT(1) = count(4) + count(t);
    RESULT(2) = total;
    RESULT(3) = both(1.5, 2) * 2;
    RESULT(4) = twice(scaled, 2);
    RESULT(5) = moved() * 1000 + moved();
    RESULT(6) = k;
    RESULT(7) = [](int a, int b) -> long long { return (long long)a << b; }(t, 3);
}

enum Colour { Red, Green = 5, Blue };
enum class Level : unsigned char { Low = 1, High = 200 };
namespace outer { namespace inner { constexpr int depth = 2; __device__ int f(int x) { return x + depth; } } using inner::f; }
namespace alias = outer::inner;
constexpr int power(int base, int n) { int r = 1; for (int i = 0; i < n; ++i) r *= base; return r; }
template <typename T> constexpr T tau = T(6.28318530717958647692);
typedef unsigned int word;
using Pair = int[2];

__global__ void names(long long *out) {
    Colour c = threadIdx.x & 1 ? Blue : Green;
    Level level = Level::High;
    Pair pair = {1, power(3, 4)};
    constexpr int table[4] = {2, 4, 8, 16};
    word w = -1;
    RESULT(0) = c + Red; RESULT(1) = static_cast<int>(level) + (level == Level::Low); RESULT(2) = outer::f(threadIdx.x) + alias::depth;
    RESULT(3) = pair[1]; RESULT(4) = table[threadIdx.x & 3]; RESULT(5) = w; RESULT(6) = __float_as_int(tau<float>); RESULT(7) = sizeof(Level) + sizeof(Pair);
}
