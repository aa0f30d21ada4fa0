// A stand-in for cuda_fp16.h and cuda_bf16.h.
#pragma once
#include "torchtalk_cuda.h"
#define TORCHTALK_HALF(name) \
  struct name##_raw { unsigned short x; }; \
  struct name { \
    unsigned short torchtalk; \
    name() = default; \
    constexpr name(float); \
    constexpr name(double); \
    constexpr name(int); \
    name(name##_raw); \
    operator float() const; \
    operator name##_raw() const; \
    name& operator+=(const name&); name& operator-=(const name&); name& operator*=(const name&); name& operator/=(const name&); \
  }; \
  name operator+(const name&, const name&); name operator-(const name&, const name&); name operator*(const name&, const name&); \
  name operator/(const name&, const name&); name operator-(const name&); \
  bool operator<(const name&, const name&); bool operator>(const name&, const name&); bool operator==(const name&, const name&); \
  bool operator<=(const name&, const name&); bool operator>=(const name&, const name&); bool operator!=(const name&, const name&);
#define TORCHTALK_HALF2(name) \
  struct name##2 { name x, y; name##2() = default; name##2(name, name); }; \
  name##2 operator+(const name##2&, const name##2&); name##2 operator*(const name##2&, const name##2&);
TORCHTALK_HALF(__half) TORCHTALK_HALF2(__half) TORCHTALK_HALF(__nv_bfloat16)
struct __nv_bfloat162 { __nv_bfloat16 x, y; };
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define TORCHTALK_HALF_RETURNS(type, name) template <class... Arguments> type name(Arguments...);
TORCHTALK_HALF_RETURNS(__half, __float2half) TORCHTALK_HALF_RETURNS(__half, __float2half_rn) TORCHTALK_HALF_RETURNS(__half, __hmul)
TORCHTALK_HALF_RETURNS(float, __half2float) TORCHTALK_HALF_RETURNS(__half2, __float2half2_rn) TORCHTALK_HALF_RETURNS(float2, __half22float2)
TORCHTALK_HALF_RETURNS(__half2, __floats2half2_rn) TORCHTALK_HALF_RETURNS(__half2, __halves2half2) TORCHTALK_HALF_RETURNS(__half2, __half2half2)
TORCHTALK_HALF_RETURNS(__half, __low2half) TORCHTALK_HALF_RETURNS(__half, __high2half) TORCHTALK_HALF_RETURNS(__half, __ushort_as_half)
TORCHTALK_HALF_RETURNS(unsigned short, __half_as_ushort) TORCHTALK_HALF_RETURNS(__nv_bfloat16, __float2bfloat16)
TORCHTALK_HALF_RETURNS(__nv_bfloat16, __float2bfloat16_rn) TORCHTALK_HALF_RETURNS(float, __bfloat162float)
TORCHTALK_HALF_RETURNS(__nv_bfloat162, __bfloat162bfloat162) TORCHTALK_HALF_RETURNS(__nv_bfloat162, __floats2bfloat162_rn)
TORCHTALK_HALF_RETURNS(float2, __bfloat1622float2) TORCHTALK_HALF_RETURNS(__nv_bfloat16, __low2bfloat16)
TORCHTALK_HALF_RETURNS(__nv_bfloat16, __ushort_as_bfloat16) TORCHTALK_HALF_RETURNS(unsigned short, __bfloat16_as_ushort)
template <class T> T __hadd(T, T);
template <class T> T __hadd2(T, T);
template <class T> T __hmul2(T, T);
template <class T> T __hfma2(T, T, T);
template <class T> T __hsub2(T, T);
template <class T> bool __hisnan(T);
template <class T> T __hmax(T, T);
TORCHTALK_HALF_RETURNS(__half, __int2half_rz) TORCHTALK_HALF_RETURNS(__half, __int2half_rn)
TORCHTALK_HALF_RETURNS(int, __half2int_rz) TORCHTALK_HALF_RETURNS(int, __half2int_rn)
TORCHTALK_HALF_RETURNS(__nv_bfloat16, __int2bfloat16_rz) TORCHTALK_HALF_RETURNS(__nv_bfloat16, __int2bfloat16_rn)
TORCHTALK_HALF_RETURNS(int, __bfloat162int_rz) TORCHTALK_HALF_RETURNS(int, __bfloat162int_rn)
