/** `thrust::complex` and `cuda::std::complex`. */
const definition = (open: string, close: string): string => `
${open}
template <class T> struct complex {
 typedef T value_type;
 T re, im;
 __host__ __device__ complex() : re(T()), im(T()) {}
 __host__ __device__ complex(const T &real) : re(real), im(T()) {}
 __host__ __device__ complex(const T &real, const T &imaginary) : re(real), im(imaginary) {}
 template <class U> __host__ __device__ complex(const complex<U> &other) : re(other.re), im(other.im) {}
 __host__ __device__ T real() const { return re; }
 __host__ __device__ T imag() const { return im; }
 __host__ __device__ void real(T value) { re = value; }
 __host__ __device__ void imag(T value) { im = value; }
 __host__ __device__ complex &operator+=(const complex &z) { re += z.re; im += z.im; return *this; }
 __host__ __device__ complex &operator-=(const complex &z) { re -= z.re; im -= z.im; return *this; }
 __host__ __device__ complex &operator*=(const complex &z) { T r = re * z.re - im * z.im; im = re * z.im + im * z.re; re = r; return *this; }
 __host__ __device__ complex &operator*=(const T &s) { re *= s; im *= s; return *this; }
 __host__ __device__ complex &operator/=(const T &s) { re /= s; im /= s; return *this; }
 __host__ __device__ complex &operator/=(const complex &z) {
  T s = z.re * z.re + z.im * z.im;
  T r = (re * z.re + im * z.im) / s;
  im = (im * z.re - re * z.im) / s;
  re = r;
  return *this;
 }
 friend __host__ __device__ complex operator+(const complex &a, const complex &b) { return complex(a.re + b.re, a.im + b.im); }
 friend __host__ __device__ complex operator-(const complex &a, const complex &b) { return complex(a.re - b.re, a.im - b.im); }
 friend __host__ __device__ complex operator*(const complex &a, const complex &b) { return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
 friend __host__ __device__ complex operator/(const complex &a, const complex &b) { complex r = a; r /= b; return r; }
 friend __host__ __device__ complex operator+(const complex &a, const T &b) { return complex(a.re + b, a.im); }
 friend __host__ __device__ complex operator+(const T &a, const complex &b) { return complex(a + b.re, b.im); }
 friend __host__ __device__ complex operator-(const complex &a, const T &b) { return complex(a.re - b, a.im); }
 friend __host__ __device__ complex operator-(const T &a, const complex &b) { return complex(a - b.re, -b.im); }
 friend __host__ __device__ complex operator*(const complex &a, const T &b) { return complex(a.re * b, a.im * b); }
 friend __host__ __device__ complex operator*(const T &a, const complex &b) { return complex(a * b.re, a * b.im); }
 friend __host__ __device__ complex operator/(const complex &a, const T &b) { return complex(a.re / b, a.im / b); }
 friend __host__ __device__ complex operator-(const complex &a) { return complex(-a.re, -a.im); }
 friend __host__ __device__ bool operator==(const complex &a, const complex &b) { return a.re == b.re && a.im == b.im; }
 friend __host__ __device__ bool operator!=(const complex &a, const complex &b) { return !(a == b); }
};
template <class T> __host__ __device__ T norm(const complex<T> &z) { return z.re * z.re + z.im * z.im; }
template <class T> __host__ __device__ T abs(const complex<T> &z) { return hypot(z.re, z.im); }
template <class T> __host__ __device__ T arg(const complex<T> &z) { return atan2(z.im, z.re); }
template <class T> __host__ __device__ T real(const complex<T> &z) { return z.re; }
template <class T> __host__ __device__ T imag(const complex<T> &z) { return z.im; }
template <class T> __host__ __device__ complex<T> conj(const complex<T> &z) { return complex<T>(z.re, -z.im); }
template <class T> __host__ __device__ complex<T> polar(const T &m, const T &theta) { return complex<T>(m * cos(theta), m * sin(theta)); }
template <class T> __host__ __device__ complex<T> exp(const complex<T> &z) { T e = ::exp(z.re); return complex<T>(e * cos(z.im), e * sin(z.im)); }
template <class T> __host__ __device__ complex<T> log(const complex<T> &z) { return complex<T>(::log(hypot(z.re, z.im)), atan2(z.im, z.re)); }
template <class T> __host__ __device__ complex<T> sqrt(const complex<T> &z) { T m = ::sqrt(hypot(z.re, z.im)), h = atan2(z.im, z.re) / 2; return complex<T>(m * cos(h), m * sin(h)); }
${close}
`;

export const thrustComplex = `#pragma once\n${definition("namespace thrust {", "}")}`;
export const cudaComplex = `#pragma once\n${definition("namespace cuda { namespace std {", "} }")}`;
