// A stand-in for protobuf's lists, written for an index.
#pragma once
#include "message.h"
#include <iterator>
namespace google {
namespace protobuf {
template <class T> struct torchtalk_repeated {
  typedef T value_type; typedef T* iterator; typedef const T* const_iterator; typedef T& reference; typedef const T& const_reference;
  typedef int size_type; typedef std::ptrdiff_t difference_type;
  torchtalk_repeated(); template <class Iterator> torchtalk_repeated(Iterator, Iterator);
  int size() const; bool empty() const; void Clear(); void Reserve(int); void RemoveLast(); void SwapElements(int, int);
  const T& Get(int) const; T* Mutable(int); const T& operator[](int) const; T& operator[](int); const T& at(int) const;
  iterator begin(); iterator end(); const_iterator begin() const; const_iterator end() const; iterator erase(const_iterator);
  iterator erase(const_iterator, const_iterator); const_iterator cbegin() const; std::reverse_iterator<iterator> rbegin(); std::reverse_iterator<iterator> rend();
  std::reverse_iterator<const_iterator> rbegin() const; std::reverse_iterator<const_iterator> rend() const; const_iterator cend() const;
  void DeleteSubrange(int, int); void ExtractSubrange(int, int, T**); T* AddAllocated(T*); T* ReleaseLast();
};
template <class T> struct RepeatedField : torchtalk_repeated<T> {
  using torchtalk_repeated<T>::torchtalk_repeated;
  void Add(const T&); void Set(int, const T&); void Resize(int, const T&); void Swap(RepeatedField*); void CopyFrom(const RepeatedField&);
  void MergeFrom(const RepeatedField&); const T* data() const; T* mutable_data(); T* AddNAlreadyReserved(int); void Truncate(int);
};
template <class T> struct RepeatedPtrField : torchtalk_repeated<T> {
  using torchtalk_repeated<T>::torchtalk_repeated;
  T* Add(); void Add(T&&); void Swap(RepeatedPtrField*); void CopyFrom(const RepeatedPtrField&); void MergeFrom(const RepeatedPtrField&);
  T** mutable_data();
};
template <class T> std::back_insert_iterator<std::vector<T>> RepeatedFieldBackInserter(RepeatedField<T>*);
template <class T> std::back_insert_iterator<std::vector<T>> RepeatedPtrFieldBackInserter(RepeatedPtrField<T>*);
}
}
