// A stand-in for FXdiv, written for an index.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#define TORCHTALK_FXDIV(type, name) \
  struct fxdiv_divisor_##name { type value; type m; uint8_t s1, s2; }; \
  struct fxdiv_result_##name { type quotient, remainder; }; \
  struct fxdiv_divisor_##name fxdiv_init_##name(type); \
  type fxdiv_quotient_##name(type, struct fxdiv_divisor_##name); \
  type fxdiv_remainder_##name(type, struct fxdiv_divisor_##name); \
  struct fxdiv_result_##name fxdiv_divide_##name(type, struct fxdiv_divisor_##name);
#ifdef __cplusplus
extern "C" {
#endif
TORCHTALK_FXDIV(uint32_t, uint32_t)
TORCHTALK_FXDIV(uint64_t, uint64_t)
TORCHTALK_FXDIV(size_t, size_t)
#ifdef __cplusplus
}
#endif
