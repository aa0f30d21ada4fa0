// A stand-in for FP16, written for an index.
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
float fp32_from_bits(uint32_t);
uint32_t fp32_to_bits(float);
double fp64_from_bits(uint64_t);
uint64_t fp64_to_bits(double);
float fp16_ieee_to_fp32_value(uint16_t);
uint32_t fp16_ieee_to_fp32_bits(uint16_t);
uint16_t fp16_ieee_from_fp32_value(float);
float fp16_alt_to_fp32_value(uint16_t);
uint16_t fp16_alt_from_fp32_value(float);
#ifdef __cplusplus
}
#endif
