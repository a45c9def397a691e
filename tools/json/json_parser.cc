#include "tools/json/json_parser.h"

#include <stdlib.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "geckoprof/base/utf8.h"
#include "geckoprof/base/utf8_repair.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

constexpr uint64_t kEachByte = 0x0101010101010101, kHighBits = 0x8080808080808080;

// The high bit of bytes that end a run of plain characters: a quote, a backslash, a control character. Bytes above the
// first that does may be told wrongly.
uint64_t EndsOf(uint64_t bytes) {
  const uint64_t quotes = bytes ^ (kEachByte * '"'), slashes = bytes ^ (kEachByte * '\\');
  return (((quotes - kEachByte) & ~quotes) | ((slashes - kEachByte) & ~slashes) |
          ((bytes - kEachByte * 0x20) & ~bytes)) &
         kHighBits;
}

// The first byte of a string that is a quote, a backslash or a control character; at the latest the zero at `end`.
char* EndOfPlain(char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    const uint64_t ends = EndsOf(NumberAt<uint64_t>(reinterpret_cast<const uint8_t*>(at)));
    if (ends != 0) return at + std::countr_zero(ends) / 8;
  }
  while (static_cast<unsigned char>(*at) >= 0x20 && *at != '"' && *at != '\\') ++at;
  return at;
}

// Powers that a double has exactly.
constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

bool JsonParser::Fail(std::string reason, const char* position) {
  reason_ = std::move(reason);
  offset_ = static_cast<size_t>(position - text_->data());
  return false;
}

bool JsonParser::Parse() {
  SkipSpace();
  if (at_ == end()) return Fail("The document is empty.", at_);
  if (!Value()) return false;
  SkipSpace();
  if (at_ != end()) {
    return Fail(*at_ == 0 ? "zero byte" : "The document root must not be followed by other values.", at_);
  }
  builder_.Finish();
  return true;
}

bool JsonParser::Value() {
  if (++values_ > limits_.values) return Fail(Concat("more than ", limits_.values, " values"), at_);
  switch (*at_) {
    case '{':
      return Object();
    case '[':
      return Array();
    case '"': {
      std::string_view text;
      if (!String(&text)) return false;
      if (!is_left_out_) builder_.String(text);
      text_->ReadUpTo(text.data());
      return true;
    }
    case 'n':
      if (!is_left_out_) builder_.Null();
      return Word("null");
    case 't':
      if (!is_left_out_) builder_.Bool(true);
      return Word("true");
    case 'f':
      if (!is_left_out_) builder_.Bool(false);
      return Word("false");
    default:
      return Number();
  }
}

bool JsonParser::Word(std::string_view word) {
  for (const char letter : word) {
    if (*at_ != letter) return Fail("Invalid value.", at_);
    ++at_;
  }
  return true;
}

bool JsonParser::Enter() {
  ++at_;
  if (++depth_ > limits_.depth) return Fail(Concat("nested deeper than ", limits_.depth), at_);
  if (!is_left_out_) builder_.StartContainer();
  SkipSpace();
  return true;
}

bool JsonParser::Element() {
  if (!in_thinned_member_ || is_left_out_ || *at_ != '{') return Value();
  is_left_out_ = true;
  const bool is_good = Value();
  is_left_out_ = false;
  builder_.Null();
  return is_good;
}

bool JsonParser::Member(bool is_thinned) {
  if (!is_thinned || in_thinned_member_) return Value();
  in_thinned_member_ = true;
  const bool is_good = Value();
  in_thinned_member_ = false;
  return is_good;
}

bool JsonParser::Array() {
  if (!Enter()) return false;
  text_->ReadUpTo(at_);
  size_t count = 0;
  if (*at_ != ']') {
    for (;; ++at_, SkipSpace()) {
      if (!Element()) return false;
      ++count;
      SkipSpace();
      if (*at_ != ',') break;
    }
  }
  if (*at_ != ']') return Fail("Missing a comma or ] after an array element.", at_);
  ++at_;
  --depth_;
  return is_left_out_ || builder_.EndArray(count) || Fail("too large", at_);
}

bool JsonParser::Object() {
  if (!Enter()) return false;
  size_t count = 0;
  if (*at_ != '}') {
    for (;; ++at_, SkipSpace()) {
      std::string_view name;
      if (*at_ != '"') return Fail("Missing a name for object member.", at_);
      if (++values_ > limits_.values) return Fail(Concat("more than ", limits_.values, " values"), at_);
      if (!String(&name)) return false;
      if (!is_left_out_) builder_.Key(name);
      const bool is_thinned = !name.empty() && name == options_.without_objects_in;
      SkipSpace();
      if (*at_ != ':') return Fail("Missing a colon after a name of object member.", at_);
      ++at_;
      SkipSpace();
      if (!Member(is_thinned)) return false;
      if (++count > limits_.members) return Fail(Concat("an object with more than ", limits_.members, " members"), at_);
      SkipSpace();
      if (*at_ != ',') break;
    }
  }
  if (*at_ != '}') return Fail("Missing a comma or } after an object member.", at_);
  ++at_;
  --depth_;
  return is_left_out_ || builder_.EndObject(count) || Fail("too large", at_);
}

// Up to 18 digits are read on the way. A number of at most 2^53 divided by a power of ten that a double has exactly is
// rounded once, as it should be.
bool JsonParser::Number() {
  constexpr uint64_t kMostExact = uint64_t{1} << 53;
  constexpr int kMostDigits = 18;
  const char* const first = at_;
  const bool is_negative = *at_ == '-';
  if (is_negative) ++at_;
  if (!IsDigit(*at_)) return Fail("Invalid value.", at_);
  const char* const digits = at_;
  uint64_t number = 0;
  for (; IsDigit(*at_); ++at_) number = number * 10 + static_cast<uint64_t>(*at_ - '0');
  int64_t length = at_ - digits, decimals = 0;
  if (*digits == '0' && length > 1) return Fail("Missing a comma or ] after an array element.", digits + 1);
  if (*at_ == '.') {
    const char* const point = at_++;
    for (; IsDigit(*at_); ++at_) number = number * 10 + static_cast<uint64_t>(*at_ - '0');
    decimals = at_ - point - 1;
    if (decimals == 0) return Fail("Miss fraction part in number.", at_);
  }
  length += decimals;
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    if (!IsDigit(*at_)) return Fail("Miss exponent in number.", at_);
    while (IsDigit(*at_)) ++at_;
    return LongNumber(first);
  }
  if (length > kMostDigits || (decimals > 0 && number > kMostExact)) return LongNumber(first);
  if (decimals == 0) {
    const int64_t integer = static_cast<int64_t>(number);
    if (!is_left_out_) builder_.Integer(is_negative ? -integer : integer);
  } else {
    const double value = static_cast<double>(number) / kPowersOfTen[decimals];
    if (!is_left_out_) builder_.Double(is_negative ? -value : value);
  }
  return true;
}

// Any that obeys the grammar; at_ is its end.
bool JsonParser::LongNumber(const char* first) {
  int64_t integer = 0;
  const auto [stopped, error] = std::from_chars(first, at_, integer);
  if (stopped == at_ && error == std::errc()) {
    if (!is_left_out_) builder_.Integer(integer);
    return true;
  }
  double number = 0;
  if (std::from_chars(first, at_, number).ec == std::errc::result_out_of_range) number = strtod(first, nullptr);
  if (std::isinf(number)) return Fail("Number too big to be stored in double.", first);
  if (!is_left_out_) builder_.Double(number);
  return true;
}

bool JsonParser::String(std::string_view* text) {
  char* const first = at_ + 1;
  char* const stopped = EndOfPlain(first, end());
  if (*stopped == '"') {
    *text = {first, static_cast<size_t>(stopped - first)};
    at_ = stopped + 1;
  } else if (!EscapedString(first, stopped, text)) {
    return false;
  }
  if (options_.only_utf8 && !IsUtf8(*text)) return Fail("Invalid encoding in string.", first);
  return true;
}

// Unescaped, a string is no longer than before.
bool JsonParser::EscapedString(char* first, char* stopped, std::string_view* text) {
  char* to = stopped;
  for (at_ = stopped; *at_ != '"';) {
    if (*at_ == '\\') {
      if (!Escape(&to)) return false;
    } else if (static_cast<unsigned char>(*at_) < 0x20) {
      return Fail(at_ == end() ? "Missing a closing quotation mark in string." : "Invalid encoding in string.", at_);
    }
    char* const plain_end = EndOfPlain(at_, end());
    memmove(to, at_, static_cast<size_t>(plain_end - at_));
    to += plain_end - at_;
    at_ = plain_end;
  }
  ++at_;
  *text = {first, static_cast<size_t>(to - first)};
  return true;
}

bool JsonParser::HexDigits(unsigned* number) {
  const char* const last = at_ + 4;
  if (end() < last || std::from_chars(at_, last, *number, 16).ptr != last || *at_ == '-') return false;
  at_ += 4;
  return true;
}

bool JsonParser::Escape(char** to) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  const char* const start = at_++;
  const char letter = *at_++;
  if (letter == 'u') {
    unsigned code = 0, low = 0;
    if (!HexDigits(&code)) return Fail("Incorrect hex digit after \\u escape in string.", start);
    if (code >= 0xd800 && code < 0xe000) {
      char* const behind = at_;
      bool is_pair = code < 0xdc00 && at_[0] == '\\' && at_[1] == 'u';
      if (is_pair) {
        at_ += 2;
        is_pair = HexDigits(&low) && low >= 0xdc00 && low < 0xe000;
      }
      if (!is_pair) at_ = behind;  // what is no second half is read as what it is
      // Half a pair has no UTF-8: JSON.stringify writes it.
      code = is_pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : kReplacementCharacter;
    }
    *to += EncodeUtf8(code, *to);
    return true;
  }
  const size_t position = kLetters.find(letter);
  if (position == std::string_view::npos) return Fail("Invalid escape character in string.", start);
  *(*to)++ = kMeant[position];
  return true;
}

}  // namespace geckoprof
