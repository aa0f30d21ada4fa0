// A stand-in for Kineto, written for an index.
#pragma once
#include "ActivityType.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
namespace libkineto {
enum { kLinkFwdBwd = 1, kLinkAsyncCpuGpu };
struct TraceSpan { template <class... T> TraceSpan(T&&...); int64_t startTime, endTime; int opCount, iteration; std::string name, prefix; bool tracked; };
struct ITraceActivity {
  virtual ~ITraceActivity();
  virtual int64_t deviceId() const; virtual int64_t resourceId() const; virtual int32_t getThreadId() const;
  virtual int64_t timestamp() const; virtual int64_t duration() const; virtual int64_t correlationId() const;
  virtual ActivityType type() const; virtual const std::string name() const; virtual const ITraceActivity* linkedActivity() const;
  virtual int flowType() const; virtual int64_t flowId() const; virtual bool flowStart() const;
  virtual const TraceSpan* traceSpan() const; virtual const std::string metadataJson() const;
};
struct GenericTraceActivity : ITraceActivity {
  template <class... T> GenericTraceActivity(T&&...);
  template <class Key, class Value> void addMetadata(Key&&, Value&&);
  template <class Key, class Value> void addMetadataQuoted(Key&&, Value&&);
  int64_t startTime, endTime; int64_t id; int32_t device, resource, threadId; ActivityType activityType; std::string activityName;
  struct Flow { uint32_t id, type, start; } flow;
  const ITraceActivity* linked;
};
struct CpuTraceBuffer {
  TraceSpan span{0, 0, ""};
  int gpuOpCount;
  std::vector<std::unique_ptr<GenericTraceActivity>> activities;
  template <class... T> void emplace_activity(T&&...);
  static GenericTraceActivity& toRef(std::unique_ptr<GenericTraceActivity>&);
};
struct ActivityTraceInterface { const std::vector<const ITraceActivity*>* activities(); void save(const std::string&); };
struct ActivityProfilerInterface {
  void prepareTrace(const std::set<ActivityType>&, const std::string& = "");
  void startTrace(); void toggleCollectionDynamic(bool); void step(); void recordThreadInfo();
  std::unique_ptr<ActivityTraceInterface> stopTrace();
  void transferCpuTrace(std::unique_ptr<CpuTraceBuffer>);
  void pushCorrelationId(uint64_t); void popCorrelationId(); void pushUserCorrelationId(uint64_t); void popUserCorrelationId();
  template <class... T> void addMetadata(T&&...); template <class... T> void logInvariantViolation(T&&...);
  template <class... T> void addChildActivityProfiler(T&&...);
};
struct ClientInterface {
  virtual ~ClientInterface() = default;
  virtual void init() = 0; virtual void prepare(bool, bool, bool, bool, bool) {} virtual void prepare() {}
  virtual void start() = 0; virtual void stop() = 0; virtual void start_memory_profile() {} virtual void stop_memory_profile() {}
  virtual void export_memory_profile(const std::string&) {} virtual void set_withstack(bool) {} virtual void warmup(bool) {}
};
struct LibkinetoApi {
  bool isProfilerRegistered(); bool isProfilerInitialized(); void initProfilerIfRegistered(); void suppressLogMessages();
  void resetKinetoTLS(); ActivityProfilerInterface& activityProfiler(); void registerClient(ClientInterface*);
};
LibkinetoApi& api();
int32_t processId(); int32_t systemThreadId();
std::function<int64_t(int64_t)>& get_time_converter();
template <class T> int64_t timeSinceEpoch(const T&);
}
extern "C" void libkineto_init(bool cpuOnly, bool logOnError);
