/**
 * Of the standard library what host code is evaluated with: classes whose meaning is more than a value of their own. Written for
 * an evaluator: a map is searched from its start.
 */

/** What the evaluator keeps in a way of its own: for templates to be made of. */
const kept = `template <typename T> class initializer_list { const T *start_; size_t size_; };
template <typename T, typename A = void> class vector { T *start_, *end_, *capacity_; };
template <typename T, typename A = void> class deque { T **blocks_[10]; };
template <typename T, typename A = void> class list { void *ends_[3]; };
template <typename T, typename D = void> class unique_ptr { T *held_; };
template <typename T> class shared_ptr { T *held_; void *count_; };
`;

export const utility = `#pragma once
namespace std {
${kept}template <typename A, typename B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __host__ __device__ pair() : first(), second() {}
    __host__ __device__ pair(const A &a, const B &b) : first(a), second(b) {}
};
template <typename A, typename B> __host__ __device__ pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <typename T, T... I> struct integer_sequence {
    typedef T value_type;
    __host__ __device__ static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <typename T, size_t N, T... I> struct __sequence_up_to { typedef typename __sequence_up_to<T, N - 1, (T)(N - 1), I...>::type type; };
template <typename T, T... I> struct __sequence_up_to<T, 0, I...> { typedef integer_sequence<T, I...> type; };
template <typename T, T N> using make_integer_sequence = typename __sequence_up_to<T, N>::type;
template <size_t N> using make_index_sequence = typename __sequence_up_to<size_t, N>::type;
template <typename... T> using index_sequence_for = typename __sequence_up_to<size_t, sizeof...(T)>::type;
}
`;

const letters = [..."ABCDEFGHIJKL"];

/** Of so many elements: a member for each, in their order, as structured bindings take them. */
function tupleOf(count: number): string {
  const of = letters.slice(0, count);
  const parameters = of.map((each) => `typename ${each}`).join(", ");
  const list = of.join(", ");
  const members = of.map((each, k) => `${each} e${k};`).join(" ");
  const defaults = of.map((_, k) => `e${k}()`).join(", ");
  const given = of.map((each, k) => `const ${each} &v${k}`).join(", ");
  const copies = of.map((_, k) => `e${k}(v${k})`).join(", ");
  const values = of.map((each, k) => `${each} v${k}`).join(", ");
  const names = of.map((_, k) => `v${k}`).join(", ");
  return `template <${parameters}> struct tuple<${list}> {
    ${members}
    __host__ __device__ tuple() : ${defaults} {}
    __host__ __device__ tuple(${given}) : ${copies} {}
};
template <${parameters}> __host__ __device__ tuple<${list}> make_tuple(${values}) { return tuple<${list}>(${names}); }
`;
}

export const tuple = `#pragma once
#include <utility>
namespace std {
template <typename... T> struct tuple {};
${letters.map((_, k) => tupleOf(k + 1)).join("")}template <typename T> struct tuple_size;
template <typename... T> struct tuple_size<tuple<T...>> { static constexpr size_t value = sizeof...(T); };
template <typename A, typename B> struct tuple_size<pair<A, B>> { static constexpr size_t value = 2; };
template <typename T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, typename T> struct tuple_element;
template <size_t I, typename H, typename... T> struct tuple_element<I, tuple<H, T...>> { typedef typename tuple_element<I - 1, tuple<T...>>::type type; };
template <typename H, typename... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
template <size_t I, typename T> using tuple_element_t = typename tuple_element<I, T>::type;
}
`;

export const optional = `#pragma once
#include <utility>
namespace std {
struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <typename T> class optional {
    bool has_;
    T value_;
public:
    optional() : has_(false) {}
    optional(nullopt_t) : has_(false) {}
    optional(const T &value) : has_(true), value_(value) {}
    bool has_value() const { return has_; }
    explicit operator bool() const { return has_; }
    T &operator*() { return value_; }
    T *operator->() { return &value_; }
    T &value() { return value_; }
    T value_or(T other) const { return has_ ? value_ : other; }
    void reset() { has_ = false; }
    T &emplace(const T &value) { has_ = true; value_ = value; return value_; }
};
template <typename T> optional<T> make_optional(T value) { return optional<T>(value); }
}
`;

/** The evaluator keeps the value of the alternative that is held. */
export const variant = `#pragma once
#include <utility>
namespace std {
struct monostate {};
template <typename... T> class variant { unsigned long index_; char held_[24]; };
}
`;

/** For constants and kernels; the evaluator keeps the elements as it does those of a vector. */
export const array = `#pragma once
#include <utility>
namespace std {
template <typename T, size_t N> struct array {
    typedef T value_type;
    T elements_[N];
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ constexpr bool empty() const { return N == 0; }
    __host__ __device__ constexpr T &operator[](size_t i) { return elements_[i]; }
    __host__ __device__ constexpr const T &operator[](size_t i) const { return elements_[i]; }
    __host__ __device__ constexpr T *data() { return elements_; }
    __host__ __device__ constexpr const T *data() const { return elements_; }
    __host__ __device__ constexpr T *begin() { return elements_; }
    __host__ __device__ constexpr const T *begin() const { return elements_; }
    __host__ __device__ constexpr T *end() { return elements_ + N; }
    __host__ __device__ constexpr const T *end() const { return elements_ + N; }
    __host__ __device__ constexpr const T &front() const { return elements_[0]; }
    __host__ __device__ constexpr const T &back() const { return elements_[N - 1]; }
};
}
`;

/** The evaluator knows what a string does; this is what it takes up, and a type for templates to be made of. */
export const string = `#pragma once
#include <utility>
namespace std {
class string { char *start_; unsigned long size_; char buffer_[16]; };
}
`;

/** The evaluator keeps in one what is to be called. */
export const functional = `#pragma once
#include <utility>
namespace std {
template <typename F> class function { void *callable_[4]; };
}
`;

const engine = (name: string, result: string, seed: number): string => `class ${name} {
    unsigned long seed_, drawn_;
public:
    typedef ${result} result_type;
    ${name}() : seed_(${seed}), drawn_(0) {}
    ${name}(unsigned long seed) : seed_(seed), drawn_(0) {}
    void seed(unsigned long seed) { seed_ = seed; drawn_ = 0; }
    void discard(unsigned long long count) { drawn_ += count; }
    static constexpr ${result} min() { return ${name.startsWith("mt") || name === "random_device" ? 0 : 1}; }
    static constexpr ${result} max() { return ${name.startsWith("mt") || name === "random_device" ? (name === "mt19937_64" ? "-1ul" : "4294967295u") : 2147483646}; }
    ${result} operator()() { return __warplens_number(*this); }
};
`;

/** @param parameters members, each with what it is by itself */
const distribution = (name: string, parameters: readonly (readonly [name: string, initial: number])[], type = "T"): string => {
  const members = parameters.map(([member]) => `${member}_`);
  const own = /^(uniform_int|uniform_real|normal|lognormal|exponential)$/.test(name) ? "T" : "double";
  return `${type === "T" ? `template <typename T = ${name === "uniform_int" || name === "geometric" || name === "poisson" ? "int" : "double"}> ` : ""}class ${name}_distribution {
    ${own} ${members.join(", ")};
    double kept_;
    bool keeps_;
public:
    ${name}_distribution() : ${parameters.map(([member, initial]) => `${member}_(${initial})`).join(", ")}, kept_(0), keeps_(false) {}
    explicit ${name}_distribution(${parameters.map(([member, initial], k) => `${own} ${member}${k > 0 ? ` = ${initial}` : ""}`).join(", ")}) : ${parameters.map(([member]) => `${member}_(${member})`).join(", ")}, kept_(0), keeps_(false) {}
    void reset() { keeps_ = false; }
    template <typename G> ${type} operator()(G &generator) { return (${type})__warplens_draw(*this, generator); }
};
`;
};

/** What is drawn is the evaluator's business (`host/library/random.ts`): an engine is its seed, and how many numbers it has given. */
export const random = `#pragma once
#include <utility>
namespace std {
${engine("mt19937", "unsigned long", 5489)}
${engine("mt19937_64", "unsigned long", 5489)}
${engine("minstd_rand0", "unsigned long", 1)}
${engine("minstd_rand", "unsigned long", 1)}
${engine("default_random_engine", "unsigned long", 1)}
${engine("random_device", "unsigned int", 0)}
${distribution("uniform_int", [
  ["least", 0],
  ["greatest", 2147483647],
])}
${distribution("uniform_real", [
  ["least", 0],
  ["end", 1],
])}
${distribution("normal", [
  ["mean", 0],
  ["deviation", 1],
])}
${distribution("lognormal", [
  ["mean", 0],
  ["deviation", 1],
])}
${distribution("exponential", [["rate", 1]])}
${distribution("bernoulli", [["share", 0.5]], "bool")}
${distribution("geometric", [["share", 0.5]])}
${distribution("poisson", [["mean", 1]])}
template <typename T = int> class discrete_distribution {
    vector<double> weights_;
public:
    discrete_distribution() {}
    discrete_distribution(initializer_list<double> weights) : weights_(weights) {}
    template <typename I> discrete_distribution(I first, I last) { weights_ = vector<double>(first, last); }
    template <typename G> T operator()(G &generator) { return (T)__warplens_draw(*this, generator); }
};
}
`;

const map = (name: string): string => `template <typename K, typename V> class ${name} {
    vector<pair<K, V>> entries_;
public:
    typedef pair<K, V> *iterator;
    typedef const pair<K, V> *const_iterator;
    pair<K, V> *begin() { return entries_.data(); }
    pair<K, V> *end() { return entries_.data() + entries_.size(); }
    size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.size() == 0; }
    void clear() { entries_.clear(); }
    pair<K, V> *find(const K &key) {
        size_t n = entries_.size();
        for (size_t i = 0; i < n; i++) if (entries_[i].first == key) return entries_.data() + i;
        return end();
    }
    size_t count(const K &key) { return find(key) == end() ? 0 : 1; }
    bool contains(const K &key) { return find(key) != end(); }
    V &operator[](const K &key) {
        pair<K, V> *found = find(key);
        if (found != end()) return found->second;
        size_t n = entries_.size();
        entries_.resize(n + 1);
        entries_[n].first = key;
        return entries_[n].second;
    }
    V &at(const K &key) { return find(key)->second; }
    void insert(const pair<K, V> &entry) { if (find(entry.first) == end()) (*this)[entry.first] = entry.second; }
    void emplace(const K &key, const V &value) { if (find(key) == end()) (*this)[key] = value; }
    void try_emplace(const K &key, const V &value) { if (find(key) == end()) (*this)[key] = value; }
    void insert_or_assign(const K &key, const V &value) { (*this)[key] = value; }
};
`;

export const maps = `#pragma once
#include <string>
#include <utility>
namespace std {
${map("map")}
${map("unordered_map")}
}
`;

export const queues = `#pragma once
#include <utility>
namespace std {
template <typename T> class queue {
    vector<T> all_;
    size_t first_;
public:
    queue() : first_(0) {}
    bool empty() const { return first_ == all_.size(); }
    size_t size() const { return all_.size() - first_; }
    void push(const T &value) { all_.push_back(value); }
    template <typename... A> void emplace(A... args) { all_.push_back(T{args...}); }
    T &front() { return all_[first_]; }
    T &back() { return all_[all_.size() - 1]; }
    void pop() { first_++; }
};
}
`;

export const stacks = `#pragma once
#include <utility>
namespace std {
template <typename T> class stack {
    vector<T> all_;
public:
    bool empty() const { return all_.size() == 0; }
    size_t size() const { return all_.size(); }
    void push(const T &value) { all_.push_back(value); }
    template <typename... A> void emplace(A... args) { all_.push_back(T{args...}); }
    T &top() { return all_[all_.size() - 1]; }
    void pop() { all_.pop_back(); }
};
}
`;

/** What a thread does is done when it begins. */
export const threads = `#pragma once
#include <utility>
namespace std {
class thread {
public:
    thread() {}
    template <typename F, typename... A> explicit thread(F f, A... args) { f(args...); }
    void join() {}
    void detach() {}
    bool joinable() const { return true; }
};
typedef thread jthread;
}
`;

/** Of a program that is followed by itself. */
export const atomics = `#pragma once
namespace std {
template <typename T> class atomic {
    T value_;
public:
    atomic() : value_() {}
    atomic(T value) : value_(value) {}
    operator T() const { return value_; }
    T load() const { return value_; }
    void store(T value) { value_ = value; }
    T exchange(T value) { T old = value_; value_ = value; return old; }
    T fetch_add(T by) { T old = value_; value_ += by; return old; }
    T fetch_sub(T by) { T old = value_; value_ -= by; return old; }
    T operator++() { return ++value_; }
    T operator++(int) { return value_++; }
    T operator--() { return --value_; }
    T operator--(int) { return value_--; }
    T operator+=(T by) { value_ += by; return value_; }
    T operator-=(T by) { value_ -= by; return value_; }
};
}
`;

/** `Rule`: a program's own order, by which these are not kept. */
const set = (name: string): string => `template <typename T, typename Rule = void> class ${name} {
    vector<T> all_;
public:
    typedef T *iterator;
    ${name}() {}
    ${name}(initializer_list<T> list) { for (const T &each : list) insert(each); }
    T *begin() { return all_.data(); }
    T *end() { return all_.data() + all_.size(); }
    size_t size() const { return all_.size(); }
    bool empty() const { return all_.size() == 0; }
    void clear() { all_.clear(); }
    T *find(const T &value) {
        size_t n = all_.size();
        for (size_t i = 0; i < n; i++) if (all_[i] == value) return all_.data() + i;
        return end();
    }
    size_t count(const T &value) { return find(value) == end() ? 0 : 1; }
    bool contains(const T &value) { return find(value) != end(); }
    void insert(const T &value) {
        if (find(value) != end()) return;
        all_.push_back(value);
        for (size_t i = all_.size() - 1; i > 0 && all_[i] < all_[i - 1]; i--) { T other = all_[i]; all_[i] = all_[i - 1]; all_[i - 1] = other; }
    }
    void emplace(const T &value) { insert(value); }
};
`;

export const sets = `#pragma once
#include <utility>
namespace std {
${set("set")}
${set("unordered_set")}
}
`;

/** Numbers and words between white space. */
const stream = (name: string): string => `class ${name} {
    string text_;
    string word() {
        size_t start = text_.find_first_not_of(" \\t\\n");
        if (start == (size_t)-1) { text_ = ""; return text_; }
        string rest = text_.substr(start);
        size_t end = rest.find_first_of(" \\t\\n");
        text_ = end == (size_t)-1 ? "" : rest.substr(end);
        return rest.substr(0, end);
    }
public:
    ${name}() : text_("") {}
    ${name}(const string &text) : text_(text) {}
    string str() const { return text_; }
    ${name} &operator>>(int &value) { value = stoi(word()); return *this; }
    ${name} &operator>>(unsigned int &value) { value = stoul(word()); return *this; }
    ${name} &operator>>(long &value) { value = stol(word()); return *this; }
    ${name} &operator>>(long long &value) { value = stoll(word()); return *this; }
    ${name} &operator>>(unsigned long &value) { value = stoul(word()); return *this; }
    ${name} &operator>>(float &value) { value = stof(word()); return *this; }
    ${name} &operator>>(double &value) { value = stod(word()); return *this; }
    ${name} &operator>>(string &value) { value = word(); return *this; }
};
`;

export const stringStream = `#pragma once
#include <string>
namespace std {
${stream("stringstream")}
${stream("istringstream")}
}
`;

export const getopt = `#pragma once
struct option { const char *name; int has_arg; int *flag; int val; };
enum { no_argument = 0, required_argument = 1, optional_argument = 2 };
`;
