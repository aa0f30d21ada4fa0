// A stand-in for nlohmann/json, written for an index.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
namespace nlohmann {
template <class T, class = void> struct adl_serializer;
class json {
 public:
  struct exception : std::exception {};
  using parse_error = exception;
  struct iterator {
    using iterator_category = std::forward_iterator_tag;
    using value_type = json;
    using difference_type = std::ptrdiff_t;
    using pointer = json*;
    using reference = json&;
    json& operator*() const; json* operator->() const; iterator& operator++(); iterator operator++(int);
    bool operator==(const iterator&) const; bool operator!=(const iterator&) const;
    std::string key() const; json& value() const;
  };
  using const_iterator = iterator;
  struct item { std::string key() const; json& value() const; };
  struct item_iterator { item& operator*() const; item_iterator& operator++(); bool operator!=(const item_iterator&) const; };
  struct items_view { item_iterator begin() const; item_iterator end() const; };
  json(); json(std::nullptr_t); json(std::initializer_list<json>); json(const json&); json(json&&);
  template <class T, class = std::enable_if_t<!std::is_base_of_v<json, std::decay_t<T>>>> json(T&&);
  json& operator=(const json&); json& operator=(json&&);
  template <class Key> json& operator[](Key&&);
  template <class Key> const json& operator[](Key&&) const;
  template <class Key> json& at(Key&&);
  template <class Key> const json& at(Key&&) const;
  template <class T> T get() const;
  template <class T> T& get_to(T&) const;
  template <class T> T value(const std::string&, T) const;
  template <class T, class = std::enable_if_t<!std::is_pointer_v<T> && !std::is_base_of_v<json, T>>> operator T() const;
  template <class Key> bool contains(Key&&) const;
  template <class Key> iterator find(Key&&) const;
  template <class Key> std::size_t count(Key&&) const;
  template <class T> void push_back(T&&);
  template <class... T> void emplace_back(T&&...);
  template <class T> std::size_t erase(T&&);
  items_view items() const; iterator begin() const; iterator end() const;
  std::size_t size() const; bool empty() const; void clear(); std::string dump(int = -1) const;
  bool is_null() const; bool is_array() const; bool is_object() const; bool is_string() const; bool is_boolean() const;
  bool is_number() const; bool is_number_integer() const; bool is_number_float() const; bool is_number_unsigned() const;
  template <class... T> static json parse(T&&...);
  static json array(std::initializer_list<json> = {}); static json object(std::initializer_list<json> = {});
  template <class T> bool operator==(const T&) const;
  template <class T> bool operator!=(const T&) const;
};
std::ostream& operator<<(std::ostream&, const json&);
std::istream& operator>>(std::istream&, json&);
}
