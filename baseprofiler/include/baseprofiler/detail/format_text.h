// The texts of PROFILER_MARKER_FMT.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_FORMAT_TEXT_H_
#define GECKOPROF_BASEPROFILER_DETAIL_FORMAT_TEXT_H_

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

// FormatArgument is one argument, of any type that a format can show.
struct FormatArgument {
  enum class Kind : uint8_t { kSigned, kUnsigned, kReal, kBool, kCharacter, kText, kPointer };

  template <typename Value>
  FormatArgument(const Value& value) {  // NOLINT: implicit
    if constexpr (std::is_same_v<Value, bool>) {
      Set(Kind::kBool, value);
    } else if constexpr (std::is_same_v<Value, char>) {
      Set(Kind::kCharacter, static_cast<unsigned char>(value));
    } else if constexpr (std::is_enum_v<Value>) {
      *this = FormatArgument(static_cast<std::underlying_type_t<Value>>(value));
    } else if constexpr (std::is_floating_point_v<Value>) {
      kind = Kind::kReal;
      real = static_cast<double>(value);
    } else if constexpr (std::is_integral_v<Value>) {
      Set(std::is_signed_v<Value> ? Kind::kSigned : Kind::kUnsigned, static_cast<uint64_t>(value));
    } else if constexpr (kIsUtf8Text<Value>) {
      kind = Kind::kText;
      text = MarkerText(value);
    } else {
      static_assert(std::is_pointer_v<Value>, "a format shows numbers, bool, characters, texts and pointers");
      Set(Kind::kPointer, reinterpret_cast<uintptr_t>(value));
    }
  }

  Kind kind = Kind::kUnsigned;
  uint64_t whole = 0;
  double real = 0;
  std::string_view text = {};

 private:
  void Set(Kind its_kind, uint64_t its_whole) {
    kind = its_kind;
    whole = its_whole;
  }
};

// FormatSpec is what stands between the braces: [<|>][#][0][width][.precision][type].
struct FormatSpec {
  bool to_left = false, to_right = false, with_prefix = false, with_zeros = false;
  unsigned width = 0;
  int precision = -1;
  char type = 0;  // d, x, X, e, f, g, s or 0

  // Reads the rest of a pair of braces from `at` on. Returns the place behind them, or 0 if they are no specification.
  static constexpr size_t Read(std::string_view format, size_t at, FormatSpec* spec) {
    const auto next = [&] { return at < format.size() ? format[at] : '\0'; };
    const auto number = [&] {
      unsigned read = 0;
      for (; next() >= '0' && next() <= '9' && read < 1000; ++at)
        read = read * 10 + static_cast<unsigned>(next() - '0');
      return read;
    };
    if (next() == ':') {
      ++at;
      if (next() == '<') spec->to_left = true;
      if (next() == '>') spec->to_right = true;
      if (spec->to_left || spec->to_right) ++at;
      if (next() == '#') spec->with_prefix = true, ++at;
      if (next() == '0') spec->with_zeros = true, ++at;
      spec->width = number();
      if (next() == '.') {
        ++at;
        if (next() < '0' || next() > '9') return 0;
        spec->precision = static_cast<int>(number());
      }
      if (std::string_view("dxXefgs").find(next()) != std::string_view::npos && next() != '\0') {
        spec->type = next();
        ++at;
      }
    }
    return next() == '}' ? at + 1 : 0;
  }
};

// Returns how many arguments the format takes, or -1 if it is no format.
constexpr int CountFormatArguments(std::string_view format) {
  int count = 0;
  for (size_t at = 0; at < format.size();) {
    const char now = format[at++];
    if (now != '{' && now != '}') continue;
    if (at < format.size() && format[at] == now) {
      ++at;
      continue;
    }
    FormatSpec spec;
    if (now == '}' || (at = FormatSpec::Read(format, at, &spec)) == 0) return -1;
    ++count;
  }
  return count;
}

// FormattedText is a text in memory of its own, without the heap. It is formatted as std::format does, in the "C"
// locale. Text for which there is no room is cut. errno stays as it was.
//
// Threads: one. Context: not signal context, because of floating-point numbers.
template <size_t kBytes>
class FormattedText {
 public:
  template <typename... Arguments>
  explicit FormattedText(std::string_view format, const Arguments&... arguments) {
    Format(format, {FormatArgument(arguments)...});
  }
  FormattedText(const FormattedText&) = delete;
  FormattedText& operator=(const FormattedText&) = delete;

  std::string_view text() const { return {bytes_, size_}; }
  bool was_cut() const { return was_cut_; }
  // The name of a marker that has this text.
  MarkerName Name(MarkerName name) const {
    name.was_cut = name.was_cut || was_cut_;
    return name;
  }

 private:
  void Append(std::string_view text) {
    const size_t fit = text.size() < kBytes - size_ ? text.size() : kBytes - size_;
    if (fit < text.size()) was_cut_ = true;
    if (fit != 0) memcpy(bytes_ + size_, text.data(), fit);
    size_ += fit;
  }
  void Pad(size_t count, char with) {
    for (; count > 0 && size_ < kBytes; --count) bytes_[size_++] = with;
    if (count > 0) was_cut_ = true;
  }

  void Format(std::string_view format, std::initializer_list<FormatArgument> arguments) {
    const int error = errno;
    const FormatArgument* argument = arguments.begin();
    for (size_t at = 0; at < format.size();) {
      const size_t brace = format.find_first_of("{}", at);
      Append(format.substr(at, brace - at));
      if (brace == std::string_view::npos) break;
      at = brace + 1;
      if (at < format.size() && format[at] == format[brace]) {
        Append(format.substr(at++, 1));
        continue;
      }
      FormatSpec spec;
      at = FormatSpec::Read(format, at, &spec);
      if (at == 0 || argument == arguments.end()) break;
      AppendArgument(*argument++, spec);
    }
    errno = error;
  }

  void AppendArgument(const FormatArgument& argument, const FormatSpec& spec) {
    using Kind = FormatArgument::Kind;
    char number[340];  // the largest double with "%f" has 309 digits
    std::string_view text = argument.text;
    bool is_number = true;
    if (argument.kind == Kind::kReal) {
      text = {number, WriteReal(argument.real, spec, number, sizeof(number))};
    } else if (argument.kind == Kind::kCharacter && spec.type == 0) {
      number[0] = static_cast<char>(argument.whole);
      text = {number, 1};
      is_number = false;
    } else if (argument.kind == Kind::kBool && (spec.type == 0 || spec.type == 's')) {
      text = argument.whole != 0 ? "true" : "false";
      is_number = false;
    } else if (argument.kind != Kind::kText) {
      text = WriteWhole(argument, spec, number + sizeof(number));
    } else {
      is_number = false;
      if (spec.precision >= 0) text = text.substr(0, static_cast<size_t>(spec.precision));
    }
    const size_t missing = spec.width > text.size() ? spec.width - text.size() : 0;
    const bool to_right = spec.to_right || (is_number && !spec.to_left);
    if (to_right && spec.with_zeros && !spec.to_right && is_number) {
      const size_t sign_bytes = text.find_first_not_of("+-");
      const bool has_prefix = text.find_first_of("xX") == sign_bytes + 1;
      const size_t head = sign_bytes + (has_prefix ? 2 : 0);
      Append(text.substr(0, head));
      Pad(missing, '0');
      Append(text.substr(head));
      return;
    }
    if (to_right) Pad(missing, ' ');
    Append(text);
    if (!to_right) Pad(missing, ' ');
  }

  // Writes the digits in front of `end`.
  static std::string_view WriteWhole(const FormatArgument& argument, const FormatSpec& spec, char* const end) {
    const bool is_pointer = argument.kind == FormatArgument::Kind::kPointer;
    const bool is_hexadecimal = is_pointer || spec.type == 'x' || spec.type == 'X';
    const bool is_negative = argument.kind == FormatArgument::Kind::kSigned && static_cast<int64_t>(argument.whole) < 0;
    uint64_t rest = is_negative ? 0 - argument.whole : argument.whole;
    const uint64_t base = is_hexadecimal ? 16 : 10;
    const char* const digits = spec.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char* begin = end;
    do {
      *--begin = digits[rest % base];
      rest /= base;
    } while (rest != 0);
    if (is_hexadecimal && (spec.with_prefix || is_pointer)) {
      *--begin = spec.type == 'X' ? 'X' : 'x';
      *--begin = '0';
    }
    if (is_negative) *--begin = '-';
    return {begin, static_cast<size_t>(end - begin)};
  }

  // Returns the number of characters. Without a precision and a type, they are the fewest that mean the same number.
  static size_t WriteReal(double real, const FormatSpec& spec, char* out, size_t room) {
    const int given = spec.precision > 20 ? 20 : spec.precision;
    int written = 0;
    if (given >= 0 || spec.type != 0) {
      const int digits = given >= 0 ? given : 6;
      written = spec.type == 'e'   ? snprintf(out, room, "%.*e", digits, real)
                : spec.type == 'f' ? snprintf(out, room, "%.*f", digits, real)
                                   : snprintf(out, room, "%.*g", digits, real);
    } else {
      for (int precision = 15; precision <= 17; ++precision) {
        written = snprintf(out, room, "%.*g", precision, real);
        if (strtod(out, nullptr) == real) break;
      }
    }
    for (int i = 0; i < written; ++i) {
      if (out[i] == ',') out[i] = '.';  // the program's locale
    }
    return written > 0 ? static_cast<size_t>(written) : 0;
  }

  char bytes_[kBytes];
  size_t size_ = 0;
  bool was_cut_ = false;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_FORMAT_TEXT_H_
