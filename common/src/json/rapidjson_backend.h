#ifndef GECKOPROF_JSON_RAPIDJSON_BACKEND_H_
#define GECKOPROF_JSON_RAPIDJSON_BACKEND_H_

// RapidJSON with our settings, in a namespace of its own: another copy of the library in the same program, with its
// asserts and its malloc, stays a different library for the linker.
#define RAPIDJSON_NAMESPACE geckoprof::json_backend
#define RAPIDJSON_NAMESPACE_BEGIN \
  namespace geckoprof {           \
  namespace json_backend {
#define RAPIDJSON_NAMESPACE_END \
  }                             \
  }
#define RAPIDJSON_ASSERT(condition) (static_cast<void>(0))  // JsonWriter checks the levels; nothing may abort
#include <rapidjson/writer.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "sink_stream.h"

namespace geckoprof {

// RapidJSON's allocator concept over operator new.
class NewAllocator {
 public:
  static const bool kNeedFree = true;
  void* Malloc(size_t size_bytes) { return size_bytes != 0 ? ::operator new(size_bytes) : nullptr; }
  void* Realloc(void* old, size_t old_bytes, size_t size_bytes) {
    void* fresh = Malloc(size_bytes);
    if (old != nullptr && fresh != nullptr) std::memcpy(fresh, old, old_bytes < size_bytes ? old_bytes : size_bytes);
    Free(old);
    return fresh;
  }
  static void Free(void* memory) { ::operator delete(memory); }
};

// RapidjsonBackend: RapidJSON's writer, with numbers formatted straight into the chunk.
class RapidjsonBackend : public json_backend::Writer<SinkStream, json_backend::UTF8<>, json_backend::UTF8<>,
                                                     NewAllocator, json_backend::kWriteNoFlags> {
 public:
  using Writer::Writer;

  void Signed(int64_t number) {
    char* out = Begin();
    os_->Advance(number >= INT32_MIN && number <= INT32_MAX
                     ? json_backend::internal::i32toa(static_cast<int32_t>(number), out)
                     : json_backend::internal::i64toa(number, out));
  }
  void Unsigned(uint64_t number) { os_->Advance(json_backend::internal::u64toa(number, Begin())); }
  void Milliseconds(int64_t time_ns);
  void Nothing() {
    char* out = Begin();
    std::memcpy(out, "null", 4);
    os_->Advance(out + 4);
  }
  void Open(bool is_object) {
    char* out = Begin();
    *out = is_object ? '{' : '[';
    os_->Advance(out + 1);
    new (level_stack_.template Push<Level>()) Level(/*inArray=*/!is_object);
  }
  // False, and nothing is written, if the innermost open level is not of this kind.
  bool Close(bool is_object) {
    if (level_stack_.Empty() || level_stack_.template Top<Level>()->inArray == is_object) return false;
    level_stack_.template Pop<Level>(1);
    os_->Put(is_object ? '}' : ']');
    return true;
  }
  bool HasOpenLevel() const { return !level_stack_.Empty(); }
  // Text that needs no escape, in one piece.
  void PlainString(std::string_view text) {
    Prefix(json_backend::kStringType);
    os_->Put('"');
    os_->Append(text.data(), text.size());
    os_->Put('"');
  }
  void RawBytes(std::string_view json) {
    Prefix(json_backend::kObjectType);
    os_->Append(json.data(), json.size());
  }

 private:
  // What Prefix does, with room for a number behind it: one look at the chunk's end a value instead of one a character.
  char* Begin() {
    char* out = os_->Reserve(40);
    if (level_stack_.Empty()) {
      hasRoot_ = true;
      return out;
    }
    Level* level = level_stack_.template Top<Level>();
    if (level->valueCount > 0) *out++ = level->inArray || level->valueCount % 2 == 0 ? ',' : ':';
    ++level->valueCount;
    return out;
  }
};

inline void RapidjsonBackend::Milliseconds(int64_t time_ns) {
  char* out = Begin();
  // Unsigned, since -INT64_MIN is no int64_t.
  const uint64_t magnitude =
      time_ns < 0 ? uint64_t{0} - static_cast<uint64_t>(time_ns) : static_cast<uint64_t>(time_ns);
  if (time_ns < 0) *out++ = '-';
  const uint64_t whole = magnitude / 1'000'000;
  uint32_t rest = static_cast<uint32_t>(magnitude % 1'000'000);
  out = whole <= UINT32_MAX ? json_backend::internal::u32toa(static_cast<uint32_t>(whole), out)
                            : json_backend::internal::u64toa(whole, out);
  if (rest != 0) {
    const char* digits = json_backend::internal::GetDigitsLut();
    *out++ = '.';
    std::memcpy(out, digits + 2 * (rest / 10'000), 2);
    rest %= 10'000;
    std::memcpy(out + 2, digits + 2 * (rest / 100), 2);
    std::memcpy(out + 4, digits + 2 * (rest % 100), 2);
    out += 6;
    while (out[-1] == '0') --out;
  }
  os_->Advance(out);
}

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_RAPIDJSON_BACKEND_H_
