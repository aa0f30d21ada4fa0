// GoogleMock's matchers, as far as assertions name them.
#pragma once
#include "gtest/gtest.h"
namespace testing {
template <class... T> int HasSubstr(T&&...);
template <class... T> int ElementsAre(T&&...);
template <class... T> int ElementsAreArray(T&&...);
template <class... T> int UnorderedElementsAre(T&&...);
template <class... T> int Eq(T&&...);
template <class... T> int Ge(T&&...);
template <class... T> int Gt(T&&...);
template <class... T> int Le(T&&...);
template <class... T> int Not(T&&...);
template <class... T> int AnyOf(T&&...);
template <class... T> int AllOf(T&&...);
template <class... T> int Each(T&&...);
template <class... T> int Pair(T&&...);
template <class... T> int Contains(T&&...);
template <class... T> int SizeIs(T&&...);
template <class... T> int StartsWith(T&&...);
template <class... T> int ThrowsMessage(T&&...);
template <class... T> int ContainsRegex(T&&...);
inline void InitGoogleMock(int*, char**) {}
}
