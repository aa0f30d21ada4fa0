#pragma once
#include <stdint.h>
struct _Unwind_Context;
struct _Unwind_Exception;
typedef uintptr_t _Unwind_Ptr;
typedef uintptr_t _Unwind_Word;
typedef enum { _URC_NO_REASON = 0, _URC_FOREIGN_EXCEPTION_CAUGHT = 1, _URC_END_OF_STACK = 5 } _Unwind_Reason_Code;
typedef _Unwind_Reason_Code (*_Unwind_Trace_Fn)(struct _Unwind_Context*, void*);
#ifdef __cplusplus
extern "C" {
#endif
_Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn, void*);
_Unwind_Ptr _Unwind_GetIP(struct _Unwind_Context*);
#ifdef __cplusplus
}
#endif
