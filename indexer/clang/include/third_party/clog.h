// A stand-in for clog, written for an index.
#pragma once
#define CLOG_NONE 0
#define CLOG_FATAL 1
#define CLOG_ERROR 2
#define CLOG_WARNING 3
#define CLOG_INFO 4
#define CLOG_DEBUG 5
#define TORCHTALK_LOG(name) static inline void name(const char* format, ...) { (void)format; }
#define CLOG_DEFINE_LOG_DEBUG(name, module, level) TORCHTALK_LOG(name)
#define CLOG_DEFINE_LOG_INFO(name, module, level) TORCHTALK_LOG(name)
#define CLOG_DEFINE_LOG_WARNING(name, module, level) TORCHTALK_LOG(name)
#define CLOG_DEFINE_LOG_ERROR(name, module, level) TORCHTALK_LOG(name)
#define CLOG_DEFINE_LOG_FATAL(name, module, level) TORCHTALK_LOG(name)
