// A stand-in for pthreadpool, written for an index.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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
typedef pthreadpool_task_1d_tile_1d_t pthreadpool_function_1d_tiled_t;
typedef pthreadpool_task_2d_tile_2d_t pthreadpool_function_2d_tiled_t;
typedef void (*pthreadpool_function_3d_tiled_t)(void*, size_t, size_t, size_t, size_t, size_t, size_t);
typedef void (*pthreadpool_function_4d_tiled_t)(void*, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
typedef pthreadpool_task_2d_t pthreadpool_function_2d_t;
pthreadpool_t pthreadpool_create(size_t threads);
void pthreadpool_compute_1d(pthreadpool_t, pthreadpool_function_1d_t, void*, size_t);
void pthreadpool_compute_1d_tiled(pthreadpool_t, pthreadpool_function_1d_tiled_t, void*, size_t, size_t);
void pthreadpool_compute_2d(pthreadpool_t, pthreadpool_function_2d_t, void*, size_t, size_t);
void pthreadpool_compute_2d_tiled(pthreadpool_t, pthreadpool_function_2d_tiled_t, void*, size_t, size_t, size_t, size_t);
void pthreadpool_compute_3d_tiled(
    pthreadpool_t, pthreadpool_function_3d_tiled_t, void*, size_t, size_t, size_t, size_t, size_t, size_t);
void pthreadpool_compute_4d_tiled(
    pthreadpool_t, pthreadpool_function_4d_tiled_t, void*, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
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
