// A stand-in for NCCL, apart from the others: torch::cuda::nccl has types of the same names.
#pragma once
#include "torchtalk_libraries.h"
#include <climits>
TORCHTALK_NAMED_HANDLE(ncclComm, ncclComm_t)
typedef struct { char internal[128]; } ncclUniqueId;
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_SPLIT_NOCOLOR -1
#define NCCL_CONFIG_UNDEF_INT INT_MIN
struct ncclConfig_t { int blocking, cgaClusterSize, minCTAs, maxCTAs, splitShare; const char* netName; };
#define NCCL_CONFIG_INITIALIZER {}
enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError, ncclInProgress, ncclNumResults };
enum ncclDataType_t { ncclInt8, ncclChar = 0, ncclUint8, ncclInt32, ncclInt = 2, ncclUint32, ncclInt64, ncclUint64, ncclFloat16, ncclHalf = 6, ncclFloat32, ncclFloat = 7, ncclFloat64, ncclDouble = 8, ncclBfloat16, ncclNumTypes };
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg, ncclNumOps };
enum ncclScalarResidence_t { ncclScalarDevice, ncclScalarHostImmediate };
#define TORCHTALK_NCCL(name) TORCHTALK_RETURNS(ncclResult_t, name)
#define TORCHTALK_EACH_NCCL(each) \
  each(ncclMemAlloc) each(ncclRedOpDestroy) each(ncclMemFree) each(ncclCommDump) each(ncclAllToAll) each(ncclAllToAllv) \
  each(ncclCommRegister) each(ncclCommDeregister) each(ncclCommInitRankConfig) \
  each(ncclAllGather) each(ncclAllReduce) each(ncclAllReduceSparseBlock) each(ncclBroadcast) \
  each(ncclCommAbort) each(ncclCommCount) each(ncclCommDestroy) each(ncclCommFinalize) each(ncclCommGetAsyncError) \
  each(ncclCommInitAll) each(ncclCommInitRank) each(ncclCommSplit) each(ncclCommUserRank) each(ncclGetUniqueId) \
  each(ncclGroupEnd) each(ncclGroupStart) each(ncclRecv) each(ncclRedOpCreatePreMulSum) each(ncclReduce) \
  each(ncclReduceScatter) each(ncclSend)
TORCHTALK_EACH_NCCL(TORCHTALK_NCCL)
TORCHTALK_RETURNS(const char*, ncclGetErrorString) TORCHTALK_RETURNS(const char*, ncclGetLastError) TORCHTALK_RETURNS(ncclResult_t, ncclGetVersion)
// Its type is asked for.
ncclResult_t ncclBcast(void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
