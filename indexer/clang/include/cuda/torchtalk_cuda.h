// A stand-in for CUDA's headers, written for an index: the names that host and device code are made of, so that calls
// keep their meaning where no toolkit is installed. Nothing here can run, and no value is CUDA's own.
#pragma once
#include <math.h>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#define CUDNN_VERSION 90100
#define CUDNN_MAJOR 9
#define CUDNN_MINOR 1
#define CUDNN_PATCHLEVEL 0
#define CUSPARSE_VERSION 12300
#define CUSOLVER_VERSION 11600
#define CUBLAS_VERSION 120400
#define CUB_VERSION 200500
#define THRUST_VERSION 200500
#define NCCL_MAJOR 2
#define NCCL_MINOR 21
#define NCCL_PATCH 5
#define NCCL_VERSION_CODE 22100
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDA_IPC_HANDLE_SIZE 64

#ifdef __CUDACC__
#define __global__ __attribute__((annotate("__global__")))
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __align__(n) alignas(n)
#else
#define __host__
#define __device__
#define __forceinline__ inline
#define __align__(n) alignas(n)
#endif

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
#define TORCHTALK_VECTORS(type, name) \
  struct name##1 { type x; }; \
  struct name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct name##4 { type x, y, z, w; }; \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define TORCHTALK_VECTORS_WITHOUT_3(type, name) \
  struct name##1 { type x; }; \
  struct name##2 { type x, y; }; \
  struct name##4 { type x, y, z, w; }; \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
TORCHTALK_VECTORS(signed char, char)
TORCHTALK_VECTORS(unsigned char, uchar)
TORCHTALK_VECTORS(short, short)
TORCHTALK_VECTORS(unsigned short, ushort)
TORCHTALK_VECTORS(int, int)
TORCHTALK_VECTORS_WITHOUT_3(unsigned, uint)
TORCHTALK_VECTORS(long, long)
TORCHTALK_VECTORS(unsigned long, ulong)
TORCHTALK_VECTORS(long long, longlong)
TORCHTALK_VECTORS(unsigned long long, ulonglong)
TORCHTALK_VECTORS(float, float)
TORCHTALK_VECTORS(double, double)
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;

// Functions take anything: what matters is that they are found.
#define TORCHTALK_RETURNS(type, name) template <class... Arguments> type name(Arguments&&...);
#define TORCHTALK_HANDLE(name) typedef struct name##_torchtalk* name;
#define TORCHTALK_NAMED_HANDLE(tag, name) typedef struct tag* name;
#define TORCHTALK_RECORD(name) struct name { template <class T> name& operator=(T&&); };

enum cudaError {
  cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNotReady, cudaErrorInvalidValue, cudaErrorNoDevice, cudaErrorUnknown,
  cudaErrorPeerAccessAlreadyEnabled, cudaErrorPeerAccessNotEnabled, cudaErrorInsufficientDriver, cudaErrorCudartUnloading,
  cudaErrorInitializationError, cudaErrorStreamCaptureUnsupported, cudaErrorAssert, cudaErrorInvalidDevice,
  cudaErrorDevicesUnavailable, cudaErrorNotSupported, cudaErrorLaunchFailure, cudaErrorIllegalAddress
};
typedef cudaError cudaError_t;
TORCHTALK_HANDLE(cudaStream_t) TORCHTALK_HANDLE(cudaEvent_t) TORCHTALK_HANDLE(cudaGraph_t) TORCHTALK_HANDLE(cudaGraphExec_t)
TORCHTALK_HANDLE(cudaGraphNode_t) TORCHTALK_HANDLE(cudaMemPool_t) TORCHTALK_HANDLE(cudaArray_t)
TORCHTALK_HANDLE(CUdeviceptr_torchtalk) TORCHTALK_HANDLE(CUcontext) TORCHTALK_HANDLE(CUmodule) TORCHTALK_HANDLE(CUfunction)
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef unsigned long long CUdeviceptr, CUmemGenericAllocationHandle, cudaGraphConditionalHandle, CaptureId_t;
typedef int CUdevice, CUjit_option, CUdevice_attribute, CUfunction_attribute;
enum CUresult { CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_DEINITIALIZED };
TORCHTALK_RECORD(CUmemAllocationProp) TORCHTALK_RECORD(CUmemAccessDesc) TORCHTALK_RECORD(CUtensorMap)
struct cudaIpcMemHandle_t { char reserved[64]; };
struct cudaIpcEventHandle_t { char reserved[64]; };
struct CUuuid_st { char bytes[16]; };
typedef CUuuid_st CUuuid, cudaUUID_t;
struct cudaDeviceProp {
  char name[256]; cudaUUID_t uuid; size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  size_t textureAlignment, totalConstMem; int major, minor, multiProcessorCount, warpSize, regsPerBlock, regsPerMultiprocessor;
  int maxThreadsPerBlock, maxThreadsPerMultiProcessor, maxGridSize[3], maxThreadsDim[3], clockRate, memoryClockRate;
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, accessPolicyMaxWindowSize, computeMode, concurrentKernels;
  int integrated, isMultiGpuBoard, canMapHostMemory, unifiedAddressing, managedMemory, pciBusID, pciDeviceID, pciDomainID;
  int maxBlocksPerMultiProcessor, asyncEngineCount, ECCEnabled, cooperativeLaunch;
};
struct cudaFuncAttributes { int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion; size_t sharedSizeBytes, localSizeBytes, constSizeBytes; int maxDynamicSharedSizeBytes; };
struct cudaPointerAttributes { int type, device; void *devicePointer, *hostPointer; };
TORCHTALK_RECORD(cudaMemPoolProps) TORCHTALK_RECORD(cudaKernelNodeParams) TORCHTALK_RECORD(cudaLaunchParams)
struct cudaMemLocation { int type, id; };
struct cudaMemAccessDesc { cudaMemLocation location; int flags; };
struct cudaLaunchAttribute { int id; struct { int programmaticStreamSerializationAllowed; struct { unsigned x, y, z; } clusterDim; } val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute* attrs; unsigned numAttrs; };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum {
  cudaEventDefault, cudaEventDisableTiming, cudaEventInterprocess, cudaEventBlockingSync, cudaStreamNonBlocking, cudaStreamDefault,
  cudaHostAllocDefault, cudaHostRegisterDefault, cudaHostRegisterMapped, cudaIpcMemLazyEnablePeerAccess, cudaMemoryTypeUnregistered,
  cudaMemoryTypeDevice, cudaMemoryTypeHost, cudaMemoryTypeManaged, cudaMemAllocationTypePinned, cudaMemHandleTypeNone,
  cudaMemLocationTypeDevice, cudaMemAccessFlagsProtReadWrite, cudaGraphInstantiateFlagAutoFreeOnLaunch,
  cudaStreamSetCaptureDependencies, cudaGraphDebugDotFlagsVerbose, cudaMemAttachGlobal, cudaMemAdviseSetPreferredLocation,
  cudaCpuDeviceId = -1
};
enum cudaDeviceAttr {
  cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
  cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor, cudaDevAttrWarpSize,
  cudaDevAttrMemoryPoolsSupported, cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMaxRegistersPerBlock, cudaDevAttrClockRate
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum cudaMemPoolAttr {
  cudaMemPoolAttrReleaseThreshold, cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemHigh
};
enum cudaDataType_t {
  CUDA_R_16F, CUDA_C_16F, CUDA_R_16BF, CUDA_C_16BF, CUDA_R_32F, CUDA_C_32F, CUDA_R_64F, CUDA_C_64F, CUDA_R_8I, CUDA_C_8I, CUDA_R_8U,
  CUDA_R_16I, CUDA_R_32I, CUDA_R_64I, CUDA_R_32U, CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_4I
};
typedef cudaDataType_t cudaDataType;
typedef void (*cudaHostFn_t)(void*);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);

#define TORCHTALK_RUNTIME(name) TORCHTALK_RETURNS(cudaError_t, cuda##name)
#define TORCHTALK_EACH_RUNTIME(each) \
  each(GetLastError) each(PeekAtLastError) each(GetDevice) each(SetDevice) each(GetDeviceCount) each(GetDeviceProperties) \
  each(DeviceGetAttribute) each(DeviceSynchronize) each(DeviceReset) each(DeviceCanAccessPeer) each(DeviceEnablePeerAccess) \
  each(DeviceGetDefaultMemPool) each(DeviceGetStreamPriorityRange) each(DeviceGetPCIBusId) each(DeviceGetByPCIBusId) \
  each(MemGetInfo) each(Malloc) each(MallocAsync) each(MallocHost) each(MallocManaged) each(Free) each(FreeAsync) each(FreeHost) \
  each(HostAlloc) each(HostRegister) each(HostUnregister) each(HostGetDevicePointer) each(Memcpy) each(MemcpyAsync) \
  each(MemcpyPeer) each(MemcpyPeerAsync) each(Memcpy2DAsync) each(MemcpyToSymbol) each(Memset) each(MemsetAsync) each(MemAdvise) \
  each(MemPoolSetAttribute) each(MemPoolGetAttribute) each(MemPoolSetAccess) each(MemPoolTrimTo) each(MemPoolCreate) \
  each(StreamCreate) each(StreamCreateWithFlags) each(StreamCreateWithPriority) each(StreamDestroy) each(StreamSynchronize) \
  each(StreamQuery) each(StreamWaitEvent) each(StreamBeginCapture) each(StreamEndCapture) each(StreamIsCapturing) \
  each(StreamGetCaptureInfo) each(StreamGetCaptureInfo_v2) each(StreamUpdateCaptureDependencies) each(StreamGetPriority) \
  each(StreamAddCallback) each(StreamBeginCaptureToGraph) each(ThreadExchangeStreamCaptureMode) each(EventCreate) \
  each(EventCreateWithFlags) each(EventDestroy) each(EventQuery) each(EventRecord) each(EventSynchronize) each(EventElapsedTime) \
  each(IpcGetMemHandle) each(IpcOpenMemHandle) each(IpcCloseMemHandle) each(IpcGetEventHandle) each(IpcOpenEventHandle) \
  each(PointerGetAttributes) each(FuncSetAttribute) each(FuncGetAttributes) each(FuncSetCacheConfig) each(LaunchKernel) \
  each(LaunchKernelEx) each(LaunchKernelExC) each(LaunchCooperativeKernel) each(LaunchHostFunc) each(GraphInstantiate) \
  each(GraphInstantiateWithFlags) each(GraphLaunch) each(GraphDestroy) each(GraphExecDestroy) each(GraphGetNodes) \
  each(GraphDebugDotPrint) each(GraphUpload) each(OccupancyMaxActiveBlocksPerMultiprocessor) each(OccupancyMaxPotentialBlockSize) \
  each(DriverGetVersion) each(RuntimeGetVersion) each(ProfilerStart) each(ProfilerStop) each(GetDriverEntryPoint) \
  each(GetSymbolAddress) each(CtxResetPersistingL2Cache) each(StreamSetAttribute) each(DeviceSetLimit)
TORCHTALK_EACH_RUNTIME(TORCHTALK_RUNTIME)
// Their addresses are taken.
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
TORCHTALK_RETURNS(const char*, cudaGetErrorName)

// What only device code calls; without arguments of a type of the unit's own they would not be found in templates.
#define TORCHTALK_DEVICE_SAME(name) template <class T, class... Rest> T name(T, Rest...);
#define TORCHTALK_DEVICE_AT(name) template <class T, class... Rest> T name(T*, Rest...);
#define TORCHTALK_DEVICE_FIRST(name) template <class M, class T, class... Rest> T name(M, T, Rest...);
TORCHTALK_DEVICE_FIRST(__shfl_sync) TORCHTALK_DEVICE_FIRST(__shfl_xor_sync) TORCHTALK_DEVICE_FIRST(__shfl_down_sync)
TORCHTALK_DEVICE_FIRST(__shfl_up_sync) TORCHTALK_DEVICE_SAME(__shfl) TORCHTALK_DEVICE_SAME(__shfl_xor)
TORCHTALK_DEVICE_SAME(__shfl_down) TORCHTALK_DEVICE_SAME(__shfl_up) TORCHTALK_DEVICE_SAME(__brev) TORCHTALK_DEVICE_SAME(__brevll)
TORCHTALK_DEVICE_AT(atomicAdd) TORCHTALK_DEVICE_AT(atomicSub) TORCHTALK_DEVICE_AT(atomicCAS) TORCHTALK_DEVICE_AT(atomicExch)
TORCHTALK_DEVICE_AT(atomicMax) TORCHTALK_DEVICE_AT(atomicMin) TORCHTALK_DEVICE_AT(atomicOr) TORCHTALK_DEVICE_AT(atomicAnd)
TORCHTALK_DEVICE_AT(atomicXor) TORCHTALK_DEVICE_AT(atomicInc) TORCHTALK_DEVICE_AT(__ldg) TORCHTALK_DEVICE_AT(__ldcs)
#define TORCHTALK_DEVICE_INT(name) template <class... Arguments> int name(Arguments...);
#define TORCHTALK_DEVICE_UNSIGNED(name) template <class... Arguments> unsigned name(Arguments...);
#define TORCHTALK_DEVICE_FLOAT(name) template <class... Arguments> float name(Arguments...);
#define TORCHTALK_DEVICE_DOUBLE(name) template <class... Arguments> double name(Arguments...);
#define TORCHTALK_DEVICE_VOID(name) template <class... Arguments> void name(Arguments...);
TORCHTALK_DEVICE_VOID(__syncthreads) TORCHTALK_DEVICE_VOID(__syncwarp) TORCHTALK_DEVICE_VOID(__threadfence)
TORCHTALK_DEVICE_VOID(__threadfence_block) TORCHTALK_DEVICE_VOID(__threadfence_system) TORCHTALK_DEVICE_VOID(__trap)
TORCHTALK_DEVICE_VOID(__nanosleep) TORCHTALK_DEVICE_VOID(__stcs) TORCHTALK_DEVICE_VOID(__stwt)
TORCHTALK_DEVICE_INT(__syncthreads_or) TORCHTALK_DEVICE_INT(__syncthreads_and) TORCHTALK_DEVICE_INT(__syncthreads_count)
TORCHTALK_DEVICE_INT(__any_sync) TORCHTALK_DEVICE_INT(__all_sync) TORCHTALK_DEVICE_INT(__clz) TORCHTALK_DEVICE_INT(__clzll)
TORCHTALK_DEVICE_INT(__ffs) TORCHTALK_DEVICE_INT(__ffsll) TORCHTALK_DEVICE_INT(__popc) TORCHTALK_DEVICE_INT(__popcll)
TORCHTALK_DEVICE_INT(__float_as_int) TORCHTALK_DEVICE_INT(__float2int_rn) TORCHTALK_DEVICE_INT(__float2int_rd)
TORCHTALK_DEVICE_INT(__double2int_rd) TORCHTALK_DEVICE_INT(__double2ll_rd) TORCHTALK_DEVICE_INT(__double2ll_ru) TORCHTALK_DEVICE_INT(__float2ll_rd)
TORCHTALK_DEVICE_FLOAT(__uint2float_rn) TORCHTALK_DEVICE_FLOAT(__int2float_rn)
TORCHTALK_DEVICE_INT(__mul24) TORCHTALK_DEVICE_INT(__mulhi) TORCHTALK_DEVICE_UNSIGNED(__umulhi) TORCHTALK_DEVICE_UNSIGNED(__activemask)
TORCHTALK_DEVICE_UNSIGNED(__ballot_sync) TORCHTALK_DEVICE_UNSIGNED(__ballot) TORCHTALK_DEVICE_UNSIGNED(__byte_perm)
TORCHTALK_DEVICE_UNSIGNED(__match_any_sync) TORCHTALK_DEVICE_UNSIGNED(__float_as_uint) TORCHTALK_DEVICE_UNSIGNED(__cvta_generic_to_shared)
TORCHTALK_DEVICE_UNSIGNED(__funnelshift_r) TORCHTALK_DEVICE_UNSIGNED(__dp4a) TORCHTALK_DEVICE_UNSIGNED(__vabsdiffu4)
TORCHTALK_DEVICE_FLOAT(__int_as_float) TORCHTALK_DEVICE_FLOAT(__uint_as_float) TORCHTALK_DEVICE_FLOAT(__expf)
TORCHTALK_DEVICE_FLOAT(__logf) TORCHTALK_DEVICE_FLOAT(__powf) TORCHTALK_DEVICE_FLOAT(__sinf) TORCHTALK_DEVICE_FLOAT(__cosf)
TORCHTALK_DEVICE_FLOAT(__fdividef) TORCHTALK_DEVICE_FLOAT(__frcp_rn) TORCHTALK_DEVICE_FLOAT(__fmaf_rn) TORCHTALK_DEVICE_FLOAT(__fmul_rn)
TORCHTALK_DEVICE_FLOAT(__fadd_rn) TORCHTALK_DEVICE_FLOAT(__fsub_rn) TORCHTALK_DEVICE_FLOAT(__saturatef) TORCHTALK_DEVICE_FLOAT(rsqrtf)
TORCHTALK_DEVICE_FLOAT(exp10f) TORCHTALK_DEVICE_FLOAT(normcdff) TORCHTALK_DEVICE_FLOAT(normcdfinvf) TORCHTALK_DEVICE_FLOAT(__tanhf)
TORCHTALK_DEVICE_FLOAT(sinpif) TORCHTALK_DEVICE_FLOAT(cospif) TORCHTALK_DEVICE_FLOAT(erfcxf) TORCHTALK_DEVICE_FLOAT(fdividef)
TORCHTALK_DEVICE_DOUBLE(__longlong_as_double) TORCHTALK_DEVICE_DOUBLE(normcdf) TORCHTALK_DEVICE_DOUBLE(normcdfinv)
TORCHTALK_DEVICE_DOUBLE(erfcx) TORCHTALK_DEVICE_DOUBLE(sinpi) TORCHTALK_DEVICE_DOUBLE(cospi)
template <class T> T rsqrt(T);
template <class... Arguments> long long __double_as_longlong(Arguments...);
template <class... Arguments> long long clock64(Arguments...);
extern "C" void __assert_fail(const char*, const char*, unsigned, const char*) noexcept;
void __assertfail(const void*, const void*, unsigned, const void*, size_t);
template <class A, class B> auto min(A a, B b) -> decltype(a < b ? a : b);
template <class A, class B> auto max(A a, B b) -> decltype(a < b ? a : b);
