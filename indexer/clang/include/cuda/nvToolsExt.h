// A stand-in for NVTX, written for an index.
#pragma once
#include <cstdint>
typedef uint64_t nvtxRangeId_t;
#define NVTX_VERSION 3
extern "C" {
int nvtxRangePushA(const char*);
int nvtxRangePop();
nvtxRangeId_t nvtxRangeStartA(const char*);
void nvtxRangeEnd(nvtxRangeId_t);
void nvtxMarkA(const char*);
}
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
