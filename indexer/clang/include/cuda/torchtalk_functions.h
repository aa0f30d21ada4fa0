// The functions of CUDA's libraries that PyTorch calls: each takes anything, and gives its library's status.
#pragma once
#define TORCHTALK_CUBLAS(name) TORCHTALK_RETURNS(cublasStatus_t, name)
#define TORCHTALK_EACH_CUBLAS(each) \
  \
  each(cublasAxpyEx) each(cublasDgeam) each(cublasDscal) each(cublasGemmBatchedEx) each(cublasGetStream) \
  each(cublasHgemm) each(cublasHgemmBatched) each(cublasHgemmStridedBatched) each(cublasSaxpy) each(cublasScalEx) \
  each(cublasSgeam) each(cublasSgemmBatched) each(cublasSscal) \
  each(cublasCdotc) each(cublasCdotu) each(cublasCgelsBatched) each(cublasCgemm) each(cublasCgemmStridedBatched) \
  each(cublasCgemv) each(cublasCgeqrfBatched) each(cublasCgetrfBatched) each(cublasCgetrsBatched) each(cublasCreate) \
  each(cublasCtrsm) each(cublasCtrsmBatched) each(cublasDdot) each(cublasDestroy) each(cublasDgelsBatched) \
  each(cublasDgemm) each(cublasDgemmStridedBatched) each(cublasDgemv) each(cublasDgeqrfBatched) \
  each(cublasDgetrfBatched) each(cublasDgetrsBatched) each(cublasDotEx) each(cublasDtrsm) each(cublasDtrsmBatched) \
  each(cublasGemmEx) each(cublasGemmStridedBatchedEx) each(cublasGetMathMode) each(cublasGetPointerMode) \
  each(cublasLtCreate) each(cublasLtDestroy) each(cublasLtMatmul) each(cublasLtMatmulAlgoGetHeuristic) \
  each(cublasLtMatmulDescCreate) each(cublasLtMatmulDescSetAttribute) each(cublasLtMatmulPreferenceCreate) \
  each(cublasLtMatmulPreferenceSetAttribute) each(cublasLtMatrixLayoutCreate) each(cublasLtMatrixLayoutSetAttribute) \
  each(cublasSdot) each(cublasSetMathMode) each(cublasSetPointerMode) each(cublasSetStream) each(cublasSetWorkspace) \
  each(cublasSgelsBatched) each(cublasSgemm) each(cublasSgemmEx) each(cublasSgemmStridedBatched) each(cublasSgemv) \
  each(cublasSgeqrfBatched) each(cublasSgetrfBatched) each(cublasSgetrsBatched) each(cublasStrsm) \
  each(cublasStrsmBatched) each(cublasZdotc) each(cublasZdotu) each(cublasZgelsBatched) each(cublasZgemm) \
  each(cublasZgemmStridedBatched) each(cublasZgemv) each(cublasZgeqrfBatched) each(cublasZgetrfBatched) \
  each(cublasZgetrsBatched) each(cublasZtrsm) each(cublasZtrsmBatched)
TORCHTALK_EACH_CUBLAS(TORCHTALK_CUBLAS)
// Their addresses are taken.
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t);
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t);
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t);
#define TORCHTALK_CUSOLVER(name) TORCHTALK_RETURNS(cusolverStatus_t, name)
#define TORCHTALK_EACH_CUSOLVER(each) \
  each(cusolverDnCgeqrf) each(cusolverDnCgeqrf_bufferSize) each(cusolverDnCgesvd) each(cusolverDnCgesvd_bufferSize) \
  each(cusolverDnCgesvdaStridedBatched) each(cusolverDnCgesvdaStridedBatched_bufferSize) each(cusolverDnCgesvdj) \
  each(cusolverDnCgesvdjBatched) each(cusolverDnCgesvdjBatched_bufferSize) each(cusolverDnCgesvdj_bufferSize) \
  each(cusolverDnCgetrf) each(cusolverDnCgetrf_bufferSize) each(cusolverDnCgetrs) each(cusolverDnCheevd) \
  each(cusolverDnCheevd_bufferSize) each(cusolverDnCheevj) each(cusolverDnCheevjBatched) \
  each(cusolverDnCheevjBatched_bufferSize) each(cusolverDnCheevj_bufferSize) each(cusolverDnCpotrf) \
  each(cusolverDnCpotrfBatched) each(cusolverDnCpotrf_bufferSize) each(cusolverDnCpotrs) each(cusolverDnCpotrsBatched) \
  each(cusolverDnCreate) each(cusolverDnCreateGesvdjInfo) each(cusolverDnCreateParams) each(cusolverDnCreateSyevjInfo) \
  each(cusolverDnCsytrf) each(cusolverDnCsytrf_bufferSize) each(cusolverDnCungqr) each(cusolverDnCungqr_bufferSize) \
  each(cusolverDnCunmqr) each(cusolverDnCunmqr_bufferSize) each(cusolverDnDestroy) each(cusolverDnDestroyGesvdjInfo) \
  each(cusolverDnDestroyParams) each(cusolverDnDestroySyevjInfo) each(cusolverDnDgeqrf) \
  each(cusolverDnDgeqrf_bufferSize) each(cusolverDnDgesvd) each(cusolverDnDgesvd_bufferSize) \
  each(cusolverDnDgesvdaStridedBatched) each(cusolverDnDgesvdaStridedBatched_bufferSize) each(cusolverDnDgesvdj) \
  each(cusolverDnDgesvdjBatched) each(cusolverDnDgesvdjBatched_bufferSize) each(cusolverDnDgesvdj_bufferSize) \
  each(cusolverDnDgetrf) each(cusolverDnDgetrf_bufferSize) each(cusolverDnDgetrs) each(cusolverDnDorgqr) \
  each(cusolverDnDorgqr_bufferSize) each(cusolverDnDormqr) each(cusolverDnDormqr_bufferSize) each(cusolverDnDpotrf) \
  each(cusolverDnDpotrfBatched) each(cusolverDnDpotrf_bufferSize) each(cusolverDnDpotrs) each(cusolverDnDpotrsBatched) \
  each(cusolverDnDsyevd) each(cusolverDnDsyevd_bufferSize) each(cusolverDnDsyevj) each(cusolverDnDsyevjBatched) \
  each(cusolverDnDsyevjBatched_bufferSize) each(cusolverDnDsyevj_bufferSize) each(cusolverDnDsytrf) \
  each(cusolverDnDsytrf_bufferSize) each(cusolverDnSetStream) each(cusolverDnSgeqrf) each(cusolverDnSgeqrf_bufferSize) \
  each(cusolverDnSgesvd) each(cusolverDnSgesvd_bufferSize) each(cusolverDnSgesvdaStridedBatched) \
  each(cusolverDnSgesvdaStridedBatched_bufferSize) each(cusolverDnSgesvdj) each(cusolverDnSgesvdjBatched) \
  each(cusolverDnSgesvdjBatched_bufferSize) each(cusolverDnSgesvdj_bufferSize) each(cusolverDnSgetrf) \
  each(cusolverDnSgetrf_bufferSize) each(cusolverDnSgetrs) each(cusolverDnSorgqr) each(cusolverDnSorgqr_bufferSize) \
  each(cusolverDnSormqr) each(cusolverDnSormqr_bufferSize) each(cusolverDnSpotrf) each(cusolverDnSpotrfBatched) \
  each(cusolverDnSpotrf_bufferSize) each(cusolverDnSpotrs) each(cusolverDnSpotrsBatched) each(cusolverDnSsyevd) \
  each(cusolverDnSsyevd_bufferSize) each(cusolverDnSsyevj) each(cusolverDnSsyevjBatched) \
  each(cusolverDnSsyevjBatched_bufferSize) each(cusolverDnSsyevj_bufferSize) each(cusolverDnSsytrf) \
  each(cusolverDnSsytrf_bufferSize) each(cusolverDnXgeqrf) each(cusolverDnXgeqrf_bufferSize) \
  each(cusolverDnXgesvdjGetResidual) each(cusolverDnXgesvdjSetMaxSweeps) each(cusolverDnXgesvdjSetSortEig) \
  each(cusolverDnXgesvdjSetTolerance) each(cusolverDnXpotrf) each(cusolverDnXpotrf_bufferSize) each(cusolverDnXpotrs) \
  each(cusolverDnXsyevd) each(cusolverDnXsyevd_bufferSize) each(cusolverDnXsyevjSetSortEig) each(cusolverDnXsytrs) \
  each(cusolverDnXsytrs_bufferSize) each(cusolverDnZgeqrf) each(cusolverDnZgeqrf_bufferSize) each(cusolverDnZgesvd) \
  each(cusolverDnZgesvd_bufferSize) each(cusolverDnZgesvdaStridedBatched) \
  each(cusolverDnZgesvdaStridedBatched_bufferSize) each(cusolverDnZgesvdj) each(cusolverDnZgesvdjBatched) \
  each(cusolverDnZgesvdjBatched_bufferSize) each(cusolverDnZgesvdj_bufferSize) each(cusolverDnZgetrf) \
  each(cusolverDnZgetrf_bufferSize) each(cusolverDnZgetrs) each(cusolverDnZheevd) each(cusolverDnZheevd_bufferSize) \
  each(cusolverDnZheevj) each(cusolverDnZheevjBatched) each(cusolverDnZheevjBatched_bufferSize) \
  each(cusolverDnZheevj_bufferSize) each(cusolverDnZpotrf) each(cusolverDnZpotrfBatched) \
  each(cusolverDnZpotrf_bufferSize) each(cusolverDnZpotrs) each(cusolverDnZpotrsBatched) each(cusolverDnZsytrf) \
  each(cusolverDnZsytrf_bufferSize) each(cusolverDnZungqr) each(cusolverDnZungqr_bufferSize) each(cusolverDnZunmqr) \
  each(cusolverDnZunmqr_bufferSize)
TORCHTALK_EACH_CUSOLVER(TORCHTALK_CUSOLVER)
#define TORCHTALK_CUSPARSE(name) TORCHTALK_RETURNS(cusparseStatus_t, name)
#define TORCHTALK_EACH_CUSPARSE(each) \
  each(cusparseCreateConstDnMat) \
  \
  each(cusparseCbsrmm) each(cusparseCbsrmv) each(cusparseCbsrsm2_analysis) each(cusparseCbsrsm2_bufferSize) \
  each(cusparseCbsrsm2_solve) each(cusparseCbsrsv2_analysis) each(cusparseCbsrsv2_bufferSize) \
  each(cusparseCbsrsv2_solve) each(cusparseCcsrgeam2) each(cusparseCcsrgeam2_bufferSizeExt) each(cusparseCcsrmm2) \
  each(cusparseCreate) each(cusparseCreateBsrsm2Info) each(cusparseCreateBsrsv2Info) each(cusparseCreateCoo) \
  each(cusparseCreateCsr) each(cusparseCreateCsrgemm2Info) each(cusparseCreateDnMat) each(cusparseCreateDnVec) \
  each(cusparseCreateIdentityPermutation) each(cusparseCreateMatDescr) each(cusparseCsrSetPointers) \
  each(cusparseCsrSetStridedBatch) each(cusparseDbsrmm) each(cusparseDbsrmv) each(cusparseDbsrsm2_analysis) \
  each(cusparseDbsrsm2_bufferSize) each(cusparseDbsrsm2_solve) each(cusparseDbsrsv2_analysis) \
  each(cusparseDbsrsv2_bufferSize) each(cusparseDbsrsv2_solve) each(cusparseDcsrgeam2) \
  each(cusparseDcsrgeam2_bufferSizeExt) each(cusparseDcsrgemm2) each(cusparseDcsrgemm2_bufferSizeExt) \
  each(cusparseDcsrmm2) each(cusparseDestroy) each(cusparseDestroyCsrgemm2Info) \
  each(cusparseDnMatSetStridedBatch) \
  each(cusparseLtDenseDescriptorInit) each(cusparseLtInit) each(cusparseLtMatDescriptorDestroy) each(cusparseLtMatmul) \
  each(cusparseLtMatmulAlgGetAttribute) each(cusparseLtMatmulAlgSelectionInit) each(cusparseLtMatmulAlgSetAttribute) \
  each(cusparseLtMatmulDescSetAttribute) each(cusparseLtMatmulDescriptorInit) each(cusparseLtMatmulGetWorkspace) \
  each(cusparseLtMatmulPlanDestroy) each(cusparseLtMatmulPlanInit) each(cusparseLtMatmulSearch) \
  each(cusparseLtSpMMACompress2) each(cusparseLtSpMMACompressedSize2) each(cusparseLtStructuredDescriptorInit) \
  each(cusparseSDDMM) each(cusparseSDDMM_bufferSize) each(cusparseSDDMM_preprocess) each(cusparseSbsrmm) \
  each(cusparseSbsrmv) each(cusparseSbsrsm2_analysis) each(cusparseSbsrsm2_bufferSize) each(cusparseSbsrsm2_solve) \
  each(cusparseSbsrsv2_analysis) each(cusparseSbsrsv2_bufferSize) each(cusparseSbsrsv2_solve) each(cusparseScsrgeam2) \
  each(cusparseScsrgeam2_bufferSizeExt) each(cusparseScsrgemm2) each(cusparseScsrgemm2_bufferSizeExt) \
  each(cusparseScsrmm2) each(cusparseSetMatDiagType) each(cusparseSetMatFillMode) each(cusparseSetMatIndexBase) \
  each(cusparseSetMatType) each(cusparseSetPointerMode) each(cusparseSetStream) each(cusparseSpGEMM_compute) \
  each(cusparseSpGEMM_copy) each(cusparseSpGEMM_createDescr) \
  each(cusparseSpGEMM_workEstimation) each(cusparseSpMM) each(cusparseSpMM_bufferSize) each(cusparseSpMV) \
  each(cusparseSpMV_bufferSize) each(cusparseSpMatGetSize) each(cusparseSpMatSetAttribute) each(cusparseSpSM_analysis) \
  each(cusparseSpSM_bufferSize) each(cusparseSpSM_createDescr) each(cusparseSpSM_solve) each(cusparseSpSV_analysis) \
  each(cusparseSpSV_bufferSize) each(cusparseSpSV_createDescr) each(cusparseSpSV_solve) \
  each(cusparseXbsrsm2_zeroPivot) each(cusparseXbsrsv2_zeroPivot) each(cusparseXcoo2csr) each(cusparseXcoosortByRow) \
  each(cusparseXcoosort_bufferSizeExt) each(cusparseXcsrgeam2Nnz) each(cusparseXcsrgemm2Nnz) each(cusparseXcsrsort) \
  each(cusparseXcsrsort_bufferSizeExt) each(cusparseZbsrmm) each(cusparseZbsrmv) each(cusparseZbsrsm2_analysis) \
  each(cusparseZbsrsm2_bufferSize) each(cusparseZbsrsm2_solve) each(cusparseZbsrsv2_analysis) \
  each(cusparseZbsrsv2_bufferSize) each(cusparseZbsrsv2_solve) each(cusparseZcsrgeam2) \
  each(cusparseZcsrgeam2_bufferSizeExt) each(cusparseZcsrmm2)
TORCHTALK_EACH_CUSPARSE(TORCHTALK_CUSPARSE)
// Their addresses are taken.
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr*); cusparseStatus_t cusparseDestroyMatDescr(const cusparseMatDescr*);
cusparseStatus_t cusparseDestroyBsrsv2Info(bsrsv2Info*); cusparseStatus_t cusparseDestroyBsrsv2Info(const bsrsv2Info*);
cusparseStatus_t cusparseDestroyBsrsm2Info(bsrsm2Info*); cusparseStatus_t cusparseDestroyBsrsm2Info(const bsrsm2Info*);
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr*); cusparseStatus_t cusparseDestroyDnMat(const cusparseDnMatDescr*);
cusparseStatus_t cusparseDestroyDnVec(cusparseDnVecDescr*); cusparseStatus_t cusparseDestroyDnVec(const cusparseDnVecDescr*);
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr*); cusparseStatus_t cusparseDestroySpMat(const cusparseSpMatDescr*);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr*); cusparseStatus_t cusparseSpSV_destroyDescr(const cusparseSpSVDescr*);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr*); cusparseStatus_t cusparseSpSM_destroyDescr(const cusparseSpSMDescr*);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr*); cusparseStatus_t cusparseSpGEMM_destroyDescr(const cusparseSpGEMMDescr*);
#define TORCHTALK_CUFFT(name) TORCHTALK_RETURNS(cufftResult, name)
#define TORCHTALK_EACH_CUFFT(each) \
  each(cufftCreate) each(cufftDestroy) each(cufftSetAutoAllocation) each(cufftSetStream) each(cufftSetWorkArea) \
  each(cufftXtExec) each(cufftXtMakePlanMany)
TORCHTALK_EACH_CUFFT(TORCHTALK_CUFFT)
#define TORCHTALK_CUDNN(name) TORCHTALK_RETURNS(cudnnStatus_t, name)
#define TORCHTALK_EACH_CUDNN(each) \
  each(cudnnActivationBackward) each(cudnnActivationForward) each(cudnnAddTensor) \
  each(cudnnConvolutionBackwardBias) \
  \
  \
  \
  each(cudnnDeriveBNTensorDescriptor) \
  \
  \
  \
  each(cudnnDropoutBackward) each(cudnnDropoutForward) \
  each(cudnnDropoutGetReserveSpaceSize) each(cudnnFindConvolutionBackwardDataAlgorithm) \
  each(cudnnFindConvolutionBackwardFilterAlgorithm) each(cudnnFindConvolutionForwardAlgorithm) \
  each(cudnnGetConvolution2dDescriptor) each(cudnnGetConvolutionNdDescriptor) \
  each(cudnnGetRNNLinLayerBiasParams) each(cudnnLRNCrossChannelBackward) \
  each(cudnnLRNCrossChannelForward) each(cudnnPoolingBackward) each(cudnnSetConvolution2dDescriptor) \
  each(cudnnSetFilter4dDescriptor) each(cudnnSetLRNDescriptor) each(cudnnSetPoolingNdDescriptor) \
  each(cudnnSetRNNDescriptor) each(cudnnSetTensor4dDescriptor) each(cudnnSetTensor4dDescriptorEx) \
  each(cudnnSoftmaxBackward) each(cudnnSoftmaxForward) each(cudnnTransformTensor) \
  each(cudnnBackendExecute) each(cudnnBatchNormalizationBackward) each(cudnnBatchNormalizationBackwardEx) \
  each(cudnnBatchNormalizationForwardInference) each(cudnnBatchNormalizationForwardTraining) \
  each(cudnnBatchNormalizationForwardTrainingEx) each(cudnnCTCLoss) each(cudnnCTCLoss_v8) \
  each(cudnnConvolutionBackwardData) each(cudnnConvolutionBackwardFilter) each(cudnnConvolutionBiasActivationForward) \
  each(cudnnConvolutionForward) each(cudnnCreate) each(cudnnDestroy) \
  each(cudnnDropoutGetStatesSize) each(cudnnFindConvolutionBackwardDataAlgorithmEx) \
  each(cudnnFindConvolutionBackwardFilterAlgorithmEx) each(cudnnFindConvolutionForwardAlgorithmEx) \
  each(cudnnGetBatchNormalizationBackwardExWorkspaceSize) \
  each(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize) \
  each(cudnnGetBatchNormalizationTrainingExReserveSpaceSize) each(cudnnGetCTCLossWorkspaceSize) \
  each(cudnnGetCTCLossWorkspaceSize_v8) each(cudnnGetConvolutionBackwardDataAlgorithm_v7) \
  each(cudnnGetConvolutionBackwardDataWorkspaceSize) each(cudnnGetConvolutionBackwardFilterAlgorithm_v7) \
  each(cudnnGetConvolutionBackwardFilterWorkspaceSize) each(cudnnGetConvolutionForwardAlgorithm_v7) \
  each(cudnnGetConvolutionForwardWorkspaceSize) each(cudnnGetFilterNdDescriptor) each(cudnnGetProperty) \
  each(cudnnGetRNNLinLayerMatrixParams) each(cudnnGetRNNParamsSize) each(cudnnGetRNNTempSpaceSizes) \
  each(cudnnGetRNNTrainingReserveSize) each(cudnnGetRNNWeightParams) each(cudnnGetRNNWeightSpaceSize) \
  each(cudnnGetRNNWorkspaceSize) each(cudnnGetTensorNdDescriptor) each(cudnnPoolingForward) each(cudnnRNNBackwardData) \
  each(cudnnRNNBackwardData_v8) each(cudnnRNNBackwardWeights) each(cudnnRNNBackwardWeights_v8) each(cudnnRNNForward) \
  each(cudnnRNNForwardInference) each(cudnnRNNForwardTraining) each(cudnnRestoreDropoutDescriptor) \
  each(cudnnSetActivationDescriptor) each(cudnnSetCTCLossDescriptor) each(cudnnSetCTCLossDescriptorEx) \
  each(cudnnSetCTCLossDescriptor_v8) each(cudnnSetCTCLossDescriptor_v9) each(cudnnSetConvolutionGroupCount) \
  each(cudnnSetConvolutionMathType) each(cudnnSetConvolutionNdDescriptor) each(cudnnSetDropoutDescriptor) \
  each(cudnnSetFilterNdDescriptor) each(cudnnSetPooling2dDescriptor) each(cudnnSetRNNDataDescriptor) \
  each(cudnnSetRNNDescriptor_v6) each(cudnnSetRNNDescriptor_v8) each(cudnnSetRNNMatrixMathType) \
  each(cudnnSetRNNProjectionLayers) each(cudnnSetSpatialTransformerNdDescriptor) each(cudnnSetStream) \
  each(cudnnSetTensorNdDescriptor) each(cudnnSpatialTfGridGeneratorBackward) each(cudnnSpatialTfGridGeneratorForward) \
  each(cudnnSpatialTfSamplerBackward) each(cudnnSpatialTfSamplerForward)
TORCHTALK_EACH_CUDNN(TORCHTALK_CUDNN)
// Their addresses are taken.
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t*); cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t);
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t*); cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t);
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t*); cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t);
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t*); cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t);
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t*); cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t);
cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t*); cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t);
cudnnStatus_t cudnnCreateSpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t*); cudnnStatus_t cudnnDestroySpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t);
cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t*); cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t);
cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t*); cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t);
cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t*); cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t);
cudnnStatus_t cudnnCreateLRNDescriptor(cudnnLRNDescriptor_t*); cudnnStatus_t cudnnDestroyLRNDescriptor(cudnnLRNDescriptor_t);
TORCHTALK_RETURNS(const char*, cudnnGetErrorString) TORCHTALK_RETURNS(size_t, cudnnGetVersion) TORCHTALK_RETURNS(size_t, cudnnGetCudartVersion)
TORCHTALK_RETURNS(const char*, cusparseGetErrorString) TORCHTALK_RETURNS(const char*, cublasGetStatusString)
#define TORCHTALK_CURAND(name) TORCHTALK_RETURNS(curandStatus_t, name)
#define TORCHTALK_EACH_CURAND(each) \
  each(curandCreateGenerator) each(curandDestroyGenerator) each(curandGenerate) each(curandGenerateNormal) \
  each(curandGenerateNormalDouble) each(curandGenerateUniform) each(curandGenerateUniformDouble) \
  each(curandSetPseudoRandomGeneratorSeed) each(curandSetStream)
TORCHTALK_EACH_CURAND(TORCHTALK_CURAND)
