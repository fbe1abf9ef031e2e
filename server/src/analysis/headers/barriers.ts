/** `cuda::barrier`, `cuda::pipeline` and `cuda::memcpy_async`. What waits for a barrier or a stage waits for all warps of the block. */

export const scopes = `#pragma once
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
}
`;

/** Copies as wide as the alignment allows, up to 16 bytes an instruction. */
const copies = `
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};
template <size_t Alignment, typename T> __device__ void warplens_copy(T *to, const T *from, size_t bytes, size_t first, size_t step) {
    constexpr size_t width = Alignment >= 16 ? 16 : Alignment >= 8 ? 8 : 4;
    if constexpr (Alignment >= 4) {
        for (size_t at = first * width; at < bytes; at += step * width) __pipeline_memcpy_async((char *)to + at, (const char *)from + at, width);
    } else {
        for (size_t at = first; at < bytes / sizeof(T); at += step) to[at] = from[at];
    }
}
`;

export const barrier = `#pragma once
#include <cuda/warplens_scopes>
namespace cuda {
${copies}
struct warplens_arrival {};
template <thread_scope Scope> struct barrier {
    typedef warplens_arrival arrival_token;
    unsigned long long state;
    __device__ barrier() {}
    __host__ __device__ explicit barrier(ptrdiff_t expected) : state(expected) {}
    __device__ arrival_token arrive(ptrdiff_t = 1) { __warplens_barrier_arrive(); return arrival_token(); }
    __device__ void wait(arrival_token) const { __warplens_barrier_wait(); }
    __device__ void wait_parity(bool) const { __warplens_barrier_wait(); }
    __device__ void arrive_and_wait() { __warplens_barrier_arrive(); __warplens_barrier_wait(); }
    __device__ void arrive_and_drop() { __warplens_barrier_arrive(); }
};
template <thread_scope Scope> __device__ void init(barrier<Scope> *object, ptrdiff_t expected) { object->state = expected; }
template <typename T, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, size_t bytes, barrier<Scope> &) { warplens_copy<alignof(T)>(to, from, bytes, 0, 1); }
template <typename T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, aligned_size_t<Alignment> shape, barrier<Scope> &) { warplens_copy<Alignment>(to, from, shape.value, 0, 1); }
template <typename G, typename T, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes, barrier<Scope> &) { warplens_copy<alignof(T)>(to, from, bytes, group.thread_rank(), group.size()); }
template <typename G, typename T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, aligned_size_t<Alignment> shape, barrier<Scope> &) { warplens_copy<Alignment>(to, from, shape.value, group.thread_rank(), group.size()); }
}
`;

export const pipeline = `#pragma once
#include <cuda/barrier>
namespace cuda {
enum class pipeline_role { producer, consumer };
template <thread_scope Scope, int Stages> struct pipeline_shared_state {
    unsigned long long barriers[2 * Stages];
    unsigned users;
    __device__ pipeline_shared_state() {}
};
/** Of one thread, stages are the groups of its own copies; of a block, each stage has two barriers. */
template <thread_scope Scope> struct pipeline {
    __device__ void producer_acquire() { if (Scope != thread_scope_thread) __warplens_barrier_wait(); }
    __device__ void producer_commit() { if (Scope == thread_scope_thread) __pipeline_commit(); else __warplens_barrier_arrive(); }
    __device__ void consumer_wait() { if (Scope == thread_scope_thread) __pipeline_wait_prior(0); else __warplens_barrier_wait(); }
    template <typename Duration> __device__ bool consumer_wait_for(const Duration &) { consumer_wait(); return true; }
    __device__ void consumer_release() { if (Scope != thread_scope_thread) __warplens_barrier_arrive(); }
    __device__ bool quit() { return true; }
};
inline __device__ pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <typename G, thread_scope Scope, int Stages> __device__ pipeline<Scope> make_pipeline(const G &group, pipeline_shared_state<Scope, Stages> *) { group.sync(); return pipeline<Scope>(); }
template <typename G, thread_scope Scope, int Stages> __device__ pipeline<Scope> make_pipeline(const G &group, pipeline_shared_state<Scope, Stages> *, pipeline_role) { group.sync(); return pipeline<Scope>(); }
template <typename G, thread_scope Scope, int Stages> __device__ pipeline<Scope> make_pipeline(const G &group, pipeline_shared_state<Scope, Stages> *, size_t) { group.sync(); return pipeline<Scope>(); }
template <int Prior, thread_scope Scope> __device__ void pipeline_consumer_wait_prior(pipeline<Scope> &) { __pipeline_wait_prior(Prior); }
template <thread_scope Scope> __device__ void pipeline_producer_commit(pipeline<Scope> &, barrier<thread_scope_block> &) { __warplens_barrier_arrive(); }
template <typename T, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, size_t bytes, pipeline<Scope> &) { warplens_copy<alignof(T)>(to, from, bytes, 0, 1); }
template <typename T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, aligned_size_t<Alignment> shape, pipeline<Scope> &) { warplens_copy<Alignment>(to, from, shape.value, 0, 1); }
template <typename G, typename T, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes, pipeline<Scope> &) { warplens_copy<alignof(T)>(to, from, bytes, group.thread_rank(), group.size()); }
template <typename G, typename T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, aligned_size_t<Alignment> shape, pipeline<Scope> &) { warplens_copy<Alignment>(to, from, shape.value, group.thread_rank(), group.size()); }
}
`;
