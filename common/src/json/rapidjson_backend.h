#ifndef GECKOPROF_JSON_RAPIDJSON_BACKEND_H_
#define GECKOPROF_JSON_RAPIDJSON_BACKEND_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "geckoprof/base/utf8.h"
#include "geckoprof/json/json_writer.h"

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

namespace geckoprof {

// Writes decimal digits two at a time, starting with the first (James Anhalt's algorithm). It needs less than half of
// RapidJSON's instructions.
//
// A number is held as a fraction of a power of 100, with 32 bits after the point. The two digits before the point are
// the next ones. Multiplying the bits after the point by 100 gives the digits after them. The fraction is rounded up so
// little that the error never reaches the next digit. The comments at the powers have the sums.
//
//   123456  ->  12 . 3456  ->  "12", 34 . 56  ->  "34", 56 . 0  ->  "56"
class DecimalDigits {
 public:
  // Writes `number` and returns the end. There may be 20 digits. `out` must have room for one more byte.
  static char* Write(char* out, uint64_t number) {
    if (number >= 100'000'000) return WriteLong(out, number);
    const auto low = static_cast<uint32_t>(number);
    if (low < 100) return WriteFirst(out, low);
    if (low < 10'000) return WriteRest<1>(WriteFirst(out, Fraction4(low) >> 32), Fraction4(low));
    if (low < 1'000'000) return WriteRest<2>(WriteFirst(out, Fraction6(low) >> 32), Fraction6(low));
    return WriteRest<3>(WriteFirst(out, Fraction8(low) >> 32), Fraction8(low));
  }

  // Writes six digits, leading zeros included, and returns their end. REQUIRES: `number` < 1,000,000.
  static char* WriteSix(char* out, uint32_t number) {
    const uint64_t fraction = Fraction6(number);
    return WriteRest<2>(WritePair(out, fraction >> 32), fraction);
  }

 private:
  // These return number / 100, 10,000 or 1,000,000, times 2^32, for a number of up to 4, 6 or 8 digits. The excess,
  // times all later factors, stays below 2^32. It is 0.04 * 10^4 * 100, 0.27 * 10^6 * 10^4 and 444 * 10^6.
  static uint64_t Fraction4(uint32_t number) { return uint64_t{42'949'673} * number; }
  static uint64_t Fraction6(uint32_t number) { return uint64_t{429'497} * number; }
  static uint64_t Fraction8(uint32_t number) { return (uint64_t{281'474'977} * number >> 16) + 1; }

  static char* WriteLong(char* out, uint64_t number);

  // Each element has two digits, the first one in the lowest byte.
  static constexpr std::array<uint16_t, 100> kPairs = [] {
    std::array<uint16_t, 100> pairs{};
    for (unsigned i = 0; i < 100; ++i) pairs[i] = static_cast<uint16_t>(('0' + i / 10) | ('0' + i % 10) << 8);
    return pairs;
  }();

  static char* WritePair(char* out, uint64_t value) {
    const uint16_t text = kPairs[value];
    std::memcpy(out, &text, sizeof(text));
    return out + 2;
  }
  // Writes a number below 100 without a leading zero.
  static char* WriteFirst(char* out, uint64_t value) {
    const int is_single = value < 10;
    const uint16_t text = static_cast<uint16_t>(kPairs[value] >> 8 * is_single);
    std::memcpy(out, &text, sizeof(text));
    return out + 2 - is_single;
  }
  template <int kCount>
  static char* WriteRest(char* out, uint64_t fraction) {
    for (int i = 0; i < kCount; ++i) {
      fraction = uint64_t{static_cast<uint32_t>(fraction)} * 100;
      out = WritePair(out, fraction >> 32);
    }
    return out;
  }
};

inline char* DecimalDigits::WriteLong(char* out, uint64_t number) {
  constexpr uint32_t kEightDigits = 100'000'000;
  const uint64_t fraction = Fraction8(static_cast<uint32_t>(number % kEightDigits));
  out = Write(out, number / kEightDigits);
  return WriteRest<3>(WritePair(out, fraction >> 32), fraction);
}

static_assert(std::endian::native == std::endian::little);  // WriteFirst

// SinkStream is the chunk between RapidJSON and a JsonSink. It models RapidJSON's output stream. After a failure of the
// sink, `*failure` has a text and further bytes are discarded.
class SinkStream {
 public:
  using Ch = char;

  SinkStream(JsonSink sink, std::string_view* failure)
      : sink_(sink), failure_(failure), chunk_(new char[JsonWriter::kChunkBytes]), next_(chunk_.get()) {}

  void Put(char c) {
    if (next_ == chunk_.get() + JsonWriter::kChunkBytes) Drain();
    *next_++ = c;
  }

  // Returns contiguous room for `size_bytes` <= 64. `end` is the end of the bytes that were written into room from an
  // earlier call. Advance says where the last bytes end.
  char* Reserve(char* end, size_t size_bytes) {
    if (static_cast<size_t>(chunk_.get() + JsonWriter::kChunkBytes - end) >= size_bytes) return end;
    next_ = end;
    Drain();
    return next_;
  }
  char* Reserve(size_t size_bytes) { return Reserve(next_, size_bytes); }
  void Advance(char* end) { next_ = end; }

  void Append(const char* bytes, size_t size_bytes) {
    while (size_bytes > 0) {
      if (next_ == chunk_.get() + JsonWriter::kChunkBytes) Drain();
      const size_t room = static_cast<size_t>(chunk_.get() + JsonWriter::kChunkBytes - next_);
      const size_t part = size_bytes < room ? size_bytes : room;
      std::memcpy(next_, bytes, part);
      next_ += part;
      bytes += part;
      size_bytes -= part;
    }
  }

  // RapidJSON calls this at the end of the root value. Finish passes the bytes on, so it does nothing.
  void Flush() {}

  [[gnu::noinline]] void Drain() {
    const size_t size_bytes = static_cast<size_t>(next_ - chunk_.get());
    next_ = chunk_.get();
    if (size_bytes == 0 || !failure_->empty()) return;
    drained_bytes_ += size_bytes;
    if (!sink_.write(sink_.context, chunk_.get(), size_bytes)) *failure_ = "the output cannot be written";
  }

  uint64_t bytes_written() const { return drained_bytes_ + static_cast<uint64_t>(next_ - chunk_.get()); }

 private:
  const JsonSink sink_;
  std::string_view* const failure_;
  const std::unique_ptr<char[]> chunk_;
  char* next_;
  uint64_t drained_bytes_ = 0;
};

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
  // Writes any well-formed UTF-8.
  void EscapedString(std::string_view text);
  void Escape(uint16_t unit) {
    os_->Append("\\u", 2);
    for (int shift = 12; shift >= 0; shift -= 4) os_->Put("0123456789abcdef"[unit >> shift & 15]);
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

inline void RapidjsonBackend::EscapedString(std::string_view text) {
  Prefix(json_backend::kStringType);
  os_->Put('"');
  for (size_t at = 0; at < text.size();) {
    const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(text[at + i])}; };
    const size_t size_bytes = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
    char32_t code = size_bytes == 1 ? byte(0) : byte(0) & (0x7fu >> size_bytes);
    for (size_t i = 1; i < size_bytes; ++i) code = code << 6 | (byte(i) & 0x3f);
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
    const size_t letter = size_bytes == 1 ? kShort.find(text[at]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      os_->Put('\\');
      os_->Put(kLetters[letter]);
    } else if (IsUnsafeToShow(code)) {
      if (size_bytes == 4) Escape(static_cast<uint16_t>(0xd7c0 + (code >> 10)));  // a pair of surrogates
      Escape(static_cast<uint16_t>(size_bytes == 4 ? 0xdc00 | (code & 0x3ff) : code));
    } else {
      os_->Append(&text[at], size_bytes);
    }
    at += size_bytes;
  }
  os_->Put('"');
}

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
