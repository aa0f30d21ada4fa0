// The types that the C library's headers expect of the compiler. Read several times with __need_…: everything is
// defined the first time, since more than was asked for does no harm to an index.
#ifndef TORCHTALK_STDDEF
#define TORCHTALK_STDDEF
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#else
namespace std { typedef decltype(nullptr) nullptr_t; }
using std::nullptr_t;
#endif
typedef struct {
  long long torchtalk_integer __attribute__((__aligned__(__alignof__(long long))));
  long double torchtalk_real __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;
#define __CLANG_MAX_ALIGN_T_DEFINED
#define _GCC_MAX_ALIGN_T
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#undef NULL
#ifdef __cplusplus
#define NULL __null
#else
#define NULL ((void*)0)
#endif
#if defined(__need_wint_t) && !defined(TORCHTALK_WINT_T)
#define TORCHTALK_WINT_T
typedef __WINT_TYPE__ wint_t;
#endif
#undef __need_size_t
#undef __need_ptrdiff_t
#undef __need_wchar_t
#undef __need_wint_t
#undef __need_NULL
#undef __need_max_align_t
