#pragma once
#include <tuple>
#include <utility>
namespace thrust {
template <class... T> using tuple = std::tuple<T...>;
template <class A, class B> using pair = std::pair<A, B>;
using std::get;
template <size_t N, class T> using tuple_element = std::tuple_element<N, T>;
template <class T> using tuple_size = std::tuple_size<T>;
using std::make_pair;
using std::make_tuple;
using std::swap;
using std::tie;
}
