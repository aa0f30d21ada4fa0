// The vector types, and of their operations those that PyTorch names outside of ATen/cpu/vec: each takes anything.
#ifndef TORCHTALK_INTRINSICS
#define TORCHTALK_INTRINSICS
typedef long long __m64 __attribute__((__vector_size__(8)));
typedef float __m128 __attribute__((__vector_size__(16), __aligned__(16)));
typedef double __m128d __attribute__((__vector_size__(16), __aligned__(16)));
typedef long long __m128i __attribute__((__vector_size__(16), __aligned__(16)));
typedef float __m256 __attribute__((__vector_size__(32), __aligned__(32)));
typedef double __m256d __attribute__((__vector_size__(32), __aligned__(32)));
typedef long long __m256i __attribute__((__vector_size__(32), __aligned__(32)));
typedef float __m512 __attribute__((__vector_size__(64), __aligned__(64)));
typedef double __m512d __attribute__((__vector_size__(64), __aligned__(64)));
typedef long long __m512i __attribute__((__vector_size__(64), __aligned__(64)));
typedef unsigned char __mmask8;
typedef unsigned short __mmask16;
typedef unsigned int __mmask32;
typedef unsigned long long __mmask64;
#ifdef __cplusplus
extern "C" {
#endif
void _mm_pause(void);
unsigned long long __rdtsc(void);
unsigned int _mm_getcsr(void);
void _mm_setcsr(unsigned int);
#ifdef __cplusplus
}
#endif
#define _MM_FLUSH_ZERO_MASK 0x8000
#define _MM_FLUSH_ZERO_ON 0x8000
#define _MM_FLUSH_ZERO_OFF 0
#define _MM_DENORMALS_ZERO_MASK 0x0040
#define _MM_DENORMALS_ZERO_ON 0x0040
#define _MM_DENORMALS_ZERO_OFF 0
#define _MM_SET_FLUSH_ZERO_MODE(mode) _mm_setcsr((_mm_getcsr() & ~_MM_FLUSH_ZERO_MASK) | (mode))
#define _MM_GET_FLUSH_ZERO_MODE() (_mm_getcsr() & _MM_FLUSH_ZERO_MASK)
#define _MM_SET_DENORMALS_ZERO_MODE(mode) _mm_setcsr((_mm_getcsr() & ~_MM_DENORMALS_ZERO_MASK) | (mode))
#define _MM_GET_DENORMALS_ZERO_MODE() (_mm_getcsr() & _MM_DENORMALS_ZERO_MASK)
#define _MM_SHUFFLE(a, b, c, d) (((a) << 6) | ((b) << 4) | ((c) << 2) | (d))
#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_NTA 0
#define _MM_FROUND_TO_NEAREST_INT 0
#define _MM_FROUND_NO_EXC 8
#define _CMP_EQ_OQ 0
#define _CMP_LT_OQ 17
#define _CMP_LE_OQ 18
#define _CMP_NEQ_UQ 4
#define _CMP_GE_OQ 29
#define _CMP_GT_OQ 30
#define _CMP_LT_OS 1
#ifdef __cplusplus
#define TORCHTALK_INTRINSIC(type, name) template <class... Arguments> type name(Arguments&&...);
#else
#define TORCHTALK_INTRINSIC(type, name) type name();
#endif
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m128, name)
TORCHTALK_OF(_mm256_castps256_ps128) TORCHTALK_OF(_mm256_cvtpd_ps) TORCHTALK_OF(_mm256_extractf128_ps) TORCHTALK_OF(_mm_add_ps) TORCHTALK_OF(_mm_castsi128_ps)
TORCHTALK_OF(_mm_cvtepi32_ps) TORCHTALK_OF(_mm_load_ps) TORCHTALK_OF(_mm_loadu_ps) TORCHTALK_OF(_mm_mul_ps) TORCHTALK_OF(_mm_set1_ps) TORCHTALK_OF(_mm_shuffle_ps)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m128i, name)
TORCHTALK_OF(_mm256_castsi256_si128) TORCHTALK_OF(_mm256_cvtps_ph) TORCHTALK_OF(_mm256_extractf128_si256) TORCHTALK_OF(_mm256_extracti128_si256)
TORCHTALK_OF(_mm_abs_epi32) TORCHTALK_OF(_mm_add_epi16) TORCHTALK_OF(_mm_add_epi32) TORCHTALK_OF(_mm_add_epi64) TORCHTALK_OF(_mm_adds_epi16) TORCHTALK_OF(_mm_and_si128)
TORCHTALK_OF(_mm_andnot_si128) TORCHTALK_OF(_mm_blend_epi16) TORCHTALK_OF(_mm_blendv_epi8) TORCHTALK_OF(_mm_castps_si128) TORCHTALK_OF(_mm_cmpeq_epi32)
TORCHTALK_OF(_mm_cmpgt_epi32) TORCHTALK_OF(_mm_cmplt_epi32) TORCHTALK_OF(_mm_cvtepu8_epi16) TORCHTALK_OF(_mm_cvtepu8_epi32) TORCHTALK_OF(_mm_cvtps_epi32)
TORCHTALK_OF(_mm_cvtsi32_si128) TORCHTALK_OF(_mm_hadd_epi32) TORCHTALK_OF(_mm_insert_epi16) TORCHTALK_OF(_mm_lddqu_si128) TORCHTALK_OF(_mm_load_si128)
TORCHTALK_OF(_mm_loadl_epi64) TORCHTALK_OF(_mm_loadu_si128) TORCHTALK_OF(_mm_loadu_si64) TORCHTALK_OF(_mm_madd_epi16) TORCHTALK_OF(_mm_max_epu8)
TORCHTALK_OF(_mm_min_epu8) TORCHTALK_OF(_mm_mul_epi32) TORCHTALK_OF(_mm_mul_epu32) TORCHTALK_OF(_mm_mulhi_epi16) TORCHTALK_OF(_mm_mulhi_epu16)
TORCHTALK_OF(_mm_mullo_epi16) TORCHTALK_OF(_mm_or_si128) TORCHTALK_OF(_mm_packs_epi32) TORCHTALK_OF(_mm_packus_epi16) TORCHTALK_OF(_mm_set1_epi16)
TORCHTALK_OF(_mm_set1_epi32) TORCHTALK_OF(_mm_set1_epi64x) TORCHTALK_OF(_mm_set1_epi8) TORCHTALK_OF(_mm_set_epi16) TORCHTALK_OF(_mm_set_epi8)
TORCHTALK_OF(_mm_setzero_si128) TORCHTALK_OF(_mm_shuffle_epi32) TORCHTALK_OF(_mm_shuffle_epi8) TORCHTALK_OF(_mm_shufflelo_epi16) TORCHTALK_OF(_mm_sign_epi32)
TORCHTALK_OF(_mm_slli_epi16) TORCHTALK_OF(_mm_slli_epi32) TORCHTALK_OF(_mm_slli_epi64) TORCHTALK_OF(_mm_sra_epi32) TORCHTALK_OF(_mm_srai_epi32)
TORCHTALK_OF(_mm_srl_epi32) TORCHTALK_OF(_mm_srl_epi64) TORCHTALK_OF(_mm_srli_epi16) TORCHTALK_OF(_mm_srli_epi32) TORCHTALK_OF(_mm_srli_epi64)
TORCHTALK_OF(_mm_srli_si128) TORCHTALK_OF(_mm_sub_epi16) TORCHTALK_OF(_mm_sub_epi32) TORCHTALK_OF(_mm_sub_epi64) TORCHTALK_OF(_mm_sub_epi8)
TORCHTALK_OF(_mm_unpackhi_epi16) TORCHTALK_OF(_mm_unpackhi_epi32) TORCHTALK_OF(_mm_unpackhi_epi64) TORCHTALK_OF(_mm_unpackhi_epi8)
TORCHTALK_OF(_mm_unpacklo_epi16) TORCHTALK_OF(_mm_unpacklo_epi32) TORCHTALK_OF(_mm_unpacklo_epi64) TORCHTALK_OF(_mm_unpacklo_epi8) TORCHTALK_OF(_mm_xor_si128)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m256, name)
TORCHTALK_OF(_mm256_add_ps) TORCHTALK_OF(_mm256_and_ps) TORCHTALK_OF(_mm256_andnot_ps) TORCHTALK_OF(_mm256_blendv_ps) TORCHTALK_OF(_mm256_broadcast_ss)
TORCHTALK_OF(_mm256_castsi256_ps) TORCHTALK_OF(_mm256_cmp_ps) TORCHTALK_OF(_mm256_cmpgt_ps) TORCHTALK_OF(_mm256_cmple_ps) TORCHTALK_OF(_mm256_cmplt_ps)
TORCHTALK_OF(_mm256_cvtepi32_ps) TORCHTALK_OF(_mm256_cvtph_ps) TORCHTALK_OF(_mm256_div_ps) TORCHTALK_OF(_mm256_floor_ps) TORCHTALK_OF(_mm256_fmadd_ps)
TORCHTALK_OF(_mm256_hadd_ps) TORCHTALK_OF(_mm256_i32gather_ps) TORCHTALK_OF(_mm256_loadu_ps) TORCHTALK_OF(_mm256_maskload_ps) TORCHTALK_OF(_mm256_max_ps)
TORCHTALK_OF(_mm256_min_ps) TORCHTALK_OF(_mm256_mul_ps) TORCHTALK_OF(_mm256_or_ps) TORCHTALK_OF(_mm256_permute2f128_ps) TORCHTALK_OF(_mm256_permute_ps)
TORCHTALK_OF(_mm256_permutevar8x32_ps) TORCHTALK_OF(_mm256_round_ps) TORCHTALK_OF(_mm256_set1_ps) TORCHTALK_OF(_mm256_setzero_ps)
TORCHTALK_OF(_mm256_shuffle_ps) TORCHTALK_OF(_mm256_sqrt_ps) TORCHTALK_OF(_mm256_sub_ps) TORCHTALK_OF(_mm256_xor_ps)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m256d, name)
TORCHTALK_OF(_mm256_add_pd) TORCHTALK_OF(_mm256_castsi256_pd) TORCHTALK_OF(_mm256_cvtps_pd) TORCHTALK_OF(_mm256_fmadd_pd) TORCHTALK_OF(_mm256_sub_pd)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m256i, name)
TORCHTALK_OF(_mm256_add_epi32) TORCHTALK_OF(_mm256_add_epi64) TORCHTALK_OF(_mm256_and_si256) TORCHTALK_OF(_mm256_andnot_si256)
TORCHTALK_OF(_mm256_blend_epi32) TORCHTALK_OF(_mm256_castpd_si256) TORCHTALK_OF(_mm256_castps_si256) TORCHTALK_OF(_mm256_castsi128_si256)
TORCHTALK_OF(_mm256_cmpeq_epi32) TORCHTALK_OF(_mm256_cmpgt_epi64) TORCHTALK_OF(_mm256_cvtepi16_epi32) TORCHTALK_OF(_mm256_cvtepi32_epi64)
TORCHTALK_OF(_mm256_cvtepi8_epi16) TORCHTALK_OF(_mm256_cvtepi8_epi32) TORCHTALK_OF(_mm256_cvtepu16_epi32) TORCHTALK_OF(_mm256_cvtepu8_epi16)
TORCHTALK_OF(_mm256_cvtepu8_epi32) TORCHTALK_OF(_mm256_cvtps_epi32) TORCHTALK_OF(_mm256_cvttps_epi32) TORCHTALK_OF(_mm256_insertf128_si256)
TORCHTALK_OF(_mm256_inserti128_si256) TORCHTALK_OF(_mm256_lddqu_si256) TORCHTALK_OF(_mm256_load_si256) TORCHTALK_OF(_mm256_loadu_si256)
TORCHTALK_OF(_mm256_madd_epi16) TORCHTALK_OF(_mm256_maddubs_epi16) TORCHTALK_OF(_mm256_maskload_epi32) TORCHTALK_OF(_mm256_max_epi32)
TORCHTALK_OF(_mm256_max_epu16) TORCHTALK_OF(_mm256_max_epu8) TORCHTALK_OF(_mm256_min_epi32) TORCHTALK_OF(_mm256_min_epu8) TORCHTALK_OF(_mm256_mul_epi32)
TORCHTALK_OF(_mm256_mullo_epi16) TORCHTALK_OF(_mm256_mullo_epi32) TORCHTALK_OF(_mm256_or_si256) TORCHTALK_OF(_mm256_packs_epi32)
TORCHTALK_OF(_mm256_packus_epi16) TORCHTALK_OF(_mm256_permute2f128_si256) TORCHTALK_OF(_mm256_permutevar8x32_epi32) TORCHTALK_OF(_mm256_set1_epi16)
TORCHTALK_OF(_mm256_set1_epi32) TORCHTALK_OF(_mm256_set1_epi64x) TORCHTALK_OF(_mm256_set1_epi8) TORCHTALK_OF(_mm256_set_epi32) TORCHTALK_OF(_mm256_set_epi8)
TORCHTALK_OF(_mm256_setr_epi32) TORCHTALK_OF(_mm256_setzero_si256) TORCHTALK_OF(_mm256_shuffle_epi8) TORCHTALK_OF(_mm256_slli_epi32)
TORCHTALK_OF(_mm256_slli_epi64) TORCHTALK_OF(_mm256_slli_si256) TORCHTALK_OF(_mm256_srai_epi32) TORCHTALK_OF(_mm256_srli_epi32)
TORCHTALK_OF(_mm256_srli_epi64) TORCHTALK_OF(_mm256_srli_si256) TORCHTALK_OF(_mm256_sub_epi32) TORCHTALK_OF(_mm256_sub_epi64)
TORCHTALK_OF(_mm256_unpackhi_epi16) TORCHTALK_OF(_mm256_unpackhi_epi8) TORCHTALK_OF(_mm256_unpacklo_epi16) TORCHTALK_OF(_mm256_unpacklo_epi8)
TORCHTALK_OF(_mm512_castsi512_si256) TORCHTALK_OF(_mm512_extracti32x8_epi32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m512, name)
TORCHTALK_OF(_mm512_add_ps) TORCHTALK_OF(_mm512_cvtepi32_ps) TORCHTALK_OF(_mm512_fmadd_ps) TORCHTALK_OF(_mm512_mask_permutex2var_ps)
TORCHTALK_OF(_mm512_mul_ps) TORCHTALK_OF(_mm512_permute_ps) TORCHTALK_OF(_mm512_permutexvar_ps) TORCHTALK_OF(_mm512_set1_ps) TORCHTALK_OF(_mm512_set_ps)
TORCHTALK_OF(_mm512_setzero_ps)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(__m512i, name)
TORCHTALK_OF(_mm512_add_epi32) TORCHTALK_OF(_mm512_add_epi64) TORCHTALK_OF(_mm512_cvtepi16_epi32) TORCHTALK_OF(_mm512_cvtepi32_epi64)
TORCHTALK_OF(_mm512_cvtepi8_epi16) TORCHTALK_OF(_mm512_cvtepi8_epi32) TORCHTALK_OF(_mm512_cvtepu16_epi32) TORCHTALK_OF(_mm512_cvtepu8_epi16)
TORCHTALK_OF(_mm512_cvtepu8_epi32) TORCHTALK_OF(_mm512_cvtps_epi32) TORCHTALK_OF(_mm512_loadu_si512) TORCHTALK_OF(_mm512_madd_epi16)
TORCHTALK_OF(_mm512_maddubs_epi16) TORCHTALK_OF(_mm512_maskz_loadu_epi16) TORCHTALK_OF(_mm512_mullo_epi16) TORCHTALK_OF(_mm512_set1_epi16)
TORCHTALK_OF(_mm512_set1_epi8) TORCHTALK_OF(_mm512_set_epi16) TORCHTALK_OF(_mm512_set_epi32) TORCHTALK_OF(_mm512_setzero_si512)
TORCHTALK_OF(_mm512_shuffle_i32x4) TORCHTALK_OF(_mm512_srli_epi32) TORCHTALK_OF(_mm512_unpackhi_epi16) TORCHTALK_OF(_mm512_unpacklo_epi16)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(float, name)
TORCHTALK_OF(_mm256_cvtss_f32) TORCHTALK_OF(_mm256_reduce_add_ps) TORCHTALK_OF(_mm512_reduce_add_ps) TORCHTALK_OF(_mm_cvtss_f32)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(int, name)
TORCHTALK_OF(_mm_cvtsi128_si32) TORCHTALK_OF(_mm_extract_epi16)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(long long, name)
TORCHTALK_OF(_mm256_extract_epi64) TORCHTALK_OF(_mm_extract_epi64)
#undef TORCHTALK_OF
#define TORCHTALK_OF(name) TORCHTALK_INTRINSIC(void, name)
TORCHTALK_OF(_mm256_maskstore_epi32) TORCHTALK_OF(_mm256_maskstore_ps) TORCHTALK_OF(_mm256_store_ps) TORCHTALK_OF(_mm256_store_si256)
TORCHTALK_OF(_mm256_storeu_ps) TORCHTALK_OF(_mm256_storeu_si256) TORCHTALK_OF(_mm512_mask_storeu_epi16) TORCHTALK_OF(_mm512_store_ps)
TORCHTALK_OF(_mm512_store_si512) TORCHTALK_OF(_mm512_storeu_si512) TORCHTALK_OF(_mm_prefetch) TORCHTALK_OF(_mm_store_si128) TORCHTALK_OF(_mm_storel_epi64)
TORCHTALK_OF(_mm_storel_pi) TORCHTALK_OF(_mm_storeu_ps) TORCHTALK_OF(_mm_storeu_si128)
#undef TORCHTALK_OF
#undef TORCHTALK_INTRINSIC
#endif
