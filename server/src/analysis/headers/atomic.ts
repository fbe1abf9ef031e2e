/** What takes the old value and leaves another, and the built-in that does it. */
const exchanges = [
  ["fetch_add", "atomicAdd", "value"],
  ["fetch_sub", "atomicAdd", "(T)-value"],
  ["fetch_min", "atomicMin", "value"],
  ["fetch_max", "atomicMax", "value"],
  ["fetch_and", "atomicAnd", "value"],
  ["fetch_or", "atomicOr", "value"],
  ["fetch_xor", "atomicXor", "value"],
  ["exchange", "atomicExch", "value"],
] as const;

const inPlace = exchanges
  .map(
    ([name, builtIn, operand]) => `    __device__ T ${name}(T value, memory_order order = memory_order_seq_cst) const {
  warplens_release<Scope>(order);
  T old = Scope == thread_scope_block ? ${builtIn}_block(address, ${operand}) : ${builtIn}(address, ${operand});
  warplens_acquire<Scope>(order);
  return old;
 }`,
  )
  .join("\n");

const forwarded = exchanges
  .map(([name]) => `    __device__ T ${name}(T v, memory_order order = memory_order_seq_cst) { return ref().${name}(v, order); }`)
  .join("\n");

/** `cuda::atomic` and `cuda::atomic_ref`: relaxed accesses, with the fences that their memory orders make of them. */
export const atomic = `#pragma once
#include <cuda/warplens_scopes>
namespace cuda {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
namespace std {
using cuda::memory_order;
using cuda::memory_order_relaxed; using cuda::memory_order_acquire; using cuda::memory_order_release; using cuda::memory_order_acq_rel; using cuda::memory_order_seq_cst;
}
template <thread_scope Scope> __device__ void warplens_fence() {
 if constexpr (Scope == thread_scope_block) __threadfence_block();
 else if constexpr (Scope == thread_scope_device) __threadfence();
 else if constexpr (Scope == thread_scope_system) __threadfence_system();
}
template <thread_scope Scope> __device__ void warplens_release(memory_order order) {
 if (order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst) warplens_fence<Scope>();
}
template <thread_scope Scope> __device__ void warplens_acquire(memory_order order) {
 if (order != memory_order_relaxed && order != memory_order_release) warplens_fence<Scope>();
}
inline __device__ void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
 if (order == memory_order_relaxed) return;
 if (scope == thread_scope_block) __threadfence_block();
 else if (scope == thread_scope_device) __threadfence();
 else if (scope == thread_scope_system) __threadfence_system();
}
template <class T, thread_scope Scope = thread_scope_system> struct atomic_ref {
 T *address;
 __device__ explicit atomic_ref(T &object) : address(&object) {}
 __device__ T load(memory_order order = memory_order_seq_cst) const {
  T value = Scope == thread_scope_block ? __warplens_atomic_load_block(address) : __warplens_atomic_load(address);
  warplens_acquire<Scope>(order);
  return value;
 }
 __device__ void store(T value, memory_order order = memory_order_seq_cst) const {
  warplens_release<Scope>(order);
  if constexpr (Scope == thread_scope_block) __warplens_atomic_store_block(address, value);
  else __warplens_atomic_store(address, value);
 }
${inPlace}
 __device__ bool compare_exchange_strong(T &expected, T desired, memory_order order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const {
  warplens_release<Scope>(order);
  T old = Scope == thread_scope_block ? atomicCAS_block(address, expected, desired) : atomicCAS(address, expected, desired);
  warplens_acquire<Scope>(order);
  bool same = old == expected;
  expected = old;
  return same;
 }
 __device__ bool compare_exchange_weak(T &expected, T desired, memory_order order = memory_order_seq_cst, memory_order failure = memory_order_seq_cst) const { return compare_exchange_strong(expected, desired, order, failure); }
 __device__ void wait(T old, memory_order order = memory_order_seq_cst) const { while (load(order) == old) {} }
 __device__ void notify_one() const {}
 __device__ void notify_all() const {}
 __device__ T operator++() const { return fetch_add(T(1)) + T(1); }
 __device__ T operator++(int) const { return fetch_add(T(1)); }
 __device__ T operator--() const { return fetch_sub(T(1)) - T(1); }
 __device__ T operator+=(T value) const { return fetch_add(value) + value; }
 __device__ operator T() const { return load(); }
};
template <class T, thread_scope Scope = thread_scope_system> struct atomic {
 T value;
 __device__ atomic() {}
 __device__ atomic(T initial) : value(initial) {}
 __device__ atomic_ref<T, Scope> ref() { return atomic_ref<T, Scope>(value); }
 __device__ T load(memory_order order = memory_order_seq_cst) { return ref().load(order); }
 __device__ void store(T v, memory_order order = memory_order_seq_cst) { ref().store(v, order); }
${forwarded}
 __device__ bool compare_exchange_strong(T &expected, T desired, memory_order order = memory_order_seq_cst, memory_order failure = memory_order_seq_cst) { return ref().compare_exchange_strong(expected, desired, order, failure); }
 __device__ bool compare_exchange_weak(T &expected, T desired, memory_order order = memory_order_seq_cst, memory_order failure = memory_order_seq_cst) { return ref().compare_exchange_weak(expected, desired, order, failure); }
 __device__ void wait(T old, memory_order order = memory_order_seq_cst) { ref().wait(old, order); }
 __device__ void notify_one() {}
 __device__ void notify_all() {}
 __device__ T operator++() { return ref().fetch_add(T(1)) + T(1); }
 __device__ T operator++(int) { return ref().fetch_add(T(1)); }
 __device__ T operator--() { return ref().fetch_sub(T(1)) - T(1); }
 __device__ T operator+=(T v) { return ref().fetch_add(v) + v; }
 __device__ T operator=(T v) { ref().store(v); return v; }
 __device__ operator T() { return load(); }
};
}
`;
