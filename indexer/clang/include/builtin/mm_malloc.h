#pragma once
#include <stdlib.h>
static inline void* _mm_malloc(size_t size, size_t alignment) { return aligned_alloc(alignment, size); }
static inline void _mm_free(void* pointer) { free(pointer); }
