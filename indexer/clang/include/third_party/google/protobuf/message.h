// A stand-in for protobuf, written for an index: messages as old trees use them.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#define GOOGLE_PROTOBUF_VERSION 3013000
namespace google {
namespace protobuf {
typedef int8_t int8; typedef int16_t int16; typedef int32_t int32; typedef int64_t int64;
typedef uint8_t uint8; typedef uint16_t uint16; typedef uint32_t uint32; typedef uint64_t uint64;
namespace io {
struct ZeroCopyInputStream { virtual ~ZeroCopyInputStream(); };
struct ZeroCopyOutputStream { virtual ~ZeroCopyOutputStream(); };
struct CodedInputStream { template <class... T> explicit CodedInputStream(T&&...); template <class... T> void SetTotalBytesLimit(T&&...); };
struct CodedOutputStream { template <class... T> explicit CodedOutputStream(T&&...); };
#define TORCHTALK_STREAM(name, base) struct name : base { template <class... T> explicit name(T&&...); bool Close(); bool Flush(); };
TORCHTALK_STREAM(ArrayInputStream, ZeroCopyInputStream) TORCHTALK_STREAM(FileInputStream, ZeroCopyInputStream)
TORCHTALK_STREAM(IstreamInputStream, ZeroCopyInputStream) TORCHTALK_STREAM(StringOutputStream, ZeroCopyOutputStream)
TORCHTALK_STREAM(FileOutputStream, ZeroCopyOutputStream) TORCHTALK_STREAM(ArrayOutputStream, ZeroCopyOutputStream)
TORCHTALK_STREAM(OstreamOutputStream, ZeroCopyOutputStream)
#undef TORCHTALK_STREAM
}
struct Descriptor { const std::string& name() const; const std::string& full_name() const; };
class MessageLite {
 public:
  virtual ~MessageLite();
  std::string GetTypeName() const; void Clear(); bool IsInitialized() const; int ByteSize() const; size_t ByteSizeLong() const;
  template <class T> bool ParseFromString(T&&);
  bool ParseFromArray(const void*, int); bool ParseFromIstream(std::istream*); bool ParseFromCodedStream(io::CodedInputStream*);
  bool ParseFromZeroCopyStream(io::ZeroCopyInputStream*); bool ParsePartialFromString(const std::string&);
  bool SerializeToString(std::string*) const; bool SerializeToArray(void*, int) const; bool SerializeToOstream(std::ostream*) const;
  bool SerializeToCodedStream(io::CodedOutputStream*) const; bool SerializeToZeroCopyStream(io::ZeroCopyOutputStream*) const;
  bool AppendToString(std::string*) const; std::string SerializeAsString() const; bool SerializePartialToString(std::string*) const;
  std::string InitializationErrorString() const; void CheckTypeAndMergeFrom(const MessageLite&);
};
class Message : public MessageLite {
 public:
  std::string DebugString() const; std::string ShortDebugString() const; std::string Utf8DebugString() const;
  const Descriptor* GetDescriptor() const; void DiscardUnknownFields(); void CopyFrom(const Message&); void MergeFrom(const Message&);
};
struct TextFormat {
  struct Parser { template <class... T> bool Parse(T&&...); template <class... T> bool ParseFromString(T&&...); };
  template <class... T> static bool Parse(T&&...); template <class... T> static bool ParseFromString(T&&...);
  template <class... T> static bool Print(T&&...); template <class... T> static bool PrintToString(T&&...);
};
void ShutdownProtobufLibrary();
namespace internal { const std::string& GetEmptyStringAlreadyInited(); }
}
}
