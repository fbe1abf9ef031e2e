/** `cuda::atomic` and `cuda::atomic_ref`. Memory orders are taken as relaxed: fences cost nothing here. */
export const atomic = `#pragma once
#include <cuda/warplens_scopes>
namespace cuda {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
namespace std {
using cuda::memory_order;
using cuda::memory_order_relaxed; using cuda::memory_order_acquire; using cuda::memory_order_release; using cuda::memory_order_acq_rel; using cuda::memory_order_seq_cst;
}
template <typename T, thread_scope Scope = thread_scope_system> struct atomic_ref {
    T *address;
    __device__ explicit atomic_ref(T &object) : address(&object) {}
    __device__ T load(memory_order = memory_order_seq_cst) const { return *(volatile T *)address; }
    __device__ void store(T value, memory_order = memory_order_seq_cst) const { *(volatile T *)address = value; }
    __device__ T fetch_add(T value, memory_order = memory_order_seq_cst) const { return Scope == thread_scope_block ? atomicAdd_block(address, value) : atomicAdd(address, value); }
    __device__ T fetch_sub(T value, memory_order = memory_order_seq_cst) const { return Scope == thread_scope_block ? atomicAdd_block(address, (T)-value) : atomicAdd(address, (T)-value); }
    __device__ T fetch_min(T value, memory_order = memory_order_seq_cst) const { return Scope == thread_scope_block ? atomicMin_block(address, value) : atomicMin(address, value); }
    __device__ T fetch_max(T value, memory_order = memory_order_seq_cst) const { return Scope == thread_scope_block ? atomicMax_block(address, value) : atomicMax(address, value); }
    __device__ T fetch_and(T value, memory_order = memory_order_seq_cst) const { return atomicAnd(address, value); }
    __device__ T fetch_or(T value, memory_order = memory_order_seq_cst) const { return atomicOr(address, value); }
    __device__ T fetch_xor(T value, memory_order = memory_order_seq_cst) const { return atomicXor(address, value); }
    __device__ T exchange(T value, memory_order = memory_order_seq_cst) const { return atomicExch(address, value); }
    __device__ bool compare_exchange_strong(T &expected, T desired, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const {
        T old = atomicCAS(address, expected, desired);
        bool same = old == expected;
        expected = old;
        return same;
    }
    __device__ bool compare_exchange_weak(T &expected, T desired, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const { return compare_exchange_strong(expected, desired); }
    __device__ T operator++() const { return fetch_add(T(1)) + T(1); }
    __device__ T operator++(int) const { return fetch_add(T(1)); }
    __device__ T operator--() const { return fetch_sub(T(1)) - T(1); }
    __device__ T operator+=(T value) const { return fetch_add(value) + value; }
    __device__ operator T() const { return load(); }
};
template <typename T, thread_scope Scope = thread_scope_system> struct atomic {
    T value;
    __device__ atomic() {}
    __device__ atomic(T initial) : value(initial) {}
    __device__ atomic_ref<T, Scope> ref() { return atomic_ref<T, Scope>(value); }
    __device__ T load(memory_order = memory_order_seq_cst) { return ref().load(); }
    __device__ void store(T v, memory_order = memory_order_seq_cst) { ref().store(v); }
    __device__ T fetch_add(T v, memory_order = memory_order_seq_cst) { return ref().fetch_add(v); }
    __device__ T fetch_sub(T v, memory_order = memory_order_seq_cst) { return ref().fetch_sub(v); }
    __device__ T fetch_min(T v, memory_order = memory_order_seq_cst) { return ref().fetch_min(v); }
    __device__ T fetch_max(T v, memory_order = memory_order_seq_cst) { return ref().fetch_max(v); }
    __device__ T exchange(T v, memory_order = memory_order_seq_cst) { return ref().exchange(v); }
    __device__ bool compare_exchange_strong(T &expected, T desired, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) { return ref().compare_exchange_strong(expected, desired); }
    __device__ T operator++(int) { return ref().fetch_add(T(1)); }
    __device__ T operator=(T v) { ref().store(v); return v; }
};
}
`;
