#pragma once
#include <complex>
namespace thrust {
template <class T> struct complex {
  constexpr complex(const T& real = T(), const T& imag = T());
  template <class U> constexpr complex(const complex<U>&);
  template <class U> constexpr complex(const std::complex<U>&);
  constexpr T real() const; constexpr T imag() const;
  operator std::complex<T>() const;
};
template <class T> T abs(const complex<T>&); template <class T> T arg(const complex<T>&); template <class T> T norm(const complex<T>&);
template <class T> complex<T> conj(const complex<T>&); template <class T> complex<T> polar(const T&, const T& = T());
#define TORCHTALK_COMPLEX(name) template <class T> complex<T> name(const complex<T>&);
TORCHTALK_COMPLEX(exp) TORCHTALK_COMPLEX(log) TORCHTALK_COMPLEX(log10) TORCHTALK_COMPLEX(sqrt) TORCHTALK_COMPLEX(sin) TORCHTALK_COMPLEX(cos)
TORCHTALK_COMPLEX(tan) TORCHTALK_COMPLEX(asin) TORCHTALK_COMPLEX(acos) TORCHTALK_COMPLEX(atan) TORCHTALK_COMPLEX(sinh) TORCHTALK_COMPLEX(cosh)
TORCHTALK_COMPLEX(tanh) TORCHTALK_COMPLEX(asinh) TORCHTALK_COMPLEX(acosh) TORCHTALK_COMPLEX(atanh)
#define TORCHTALK_COMPLEX_POW(A, B) template <class T> complex<T> pow(const A&, const B&);
TORCHTALK_COMPLEX_POW(complex<T>, complex<T>) TORCHTALK_COMPLEX_POW(complex<T>, T) TORCHTALK_COMPLEX_POW(T, complex<T>)
#define TORCHTALK_COMPLEX_OPERATOR(op) \
  template <class T> complex<T> operator op(const complex<T>&, const complex<T>&); \
  template <class T> complex<T> operator op(const complex<T>&, const T&); \
  template <class T> complex<T> operator op(const T&, const complex<T>&);
TORCHTALK_COMPLEX_OPERATOR(+) TORCHTALK_COMPLEX_OPERATOR(-) TORCHTALK_COMPLEX_OPERATOR(*) TORCHTALK_COMPLEX_OPERATOR(/)
}
