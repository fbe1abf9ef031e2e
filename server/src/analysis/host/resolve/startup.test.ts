/** What is made before `main` is entered; the grids are those that the programs have, compiled by g++. */
import { beforeAll } from "vitest";
import { describeKnown, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

describeKnown({
  "classes that register themselves, made by functions of a list": [
    `#include <vector>
#include <memory>
struct Bench { virtual ~Bench() = default; virtual void setup() = 0; virtual void launch() = 0; virtual int tol() const { return 3; } };
static std::vector<std::unique_ptr<Bench> (*)()>& registry() { static std::vector<std::unique_ptr<Bench> (*)()> r; return r; }
template <class T> struct Registrar { Registrar() { registry().push_back([]() -> std::unique_ptr<Bench> { return std::make_unique<T>(); }); } };
__global__ void ka(float *p, int n) {}
__global__ void kb(int *p, int n) {}
template <class T> struct Buffer { std::vector<T> h; T *d = nullptr; void resize(size_t n) { h.assign(n, T{}); cudaMalloc(&d, n * sizeof(T)); } void push() { cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice); } ~Buffer() { cudaFree(d); } };
struct A : Bench { Buffer<float> u; int n; void setup() override { n = 1000; u.resize(n); for (int i = 0; i < n; i++) u.h[i] = 2 * i; u.push(); } void launch() override { ka<<<(n + 255) / 256, 256>>>(u.d, n + tol()); } };
static Registrar<A> ra;
struct B : Bench { Buffer<int> u; int n; void setup() override { n = 5000; u.resize(n); for (int i = 0; i < n; i++) u.h[i] = i; u.push(); } void launch() override { kb<<<(n + 255) / 256, 256>>>(u.d, n + tol()); } int tol() const override { return 9; } };
static Registrar<B> rb;
int main() { for (auto make : registry()) { auto b = make(); b->setup(); b->launch(); } }
`,
    ["ka 4 256", "kb 20 256"],
  ],
  "objects and functions in lists": [
    `#include <vector>
#include <memory>
#include <functional>
#include <map>
#include <string>
struct Case { int n; explicit Case(int n) : n(n) {} virtual ~Case() = default; virtual void run() = 0; };
std::vector<std::unique_ptr<Case>>& all() { static std::vector<std::unique_ptr<Case>> list; return list; }
std::vector<std::function<void()>> jobs;
static bool add(int n, std::function<void()> f) { jobs.push_back(f); return n > 0; }
__global__ void ka(int n) {}
__global__ void kb(int n) {}
__global__ void kc(int n) {}
__global__ void kd(int n) {}
struct A : Case { using Case::Case; void run() override { ka<<<n, 32>>>(n); } };
struct B : Case { B(int n) : Case(n * 2) {} void run() override { kb<<<n, 64>>>(n); } };
template <class T> struct Add { explicit Add(int n) { all().push_back(std::make_unique<T>(n)); } };
namespace { Add<A> one(3); Add<B> two{5}; const Add<A> three = Add<A>(7); }
static bool isAdded = add(4, [] { kc<<<4, 128>>>(4); });
#define JOB(name, n) static void name(); static const bool name##_ = add(n, name); static void name()
JOB(last, 9) { kd<<<9, 256>>>(9); }
int main() { for (auto &c : all()) c->run(); for (auto &j : jobs) j(); }
`,
    ["ka 3 32", "ka 7 32", "kb 10 64", "kc 4 128", "kd 9 256"],
  ],
  "static members, but not those of templates that nobody uses": [
    `#include <vector>
__global__ void k(int n) {}
std::vector<int> sizes;
struct Keep { explicit Keep(int n) { sizes.push_back(n); } };
template <class T> struct Self { static inline Keep keep{1000}; };
struct Named { static inline Keep keep{5}; };
Keep first(3);
int main() { for (int n : sizes) k<<<n, 32>>>((int)sizes.size()); }
`,
    ["k 5 32", "k 3 32"],
  ],
  "an object that launches when it is made": [
    `__global__ void k(int n) {}
struct Device { int blocks; Device() : blocks(ask()) { k<<<blocks, 32>>>(1); } static int ask() { return 6; } };
Device device;
int main() { k<<<device.blocks * 2, 64>>>(2); k<<<1, 96>>>(3); }
`,
    ["k 6 32", "k 12 64", "k 1 96"],
  ],
});
