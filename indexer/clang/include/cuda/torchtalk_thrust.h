// A stand-in for Thrust's algorithms, written for an index: what is passed on is called, and nothing is computed.
#pragma once
#include "torchtalk_cuda.h"
#include "thrust/complex.h"
#include "thrust/tuple.h"
#include <functional>
#include <iterator>
#include <vector>
namespace thrust {
struct torchtalk_policy {
  template <class T> torchtalk_policy operator()(T&&) const;
  template <class T> torchtalk_policy on(T&&) const;
};
inline torchtalk_policy host, device, seq;
namespace cuda { inline torchtalk_policy par, par_nosync; }
namespace hip { inline torchtalk_policy par; }
template <class T, class Reference> struct torchtalk_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = ptrdiff_t;
  using pointer = T*;
  using reference = Reference;
  torchtalk_iterator();
  template <class... Arguments> explicit torchtalk_iterator(Arguments&&...);
  Reference operator*() const;
  Reference operator[](ptrdiff_t) const;
  torchtalk_iterator& operator++();
  torchtalk_iterator& operator+=(ptrdiff_t);
  torchtalk_iterator operator+(ptrdiff_t) const;
  torchtalk_iterator operator-(ptrdiff_t) const;
  ptrdiff_t operator-(const torchtalk_iterator&) const;
  bool operator==(const torchtalk_iterator&) const;
  bool operator!=(const torchtalk_iterator&) const;
};
template <class T> struct device_ptr : torchtalk_iterator<T, T&> {
  using torchtalk_iterator<T, T&>::torchtalk_iterator;
  device_ptr operator+(ptrdiff_t) const;
  device_ptr operator-(ptrdiff_t) const;
  template <class U> ptrdiff_t operator-(const device_ptr<U>&) const;
  T* get() const;
};
template <class T, class... Others> struct counting_iterator : torchtalk_iterator<T, T> {
  explicit counting_iterator(T);
  counting_iterator operator+(ptrdiff_t) const;
};
template <class T, class... Others> struct constant_iterator : torchtalk_iterator<T, T> { explicit constant_iterator(T); };
template <class... Others> struct discard_iterator : torchtalk_iterator<int, int&> {};
template <class T> device_ptr<T> device_pointer_cast(T*);
template <class T> device_ptr<T> device_pointer_cast(device_ptr<T>);
template <class T> T* raw_pointer_cast(T*);
template <class T> T* raw_pointer_cast(device_ptr<T>);
template <class T> counting_iterator<T> make_counting_iterator(T);
template <class T> constant_iterator<T> make_constant_iterator(T);
inline discard_iterator<> make_discard_iterator();
template <class Iterator> std::reverse_iterator<Iterator> make_reverse_iterator(Iterator);
template <class Tuple> auto make_zip_iterator(Tuple) -> torchtalk_iterator<Tuple, Tuple>;
template <class Function, class Iterator> auto make_transform_iterator(Iterator, Function) -> torchtalk_iterator<int, int>;
template <class T, class... Others> struct host_vector : std::vector<T> { using std::vector<T>::vector; };
template <class T, class... Others> struct device_vector : std::vector<T> { using std::vector<T>::vector; T* data(); };
template <class T = void> struct plus : std::plus<T> {};
template <class T = void> struct minus : std::minus<T> {};
template <class T = void> struct multiplies : std::multiplies<T> {};
template <class T = void> struct equal_to : std::equal_to<T> {};
template <class T = void> struct not_equal_to : std::not_equal_to<T> {};
template <class T = void> struct less_equal : std::less_equal<T> {};
template <class T = void> struct greater_equal : std::greater_equal<T> {};
template <class T = void> struct greater : std::greater<T> {};
template <class T = void> struct less : std::less<T> {};
template <class T = void> struct maximum { T operator()(const T&, const T&) const; };
template <class T = void> struct minimum { T operator()(const T&, const T&) const; };
template <class T = void> struct identity { const T& operator()(const T&) const; };
template <class A, class B> ptrdiff_t distance(A, B);
#define TORCHTALK_ALGORITHM(name) template <class... Arguments> void name(Arguments&&...);
TORCHTALK_ALGORITHM(for_each) TORCHTALK_ALGORITHM(for_each_n) TORCHTALK_ALGORITHM(sort) TORCHTALK_ALGORITHM(stable_sort) TORCHTALK_ALGORITHM(sort_by_key)
TORCHTALK_ALGORITHM(stable_sort_by_key) TORCHTALK_ALGORITHM(sequence) TORCHTALK_ALGORITHM(fill) TORCHTALK_ALGORITHM(fill_n)
TORCHTALK_ALGORITHM(generate) TORCHTALK_ALGORITHM(gather) TORCHTALK_ALGORITHM(scatter)
#undef TORCHTALK_ALGORITHM
// Without a policy the first iterator is the first argument, with one it is the second.
#define TORCHTALK_ALGORITHM(name) \
  template <class Policy, class First, class Second, class... Arguments> Second name(Policy&&, First, Second, Arguments&&...);
TORCHTALK_ALGORITHM(unique) TORCHTALK_ALGORITHM(find) TORCHTALK_ALGORITHM(find_if) TORCHTALK_ALGORITHM(max_element) TORCHTALK_ALGORITHM(min_element)
TORCHTALK_ALGORITHM(transform) TORCHTALK_ALGORITHM(copy) TORCHTALK_ALGORITHM(copy_n) TORCHTALK_ALGORITHM(copy_if) TORCHTALK_ALGORITHM(remove_if)
TORCHTALK_ALGORITHM(adjacent_difference) TORCHTALK_ALGORITHM(inclusive_scan) TORCHTALK_ALGORITHM(exclusive_scan) 
TORCHTALK_ALGORITHM(inclusive_scan_by_key) TORCHTALK_ALGORITHM(exclusive_scan_by_key)
#undef TORCHTALK_ALGORITHM
#define TORCHTALK_ALGORITHM(name) \
  template <class Policy, class A, class B, class C, class... Arguments> thrust::pair<B, C> name(Policy&&, A, B, C, Arguments&&...);
TORCHTALK_ALGORITHM(unique_by_key)
#undef TORCHTALK_ALGORITHM
template <class Policy, class A, class B, class C, class D, class E, class... Arguments>
thrust::pair<D, E> unique_by_key_copy(Policy&&, A, B, C, D, E, Arguments&&...);
template <class Policy, class A, class B, class C, class D, class E, class... Arguments>
thrust::pair<D, E> reduce_by_key(Policy&&, A, B, C, D, E, Arguments&&...);
template <class First, class T> First lower_bound(First, First, const T&);
template <class First, class T> First upper_bound(First, First, const T&);
template <class Policy, class A, class B, class C, class D, class E, class... Arguments> E lower_bound(Policy&&, A, B, C, D, E, Arguments&&...);
template <class Policy, class A, class B, class C, class D, class E, class... Arguments> E upper_bound(Policy&&, A, B, C, D, E, Arguments&&...);
template <class... Arguments> ptrdiff_t count(Arguments&&...);
template <class... Arguments> ptrdiff_t count_if(Arguments&&...);
template <class Policy, class A, class B, class T, class... Arguments> T reduce(Policy&&, A, B, T, Arguments&&...);
template <class Policy, class A, class B, class C, class T, class... Arguments> T inner_product(Policy&&, A, B, C, T, Arguments&&...);
template <class Policy, class A, class B, class F, class T, class... Arguments> T transform_reduce(Policy&&, A, B, F, T, Arguments&&...);
}
