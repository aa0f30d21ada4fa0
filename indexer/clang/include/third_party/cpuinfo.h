// A stand-in for cpuinfo, written for an index.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#ifndef CPUINFO_ARCH_X86_64
#define CPUINFO_ARCH_X86_64 1
#define CPUINFO_ARCH_ARM64 0
#endif
#define CPUINFO_ARCH_X86 0
#define CPUINFO_ARCH_ARM 0
#ifdef __cplusplus
extern "C" {
#endif
enum cpuinfo_uarch {
  cpuinfo_uarch_unknown, cpuinfo_uarch_cortex_a53, cpuinfo_uarch_cortex_a55, cpuinfo_uarch_cortex_a55r0, cpuinfo_uarch_cortex_a57,
  cpuinfo_uarch_cortex_a72, cpuinfo_uarch_cortex_a73, cpuinfo_uarch_zen, cpuinfo_uarch_zen2, cpuinfo_uarch_zen3, cpuinfo_uarch_zen4
};
struct cpuinfo_cache { uint32_t size, associativity, sets, partitions, line_size, flags, processor_start, processor_count; };
struct cpuinfo_core { uint32_t processor_start, processor_count, core_id; int vendor; enum cpuinfo_uarch uarch; uint64_t frequency; };
struct cpuinfo_processor {
  uint32_t smt_id; const struct cpuinfo_core* core; int linux_id;
  struct { const struct cpuinfo_cache *l1i, *l1d, *l2, *l3, *l4; } cache;
};
struct cpuinfo_uarch_info { enum cpuinfo_uarch uarch; uint32_t processor_count, core_count; };
bool cpuinfo_initialize(void);
void cpuinfo_deinitialize(void);
const struct cpuinfo_processor* cpuinfo_get_processors(void);
const struct cpuinfo_processor* cpuinfo_get_processor(uint32_t index);
const struct cpuinfo_core* cpuinfo_get_cores(void);
const struct cpuinfo_core* cpuinfo_get_core(uint32_t index);
const struct cpuinfo_core* cpuinfo_get_current_core(void);
const struct cpuinfo_uarch_info* cpuinfo_get_uarch(uint32_t index);
const struct cpuinfo_cache* cpuinfo_get_l1d_cache(uint32_t index);
const struct cpuinfo_cache* cpuinfo_get_l2_cache(uint32_t index);
const struct cpuinfo_cache* cpuinfo_get_l1d_caches(void);
const struct cpuinfo_cache* cpuinfo_get_l2_caches(void);
uint32_t cpuinfo_get_processors_count(void);
uint32_t cpuinfo_get_cores_count(void);
uint32_t cpuinfo_get_uarchs_count(void);
uint32_t cpuinfo_get_l1d_caches_count(void);
uint32_t cpuinfo_get_max_arm_sve_length(void);
uint32_t cpuinfo_get_max_cache_size(void);
bool cpuinfo_has_arm_bf16(void);
bool cpuinfo_has_arm_fp16_arith(void);
bool cpuinfo_has_arm_neon(void);
bool cpuinfo_has_arm_neon_fp16_arith(void);
bool cpuinfo_has_arm_sve(void);
bool cpuinfo_has_x86_amx_fp16(void);
bool cpuinfo_has_x86_amx_tile(void);
bool cpuinfo_has_x86_avx(void);
bool cpuinfo_has_x86_avx2(void);
bool cpuinfo_has_x86_avx512bf16(void);
bool cpuinfo_has_x86_avx512bw(void);
bool cpuinfo_has_x86_avx512dq(void);
bool cpuinfo_has_x86_avx512f(void);
bool cpuinfo_has_x86_avx512fp16(void);
bool cpuinfo_has_x86_avx512vl(void);
bool cpuinfo_has_x86_avx512vnni(void);
bool cpuinfo_has_x86_daz(void);
bool cpuinfo_has_x86_f16c(void);
bool cpuinfo_has_x86_fma3(void);
bool cpuinfo_has_x86_sse2(void);
#ifdef __cplusplus
}
#endif
