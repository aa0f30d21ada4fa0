// A stand-in for the libraries of a CUDA toolkit: cuBLAS, cuSPARSE, cuSOLVER, cuFFT, cuRAND, cuDNN, NVRTC.
#pragma once
#include "torchtalk_cuda.h"
#include "torchtalk_half.h"
struct cuComplex { float x, y; };
struct cuDoubleComplex { double x, y; };
typedef cuComplex cuFloatComplex;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
TORCHTALK_RETURNS(cuComplex, make_cuComplex) TORCHTALK_RETURNS(cuComplex, make_cuFloatComplex) TORCHTALK_RETURNS(cuDoubleComplex, make_cuDoubleComplex)

TORCHTALK_HANDLE(cublasHandle_t) TORCHTALK_HANDLE(cublasLtHandle_t) TORCHTALK_NAMED_HANDLE(cublasLtMatmulDescOpaque_t, cublasLtMatmulDesc_t)
TORCHTALK_NAMED_HANDLE(cublasLtMatrixLayoutOpaque_t, cublasLtMatrixLayout_t) TORCHTALK_NAMED_HANDLE(cublasLtMatmulPreferenceOpaque_t, cublasLtMatmulPreference_t) TORCHTALK_RECORD(cublasLtMatmulAlgo_t)
TORCHTALK_RECORD(cublasLtMatmulDescOpaque_t) TORCHTALK_RECORD(cublasLtMatrixLayoutOpaque_t) TORCHTALK_RECORD(cublasLtMatmulPreferenceOpaque_t)
struct cublasLtMatmulHeuristicResult_t { cublasLtMatmulAlgo_t algo; size_t workspaceSize; int state; float wavesCount; };
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INVALID_VALUE,
  CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_MAPPING_ERROR, CUBLAS_STATUS_EXECUTION_FAILED, CUBLAS_STATUS_INTERNAL_ERROR,
  CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_LICENSE_ERROR };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, CUBLAS_PEDANTIC_MATH, CUBLAS_TENSOR_OP_MATH };
enum cublasComputeType_t { CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_32I };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT, CUBLAS_GEMM_DFALT_TENSOR_OP, CUBLAS_GEMM_DEFAULT_TENSOR_OP, CUBLAS_GEMM_DFALT };
enum cublasLtEpilogue_t { CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU_BIAS };
enum cublasLtMatmulDescAttributes_t { CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, CUBLASLT_MATMUL_DESC_FAST_ACCUM, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE };
enum cublasLtMatrixLayoutAttribute_t { CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET };
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES };

typedef const struct cusparseDnMatDescr* cusparseConstDnMatDescr_t; typedef const struct cusparseDnVecDescr* cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr* cusparseConstSpMatDescr_t;
TORCHTALK_HANDLE(cusparseHandle_t) TORCHTALK_NAMED_HANDLE(cusparseMatDescr, cusparseMatDescr_t) TORCHTALK_NAMED_HANDLE(cusparseSpMatDescr, cusparseSpMatDescr_t) TORCHTALK_NAMED_HANDLE(cusparseDnMatDescr, cusparseDnMatDescr_t)
TORCHTALK_NAMED_HANDLE(cusparseDnVecDescr, cusparseDnVecDescr_t) TORCHTALK_HANDLE(cusparseSpVecDescr_t) TORCHTALK_NAMED_HANDLE(cusparseSpGEMMDescr, cusparseSpGEMMDescr_t) TORCHTALK_NAMED_HANDLE(cusparseSpSVDescr, cusparseSpSVDescr_t)
TORCHTALK_NAMED_HANDLE(cusparseSpSMDescr, cusparseSpSMDescr_t) TORCHTALK_NAMED_HANDLE(bsrsv2Info, bsrsv2Info_t) TORCHTALK_NAMED_HANDLE(bsrsm2Info, bsrsm2Info_t) TORCHTALK_HANDLE(csrgemm2Info_t)
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_SUPPORTED, CUSPARSE_STATUS_NOT_INITIALIZED,
  CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE, CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR,
  CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR, CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
  CUSPARSE_STATUS_ZERO_PIVOT };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL };
enum cusparseSolvePolicy_t { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_MV_ALG_DEFAULT };
enum cusparseSDDMMAlg_t { CUSPARSE_SDDMM_ALG_DEFAULT };
enum cusparseSpSVAlg_t { CUSPARSE_SPSV_ALG_DEFAULT };
enum cusparseSpSMAlg_t { CUSPARSE_SPSM_ALG_DEFAULT };
enum cusparseSpMatAttribute_t { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE };
enum cusparseComputeType { CUSPARSE_COMPUTE_16F, CUSPARSE_COMPUTE_32I, CUSPARSE_COMPUTE_32F, CUSPARSE_COMPUTE_TF32 };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
enum cusparseDirection_t { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN };
enum cusparseFillMode_t { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER };
enum cusparseDiagType_t { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT };
enum cusparseIndexType_t { CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseOrder_t { CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW };
enum cusparsePointerMode_t { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseSpGEMMAlg_t { CUSPARSE_SPGEMM_DEFAULT };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG2, CUSPARSE_MM_ALG_DEFAULT,
  CUSPARSE_COOMM_ALG1, CUSPARSE_COOMM_ALG2, CUSPARSE_CSRMM_ALG1 };

TORCHTALK_HANDLE(cusolverDnHandle_t) TORCHTALK_HANDLE(cusolverDnParams_t) TORCHTALK_HANDLE(cusolverSpHandle_t) TORCHTALK_HANDLE(gesvdjInfo_t) TORCHTALK_HANDLE(syevjInfo_t)
enum cusolverStatus_t { CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED,
  CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_ARCH_MISMATCH, CUSOLVER_STATUS_EXECUTION_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED };
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };
enum cusolverEigType_t { CUSOLVER_EIG_TYPE_1 };

typedef int cufftHandle;
enum cufftResult { CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE,
  CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA,
  CUFFT_INCOMPLETE_PARAMETER_LIST, CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE,
  CUFFT_NOT_IMPLEMENTED, CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED };
enum cufftType { CUFFT_R2C, CUFFT_C2R, CUFFT_C2C, CUFFT_D2Z, CUFFT_Z2D, CUFFT_Z2Z };
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

TORCHTALK_HANDLE(curandGenerator_t)
enum curandStatus_t { CURAND_STATUS_SUCCESS, CURAND_STATUS_VERSION_MISMATCH, CURAND_STATUS_NOT_INITIALIZED,
  CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE, CURAND_STATUS_PREEXISTING_FAILURE,
  CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH, CURAND_STATUS_INTERNAL_ERROR };
enum curandRngType_t { CURAND_RNG_PSEUDO_DEFAULT };
struct curandStatePhilox4_32_10 { uint4 output, ctr; unsigned STATE; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
TORCHTALK_RETURNS(void, curand_init) TORCHTALK_RETURNS(float4, curand_uniform4) TORCHTALK_RETURNS(float4, curand_normal4)
TORCHTALK_RETURNS(double2, curand_uniform2_double) TORCHTALK_RETURNS(double2, curand_normal2_double) TORCHTALK_RETURNS(uint4, curand4)
TORCHTALK_RETURNS(unsigned, curand) TORCHTALK_RETURNS(float, curand_uniform) TORCHTALK_RETURNS(float, curand_normal) TORCHTALK_RETURNS(unsigned, curand_poisson)
TORCHTALK_RETURNS(double, curand_uniform_double) TORCHTALK_RETURNS(uint4, curand_Philox4x32_10)

TORCHTALK_HANDLE(cudnnHandle_t) TORCHTALK_NAMED_HANDLE(cudnnTensorStruct, cudnnTensorDescriptor_t) TORCHTALK_NAMED_HANDLE(cudnnFilterStruct, cudnnFilterDescriptor_t) TORCHTALK_NAMED_HANDLE(cudnnConvolutionStruct, cudnnConvolutionDescriptor_t)
TORCHTALK_NAMED_HANDLE(cudnnRNNStruct, cudnnRNNDescriptor_t) TORCHTALK_NAMED_HANDLE(cudnnRNNDataStruct, cudnnRNNDataDescriptor_t) TORCHTALK_NAMED_HANDLE(cudnnDropoutStruct, cudnnDropoutDescriptor_t) TORCHTALK_NAMED_HANDLE(cudnnSpatialTransformerStruct, cudnnSpatialTransformerDescriptor_t)
TORCHTALK_NAMED_HANDLE(cudnnCTCLossStruct, cudnnCTCLossDescriptor_t) TORCHTALK_NAMED_HANDLE(cudnnActivationStruct, cudnnActivationDescriptor_t) TORCHTALK_HANDLE(cudnnPersistentRNNPlan_t) TORCHTALK_HANDLE(cudnnBackendDescriptor_t)
enum cudnnStatus_t { CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_ARCH_MISMATCH, CUDNN_STATUS_BAD_PARAM,
  CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_MAPPING_ERROR, CUDNN_STATUS_LICENSE_ERROR, CUDNN_STATUS_INVALID_VALUE,
  CUDNN_STATUS_INTERNAL_ERROR, CUDNN_STATUS_EXECUTION_FAILED, CUDNN_STATUS_ALLOC_FAILED };
enum cudnnDataType_t { CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF, CUDNN_DATA_INT8, CUDNN_DATA_INT32, CUDNN_DATA_BFLOAT16, CUDNN_DATA_UINT8, CUDNN_DATA_BOOLEAN, CUDNN_DATA_INT64,
  CUDNN_DATA_INT8x4, CUDNN_DATA_UINT8x4 };
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC };
enum cudnnMathType_t { CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH, CUDNN_FMA_MATH };
enum cudnnRNNMode_t { CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU };
enum cudnnRNNInputMode_t { CUDNN_LINEAR_INPUT, CUDNN_SKIP_INPUT };
enum cudnnDirectionMode_t { CUDNN_UNIDIRECTIONAL, CUDNN_BIDIRECTIONAL };
enum cudnnRNNAlgo_t { CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_ALGO_PERSIST_STATIC, CUDNN_RNN_ALGO_PERSIST_DYNAMIC,
  CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H };
enum cudnnBatchNormMode_t { CUDNN_BATCHNORM_PER_ACTIVATION, CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_SPATIAL_PERSISTENT };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION };
enum cudnnNanPropagation_t { CUDNN_NOT_PROPAGATE_NAN, CUDNN_PROPAGATE_NAN };
enum { CUDNN_DIM_MAX = 8 };
#define CUDNN_BN_MIN_EPSILON 0.0
TORCHTALK_HANDLE(cudnnPoolingDescriptor_t) TORCHTALK_HANDLE(cudnnLRNDescriptor_t)
enum cudnnRNNDataLayout_t { CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED };
enum cudnnRNNPaddingMode_t { CUDNN_RNN_PADDED_IO_DISABLED, CUDNN_RNN_PADDED_IO_ENABLED };
enum cudnnRNNBiasMode_t { CUDNN_RNN_DOUBLE_BIAS };
enum cudnnForwardMode_t { CUDNN_FWD_MODE_INFERENCE, CUDNN_FWD_MODE_TRAINING };
enum cudnnWgradMode_t { CUDNN_WGRAD_MODE_ADD };
enum cudnnCTCLossAlgo_t { CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC };
enum cudnnLossNormalizationMode_t { CUDNN_LOSS_NORMALIZATION_SOFTMAX };
enum cudnnCTCGradMode_t { CUDNN_CTC_ZERO_OOB_GRADIENTS, CUDNN_CTC_SKIP_OOB_GRADIENTS };
enum cudnnBatchNormOps_t { CUDNN_BATCHNORM_OPS_BN, CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION };
enum cudnnSamplerType_t { CUDNN_SAMPLER_BILINEAR };
enum cudnnDeterminism_t { CUDNN_NON_DETERMINISTIC, CUDNN_DETERMINISTIC };
enum cudnnActivationMode_t { CUDNN_ACTIVATION_RELU, CUDNN_ACTIVATION_ELU, CUDNN_ACTIVATION_TANH, CUDNN_ACTIVATION_SIGMOID };
enum cudnnPoolingMode_t { CUDNN_POOLING_MAX, CUDNN_POOLING_MAX_DETERMINISTIC, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
  CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING };
enum cudnnSoftmaxMode_t { CUDNN_SOFTMAX_MODE_INSTANCE };
enum cudnnSoftmaxAlgorithm_t { CUDNN_SOFTMAX_ACCURATE };
enum cudnnLRNMode_t { CUDNN_LRN_CROSS_CHANNEL_DIM1 };
enum cudnnConvolutionFwdAlgo_t { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
  CUDNN_CONVOLUTION_FWD_ALGO_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, CUDNN_CONVOLUTION_FWD_ALGO_FFT,
  CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
  CUDNN_CONVOLUTION_FWD_ALGO_COUNT };
enum cudnnConvolutionBwdFilterAlgo_t { CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT };
enum cudnnConvolutionBwdDataAlgo_t { CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT };
template <class Algorithm> struct torchtalk_algorithm_performance {
  Algorithm algo; cudnnStatus_t status; float time; size_t memory; cudnnDeterminism_t determinism; cudnnMathType_t mathType;
};
typedef torchtalk_algorithm_performance<cudnnConvolutionFwdAlgo_t> cudnnConvolutionFwdAlgoPerf_t;
typedef torchtalk_algorithm_performance<cudnnConvolutionBwdDataAlgo_t> cudnnConvolutionBwdDataAlgoPerf_t;
typedef torchtalk_algorithm_performance<cudnnConvolutionBwdFilterAlgo_t> cudnnConvolutionBwdFilterAlgoPerf_t;

#include "torchtalk_functions.h"

TORCHTALK_HANDLE(nvrtcProgram)
enum nvrtcResult { NVRTC_SUCCESS, NVRTC_ERROR_COMPILATION };

// Functions of the driver and of NVRTC: their addresses are taken, so they are no templates.
#define TORCHTALK_DRIVER(name) CUresult name(...);
#define TORCHTALK_EACH_DRIVER(each) each(cuCtxGetCurrent) each(cuCtxSetCurrent) each(cuDeviceGetAttribute) \
  each(cuDevicePrimaryCtxGetState) each(cuDevicePrimaryCtxRetain) each(cuFuncGetAttribute) each(cuFuncSetAttribute) \
  each(cuGetErrorString) each(cuLaunchCooperativeKernel) each(cuLaunchKernel) each(cuLinkAddData) \
  each(cuLinkComplete) each(cuLinkCreate) each(cuMemAddressFree) each(cuMemAddressReserve) each(cuMemCreate) \
  each(cuMemExportToShareableHandle) each(cuMemGetAllocationGranularity) each(cuMemImportFromShareableHandle) \
  each(cuMemMap) each(cuMemRelease) each(cuMemSetAccess) each(cuMemUnmap) each(cuMemsetD32Async) \
  each(cuModuleGetFunction) each(cuModuleLoadData) each(cuModuleLoadDataEx) each(cuModuleUnload) \
  each(cuMulticastAddDevice) each(cuMulticastBindMem) each(cuMulticastCreate) \
  each(cuOccupancyMaxActiveBlocksPerMultiprocessor) each(cuStreamWriteValue32) each(cuTensorMapEncodeTiled) \
  each(cuTensorMapEncodeIm2col)
TORCHTALK_EACH_DRIVER(TORCHTALK_DRIVER)
#define TORCHTALK_NVML(name) int name(...);
#define TORCHTALK_EACH_NVML(each) \
  each(nvmlDeviceGetComputeRunningProcesses) each(nvmlDeviceGetHandleByPciBusId_v2) \
  each(nvmlDeviceGetNvLinkRemoteDeviceType) each(nvmlDeviceGetNvLinkRemotePciInfo_v2) each(nvmlInit_v2)
TORCHTALK_EACH_NVML(TORCHTALK_NVML)
#define TORCHTALK_NVRTC(name) nvrtcResult name(...);
#define TORCHTALK_EACH_NVRTC(each) \
  each(nvrtcAddNameExpression) each(nvrtcCompileProgram) each(nvrtcCreateProgram) each(nvrtcDestroyProgram) \
  each(nvrtcGetCUBIN) each(nvrtcGetCUBINSize) each(nvrtcGetLoweredName) each(nvrtcGetPTX) \
  each(nvrtcGetPTXSize) each(nvrtcGetProgramLog) each(nvrtcGetProgramLogSize) each(nvrtcVersion)
TORCHTALK_EACH_NVRTC(TORCHTALK_NVRTC)
const char* nvrtcGetErrorString(...);
