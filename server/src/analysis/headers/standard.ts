/**
 * Of the standard library what host code is evaluated with: classes whose meaning is more than a value of their own. Written for
 * an evaluator: a map is searched from its start.
 */

/** What the evaluator keeps in a way of its own: for templates to be made of. */
const kept = `template <class T> class initializer_list { const T *start_; size_t size_; };
template <class T, class A = void> class vector { T *start_, *end_, *capacity_; };
template <class T, class A = void> class deque { T **blocks_[10]; };
template <class T, class A = void> class list { void *ends_[3]; };
template <class T, class D = void> class unique_ptr { T *held_; };
template <class T> class shared_ptr { T *held_; void *count_; };
`;

export const utility = `#pragma once
namespace std {
${kept}template <class A, class B> struct pair {
 typedef A first_type;
 typedef B second_type;
 A first;
 B second;
 __host__ __device__ pair() : first(), second() {}
 __host__ __device__ pair(const A &a, const B &b) : first(a), second(b) {}
 __host__ __device__ bool operator==(const pair &o) const { return first == o.first && second == o.second; }
 __host__ __device__ bool operator!=(const pair &o) const { return !(*this == o); }
 __host__ __device__ bool operator<(const pair &o) const { return first < o.first || (!(o.first < first) && second < o.second); }
 __host__ __device__ bool operator>(const pair &o) const { return o < *this; }
};
struct __in_order { template <class T> bool operator()(const T &a, const T &b) const { return a < b; } };
template <class T> class reverse_iterator {
 T *behind_;
public:
 explicit reverse_iterator(T *behind) : behind_(behind) {}
 T &operator*() const { return behind_[-1]; }
 T *operator->() const { return behind_ - 1; }
 reverse_iterator &operator++() { --behind_; return *this; }
 bool operator!=(const reverse_iterator &other) const { return behind_ != other.behind_; }
 bool operator==(const reverse_iterator &other) const { return behind_ == other.behind_; }
};
/** As \`swap\` is where a class says how its objects are taken over. */
template <class T> void __warplens_exchange(T &a, T &b) { T t(std::move(a)); a = std::move(b); b = std::move(t); }
template <class A, class B> __host__ __device__ pair<A, B> make_pair(const A &a, const B &b) { return pair<A, B>(a, b); }
template <size_t I, class A, class B> __host__ __device__ constexpr auto &get(pair<A, B> &p) { if constexpr (I == 0) return p.first; else return p.second; }
template <size_t I, class A, class B> __host__ __device__ constexpr const auto &get(const pair<A, B> &p) { if constexpr (I == 0) return p.first; else return p.second; }
template <class T, class U = T> __host__ __device__ T exchange(T &a, U &&b) { T was = a; a = b; return was; }
template <class T, T... I> struct integer_sequence {
 typedef T value_type;
 __host__ __device__ static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, size_t N, T... I> struct __sequence_up_to { typedef typename __sequence_up_to<T, N - 1, (T)(N - 1), I...>::type type; };
template <class T, T... I> struct __sequence_up_to<T, 0, I...> { typedef integer_sequence<T, I...> type; };
template <class T, T N> using make_integer_sequence = typename __sequence_up_to<T, N>::type;
template <size_t N> using make_index_sequence = typename __sequence_up_to<size_t, N>::type;
template <class... T> using index_sequence_for = typename __sequence_up_to<size_t, sizeof...(T)>::type;
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
  const names = of.map((_, k) => `v${k}`).join(", ");
  const index = of.map((_, k) => (k + 1 < count ? `if constexpr (I == ${k}) return t.e${k}; else ` : `return t.e${k};`)).join("");
  return `template <${parameters}> struct tuple<${list}> {
 ${members}
 __host__ __device__ tuple() : ${defaults} {}
 __host__ __device__ tuple(${given}) : ${copies} {}
};
template <${parameters}> __host__ __device__ tuple<${list}> make_tuple(${given}) { return tuple<${list}>(${names}); }
template <size_t I, ${parameters}> __host__ __device__ constexpr auto &get(tuple<${list}> &t) { ${index} }
template <size_t I, ${parameters}> __host__ __device__ constexpr const auto &get(const tuple<${list}> &t) { ${index} }
`;
}

export const tuple = `#pragma once
#include <utility>
namespace std {
template <class... T> struct tuple {};
${letters.map((_, k) => tupleOf(k + 1)).join("")}template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> { static constexpr size_t value = sizeof...(T); };
template <class A, class B> struct tuple_size<pair<A, B>> { static constexpr size_t value = 2; };
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T> struct tuple_element;
template <size_t I, class H, class... T> struct tuple_element<I, tuple<H, T...>> { typedef typename tuple_element<I - 1, tuple<T...>>::type type; };
template <class H, class... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
}
`;

/** A view: what is stored through it stands in what it is of. */
export const span = `#pragma once
#include <utility>
namespace std {
template <class T, size_t N = 18446744073709551615ul> class span {
 T *data_;
 size_t size_;
public:
 typedef T value_type;
 span() : data_(nullptr), size_(0) {}
 span(T *data, size_t size) : data_(data), size_(size) {}
 span(T *first, T *last) : data_(first), size_(last - first) {}
 template <class C> span(C &of) : data_(std::data(of)), size_(std::size(of)) {}
 template <class U, size_t M> span(const span<U, M> &of) : data_(of.data()), size_(of.size()) {}
 size_t size() const { return size_; }
 size_t size_bytes() const { return size_ * sizeof(T); }
 bool empty() const { return size_ == 0; }
 T *data() const { return data_; }
 T *begin() const { return data_; }
 T *end() const { return data_ + size_; }
 T &operator[](size_t i) const { return data_[i]; }
 T &front() const { return data_[0]; }
 T &back() const { return data_[size_ - 1]; }
 span<T> first(size_t count) const { return span<T>(data_, count); }
 span<T> last(size_t count) const { return span<T>(data_ + (size_ - count), count); }
 span<T> subspan(size_t offset) const { return span<T>(data_ + offset, size_ - offset); }
 span<T> subspan(size_t offset, size_t count) const { return span<T>(data_ + offset, count == (size_t)-1 ? size_ - offset : count); }
};
}
`;

export const optional = `#pragma once
#include <utility>
namespace std {
struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class T> class optional {
 bool has_;
 union { T value_; };
public:
 optional() : has_(false) {}
 optional(nullopt_t) : has_(false) {}
 optional(const T &value) : has_(true) { new (&value_) T(value); }
 ~optional() { reset(); }
 bool has_value() const { return has_; }
 explicit operator bool() const { return has_; }
 T &operator*() { return value_; }
 T *operator->() { return &value_; }
 T &value() { if (!has_) throw 0; return value_; }
 T value_or(T other) const { return has_ ? value_ : other; }
 void reset() { if (has_) value_.~T(); has_ = false; }
 template <class... A> T &emplace(A... args) { reset(); has_ = true; new (&value_) T(args...); return value_; }
 optional &operator=(nullopt_t) { reset(); return *this; }
 optional &operator=(const T &value) { if (has_) value_ = value; else new (&value_) T(value); has_ = true; return *this; }
};
template <class T> optional<T> make_optional(T value) { return optional<T>(value); }
}
`;

/** The evaluator keeps the value of the alternative that is held. */
export const variant = `#pragma once
#include <utility>
namespace std {
struct monostate {};
template <class... T> class variant { unsigned long index_; char held_[24]; };
}
`;

/** For constants and kernels; the evaluator keeps the elements as it does those of a vector. */
export const array = `#pragma once
#include <utility>
namespace std {
template <class T, size_t N> struct array {
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
 __host__ __device__ constexpr T &front() { return elements_[0]; }
 __host__ __device__ constexpr T &back() { return elements_[N - 1]; }
 __host__ __device__ constexpr T &at(size_t i) { return elements_[i]; }
 __host__ __device__ constexpr const T &at(size_t i) const { return elements_[i]; }
 __host__ __device__ constexpr size_t max_size() const { return N; }
 __host__ __device__ constexpr const T *cbegin() const { return elements_; }
 __host__ __device__ constexpr const T *cend() const { return elements_ + N; }
 __host__ __device__ constexpr void fill(const T &v) { for (size_t i = 0; i < N; ++i) elements_[i] = v; }
};
template <size_t I, class T, size_t N> __host__ __device__ constexpr T &get(array<T, N> &a) { return a.elements_[I]; }
template <size_t I, class T, size_t N> __host__ __device__ constexpr const T &get(const array<T, N> &a) { return a.elements_[I]; }
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
template <class F> class function { void *callable_[4]; };
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
  return `${type === "T" ? `template <class T = ${name === "uniform_int" || name === "geometric" || name === "poisson" ? "int" : "double"}> ` : ""}class ${name}_distribution {
 ${own} ${members.join(", ")};
 double kept_;
 bool keeps_;
public:
 ${name}_distribution() : ${parameters.map(([member, initial]) => `${member}_(${initial})`).join(", ")}, kept_(0), keeps_(false) {}
 explicit ${name}_distribution(${parameters.map(([member, initial], k) => `${own} ${member}${k > 0 ? ` = ${initial}` : ""}`).join(", ")}) : ${parameters.map(([member]) => `${member}_(${member})`).join(", ")}, kept_(0), keeps_(false) {}
 void reset() { keeps_ = false; }
 template <class G> ${type} operator()(G &generator) { return (${type})__warplens_draw(*this, generator); }
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
template <class T = int> class discrete_distribution {
 vector<double> weights_;
public:
 discrete_distribution() {}
 discrete_distribution(initializer_list<double> weights) : weights_(weights) {}
 template <class I> discrete_distribution(I first, I last) { weights_ = vector<double>(first, last); }
 template <class G> T operator()(G &generator) { return (T)__warplens_draw(*this, generator); }
};
}
`;

/** What both maps do once they have looked for a key. */
const mapMethods = `    pair<K, V> *end() { return entries_.data() + entries_.size(); }
 const pair<K, V> *cbegin() { return begin(); }
 const pair<K, V> *cend() { return end(); }
 size_t size() const { return entries_.size(); }
 bool empty() const { return entries_.size() == 0; }
 void clear() { entries_.clear(); }
 size_t count(const K &key) { return find(key) == end() ? 0 : 1; }
 bool contains(const K &key) { return find(key) != end(); }
 V &at(const K &key) {
  pair<K, V> *found = find(key);
  if (found == end()) throw out_of_range("");
  return found->second;
 }
 V &operator[](const K &key) { return entries_[place(key, V())].second; }
 pair<pair<K, V> *, bool> insert(const pair<K, V> &entry) { return emplace(entry.first, entry.second); }
 pair<pair<K, V> *, bool> emplace(const K &key, const V &value) {
  size_t before = entries_.size();
  size_t at = place(key, value);
  return pair<pair<K, V> *, bool>(entries_.data() + at, before < entries_.size());
 }
 pair<pair<K, V> *, bool> try_emplace(const K &key, const V &value) { return emplace(key, value); }
 void insert_or_assign(const K &key, const V &value) { (*this)[key] = value; }
 size_t erase(const K &key) {
  pair<K, V> *found = find(key);
  if (found == end()) return 0;
  entries_.erase(found);
  return 1;
 }
 pair<K, V> *erase(pair<K, V> *at) { return entries_.erase(at); }
`;

/** @param parameters of the template behind key and value */
const map = (name: string, parameters: string, rest: string): string => `template <class K, class V, ${parameters}> class ${name} {
 vector<pair<K, V>> entries_;
public:
 typedef pair<K, V> value_type;
 typedef pair<K, V> *iterator;
 typedef const pair<K, V> *const_iterator;
 ${name}() {}
 ${name}(initializer_list<pair<K, V>> list) { for (const pair<K, V> &each : list) insert(each); }
${rest}${mapMethods}};
`;

export const maps = `#pragma once
#include <functional>
#include <string>
#include <utility>
namespace std {
${map(
  "map",
  "class Rule = __in_order",
  `    pair<K, V> *begin() { return entries_.data(); }
    size_t from(const K &key) {
        size_t least = 0, most = entries_.size();
        while (least < most) {
            size_t middle = (least + most) / 2;
            if (Rule()(entries_[middle].first, key)) least = middle + 1;
            else most = middle;
        }
        return least;
    }
    size_t place(const K &key, const V &value) {
        size_t at = from(key), last = entries_.size();
        if (at < last && !Rule()(key, entries_[at].first)) return at;
        entries_.push_back(pair<K, V>(key, value));
        for (; last > at; last--) entries_[last] = entries_[last - 1];
        entries_[at] = pair<K, V>(key, value);
        return at;
    }
    pair<K, V> *find(const K &key) {
        size_t at = from(key);
        return at < entries_.size() && !Rule()(key, entries_[at].first) ? entries_.data() + at : end();
    }
    pair<K, V> *lower_bound(const K &key) { return entries_.data() + from(key); }
    pair<K, V> *upper_bound(const K &key) {
        pair<K, V> *at = lower_bound(key);
        return at != end() && !Rule()(key, at->first) ? at + 1 : at;
    }
    reverse_iterator<pair<K, V>> rbegin() { return reverse_iterator<pair<K, V>>(end()); }
    reverse_iterator<pair<K, V>> rend() { return reverse_iterator<pair<K, V>>(begin()); }
`,
)}
${map(
  "unordered_map",
  "class Hash = void, class Equal = void",
  `    pair<K, V> *begin() { return entries_.size() > 1 ? __warplens_anywhere(entries_.data()) : entries_.data(); }
    size_t place(const K &key, const V &value) {
        size_t n = entries_.size();
        for (size_t i = 0; i < n; i++) if (entries_[i].first == key) return i;
        entries_.push_back(pair<K, V>(key, value));
        return n;
    }
    pair<K, V> *find(const K &key) {
        size_t n = entries_.size();
        for (size_t i = 0; i < n; i++) if (entries_[i].first == key) return entries_.data() + i;
        return end();
    }
`,
)}
}
`;

export const queues = `#pragma once
#include <functional>
#include <utility>
namespace std {
template <class T> class queue {
 vector<T> all_;
 size_t first_;
public:
 queue() : first_(0) {}
 bool empty() const { return first_ == all_.size(); }
 size_t size() const { return all_.size() - first_; }
 void push(const T &value) { all_.push_back(value); }
 template <class... A> void emplace(A... args) { all_.push_back(T{args...}); }
 T &front() { return all_[first_]; }
 T &back() { return all_[all_.size() - 1]; }
 void pop() { first_++; }
};
/** A heap as libstdc++ keeps it: which of equal elements comes first is seen by what else they hold. */
template <class T, class C = vector<T>, class Rule = __in_order> class priority_queue {
 vector<T> all_;
 void rise(size_t hole, T value) {
  while (hole > 0 && Rule()(all_[(hole - 1) / 2], value)) {
   all_[hole] = all_[(hole - 1) / 2];
   hole = (hole - 1) / 2;
  }
  all_[hole] = value;
 }
public:
 bool empty() const { return all_.size() == 0; }
 size_t size() const { return all_.size(); }
 const T &top() { return all_[0]; }
 void push(const T &value) { all_.push_back(value); rise(all_.size() - 1, value); }
 template <class... A> void emplace(A... args) { push(T{args...}); }
 void pop() {
  T value = all_[all_.size() - 1];
  all_.pop_back();
  size_t n = all_.size(), hole = 0;
  if (n == 0) return;
  while (2 * hole + 2 < n) {
   size_t child = 2 * hole + 2;
   if (Rule()(all_[child], all_[child - 1])) child--;
   all_[hole] = all_[child];
   hole = child;
  }
  if (2 * hole + 2 == n) {
   all_[hole] = all_[n - 1];
   hole = n - 1;
  }
  rise(hole, value);
 }
};
}
`;

export const stacks = `#pragma once
#include <utility>
namespace std {
template <class T> class stack {
 vector<T> all_;
public:
 bool empty() const { return all_.size() == 0; }
 size_t size() const { return all_.size(); }
 void push(const T &value) { all_.push_back(value); }
 template <class... A> void emplace(A... args) { all_.push_back(T{args...}); }
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
 template <class F, class... A> explicit thread(F f, A... args) { f(args...); }
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
template <class T> class atomic {
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
const set = (name: string): string => `template <class T, class Rule = void> class ${name} {
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
 pair<T *, bool> insert(const T &value) {
  T *found = find(value);
  if (found != end()) return pair<T *, bool>(found, false);
  all_.push_back(value);
  for (size_t i = all_.size() - 1; i > 0 && all_[i] < all_[i - 1]; i--) { T other = all_[i]; all_[i] = all_[i - 1]; all_[i - 1] = other; }
  return pair<T *, bool>(find(value), true);
 }
 pair<T *, bool> emplace(const T &value) { return insert(value); }
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
 bool fails_;
 string word(bool isNumber) {
  size_t start = text_.find_first_not_of(" \\t\\n");
  text_ = start == (size_t)-1 ? "" : text_.substr(start);
  size_t end = isNumber ? text_.find_first_not_of("+-.0123456789eE") : text_.find_first_of(" \\t\\n");
  string found = text_.substr(0, end);
  text_ = end == (size_t)-1 ? "" : text_.substr(end);
  fails_ = found.empty();
  return found;
 }
public:
 ${name}() : text_(""), fails_(false) {}
 ${name}(const string &text) : text_(text), fails_(false) {}
 string str() const { return text_; }
 void str(const string &text) { text_ = text; }
 void clear() { fails_ = false; }
 bool fail() const { return fails_; }
 bool eof() const { return text_.empty(); }
 explicit operator bool() const { return !fails_; }
 bool operator!() const { return fails_; }
${(
  [
    ["int", "atoi"],
    ["unsigned int", "strtoul"],
    ["long", "atol"],
    ["long long", "atoll"],
    ["unsigned long", "strtoul"],
    ["float", "strtof"],
    ["double", "atof"],
  ] as const
)
  .map(
    ([type, read]) =>
      `    ${name} &operator>>(${type} &value) { string found = word(true); if (!fails_) value = ${read}(found.c_str()); return *this; }\n`,
  )
  .join("")}    ${name} &operator>>(string &value) { string found = word(false); if (!fails_) value = found; return *this; }
 ${name} &operator>>(char &value) {
  size_t start = text_.find_first_not_of(" \\t\\n");
  fails_ = start == (size_t)-1;
  if (!fails_) { value = text_[start]; text_ = text_.substr(start + 1); }
  return *this;
 }
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
