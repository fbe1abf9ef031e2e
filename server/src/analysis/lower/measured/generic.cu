// Class templates as libraries use them.
#include <type_traits>
#include <cstdint>
#define RESULT(k) out[threadIdx.x * 8 + (k)]

template <typename Derived> struct Shape {
    __device__ int area() const { return static_cast<const Derived *>(this)->compute() * 2; }
};
struct Square : Shape<Square> { int side; __device__ Square(int s) : side(s) {} __device__ int compute() const { return side * side; } };

template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>> __device__ int only(T x) { return x + 1; }
template <typename T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> __device__ int only(T x) { return x * 100; }
template <typename T> __device__ typename std::enable_if<sizeof(T) == 8, int>::type bytes(T) { return 8; }
template <typename T> __device__ typename std::enable_if<sizeof(T) == 4, int>::type bytes(T) { return 4; }

template <typename... Ts> struct Tuple {};
template <typename T, typename... Rest> struct Tuple<T, Rest...> { T head; Tuple<Rest...> tail; };
template <int N> struct Get { template <typename Tp> static __device__ auto of(const Tp &t) { return Get<N - 1>::of(t.tail); } };
template <> struct Get<0> { template <typename Tp> static __device__ auto of(const Tp &t) { return t.head; } };

template <template <typename> class Wrapper, typename T> __device__ T unwrap(Wrapper<T> w) { return w.value; }
template <typename T> struct Box { T value; };
template <typename A, typename B> struct Same { static const bool value = false; };
template <typename A> struct Same<A, A> { static const bool value = true; };

__global__ void idioms(long long *out) {
    int t = threadIdx.x;
    Square s(t);
    RESULT(0) = s.area();
    RESULT(1) = only(t) + only(2.5f) * 1000;
    RESULT(2) = bytes(t) + 10 * bytes(1.0);
    Tuple<int, float, char> tuple{t, {2.5f, {'a'}}};
    RESULT(3) = Get<0>::of(tuple) + Get<1>::of(tuple) * 1000 + Get<2>::of(tuple);
    RESULT(4) = unwrap(Box<int>{t * 3});
    RESULT(5) = Same<int, int>::value + 2 * Same<int, float>::value;
    RESULT(6) = sizeof(Tuple<int, float, char>);
    RESULT(7) = sizeof(Square);
}

template <typename T, int N = 4> class Array {
    T items[N];
public:
    using value_type = T;
    static constexpr int length = N;
    __device__ Array() { for (int i = 0; i < N; ++i) items[i] = T(); }
    __device__ T &operator[](int i) { return items[i]; }
    __device__ const T &operator[](int i) const { return items[i]; }
    __device__ T *begin() { return items; }
    __device__ T *end() { return items + N; }
    template <typename F> __device__ Array &each(F f) { for (auto &x : items) x = f(x); return *this; }
    friend __device__ Array operator+(Array a, const Array &b) { for (int i = 0; i < N; ++i) a[i] += b[i]; return a; }
    template <typename U> __device__ operator U() const { return U(items[0]); }
    struct Cursor { Array *of; int at; __device__ T &operator*() { return (*of)[at]; } __device__ Cursor &operator++() { ++at; return *this; } };
    __device__ Cursor cursor() { return {this, 0}; }
};
template <typename T> using Quad = Array<T, 4>;

__global__ void containers(long long *out) {
    int t = threadIdx.x;
    Quad<int> a;
    Array<int> b;
    a.each([=](int x) { return x + t; }).each([](int x) { return x * 2; });
    int k = 0;
    for (auto &x : b) x = k++;
    auto c = a + b;
    RESULT(0) = c[3] + c[0];
    int total = 0;
    for (int x : c) total += x;
    RESULT(1) = total;
    auto cursor = c.cursor();
    ++cursor;
    *cursor = 77;
    RESULT(2) = c[1];
    float f = c;
    RESULT(3) = f;
    RESULT(4) = Quad<float>::length + sizeof(typename Quad<double>::value_type);
    const Quad<int> &view = c;
    RESULT(5) = view[2];
    Array<Array<int, 2>, 3> nested;
    nested[2][1] = t; nested[1] = nested[2];
    RESULT(6) = nested[1][1] + nested[0][0];
    RESULT(7) = std::is_same<decltype(c), Array<int, 4>>::value;
}

struct Op { template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <int Count, typename T, typename Combine> struct Reduce {
    static __device__ T run(const T *p, Combine combine) { return combine(p[Count - 1], Reduce<Count - 1, T, Combine>::run(p, combine)); }
};
template <typename T, typename Combine> struct Reduce<1, T, Combine> { static __device__ T run(const T *p, Combine) { return p[0]; } };
enum class Mode { Sum, Product };
template <Mode M> struct Apply;
template <> struct Apply<Mode::Sum> { static __device__ int run(int a, int b) { return a + b; } };
template <> struct Apply<Mode::Product> { static __device__ int run(int a, int b) { return a * b; } };
template <bool Fast> __device__ int choose(int x) { if (Fast) return x * 2; return x * 3; }
template <typename T> struct Traits { static __device__ T zero() { return T(0); } enum { bits = sizeof(T) * 8 }; };
template <class F> __device__ void repeat(int n, F &&f) { for (int i = 0; i < n; ++i) f(i); }
constexpr __host__ __device__ int ceilDiv(int a, int b) { return (a + b - 1) / b; }

__global__ void policies(long long *out) {
    int t = threadIdx.x;
    int v[5] = {t, 9, 30 - t, 4, t * 2 % 50};
    RESULT(0) = Reduce<5, int, Op>::run(v, Op());
    RESULT(1) = Apply<Mode::Sum>::run(t, 3) + Apply<Mode::Product>::run(t, 3) * 1000;
    RESULT(2) = choose<true>(t) + choose<(sizeof(int) > 4)>(t) * 1000;
    RESULT(3) = Traits<int64_t>::bits + Traits<float>::zero() + Traits<uint8_t>::bits;
    int sum = 0;
    repeat(4, [&](int i) { sum += i * t; });
    RESULT(4) = sum;
    int buffer[ceilDiv(33, 8)];
    RESULT(5) = sizeof(buffer) / sizeof(*buffer);
    auto compose = [](auto f, auto g) { return [=](auto x) { return f(g(x)); }; };
    auto plusOne = [](int x) { return x + 1; };
    RESULT(6) = compose(plusOne, [t](int x) { return x * t; })(5);
    RESULT(7) = [&] { int r = 0; for (int x : v) r ^= x; return r; }();
}
