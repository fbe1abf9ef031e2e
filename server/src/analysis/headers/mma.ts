/** `nvcuda::wmma`. How the elements lie over the lanes follows what nvcc 13.0 makes of it from 8.0 on. */
export const mma = `#pragma once
namespace nvcuda { namespace wmma {
struct matrix_a {}; struct matrix_b {}; struct accumulator {};
struct row_major {}; struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
template <class T> struct warplens_stored { typedef T type; static constexpr int copies = 1; };
template <> struct warplens_stored<precision::tf32> { typedef float type; static constexpr int copies = 1; };
/** Halves and bfloat16s are held twice, of which one is used. */
template <> struct warplens_stored<__half> { typedef __half type; static constexpr int copies = 2; };
template <> struct warplens_stored<__nv_bfloat16> { typedef __nv_bfloat16 type; static constexpr int copies = 2; };
template <class Use, int M, int N, int K, class T> struct warplens_elements;
template <int M, int N, int K, class T> struct warplens_elements<matrix_a, M, N, K, T> { static constexpr int count = warplens_stored<T>::copies * M * K / 32; };
template <int M, int N, int K, class T> struct warplens_elements<matrix_b, M, N, K, T> { static constexpr int count = warplens_stored<T>::copies * K * N / 32; };
template <int M, int N, int K, class T> struct warplens_elements<accumulator, M, N, K, T> { static constexpr int count = M * N / 32; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
 typedef typename warplens_stored<T>::type element_type;
 typedef element_type storage_element_type;
 static constexpr int num_elements = warplens_elements<Use, M, N, K, T>::count;
 static constexpr int num_storage_elements = num_elements;
 alignas(8) element_type x[num_elements];
};
template <class Use, int M, int N, int K, class T, class Layout> __device__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const typename warplens_stored<T>::type &value) {
 #pragma unroll
 for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}
template <int M, int N, int K, class T, class P> __device__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, row_major> &f, const P *from, unsigned stride) { __warplens_matrix_load<M, K, false>(f.x, from, stride); }
template <int M, int N, int K, class T, class P> __device__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, col_major> &f, const P *from, unsigned stride) { __warplens_matrix_load<K, M, true>(f.x, from, stride); }
template <int M, int N, int K, class T, class P> __device__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, col_major> &f, const P *from, unsigned stride) { __warplens_matrix_load<N, K, false>(f.x, from, stride); }
template <int M, int N, int K, class T, class P> __device__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, row_major> &f, const P *from, unsigned stride) { __warplens_matrix_load<K, N, true>(f.x, from, stride); }
template <int M, int N, int K, class T, class P> __device__ void load_matrix_sync(fragment<accumulator, M, N, K, T, void> &f, const P *from, unsigned stride, layout_t layout) {
 if (layout == mem_row_major) __warplens_matrix_load_sums<M, N, false, K>(f.x, from, stride); else __warplens_matrix_load_sums<N, M, true, K>(f.x, from, stride);
}
template <int M, int N, int K, class T, class P> __device__ void store_matrix_sync(P *to, const fragment<accumulator, M, N, K, T, void> &f, unsigned stride, layout_t layout) {
 if (layout == mem_row_major) __warplens_matrix_store<M, N, false, K>(to, f.x, stride); else __warplens_matrix_store<N, M, true, K>(to, f.x, stride);
}
template <int M, int N, int K, class D, class T, class LA, class LB, class C>
__device__ void mma_sync(fragment<accumulator, M, N, K, D, void> &d, const fragment<matrix_a, M, N, K, T, LA> &a, const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C, void> &c, bool = false) {
 __warplens_matrix_product<M, N, K, T>(d.x, a.x, b.x, c.x);
}
/** cvt.rna.tf32: half of the last place is added to what is finite; the places behind it are those that a product leaves out. */
inline __device__ float __float_to_tf32(float x) {
 unsigned bits = __float_as_uint(x);
 if (fabsf(x) < __uint_as_float(0x7f800000)) bits += 0x1000;
 return __uint_as_float(bits);
}
} }
`;
