// A stand-in for pthreadpool, written for an index.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct pthreadpool* pthreadpool_t;
typedef void (*pthreadpool_task_1d_t)(void*, size_t);
typedef void (*pthreadpool_task_1d_tile_1d_t)(void*, size_t, size_t);
typedef void (*pthreadpool_task_2d_t)(void*, size_t, size_t);
typedef void (*pthreadpool_task_2d_tile_1d_t)(void*, size_t, size_t, size_t);
typedef void (*pthreadpool_task_2d_tile_2d_t)(void*, size_t, size_t, size_t, size_t);
typedef void (*pthreadpool_task_3d_tile_2d_t)(void*, size_t, size_t, size_t, size_t, size_t);
typedef void (*pthreadpool_task_4d_tile_2d_t)(void*, size_t, size_t, size_t, size_t, size_t, size_t);
typedef pthreadpool_task_1d_t pthreadpool_function_1d_t;
typedef pthreadpool_task_2d_t pthreadpool_function_2d_t;
pthreadpool_t pthreadpool_create(size_t threads);
size_t pthreadpool_get_threads_count(pthreadpool_t pool);
void pthreadpool_destroy(pthreadpool_t pool);
void pthreadpool_parallelize_1d(pthreadpool_t, pthreadpool_task_1d_t, void*, size_t, uint32_t);
void pthreadpool_parallelize_1d_tile_1d(pthreadpool_t, pthreadpool_task_1d_tile_1d_t, void*, size_t, size_t, uint32_t);
void pthreadpool_parallelize_2d(pthreadpool_t, pthreadpool_task_2d_t, void*, size_t, size_t, uint32_t);
void pthreadpool_parallelize_2d_tile_2d(pthreadpool_t, pthreadpool_task_2d_tile_2d_t, void*, size_t, size_t, size_t, size_t, uint32_t);
void pthreadpool_parallelize_3d_tile_2d(pthreadpool_t, pthreadpool_task_3d_tile_2d_t, void*, size_t, size_t, size_t, size_t, size_t, uint32_t);
void pthreadpool_parallelize_4d_tile_2d(pthreadpool_t, pthreadpool_task_4d_tile_2d_t, void*, size_t, size_t, size_t, size_t, size_t, size_t, uint32_t);
#ifdef __cplusplus
}
#endif
