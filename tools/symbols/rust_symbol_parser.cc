#include "tools/symbols/rust_symbol_parser.h"

#include <optional>

namespace geckoprof {
namespace {

constexpr int kMaxDepth = 300;
// Larger than any position or count in a name that is read at all.
constexpr uint64_t kMaxNumber = uint64_t{1} << 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

std::optional<uint64_t> Base62Digit(char c) {
  if (IsDigit(c)) return static_cast<uint64_t>(c - '0');
  if (IsLower(c)) return static_cast<uint64_t>(c - 'a') + 10;
  if (IsUpper(c)) return static_cast<uint64_t>(c - 'A') + 36;
  return std::nullopt;
}

bool IsBasicType(char c) { return IsLower(c) && c != 'g' && c != 'k' && c != 'q' && c != 'r' && c != 'w'; }
bool IsConstantType(char c) { return std::string_view("htmyojaslxnibc").find(c) != std::string_view::npos; }

// One level deeper as long as it lives.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

}  // namespace

bool RustSymbolParser::IsSound(std::string_view name) {
  constexpr std::string_view kPrefix = "_R";
  if (!name.starts_with(kPrefix)) return false;
  RustSymbolParser parser(name.substr(kPrefix.size()));
  if (!parser.Path()) return false;
  // The crate in which it was instantiated.
  return parser.at_ == parser.text_.size() || (parser.Path() && parser.at_ == parser.text_.size());
}

bool RustSymbolParser::Take(char c) {
  if (Peek() != c || at_ >= text_.size()) return false;
  ++at_;
  return true;
}

bool RustSymbolParser::Done(size_t start, bool is_sound) {
  is_done_[start] = is_sound;
  return is_sound;
}

bool RustSymbolParser::UpToEnd(bool (RustSymbolParser::*part)()) {
  while (!Take('E')) {
    if (!(this->*part)()) return false;
  }
  return true;
}

bool RustSymbolParser::Path() {
  const Deeper deeper(depth_);
  if (depth_ > kMaxDepth || at_ >= text_.size()) return false;
  if (Peek() == 'B') return BackReference();
  const size_t start = at_++;
  return Done(start, PathAfter(text_[start]));
}

bool RustSymbolParser::PathAfter(char tag) {
  switch (tag) {
    case 'C':
      return Identifier();
    case 'M':
      return ImplPath() && Type();
    case 'X':
      return ImplPath() && Type() && Path();
    case 'Y':
      return Type() && Path();
    case 'N': {
      const char name_space = Peek();
      if (!IsLower(name_space) && !IsUpper(name_space)) return false;
      ++at_;
      return Path() && Identifier();
    }
    case 'I':
      return Path() && UpToEnd(&RustSymbolParser::GenericArgument);
    default:
      return false;
  }
}

bool RustSymbolParser::GenericArgument() {
  if (Take('L')) return Base62();
  return Take('K') ? Constant() : Type();
}

bool RustSymbolParser::Type() {
  const Deeper deeper(depth_);
  const char tag = Peek();
  if (depth_ > kMaxDepth) return false;
  if (tag == 'B') return BackReference();
  if (std::string_view("CMXYNI").find(tag) != std::string_view::npos) return Path();
  if (at_ >= text_.size()) return false;
  const size_t start = at_++;
  return Done(start, TypeAfter(tag));
}

bool RustSymbolParser::TypeAfter(char tag) {
  switch (tag) {
    case 'A':
      return Type() && Constant();
    case 'S':
    case 'P':
    case 'O':
      return Type();
    case 'T':
      return UpToEnd(&RustSymbolParser::Type);
    case 'R':
    case 'Q':
      return Reference();
    case 'F':
      return FunctionType();
    case 'D':
      return TraitObject();
    default:
      return IsBasicType(tag);
  }
}

bool RustSymbolParser::Reference() {
  if (Take('L') && !Base62()) return false;
  return Type();
}

bool RustSymbolParser::FunctionType() {
  if (!Binder()) return false;
  Take('U');
  if (Take('K') && !Take('C') && !PlainIdentifier()) return false;
  return UpToEnd(&RustSymbolParser::Type) && Type();
}

bool RustSymbolParser::TraitObject() {
  if (!Binder()) return false;
  while (!Take('E')) {
    if (!Path()) return false;
    while (Take('p')) {
      if (!PlainIdentifier() || !Type()) return false;
    }
  }
  return Take('L') && Base62();
}

bool RustSymbolParser::Constant() {
  if (Peek() == 'B') return BackReference();
  if (at_ >= text_.size()) return false;
  const size_t start = at_++;
  if (text_[start] == 'p') return Done(start, true);
  if (!IsConstantType(text_[start])) return false;
  Take('n');
  while (IsDigit(Peek()) || (Peek() >= 'a' && Peek() <= 'f')) ++at_;
  return Done(start, Take('_'));
}

bool RustSymbolParser::Binder() {
  uint64_t lifetimes = 0;
  return !Take('G') || (Base62(&lifetimes) && lifetimes < text_.size());
}

bool RustSymbolParser::BackReference() {
  const size_t from = at_++;
  uint64_t to = 0;
  return Base62(&to) && to < from && is_done_[to];
}

// "_" is 0, "0_" is 1, "1_" is 2 ...
bool RustSymbolParser::Base62(uint64_t* value) {
  uint64_t number = 0;
  const bool has_digits = Peek() != '_';
  while (!Take('_')) {
    const std::optional<uint64_t> digit = Base62Digit(Peek());
    if (!digit || number > kMaxNumber) return false;
    // Crates are told from one another by hashes of 64 bits: only where a value is asked for has it to be a small one.
    number = (value == nullptr ? 0 : number * 62) + *digit;
    ++at_;
  }
  if (value != nullptr) *value = has_digits ? number + 1 : 0;
  return true;
}

bool RustSymbolParser::Decimal(uint64_t* value) {
  if (!IsDigit(Peek())) return false;
  if (Take('0')) return true;
  while (IsDigit(Peek())) {
    if (*value > kMaxNumber) return false;
    *value = *value * 10 + static_cast<uint64_t>(text_[at_++] - '0');
  }
  return true;
}

bool RustSymbolParser::PlainIdentifier() {
  Take('u');
  uint64_t size_bytes = 0;
  if (!Decimal(&size_bytes)) return false;
  Take('_');
  if (size_bytes > text_.size() - at_) return false;
  at_ += static_cast<size_t>(size_bytes);
  return true;
}

}  // namespace geckoprof
