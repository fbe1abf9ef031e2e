/** `cuda::barrier`, `cuda::pipeline` and `cuda::memcpy_async`. Who waits for a stage of a pipeline waits for all warps of the block. */

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
template <size_t Alignment, class T> __device__ void warplens_copy(T *to, const T *from, size_t bytes, size_t first, size_t step) {
 constexpr size_t width = Alignment >= 16 ? 16 : Alignment >= 8 ? 8 : 4;
 if constexpr (Alignment >= 4) {
  for (size_t at = first * width; at < bytes; at += step * width) __pipeline_memcpy_async((char *)to + at, (const char *)from + at, width);
 } else {
  for (size_t at = first; at < bytes / sizeof(T); at += step) to[at] = from[at];
 }
}
`;

/** What `mbarrier` and `cp.async.bulk` are by their PTX. */
const instructions = `
inline __device__ unsigned warplens_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
inline __device__ void warplens_wait(const unsigned long long *at, unsigned long long token) {
 asm volatile("{\\n.reg .pred p;\\nagain:\\nmbarrier.try_wait.shared::cta.b64 p, [%0], %1;\\n@p bra done;\\nbra again;\\ndone:\\n}" ::"r"(warplens_shared(at)), "l"(token) : "memory");
}
inline __device__ void warplens_wait_parity(const unsigned long long *at, unsigned parity) {
 asm volatile("{\\n.reg .pred p;\\nagain:\\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\\n@p bra done;\\nbra again;\\ndone:\\n}" ::"r"(warplens_shared(at)), "r"(parity) : "memory");
}
inline __device__ unsigned long long warplens_arrive(unsigned long long *at, unsigned arrivals) {
 unsigned long long token;
 asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(warplens_shared(at)), "r"(arrivals) : "memory");
 return token;
}
inline __device__ void warplens_bulk(void *to, const void *from, unsigned bytes, unsigned long long *at) {
 asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(warplens_shared(to)), "l"(from), "r"(bytes), "r"(warplens_shared(at)) : "memory");
}
`;

/** `cp_async_bulk_tensor_2d_global_to_shared` and its like, of a rank. */
const tensorCopies = (rank: number): string => {
  const names = Array.from({ length: rank }, (_, k) => `c${k}`);
  const parameters = names.map((name) => `int ${name}`).join(", ");
  const values = names.map((name) => `"r"(${name})`).join(", ");
  const places = (from: number): string => names.map((_, k) => `%${from + k}`).join(", ");
  return `
template <thread_scope Scope> __device__ void cp_async_bulk_tensor_${rank}d_global_to_shared(void *to, const CUtensorMap *map, ${parameters}, barrier<Scope> &object) {
 asm volatile("cp.async.bulk.tensor.${rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {${places(3)}}], [%2];" ::"r"(warplens_shared(to)), "l"(map), "r"(warplens_shared(&object.state)), ${values} : "memory");
}
inline __device__ void cp_async_bulk_tensor_${rank}d_shared_to_global(const CUtensorMap *map, ${parameters}, const void *from) {
 asm volatile("cp.async.bulk.tensor.${rank}d.global.shared::cta.tile.bulk_group [%0, {${places(2)}}], [%1];" ::"l"(map), "r"(warplens_shared(from)), ${values} : "memory");
}`;
};

export const barrier = `#pragma once
#include <cuda/warplens_scopes>
#include <cuda.h>
namespace cuda {
${copies}
${instructions}
template <thread_scope Scope> struct barrier {
 typedef unsigned long long arrival_token;
 unsigned long long state;
 __device__ barrier() {}
 __device__ explicit barrier(ptrdiff_t expected) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(warplens_shared(&state)), "r"((unsigned)expected)); }
 __device__ arrival_token arrive(ptrdiff_t arrivals = 1) { return warplens_arrive(&state, (unsigned)arrivals); }
 __device__ void wait(arrival_token token) const { warplens_wait(&state, token); }
 __device__ void wait_parity(bool parity) const { warplens_wait_parity(&state, parity); }
 __device__ void arrive_and_wait() { wait(arrive()); }
 __device__ void arrive_and_drop() { asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(warplens_shared(&state)) : "memory"); }
};
template <thread_scope Scope> __device__ void init(barrier<Scope> *object, ptrdiff_t expected) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(warplens_shared(&object->state)), "r"((unsigned)expected)); }
/** Hopper's copy engine takes what is aligned to 16 bytes, a group's at once. */
template <size_t Alignment, class T, thread_scope Scope> __device__ void warplens_copy_at(T *to, const T *from, size_t bytes, size_t first, size_t step, barrier<Scope> &object) {
 if constexpr (Alignment >= 16 && __CUDA_ARCH__ >= 900) {
  if (first != 0) return;
  warplens_bulk(to, from, (unsigned)bytes, &object.state);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(warplens_shared(&object.state)), "r"((unsigned)bytes) : "memory");
 } else {
  warplens_copy<Alignment>(to, from, bytes, first, step);
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(warplens_shared(&object.state)) : "memory");
 }
}
template <class T, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, size_t bytes, barrier<Scope> &object) { warplens_copy_at<alignof(T)>(to, from, bytes, 0, 1, object); }
template <class T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, aligned_size_t<Alignment> shape, barrier<Scope> &object) { warplens_copy_at<Alignment>(to, from, shape.value, 0, 1, object); }
template <class G, class T, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes, barrier<Scope> &object) { warplens_copy_at<alignof(T)>(to, from, bytes, group.thread_rank(), group.size(), object); }
template <class G, class T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, aligned_size_t<Alignment> shape, barrier<Scope> &object) { warplens_copy_at<Alignment>(to, from, shape.value, group.thread_rank(), group.size(), object); }
namespace device {
template <thread_scope Scope> __device__ unsigned long long *barrier_native_handle(barrier<Scope> &object) { return &object.state; }
template <thread_scope Scope> __device__ void barrier_expect_tx(barrier<Scope> &object, ptrdiff_t bytes) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(warplens_shared(&object.state)), "r"((unsigned)bytes) : "memory"); }
template <thread_scope Scope> __device__ typename barrier<Scope>::arrival_token barrier_arrive_tx(barrier<Scope> &object, ptrdiff_t arrivals, ptrdiff_t bytes) {
 if (arrivals != 1) { barrier_expect_tx(object, bytes); return object.arrive(arrivals); }
 unsigned long long token;
 asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(warplens_shared(&object.state)), "r"((unsigned)bytes) : "memory");
 return token;
}
template <class T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async_tx(T *to, const T *from, aligned_size_t<Alignment> shape, barrier<Scope> &object) { warplens_bulk(to, from, (unsigned)shape.value, &object.state); }
namespace experimental {
template <thread_scope Scope> __device__ void cp_async_bulk_global_to_shared(void *to, const void *from, unsigned bytes, barrier<Scope> &object) { warplens_bulk(to, from, bytes, &object.state); }
inline __device__ void cp_async_bulk_shared_to_global(void *to, const void *from, unsigned bytes) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(warplens_shared(from)), "r"(bytes) : "memory"); }
${[1, 2, 3, 4, 5].map(tensorCopies).join("")}
inline __device__ void fence_proxy_async_shared_cta() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
inline __device__ void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int Pending> __device__ void cp_async_bulk_wait_group_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory"); }
}
}
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
 __device__ void producer_acquire() { if constexpr (Scope != thread_scope_thread) __warplens_barrier_wait(); }
 __device__ void producer_commit() { if constexpr (Scope == thread_scope_thread) __pipeline_commit(); else __warplens_barrier_arrive(); }
 __device__ void consumer_wait() { if constexpr (Scope == thread_scope_thread) __pipeline_wait_prior(0); else __warplens_barrier_wait(); }
 template <class Duration> __device__ bool consumer_wait_for(const Duration &) { consumer_wait(); return true; }
 __device__ void consumer_release() { if constexpr (Scope != thread_scope_thread) __warplens_barrier_arrive(); }
 __device__ bool quit() { return true; }
};
inline __device__ pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <class G, thread_scope Scope, int Stages> __device__ pipeline<Scope> make_pipeline(const G &group, pipeline_shared_state<Scope, Stages> *) { group.sync(); return pipeline<Scope>(); }
template <class G, thread_scope Scope, int Stages> __device__ pipeline<Scope> make_pipeline(const G &group, pipeline_shared_state<Scope, Stages> *, pipeline_role) { group.sync(); return pipeline<Scope>(); }
template <class G, thread_scope Scope, int Stages> __device__ pipeline<Scope> make_pipeline(const G &group, pipeline_shared_state<Scope, Stages> *, size_t) { group.sync(); return pipeline<Scope>(); }
template <int Prior, thread_scope Scope> __device__ void pipeline_consumer_wait_prior(pipeline<Scope> &) { __pipeline_wait_prior(Prior); }
template <thread_scope Scope> __device__ void pipeline_producer_commit(pipeline<Scope> &, barrier<thread_scope_block> &) { __warplens_barrier_arrive(); }
template <class T, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, size_t bytes, pipeline<Scope> &) { warplens_copy<alignof(T)>(to, from, bytes, 0, 1); }
template <class T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(T *to, const T *from, aligned_size_t<Alignment> shape, pipeline<Scope> &) { warplens_copy<Alignment>(to, from, shape.value, 0, 1); }
template <class G, class T, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes, pipeline<Scope> &) { warplens_copy<alignof(T)>(to, from, bytes, group.thread_rank(), group.size()); }
template <class G, class T, size_t Alignment, thread_scope Scope> __device__ void memcpy_async(const G &group, T *to, const T *from, aligned_size_t<Alignment> shape, pipeline<Scope> &) { warplens_copy<Alignment>(to, from, shape.value, group.thread_rank(), group.size()); }
}
`;
