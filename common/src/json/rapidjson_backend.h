#ifndef GECKOPROF_JSON_RAPIDJSON_BACKEND_H_
#define GECKOPROF_JSON_RAPIDJSON_BACKEND_H_

// RapidJSON with our settings, in a namespace of its own. The program may contain another copy of RapidJSON with its
// asserts and its malloc. The linker must not confuse the two.
#define RAPIDJSON_NAMESPACE geckoprof::json_backend
#define RAPIDJSON_NAMESPACE_BEGIN \
  namespace geckoprof {           \
  namespace json_backend {
#define RAPIDJSON_NAMESPACE_END \
  }                             \
  }
#define RAPIDJSON_ASSERT(condition) (static_cast<void>(0))  // JsonWriter checks the levels; nothing may abort
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "decimal_digits.h"
#include "sink_stream.h"

namespace geckoprof {

// Implements RapidJSON's allocator concept by operator new.
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

// RapidjsonBackend is RapidJSON's writer, with numbers formatted straight into the chunk.
class RapidjsonBackend : public json_backend::Writer<SinkStream, json_backend::UTF8<>, json_backend::UTF8<>,
                                                     NewAllocator, json_backend::kWriteNoFlags> {
 public:
  using Writer::Writer;

  void Signed(int64_t number) { os_->Advance(WriteSigned(Begin(), number)); }
  void Unsigned(uint64_t number) { os_->Advance(DecimalDigits::Write(Begin(), number)); }
  void Milliseconds(int64_t time_ns) { os_->Advance(WriteMilliseconds(Begin(), time_ns)); }
  void Null() { os_->Advance(WriteNull(Begin())); }
  void Number(const JsonNumber& number) { os_->Advance(WriteNumber(Begin(), number)); }
  // REQUIRES: an array is open.
  void Numbers(std::span<const JsonNumber> numbers);
  void NumberRow(std::span<const JsonNumber> numbers);
  void Open(bool is_object) {
    char* out = Begin();
    *out = is_object ? '{' : '[';
    os_->Advance(out + 1);
    new (level_stack_.template Push<Level>()) Level(/*inArray=*/!is_object);
  }
  // Returns false and writes nothing if the innermost open level is not of this kind.
  bool Close(bool is_object) {
    if (level_stack_.Empty() || level_stack_.template Top<Level>()->inArray == is_object) return false;
    level_stack_.template Pop<Level>(1);
    os_->Put(is_object ? '}' : ']');
    return true;
  }
  bool HasOpenLevel() const { return !level_stack_.Empty(); }
  // Writes text that needs no escape, in one piece.
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
  // The longest number with its neighbours. These are two separators, a sign, 20 digits, a point, a closing bracket,
  // and the bytes that DecimalDigits may write after its end.
  static constexpr size_t kRoomForValue = 40;

  static char* WriteNull(char* out) {
    std::memcpy(out, "null", 4);
    return out + 4;
  }
  static char* WriteSigned(char* out, int64_t number) {
    return DecimalDigits::Write(WriteSign(out, number), Magnitude(number));
  }
  static char* WriteMilliseconds(char* out, int64_t time_ns);
  static char* WriteDouble(char* out, double number);
  static char* WriteNumber(char* out, const JsonNumber& number);
  // Writes numbers with a separator before each. The first one has none if `is_first`.
  char* WriteNumbers(char* out, std::span<const JsonNumber> numbers, bool is_first);
  static char* WriteSign(char* out, int64_t number) {
    *out = '-';
    return out + (number < 0);
  }
  // The result is unsigned, because -INT64_MIN is no int64_t.
  static uint64_t Magnitude(int64_t number) {
    return number < 0 ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  }

  // Does the same as Prefix, and makes room for a number. The chunk's end is tested once a value instead of once a
  // character.
  char* Begin() {
    char* out = os_->Reserve(kRoomForValue);
    if (level_stack_.Empty()) {
      hasRoot_ = true;
      return out;
    }
    Level* level = level_stack_.template Top<Level>();
    const size_t before = level->valueCount++;
    if (before > 0) *out++ = level->inArray || before % 2 == 0 ? ',' : ':';
    return out;
  }
};

inline char* RapidjsonBackend::WriteMilliseconds(char* out, int64_t time_ns) {
  const uint64_t magnitude = Magnitude(time_ns);
  out = DecimalDigits::Write(WriteSign(out, time_ns), magnitude / 1'000'000);
  const uint32_t rest = static_cast<uint32_t>(magnitude % 1'000'000);
  if (rest == 0) return out;
  *out++ = '.';
  out = DecimalDigits::WriteSix(out, rest);
  while (out[-1] == '0') --out;
  return out;
}

// Doubles are rare. Inlined, they would make the loops over other numbers slower.
[[gnu::noinline]] inline char* RapidjsonBackend::WriteDouble(char* out, double number) {
  if (!std::isfinite(number)) return WriteNull(out);
  // Integral values have no ".0", as in Firefox. 2^53 is the last integer that every reader represents exactly.
  if (std::fabs(number) <= 9007199254740992.0 && number == static_cast<double>(static_cast<int64_t>(number))) {
    return WriteSigned(out, static_cast<int64_t>(number));
  }
  return json_backend::internal::dtoa(number, out);
}

[[gnu::always_inline]] inline char* RapidjsonBackend::WriteNumber(char* out, const JsonNumber& number) {
  switch (number.kind()) {
    case JsonNumber::Kind::kNull:
      return WriteNull(out);
    case JsonNumber::Kind::kInt:
      return WriteSigned(out, number.value());
    case JsonNumber::Kind::kTimeMs:
      return WriteMilliseconds(out, number.value());
    case JsonNumber::Kind::kDouble:
      return WriteDouble(out, number.number());
  }
  return out;
}

inline char* RapidjsonBackend::WriteNumbers(char* out, std::span<const JsonNumber> numbers, bool is_first) {
  for (const JsonNumber& number : numbers) {
    out = os_->Reserve(out, kRoomForValue);
    if (!is_first) *out++ = ',';
    is_first = false;
    out = WriteNumber(out, number);
  }
  return out;
}

inline void RapidjsonBackend::Numbers(std::span<const JsonNumber> numbers) {
  Level* level = level_stack_.template Top<Level>();
  const bool is_first = level->valueCount == 0;
  level->valueCount += numbers.size();
  os_->Advance(WriteNumbers(os_->Reserve(kRoomForValue), numbers, is_first));
}

inline void RapidjsonBackend::NumberRow(std::span<const JsonNumber> numbers) {
  char* out = Begin();
  *out++ = '[';
  out = WriteNumbers(out, numbers, /*is_first=*/true);
  *out++ = ']';
  os_->Advance(out);
}

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_RAPIDJSON_BACKEND_H_
