#pragma once
int __get_cpuid(unsigned leaf, unsigned* eax, unsigned* ebx, unsigned* ecx, unsigned* edx);
int __get_cpuid_count(unsigned leaf, unsigned subleaf, unsigned* eax, unsigned* ebx, unsigned* ecx, unsigned* edx);
unsigned __get_cpuid_max(unsigned leaf, unsigned* signature);
#define __cpuid(leaf, a, b, c, d) ((a) = (b) = (c) = (d) = (leaf))
#define __cpuid_count(leaf, count, a, b, c, d) ((a) = (b) = (c) = (d) = (leaf) + (count))
