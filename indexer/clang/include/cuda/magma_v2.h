// A stand-in for MAGMA, written for an index: each function takes anything.
#pragma once
#include "torchtalk_libraries.h"
#define MAGMA_VERSION_MAJOR 2
#define MAGMA_VERSION_MINOR 7
#define MAGMA_VERSION_MICRO 2
typedef int magma_int_t;
typedef int magma_device_t;
typedef cuComplex magmaFloatComplex;
typedef cuDoubleComplex magmaDoubleComplex;
TORCHTALK_HANDLE(magma_queue_t)
enum { MAGMA_SUCCESS = 0, MAGMA_ERR_DEVICE_ALLOC = -113, MAGMA_ERR_HOST_ALLOC = -112, MAGMA_ERR_ILLEGAL_VALUE = -104,
  MAGMA_ERR_INVALID_PTR = -109, MAGMA_ERR_NOT_IMPLEMENTED = -118, MAGMA_ERR_NOT_SUPPORTED = -117 };
enum magma_trans_t { MagmaNoTrans, MagmaTrans, MagmaConjTrans };
enum magma_uplo_t { MagmaUpper, MagmaLower };
enum magma_diag_t { MagmaNonUnit, MagmaUnit };
enum magma_side_t { MagmaLeft, MagmaRight };
enum magma_vec_t { MagmaNoVec, MagmaVec, MagmaAllVec, MagmaSomeVec };
#define TORCHTALK_MAGMA(name) TORCHTALK_RETURNS(magma_int_t, name)
TORCHTALK_MAGMA(magma_cgeev) TORCHTALK_MAGMA(magma_cgels_gpu) TORCHTALK_MAGMA(magma_cgeqrf2_gpu)
TORCHTALK_MAGMA(magma_cgeqrf_gpu) TORCHTALK_MAGMA(magma_cgesdd) TORCHTALK_MAGMA(magma_cgetrf_batched)
TORCHTALK_MAGMA(magma_cgetrf_gpu) TORCHTALK_MAGMA(magma_cgetrf_nopiv_batched)
TORCHTALK_MAGMA(magma_cgetrf_nopiv_gpu) TORCHTALK_MAGMA(magma_cgetrs_batched) TORCHTALK_MAGMA(magma_cgetrs_gpu)
TORCHTALK_MAGMA(magma_cheevd_gpu) TORCHTALK_MAGMA(magma_chetrf_gpu) TORCHTALK_MAGMA(magma_cpotrf_batched)
TORCHTALK_MAGMA(magma_cpotrf_gpu) TORCHTALK_MAGMA(magma_cpotrs_batched) TORCHTALK_MAGMA(magma_cpotrs_gpu)
TORCHTALK_MAGMA(magma_dgeev) TORCHTALK_MAGMA(magma_dgels_gpu) TORCHTALK_MAGMA(magma_dgeqrf2_gpu)
TORCHTALK_MAGMA(magma_dgeqrf_gpu) TORCHTALK_MAGMA(magma_dgesdd) TORCHTALK_MAGMA(magma_dgetrf_batched)
TORCHTALK_MAGMA(magma_dgetrf_gpu) TORCHTALK_MAGMA(magma_dgetrf_nopiv_batched)
TORCHTALK_MAGMA(magma_dgetrf_nopiv_gpu) TORCHTALK_MAGMA(magma_dgetrs_batched) TORCHTALK_MAGMA(magma_dgetrs_gpu)
TORCHTALK_MAGMA(magma_dpotrf_batched) TORCHTALK_MAGMA(magma_dpotrf_gpu) TORCHTALK_MAGMA(magma_dpotri_gpu)
TORCHTALK_MAGMA(magma_dpotrs_batched) TORCHTALK_MAGMA(magma_dpotrs_gpu) TORCHTALK_MAGMA(magma_dsyevd_gpu)
TORCHTALK_MAGMA(magma_dsytrf_gpu) TORCHTALK_MAGMA(magma_get_cgeqrf_nb) TORCHTALK_MAGMA(magma_get_dgeqrf_nb)
TORCHTALK_MAGMA(magma_get_sgeqrf_nb) TORCHTALK_MAGMA(magma_get_zgeqrf_nb) TORCHTALK_MAGMA(magma_init)
TORCHTALK_MAGMA(magma_queue_create_from_cuda) TORCHTALK_MAGMA(magma_queue_destroy) TORCHTALK_MAGMA(magma_queue_sync)
TORCHTALK_MAGMA(magma_sgeev) TORCHTALK_MAGMA(magma_sgels_gpu) TORCHTALK_MAGMA(magma_sgeqrf2_gpu)
TORCHTALK_MAGMA(magma_sgeqrf_gpu) TORCHTALK_MAGMA(magma_sgesdd) TORCHTALK_MAGMA(magma_sgetrf_batched)
TORCHTALK_MAGMA(magma_sgetrf_gpu) TORCHTALK_MAGMA(magma_sgetrf_nopiv_batched)
TORCHTALK_MAGMA(magma_sgetrf_nopiv_gpu) TORCHTALK_MAGMA(magma_sgetrs_batched) TORCHTALK_MAGMA(magma_sgetrs_gpu)
TORCHTALK_MAGMA(magma_spotrf_batched) TORCHTALK_MAGMA(magma_spotrf_gpu) TORCHTALK_MAGMA(magma_spotrs_batched)
TORCHTALK_MAGMA(magma_spotrs_gpu) TORCHTALK_MAGMA(magma_ssyevd_gpu) TORCHTALK_MAGMA(magma_ssytrf_gpu)
TORCHTALK_MAGMA(magma_version) TORCHTALK_MAGMA(magma_zgeev) TORCHTALK_MAGMA(magma_zgels_gpu)
TORCHTALK_MAGMA(magma_zgeqrf2_gpu) TORCHTALK_MAGMA(magma_zgeqrf_gpu) TORCHTALK_MAGMA(magma_zgesdd)
TORCHTALK_MAGMA(magma_zgetrf_batched) TORCHTALK_MAGMA(magma_zgetrf_gpu) TORCHTALK_MAGMA(magma_zgetrf_nopiv_batched)
TORCHTALK_MAGMA(magma_zgetrf_nopiv_gpu) TORCHTALK_MAGMA(magma_zgetrs_batched) TORCHTALK_MAGMA(magma_zgetrs_gpu)
TORCHTALK_MAGMA(magma_zheevd_gpu) TORCHTALK_MAGMA(magma_zhetrf_gpu) TORCHTALK_MAGMA(magma_zpotrf_batched)
TORCHTALK_MAGMA(magma_zpotrf_gpu) TORCHTALK_MAGMA(magma_zpotrs_batched) TORCHTALK_MAGMA(magma_zpotrs_gpu)
TORCHTALK_MAGMA(magmablas_strsm_batched) TORCHTALK_MAGMA(magmablas_dtrsm_batched) TORCHTALK_MAGMA(magmablas_ctrsm_batched) TORCHTALK_MAGMA(magmablas_ztrsm_batched)
TORCHTALK_RETURNS(const char*, magma_strerror) TORCHTALK_RETURNS(cublasHandle_t, magma_queue_get_cublas_handle)
