/** What constant expressions are worth. */
import { describe, expect, test } from "vitest";
import { inKernel, shown } from "./testing/shown.ts";

describe("constants", () => {
  const table: Record<string, bigint | number | boolean | undefined> = {
    "1 << 20": 1048576n,
    "(256 + 31) / 32 * sizeof(float)": 32n,
    "-7 / 2 * 10 + -7 % 2": -31n,
    "0xffffffffu + 1": 0n,
    "int(3000000000u)": -1294967296n,
    "1.5f * 2": 3,
    "0.1f == 0.1": false,
    "N > 3 ? M : 0": 8n,
    Blue: 6n,
    "static_cast<int>(Level::High)": 9n,
    "Matrix<4, 3>::size": 12n,
    "factorial(10)": 3628800n,
    "log2Of(1024)": 10n,
    "table[2]": 5n,
    "sizeof(Wide)": 32n,
    "alignof(float4)": 16n,
    "sizeof(Matrix<2, 2>)": 16n,
    "std::is_same<int, unsigned>::value": false,
    "std::is_same_v<decltype(1.0f), float>": true,
    "std::numeric_limits<unsigned>::max()": 4294967295n,
    "std::max(3, 4)": 4n,
    "Power<2, 10>::value": 1024n,
    host: undefined,
    "std::integral_constant<int, 3>{} + 1": 4n,
    "std::true_type{}()": true,
    "Held<7>{} * 2": 14n,
    "[](auto n) { return std::integral_constant<int, n + 1>{}; }(std::integral_constant<int, 4>{})": 5n,
    "[](int a) constexpr { return a * 2; }(4)": 8n,
    "[]<int K>() { return K; }.template operator()<3>()": 3n,
    "std::max<unsigned>(3, 4)": 4n,
    "N < factorial(3) && M > (1)": true,
    "N < sized<3>() && sized<1>() > (N)": false,
    "N < M >> 2": false,
    "N < M << 1 >> 3": false,
    "tile.n < M >> 1 << 1 ? 1 : 2": 2n,
    "N < M ? 7 : N >> 2": 7n,
    "N > M ? 7 : N < 3 ? 8 : tile.n >> 2 + 1": 8n,
    "-N < M ? 7 : N >> 2": 7n,
    "M < N ? 7 : N > (1)": true,
    "N < M ? 7 : N > -M": 7n,
    "(int)M < table[1] ? 7 : N > (1) ? 5 : 6": 5n,
    "1 - N < table[2] + sized<3>() >> 1 & 3": 1n,
    "both(N < M, M >> 1)": 14n,
    "both(N < M, M > (N))": 11n,
    "both(N < 3 ? N : M >> 1, 2)": 42n,
    "(M < N >= 1)": false,
    "N < unheard >> 2": undefined,
    "N < product<3, 4>(2)": true,
    "N < M ? 7 : N < product<3, 4>(2) + 1": 7n,
    "both(N < product<3, 4>(2), 5)": 15n,
    "M < constant<9>": true,
    "N < area<3, 4> + 1": true,
    "area<3, 4> > (N)": true,
    "tile.m * tile.n": 8192n,
    "tile.half().m": 64n,
    "Shape{3, 4}.area()": 12n,
    "(Shape{3, 4} + Shape{1, 1}).area()": 20n,
    "made(5).m": 10n,
    "Config<4>::shape.n": 128n,
    "shapes[1].n": 40n,
    "nested.inner.n + nested.list[2]": 12n,
    "grown.values[3]": 9n,
    "total(1, 2, 3)": 6n,
    "listed[1]": 7n,
    "percent + 1": 51n,
    "Number<float> && !Number<Shape>": true,
    "HasArea<Shape> && !HasArea<int>": true,
    "chosen(1) * 10 + chosen(tile)": 12n,
    "asked<int>() * 10 + asked<Shape>()": 34n,
    "Kind<int>::value * 10 + Kind<Shape>::value": 65n,
    "1 / 0": undefined,
    "endless(1)": undefined,
  };
  const before = `
    const int N = 4; constexpr int M = N * 2; int host = 3; enum Colour { Red, Green = 5, Blue }; enum class Level { High = 9 };
    template <int R, int C> struct Matrix { static constexpr int size = R * C; float data[R][C]; };
    constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
    constexpr int log2Of(int n) { int r = 0; while (n > 1) { n >>= 1; ++r; } return r; }
    constexpr int endless(int n) { while (n) n = n | 1; return n; }
    struct Shape {
      int m; int n = 128;
      constexpr int area() const { return m * n; }
      constexpr Shape half() const { return {m / 2, n / 2}; }
      constexpr Shape operator+(const Shape &o) const { return Shape{m + o.m, n + o.n}; }
    };
    constexpr Shape tile{.m = 128, .n = 64}; constexpr Shape made(int n) { Shape s{n}; s.m *= 2; return s; }
    template <int N> struct Config { static constexpr Shape shape{N * 32}; };
    constexpr Shape shapes[] = {{10, 20}, {30, 40}};
    struct Nested { Shape inner; int list[3]; }; constexpr Nested nested = {{1, 5}, {5, 6, 7}};
    struct Grown { int values[4]; constexpr Grown(int n) : values{} { for (int i = 0; i < 4; ++i) values[i] = i * n; } };
    constexpr Grown grown(3);
    template <class... A> constexpr int total(A... a) { return (a + ...); }
    struct Array { int held[2]; constexpr const int &operator[](int i) const { return held[i]; } }; constexpr Array listed = {6, 7};
    class Percent { int value; public: constexpr Percent(int v) : value(v) {} constexpr operator int() const { return value; } };
    constexpr Percent percent = 50;
    template <class T> concept Number = std::is_arithmetic_v<T>;
    template <class T> concept HasArea = requires(T t) { t.area(); };
    template <Number T> constexpr int chosen(T) { return 1; } template <HasArea T> constexpr int chosen(const T &) { return 2; }
    template <class T> requires Number<T> && (sizeof(T) >= 4) constexpr int asked() { return 3; }
    template <class T> constexpr int asked() requires(!Number<T>) { return 4; }
    template <class T> struct Kind { static constexpr int value = 5; }; template <Number T> struct Kind<T> { static constexpr int value = 6; };
    template <int K> constexpr int sized() { return K; }
    template <int A, int B> constexpr int product(int c) { return A * B * c; }
    template <int A> constexpr int constant = A; template <int A, int B> constexpr int area = A * B;
    constexpr int both(int a, int b) { return 10 * a + b; }
    constexpr int table[] = {1, 3, 5, 7}; struct __align__(16) Wide { double d; int i[3]; };
    template <int V> struct Held { constexpr operator int() const { return V; } };
    template <int B, int E> struct Power { static const int value = B * Power<B, E - 1>::value; };
    template <int B> struct Power<B, 0> { static const int value = 1; };`;
  test.each(Object.entries(table))("%s", async (expression, value) => {
    const { semantics, expressions } = await shown(inKernel(`show(${expression});`, before));
    expect(expressions.map((each) => semantics.constant(each))).toEqual([value]);
  });
});
