// A stand-in for {fmt}, written for an index: what is formatted is called, and nothing is formatted.
#pragma once
#include <cstdio>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#define FMT_VERSION 110000
#define FMT_STRING(text) text
#define FMT_COMPILE(text) text
namespace fmt {
template <class Char> using basic_string_view = std::basic_string_view<Char>;
using string_view = std::string_view;
template <class... Arguments> using format_string = std::string_view;
template <class T, class Char = char, class Enable = void> struct formatter {
  template <class Context> constexpr auto parse(Context& context) { return context.begin(); }
  template <class Value, class Context> auto format(Value&&, Context& context) const { return context.out(); }
};
struct format_parse_context {
  using iterator = const char*;
  constexpr iterator begin() const { return nullptr; }
  constexpr iterator end() const { return nullptr; }
};
struct format_context { using iterator = std::back_insert_iterator<std::string>; iterator out() const; };
struct memory_buffer : std::string {};
template <class Text, class... Arguments> std::string format(Text&&, Arguments&&...);
template <class Out, class Text, class... Arguments> Out format_to(Out out, Text&&, Arguments&&...);
template <class Text, class... Arguments> void print(Text&&, Arguments&&...);
template <class... Arguments> void print(std::FILE*, Arguments&&...);
template <class... Arguments> void print(std::ostream&, Arguments&&...);
struct format_args {};
template <class... Arguments> format_args make_format_args(Arguments&&...);
std::string vformat(string_view, format_args);
template <class Text, class... Arguments> std::string sprintf(Text&&, Arguments&&...);
template <class... Arguments> std::string join(Arguments&&...);
template <class T> std::string to_string(const T&);
template <class T> const void* ptr(T&&);
template <class T> T underlying(T);
struct ostream_formatter : formatter<std::string> {};
struct runtime_format_string { std::string_view str; };
template <class T> std::string_view runtime(T&&);
template <class T> T streamed(T);
}
