/**
 * Of the standard library what host code is evaluated with: classes whose meaning is more than a value of their own. Written for
 * an evaluator: a map is searched from its start.
 */

export const utility = `#pragma once
namespace std {
template <typename A, typename B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __host__ __device__ pair() : first(), second() {}
    __host__ __device__ pair(const A &a, const B &b) : first(a), second(b) {}
};
template <typename A, typename B> __host__ __device__ pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
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
    void insert(const pair<K, V> &entry) { (*this)[entry.first] = entry.second; }
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
