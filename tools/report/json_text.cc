#include "tools/report/json_text.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace geckoprof {

void JsonText::NewLine() {
  text_ += '\n';
  text_.append(2 * depth_, ' ');
}

void JsonText::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) text_ += ',';
  NewLine();
  first_ = false;
}

void JsonText::Open(char bracket) {
  BeforeValue();
  text_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonText::Close(char bracket) {
  --depth_;
  if (!first_) NewLine();
  text_ += bracket;
  first_ = false;
}

void JsonText::Key(std::string_view key) {
  BeforeValue();
  Quote(key);
  text_ += ": ";
  after_key_ = true;
}

void JsonText::String(std::string_view text) {
  BeforeValue();
  Quote(text);
}

void JsonText::Integer(int64_t number) {
  BeforeValue();
  text_ += std::to_string(number);
}

void JsonText::Number(double number) {
  if (!std::isfinite(number)) return Null();
  constexpr double kMostInteger = 9e18;
  if (std::abs(number) <= kMostInteger && number == std::trunc(number)) return Integer(static_cast<int64_t>(number));
  BeforeValue();
  char buffer[32];  // the longest shortest form has 24 characters
  text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

void JsonText::Null() {
  BeforeValue();
  text_ += "null";
}

void JsonText::Bool(bool value) {
  BeforeValue();
  text_ += value ? "true" : "false";
}

void JsonText::Quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  text_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      text_ += "\\u00";
      text_ += kHex[byte >> 4];
      text_ += kHex[byte & 15];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

std::string JsonText::Take() && {
  text_ += '\n';
  return std::move(text_);
}

}  // namespace geckoprof
