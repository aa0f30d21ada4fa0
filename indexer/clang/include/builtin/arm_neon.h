// A stand-in for Arm's vector types and those of their operations that PyTorch names, each of which takes anything.
// Who includes this is compiled for Arm alone.
#ifndef TORCHTALK_NEON
#define TORCHTALK_NEON
#include <stdint.h>
#define CPUINFO_ARCH_ARM64 1
#define CPUINFO_ARCH_X86_64 0
typedef short float16_t;
typedef short __fp16_t;
typedef float float32_t;
typedef signed char int8x8_t __attribute__((__vector_size__(8)));
typedef signed char int8x16_t __attribute__((__vector_size__(16)));
typedef signed short int16x4_t __attribute__((__vector_size__(8)));
typedef signed short int16x8_t __attribute__((__vector_size__(16)));
typedef signed int int32x2_t __attribute__((__vector_size__(8)));
typedef signed int int32x4_t __attribute__((__vector_size__(16)));
typedef signed long long int64x1_t __attribute__((__vector_size__(8)));
typedef signed long long int64x2_t __attribute__((__vector_size__(16)));
typedef unsigned char uint8x8_t __attribute__((__vector_size__(8)));
typedef unsigned char uint8x16_t __attribute__((__vector_size__(16)));
typedef unsigned short uint16x4_t __attribute__((__vector_size__(8)));
typedef unsigned short uint16x8_t __attribute__((__vector_size__(16)));
typedef unsigned int uint32x2_t __attribute__((__vector_size__(8)));
typedef unsigned int uint32x4_t __attribute__((__vector_size__(16)));
typedef unsigned long long uint64x1_t __attribute__((__vector_size__(8)));
typedef unsigned long long uint64x2_t __attribute__((__vector_size__(16)));
typedef short float16x4_t __attribute__((__vector_size__(8)));
typedef short float16x8_t __attribute__((__vector_size__(16)));
typedef float float32x2_t __attribute__((__vector_size__(8)));
typedef float float32x4_t __attribute__((__vector_size__(16)));
typedef double float64x2_t __attribute__((__vector_size__(16)));
typedef struct { uint8x8_t val[2]; } uint8x8x2_t;
typedef struct { uint8x8_t val[3]; } uint8x8x3_t;
typedef struct { uint8x8_t val[4]; } uint8x8x4_t;
typedef struct { uint8x16_t val[2]; } uint8x16x2_t;
typedef struct { uint8x16_t val[3]; } uint8x16x3_t;
typedef struct { uint8x16_t val[4]; } uint8x16x4_t;
typedef struct { uint16x4_t val[2]; } uint16x4x2_t;
typedef struct { uint16x4_t val[3]; } uint16x4x3_t;
typedef struct { uint16x4_t val[4]; } uint16x4x4_t;
typedef struct { uint16x8_t val[2]; } uint16x8x2_t;
typedef struct { uint16x8_t val[3]; } uint16x8x3_t;
typedef struct { uint16x8_t val[4]; } uint16x8x4_t;
typedef struct { uint32x2_t val[2]; } uint32x2x2_t;
typedef struct { uint32x2_t val[3]; } uint32x2x3_t;
typedef struct { uint32x2_t val[4]; } uint32x2x4_t;
typedef struct { uint32x4_t val[2]; } uint32x4x2_t;
typedef struct { uint32x4_t val[3]; } uint32x4x3_t;
typedef struct { uint32x4_t val[4]; } uint32x4x4_t;
typedef struct { int16x8_t val[2]; } int16x8x2_t;
typedef struct { int16x8_t val[3]; } int16x8x3_t;
typedef struct { int16x8_t val[4]; } int16x8x4_t;
typedef struct { int8x8_t val[2]; } int8x8x2_t;
typedef struct { int8x8_t val[3]; } int8x8x3_t;
typedef struct { int8x8_t val[4]; } int8x8x4_t;
typedef struct { int32x4_t val[2]; } int32x4x2_t;
typedef struct { int32x4_t val[3]; } int32x4x3_t;
typedef struct { int32x4_t val[4]; } int32x4x4_t;
typedef struct { float32x4_t val[2]; } float32x4x2_t;
typedef struct { float32x4_t val[3]; } float32x4x3_t;
typedef struct { float32x4_t val[4]; } float32x4x4_t;
#ifdef __cplusplus
#define TORCHTALK_INTRINSIC(type, name) template <class... Arguments> type name(Arguments&&...);
#else
#define TORCHTALK_INTRINSIC(type, name) type name();
#endif
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(float16x4_t, name)
TORCHTALK_OF(vget_low_f16) TORCHTALK_OF(vld1_f16) TORCHTALK_OF(vreinterpret_f16_u64)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(float16x8_t, name)
TORCHTALK_OF(vextq_f16) TORCHTALK_OF(vld1q_dup_f16) TORCHTALK_OF(vld1q_f16) TORCHTALK_OF(vmaxq_f16) TORCHTALK_OF(vminq_f16) TORCHTALK_OF(vmlaq_lane_f16) TORCHTALK_OF(vmulq_f16)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(float32x2_t, name)
TORCHTALK_OF(vget_low_f32) TORCHTALK_OF(vld1_f32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(float32x4_t, name)
TORCHTALK_OF(vaddq_f32) TORCHTALK_OF(vcvtq_f32_s32) TORCHTALK_OF(vdupq_n_f32) TORCHTALK_OF(vextq_f32) TORCHTALK_OF(vfmaq_f32) TORCHTALK_OF(vfmaq_lane_f32)
TORCHTALK_OF(vld1q_dup_f32) TORCHTALK_OF(vld1q_f32) TORCHTALK_OF(vmaxq_f32) TORCHTALK_OF(vminq_f32) TORCHTALK_OF(vmlaq_f32) TORCHTALK_OF(vmlaq_lane_f32) TORCHTALK_OF(vmulq_f32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int16x4_t, name)
TORCHTALK_OF(vget_high_s16) TORCHTALK_OF(vget_low_s16) TORCHTALK_OF(vmovn_s32) TORCHTALK_OF(vqadd_s16) TORCHTALK_OF(vqmovn_s32) TORCHTALK_OF(vreinterpret_s16_u16)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int16x8_t, name)
TORCHTALK_OF(vaddq_s16) TORCHTALK_OF(vcombine_s16) TORCHTALK_OF(vdupq_n_s16) TORCHTALK_OF(vld1q_dup_s16) TORCHTALK_OF(vld1q_s16) TORCHTALK_OF(vmovl_high_s8)
TORCHTALK_OF(vmovl_s8) TORCHTALK_OF(vqaddq_s16) TORCHTALK_OF(vqmovn_high_s32) TORCHTALK_OF(vreinterpretq_s16_u16) TORCHTALK_OF(vsubl_s8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int32x2_t, name)
TORCHTALK_OF(vbic_s32) TORCHTALK_OF(vdup_n_s32) TORCHTALK_OF(vget_high_s32) TORCHTALK_OF(vget_low_s32) TORCHTALK_OF(vmla_s32) TORCHTALK_OF(vmovn_s64) TORCHTALK_OF(vmul_s32)
TORCHTALK_OF(vreinterpret_s32_u32) TORCHTALK_OF(vrshl_s32) TORCHTALK_OF(vsra_n_s32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int32x4_t, name)
TORCHTALK_OF(vaddq_s32) TORCHTALK_OF(vaddw_s16) TORCHTALK_OF(vandq_s32) TORCHTALK_OF(vbicq_s32) TORCHTALK_OF(vcombine_s32) TORCHTALK_OF(vcvtnq_s32_f32) TORCHTALK_OF(vdupq_n_s32)
TORCHTALK_OF(vextq_s32) TORCHTALK_OF(vld1q_dup_s32) TORCHTALK_OF(vld1q_s32) TORCHTALK_OF(vmlal_high_s16) TORCHTALK_OF(vmlal_lane_s16) TORCHTALK_OF(vmlal_s16)
TORCHTALK_OF(vmlaq_s32) TORCHTALK_OF(vmovl_high_s16) TORCHTALK_OF(vmovl_s16) TORCHTALK_OF(vmovq_n_s32) TORCHTALK_OF(vmull_s16) TORCHTALK_OF(vmulq_n_s32) TORCHTALK_OF(vmulq_s32)
TORCHTALK_OF(vqaddq_s32) TORCHTALK_OF(vqrdmulhq_s32) TORCHTALK_OF(vreinterpretq_s32_f32) TORCHTALK_OF(vreinterpretq_s32_s64)
TORCHTALK_OF(vreinterpretq_s32_u32) TORCHTALK_OF(vrshlq_s32) TORCHTALK_OF(vshrq_n_s32) TORCHTALK_OF(vsraq_n_s32) TORCHTALK_OF(vsubq_s32) TORCHTALK_OF(vuzp1q_s32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int64x1_t, name)
TORCHTALK_OF(vmov_n_s64)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int64x2_t, name)
TORCHTALK_OF(vaddw_high_s32) TORCHTALK_OF(vaddw_s32) TORCHTALK_OF(vdupq_n_s64) TORCHTALK_OF(vmull_high_s32) TORCHTALK_OF(vmull_s32) TORCHTALK_OF(vrshlq_s64)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int8x16_t, name)
TORCHTALK_OF(vcombine_s8) TORCHTALK_OF(vdupq_n_s8) TORCHTALK_OF(vld1q_s8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int8x8_t, name)
TORCHTALK_OF(vget_high_s8) TORCHTALK_OF(vget_low_s8) TORCHTALK_OF(vmovn_s16) TORCHTALK_OF(vqmovn_s16)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint16x4_t, name)
TORCHTALK_OF(vget_high_u16) TORCHTALK_OF(vget_low_u16) TORCHTALK_OF(vld1_dup_u16) TORCHTALK_OF(vld1_lane_u16) TORCHTALK_OF(vpaddl_u8) TORCHTALK_OF(vreinterpret_u16_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint16x4x2_t, name)
TORCHTALK_OF(vzip_u16)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint16x8_t, name)
TORCHTALK_OF(vaddl_u8) TORCHTALK_OF(vaddq_u16) TORCHTALK_OF(vaddw_u8) TORCHTALK_OF(vld1q_lane_u16) TORCHTALK_OF(vmovl_high_u8) TORCHTALK_OF(vmovl_u8) TORCHTALK_OF(vmull_u8)
TORCHTALK_OF(vreinterpretq_u16_u8) TORCHTALK_OF(vsubl_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint32x2_t, name)
TORCHTALK_OF(vget_high_u32) TORCHTALK_OF(vget_low_u32) TORCHTALK_OF(vld1_dup_u32) TORCHTALK_OF(vld1_lane_u32) TORCHTALK_OF(vpadd_u32) TORCHTALK_OF(vreinterpret_u32_f16)
TORCHTALK_OF(vreinterpret_u32_u16) TORCHTALK_OF(vreinterpret_u32_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint32x4_t, name)
TORCHTALK_OF(vaddw_u16) TORCHTALK_OF(vceqq_s32) TORCHTALK_OF(vcltq_s32) TORCHTALK_OF(vcombine_u32) TORCHTALK_OF(vld1q_lane_u32) TORCHTALK_OF(vmovl_high_u16)
TORCHTALK_OF(vmovl_u16) TORCHTALK_OF(vmovq_n_u32) TORCHTALK_OF(vpadalq_u16) TORCHTALK_OF(vreinterpretq_u32_s32) TORCHTALK_OF(vreinterpretq_u32_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint64x1_t, name)
TORCHTALK_OF(vreinterpret_u64_f16) TORCHTALK_OF(vreinterpret_u64_u8) TORCHTALK_OF(vshl_u64)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint8_t, name)
TORCHTALK_OF(vget_lane_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint8x16_t, name)
TORCHTALK_OF(vcombine_u8) TORCHTALK_OF(vdupq_n_u8) TORCHTALK_OF(vextq_u8) TORCHTALK_OF(vld1q_dup_u8) TORCHTALK_OF(vld1q_lane_u8) TORCHTALK_OF(vld1q_u8) TORCHTALK_OF(vmaxq_u8)
TORCHTALK_OF(vminq_u8) TORCHTALK_OF(vmovq_n_u8) TORCHTALK_OF(vqmovun_high_s16) TORCHTALK_OF(vreinterpretq_u8_s8) TORCHTALK_OF(vreinterpretq_u8_u16)
TORCHTALK_OF(vreinterpretq_u8_u32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint8x8_t, name)
TORCHTALK_OF(vdup_n_u8) TORCHTALK_OF(vext_u8) TORCHTALK_OF(vget_high_u8) TORCHTALK_OF(vget_low_u8) TORCHTALK_OF(vld1_dup_u8) TORCHTALK_OF(vld1_lane_u8) TORCHTALK_OF(vld1_u8)
TORCHTALK_OF(vmax_u8) TORCHTALK_OF(vmin_u8) TORCHTALK_OF(vmov_n_u8) TORCHTALK_OF(vpmax_u8) TORCHTALK_OF(vqmovun_s16) TORCHTALK_OF(vreinterpret_u8_u16)
TORCHTALK_OF(vreinterpret_u8_u32) TORCHTALK_OF(vreinterpret_u8_u64) TORCHTALK_OF(vset_lane_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(uint8x8x2_t, name)
TORCHTALK_OF(vzip_u8)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(void, name)
TORCHTALK_OF(vst1_f16) TORCHTALK_OF(vst1_f32) TORCHTALK_OF(vst1_lane_u16) TORCHTALK_OF(vst1_lane_u32) TORCHTALK_OF(vst1_lane_u8) TORCHTALK_OF(vst1_s32) TORCHTALK_OF(vst1_s8)
TORCHTALK_OF(vst1_u8) TORCHTALK_OF(vst1q_f16) TORCHTALK_OF(vst1q_f32) TORCHTALK_OF(vst1q_lane_f16) TORCHTALK_OF(vst1q_lane_f32) TORCHTALK_OF(vst1q_lane_s32)
TORCHTALK_OF(vst1q_lane_u16) TORCHTALK_OF(vst1q_lane_u32) TORCHTALK_OF(vst1q_lane_u8) TORCHTALK_OF(vst1q_s32) TORCHTALK_OF(vst1q_u8) TORCHTALK_OF(vst2_u8) TORCHTALK_OF(vst3_u8)
TORCHTALK_OF(vst4_u8)
#undef TORCHTALK_OF
#undef TORCHTALK_INTRINSIC
#endif
