// A stand-in for CUB, in the namespace that PyTorch's build wraps it in (cmake/Dependencies.cmake, CUB_WRAPPED_NAMESPACE).
#pragma once
#include "../torchtalk_cuda.h"
#include <iterator>
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define TORCHTALK_CUB(name) template <class... Arguments> static cudaError_t name(Arguments&&...);
namespace at_cuda_detail {
namespace cub {
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE };
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
struct NullType {};
template <class T> struct FpLimits;
template <Category, bool, bool, class Unsigned, class T> struct BaseTraits { typedef Unsigned UnsignedBits; };
template <class T> struct NumericTraits { typedef unsigned long long UnsignedBits; };
template <class T> struct Traits : NumericTraits<T> {};
template <class Key, class Value> struct KeyValuePair { Key key; Value value; };
struct Equality { template <class A, class B> bool operator()(A&&, B&&) const; };
struct Inequality { template <class A, class B> bool operator()(A&&, B&&) const; };
struct Sum { template <class T> T operator()(const T&, const T&) const; };
struct Max { template <class T> T operator()(const T&, const T&) const; };
struct Min { template <class T> T operator()(const T&, const T&) const; };
struct ArgMax { template <class T> T operator()(const T&, const T&) const; };
struct ArgMin { template <class T> T operator()(const T&, const T&) const; };
template <class T> struct DoubleBuffer {
  DoubleBuffer(); DoubleBuffer(T*, T*); T* Current(); T* Alternate(); T* d_buffers[2]; int selector;
};
template <class T, class Iterator = T*> struct FutureValue { explicit FutureValue(Iterator); operator T() const; };
template <class T> struct torchtalk_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = ptrdiff_t;
  using pointer = T*;
  using reference = T;
  T operator*() const;
  T operator[](ptrdiff_t) const;
  torchtalk_iterator& operator++();
  torchtalk_iterator operator+(ptrdiff_t) const;
  ptrdiff_t operator-(const torchtalk_iterator&) const;
  bool operator==(const torchtalk_iterator&) const;
  bool operator!=(const torchtalk_iterator&) const;
};
template <class T, class Offset = ptrdiff_t> struct CountingInputIterator : torchtalk_iterator<T> { CountingInputIterator(T); };
template <class T, class Offset = ptrdiff_t> struct ConstantInputIterator : torchtalk_iterator<T> { ConstantInputIterator(T, Offset = 0); };
template <class T, class Conversion, class Input, class Offset = ptrdiff_t> struct TransformInputIterator : torchtalk_iterator<T> {
  TransformInputIterator(Input, Conversion);
};
template <class Input, class Offset = ptrdiff_t, class T = int> struct ArgIndexInputIterator : torchtalk_iterator<KeyValuePair<Offset, T>> {
  ArgIndexInputIterator(Input, Offset = 0);
};
struct DeviceScan { TORCHTALK_CUB(InclusiveSum) TORCHTALK_CUB(ExclusiveSum) TORCHTALK_CUB(InclusiveScan) TORCHTALK_CUB(ExclusiveScan)
  TORCHTALK_CUB(InclusiveSumByKey) TORCHTALK_CUB(InclusiveScanByKey) TORCHTALK_CUB(ExclusiveSumByKey) };
struct DeviceReduce { TORCHTALK_CUB(Reduce) TORCHTALK_CUB(Sum) TORCHTALK_CUB(Max) TORCHTALK_CUB(Min) TORCHTALK_CUB(ArgMax) TORCHTALK_CUB(ArgMin)
  TORCHTALK_CUB(ReduceByKey) };
struct DeviceSegmentedReduce { TORCHTALK_CUB(Reduce) TORCHTALK_CUB(Sum) TORCHTALK_CUB(Max) TORCHTALK_CUB(Min) };
struct DeviceSelect { TORCHTALK_CUB(Flagged) TORCHTALK_CUB(If) TORCHTALK_CUB(Unique) TORCHTALK_CUB(UniqueByKey) };
struct DeviceRunLengthEncode { TORCHTALK_CUB(Encode) };
struct DeviceHistogram { TORCHTALK_CUB(HistogramEven) };
struct DeviceRadixSort { TORCHTALK_CUB(SortKeys) TORCHTALK_CUB(SortKeysDescending) TORCHTALK_CUB(SortPairs) TORCHTALK_CUB(SortPairsDescending) };
struct DeviceSegmentedRadixSort { TORCHTALK_CUB(SortKeys) TORCHTALK_CUB(SortKeysDescending) TORCHTALK_CUB(SortPairs) TORCHTALK_CUB(SortPairsDescending) };
struct CachingDeviceAllocator {
  template <class... Arguments> CachingDeviceAllocator(Arguments&&...);
  template <class... Arguments> cudaError_t DeviceAllocate(Arguments&&...);
  template <class... Arguments> cudaError_t DeviceFree(Arguments&&...);
};
struct torchtalk_collective {
  struct TempStorage {};
  template <class... Arguments> torchtalk_collective(Arguments&&...);
  template <class... Arguments> void Load(Arguments&&...);
  template <class... Arguments> void Store(Arguments&&...);
  template <class... Arguments> void Sort(Arguments&&...);
  template <class... Arguments> void SortDescending(Arguments&&...);
  template <class... Arguments> void SortBlockedToStriped(Arguments&&...);
  template <class... Arguments> void SortDescendingBlockedToStriped(Arguments&&...);
  template <class... Arguments> void InclusiveSum(Arguments&&...);
  template <class... Arguments> void ExclusiveSum(Arguments&&...);
  template <class... Arguments> void InclusiveScan(Arguments&&...);
  template <class... Arguments> void ExclusiveScan(Arguments&&...);
};
template <class T, auto...> struct BlockReduce : torchtalk_collective {
  using torchtalk_collective::torchtalk_collective;
  template <class... Arguments> T Reduce(const T&, Arguments&&...);
  template <class... Arguments> T Sum(const T&, Arguments&&...);
};
template <class T, auto...> struct WarpReduce : BlockReduce<T> { using BlockReduce<T>::BlockReduce; };
template <class T, auto...> struct BlockScan : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class T, auto...> struct WarpScan : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class T, auto...> struct BlockLoad : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class T, auto...> struct BlockStore : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class T, auto...> struct BlockExchange : torchtalk_collective {
  using torchtalk_collective::torchtalk_collective;
  template <class... Arguments> void ScatterToBlocked(Arguments&&...);
  template <class... Arguments> void ScatterToStriped(Arguments&&...);
  template <class... Arguments> void BlockedToStriped(Arguments&&...);
  template <class... Arguments> void StripedToBlocked(Arguments&&...);
};
template <class T, auto...> struct WarpLoad : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class T, auto...> struct WarpStore : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class Key, int, int, class Value = NullType, auto...> struct BlockRadixSort : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class Key, int, int = 32, class Value = NullType, auto...> struct WarpMergeSort : torchtalk_collective { using torchtalk_collective::torchtalk_collective; };
template <class... Arguments> void LoadDirectBlocked(Arguments&&...);
template <class... Arguments> void StoreDirectBlocked(Arguments&&...);
}
}
#undef TORCHTALK_CUB
