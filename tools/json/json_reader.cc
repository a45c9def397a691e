#include "tools/json/json_reader.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace geckoprof {

// Only pages that the text has to itself are released. They read as zeros afterwards.
void ConsumedText::Release(const char* position) {
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(text_.data() + released_);
  const uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  const uintptr_t end = reinterpret_cast<uintptr_t>(position) / page_bytes * page_bytes;
  if (end <= first) return;
  madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
  released_ = end - reinterpret_cast<uintptr_t>(text_.data());
}

// RapidJSON 1.1 adds the exponent and the digits behind the point. A sum below -2^31 wraps around, and the library then
// asserts that its table has such a power of ten.
struct ExponentOutOfRange {};
[[noreturn]] inline void ThrowExponentOutOfRange() { throw ExponentOutOfRange(); }

}  // namespace geckoprof

// RapidJSON with our assertion, in a namespace of its own: a test may contain another copy with its own.
#define RAPIDJSON_NAMESPACE geckoprof::json_library
#define RAPIDJSON_NAMESPACE_BEGIN \
  namespace geckoprof {           \
  namespace json_library {
#define RAPIDJSON_NAMESPACE_END \
  }                             \
  }
#define RAPIDJSON_ASSERT(condition) ((condition) ? static_cast<void>(0) : geckoprof::ThrowExponentOutOfRange())
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "absl/strings/str_replace.h"
#include "geckoprof/base/utf8_repair.h"
#include "tools/json/json_tree_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kEachByte = 0x0101010101010101, kHighBits = 0x8080808080808080;

// Returns the high bit of each byte that ends a run of plain characters (a quote, a backslash or a control character).
// The lowest of these bits is right. The bits above it may be wrong.
uint64_t EndsOf(uint64_t bytes) {
  const uint64_t quotes = bytes ^ (kEachByte * '"'), slashes = bytes ^ (kEachByte * '\\');
  return (((quotes - kEachByte) & ~quotes) | ((slashes - kEachByte) & ~slashes) |
          ((bytes - kEachByte * 0x20) & ~bytes)) &
         kHighBits;
}

// Returns the first byte that is a quote, a backslash or a control character. The zero at `end` is one.
char* EndOfPlain(char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    const uint64_t ends = EndsOf(NumberAt<uint64_t>(reinterpret_cast<const uint8_t*>(at)));
    if (ends != 0) return at + std::countr_zero(ends) / 8;
  }
  while (static_cast<unsigned char>(*at) >= 0x20 && *at != '"' && *at != '\\') ++at;
  return at;
}

// Returns the unit of UTF-16 that an escape ("\u0041") at `at` stands for, and 0 where there is no escape.
unsigned EscapedUnit(const char* at, const char* end) {
  unsigned unit = 0;
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return 0;
  return std::from_chars(at + 2, at + 6, unit, 16).ptr == at + 6 ? unit : 0;
}

// RapidJSON refuses half a surrogate pair, which JSON.stringify writes. Writes U+FFFD over such escapes, from the first
// escape of a string to the string's end.
void MendSurrogates(char* escape, const char* end) {
  for (char* at = escape; *at == '\\' && end - at >= 2; at = EndOfPlain(at, end)) {
    const unsigned unit = EscapedUnit(at, end);
    if (unit < 0xd800 || unit >= 0xe000) {
      at += 2;
    } else if (unit < 0xdc00 && EscapedUnit(at + 6, end) >= 0xdc00 && EscapedUnit(at + 6, end) < 0xe000) {
      at += 12;
    } else {
      memcpy(at + 2, "fffd", 4);
      at += 6;
    }
  }
}

// TextStream: the text as a stream of RapidJSON, which reads it and writes the unescaped strings over it.
class TextStream {
 public:
  using Ch = char;

  explicit TextStream(ConsumedText* text) : begin_(text->data()), end_(begin_ + text->size()), at_(begin_) {}

  char Peek() const { return *at_; }
  char Take() { return *at_++; }
  // RapidJSON calls this before it reads a number.
  size_t Tell() {
    number_ = at_;
    return OffsetOf(at_);
  }
  // RapidJSON calls this where a string begins, and then goes on byte by byte. Most strings need no change, so this
  // steps over eight bytes at once.
  char* PutBegin() {
    char* const first = at_;
    at_ = to_ = EndOfPlain(at_, end_);
    if (*at_ == '\\') MendSurrogates(at_, end_);
    return first;
  }
  void Put(char byte) { *to_++ = byte; }
  size_t PutEnd(const char* first) const { return static_cast<size_t>(to_ - first); }

  const char* at() const { return at_; }
  const char* number() const { return number_; }
  size_t OffsetOf(const char* position) const { return static_cast<size_t>(position - begin_); }

 private:
  char* const begin_;
  const char* const end_;
  char* at_;
  char* to_ = nullptr;  // where the string's next byte goes
  const char* number_ = nullptr;
};

struct Fault {
  size_t offset;
  std::string reason;
};

// TreeHandler: passes RapidJSON's events on to a JsonTreeBuilder, within the limits. False ends the parse.
class TreeHandler {
 public:
  TreeHandler(ConsumedText* text, const TextStream* stream, JsonTree* tree, const JsonReadOptions& options)
      : text_(text), stream_(stream), builder_(tree), options_(options), is_array_(options.max_depth + 1) {}

  bool Null() {
    if (!IsLeftOut()) builder_.Null();
    return Count(stream_->at() - 4);
  }
  bool Bool(bool value) {
    if (!IsLeftOut()) builder_.Bool(value);
    return Count(stream_->at() - (value ? 4 : 5));
  }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Int64(value); }
  bool Int64(int64_t value) {
    if (!IsLeftOut()) builder_.Integer(value);
    return Count(stream_->number());
  }
  bool Uint64(uint64_t value) {
    return value <= INT64_MAX ? Int64(static_cast<int64_t>(value)) : Double(static_cast<double>(value));
  }
  bool Double(double value);
  bool RawNumber(const char*, unsigned, bool) { return false; }  // we do not ask for them
  bool String(const char* text, unsigned size_bytes, bool) {
    if (!IsAllowed({text, size_bytes})) return false;
    if (!IsLeftOut()) builder_.String({text, size_bytes});
    text_->ReadUpTo(text);
    return true;
  }
  bool Key(const char* text, unsigned size_bytes, bool);
  bool StartObject();
  bool EndObject(unsigned count);
  bool StartArray();
  bool EndArray(unsigned count);

  bool Refuse(std::string reason, const char* position) {
    fault_ = Fault{stream_->OffsetOf(position), std::move(reason)};
    return false;
  }
  const std::optional<Fault>& fault() const { return fault_; }
  void Finish() { builder_.Finish(); }

 private:
  bool IsLeftOut() const { return left_out_depth_ != 0; }
  bool Count(const char* position) {
    return ++values_ <= options_.max_values || Refuse(Concat("more than ", options_.max_values, " values"), position);
  }
  bool IsAllowed(std::string_view text) {
    if (options_.only_utf8 && !IsUtf8(text)) return Refuse("Invalid encoding in string.", text.data());
    return Count(text.data() - 1);
  }
  bool Enter(bool is_array);

  ConsumedText* text_;
  const TextStream* stream_;
  JsonTreeBuilder builder_;
  const JsonReadOptions options_;
  size_t values_ = 0;
  size_t depth_ = 0;               // of the container that is open; 0: none
  size_t thinned_depth_ = 0;       // of the object whose member `without_objects_in` is being read; 0: none
  size_t left_out_depth_ = 0;      // of the object that is being left out; 0: none
  std::vector<uint8_t> is_array_;  // each open container, by its depth
  std::optional<Fault> fault_;
};

// RapidJSON multiplies or divides the digits by a power of ten. The result is the nearest double where both are exact,
// which they are for 15 digits and for powers up to 22. All numbers within these limits are of that kind. This reads
// the others again.
bool TreeHandler::Double(double value) {
  constexpr ptrdiff_t kExactBytes = 16;  // one of them is a point or an "e"
  constexpr double kLeastExact = 1e-6, kMostExact = 1e15;
  const char *const first = stream_->number(), *const last = stream_->at();
  if (last - first > kExactBytes || !(std::abs(value) > kLeastExact && std::abs(value) < kMostExact)) {
    if (std::from_chars(first, last, value).ec == std::errc::result_out_of_range) value = strtod(first, nullptr);
    if (std::isinf(value)) return Refuse(json_library::GetParseError_En(json_library::kParseErrorNumberTooBig), first);
  }
  if (!IsLeftOut()) builder_.Double(value);
  return Count(first);
}

bool TreeHandler::Key(const char* text, unsigned size_bytes, bool) {
  const std::string_view name(text, size_bytes);
  if (!IsAllowed(name)) return false;
  if (IsLeftOut()) return true;
  builder_.Key(name);
  if (thinned_depth_ == depth_) thinned_depth_ = 0;
  if (thinned_depth_ == 0 && !name.empty() && name == options_.without_objects_in) thinned_depth_ = depth_;
  return true;
}

bool TreeHandler::Enter(bool is_array) {
  if (++depth_ > options_.max_depth) return Refuse(Concat("nested deeper than ", options_.max_depth), stream_->at());
  is_array_[depth_] = is_array;
  if (!IsLeftOut()) builder_.StartContainer();
  return Count(stream_->at() - 1);
}

bool TreeHandler::StartObject() {
  if (thinned_depth_ != 0 && is_array_[depth_] != 0 && !IsLeftOut()) left_out_depth_ = depth_ + 1;
  return Enter(false);
}

bool TreeHandler::StartArray() {
  text_->ReadUpTo(stream_->at());
  return Enter(true);
}

bool TreeHandler::EndObject(unsigned count) {
  if (count > options_.max_members) {
    return Refuse(Concat("an object with more than ", options_.max_members, " members"), stream_->at());
  }
  const size_t depth = depth_--;
  if (depth == left_out_depth_) {
    left_out_depth_ = 0;
    builder_.Null();
    return true;
  }
  if (depth == thinned_depth_) thinned_depth_ = 0;
  return IsLeftOut() || builder_.EndObject(count) || Refuse("too large", stream_->at());
}

bool TreeHandler::EndArray(unsigned count) {
  --depth_;
  return IsLeftOut() || builder_.EndArray(count) || Refuse("too large", stream_->at());
}

// RapidJSON takes a zero byte in the text for the text's end, and a control character for an escape. This says what is
// there.
std::string ReasonFor(json_library::ParseErrorCode code, ConsumedText* text, size_t offset) {
  const bool is_inside = offset < text->size();
  if (code == json_library::kParseErrorDocumentEmpty && is_inside) code = json_library::kParseErrorValueInvalid;
  const bool is_control = code == json_library::kParseErrorStringEscapeInvalid && text->data()[offset] != '\\';
  if (is_control || (code == json_library::kParseErrorStringMissQuotationMark && is_inside)) {
    code = json_library::kParseErrorStringInvalidEncoding;
  }
  return absl::StrReplaceAll(json_library::GetParseError_En(code), {{"'", ""}});
}

std::optional<Fault> Parse(ConsumedText* text, JsonTree* tree, const JsonReadOptions& options) {
  TextStream stream(text);
  TreeHandler handler(text, &stream, tree, options);
  json_library::ParseResult outcome;
  try {
    outcome = json_library::Reader().Parse<json_library::kParseInsituFlag>(stream, handler);
  } catch (const ExponentOutOfRange&) {
    return Fault{stream.OffsetOf(stream.number()), "Exponent out of range."};
  }
  if (handler.fault()) return handler.fault();
  if (outcome.IsError()) return Fault{outcome.Offset(), ReasonFor(outcome.Code(), text, outcome.Offset())};
  if (stream.Tell() != text->size()) return Fault{stream.Tell(), "zero byte"};
  handler.Finish();
  return std::nullopt;
}

}  // namespace

absl::Status ReadJson(ConsumedText* text, JsonTree* tree, const JsonReadOptions& options) {
  const std::optional<Fault> fault = Parse(text, tree, options);
  if (!fault) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("not valid JSON at byte ", fault->offset, ": ", fault->reason));
}

}  // namespace geckoprof
