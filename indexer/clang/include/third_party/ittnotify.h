// A stand-in for ITT, written for an index.
#pragma once
typedef struct torchtalk_itt_domain __itt_domain;
typedef struct torchtalk_itt_string __itt_string_handle;
typedef struct { unsigned long long d1, d2, d3; } __itt_id;
static const __itt_id __itt_null = {0, 0, 0};
extern "C" {
__itt_domain* __itt_domain_create(const char*);
__itt_string_handle* __itt_string_handle_create(const char*);
void __itt_task_begin(const __itt_domain*, __itt_id, __itt_id, __itt_string_handle*);
void __itt_task_end(const __itt_domain*);
void __itt_mark(int, const char*);
}
