#include "tools/symbolicate/demangle.h"

#include <utility>

// libstdc++'s demangler below abi::__cxa_demangle: hands the text over in pieces, so that it can be stopped.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*take)(const char*, size_t, void*),
                                             void* context);

namespace geckoprof {
namespace {

// No compiler writes longer names in earnest.
constexpr size_t kMaxNameBytes = 32 * 1024;
// A part of a name may refer to an earlier one, that to one before it and so on, so three hundred bytes can stand for a
// terabyte of text.
constexpr size_t kMaxTextBytes = 256 * 1024;

struct TextTooLong {};

void TakePiece(const char* piece, size_t size_bytes, void* context) {
  auto* text = static_cast<std::string*>(context);
  if (size_bytes > kMaxTextBytes - text->size()) throw TextTooLong();
  text->append(piece, size_bytes);
}

// Empty where the name is no mangled one, or means too long a text. The demangler has nothing on the heap, so an
// exception may leave it.
std::string TextOfMangled(const std::string& name) {
  std::string text;
  try {
    if (__gcclibcxx_demangle_callback(name.c_str(), &TakePiece, &text) != 0) return "";
  } catch (const TextTooLong&) {
    return "";
  }
  return text;
}

bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Rust's older scheme is C++'s with a last part "h" and 16 hex digits: "core::fmt::write::h0123456789abcdef".
bool CutRustHash(std::string& name) {
  constexpr size_t kHashBytes = 19;  // "::h" + 16
  if (name.size() <= kHashBytes) return false;
  const size_t at = name.size() - kHashBytes;
  if (name.compare(at, 3, "::h") != 0) return false;
  for (size_t i = at + 3; i < name.size(); ++i) {
    if (!IsLowerHex(name[i])) return false;
  }
  name.resize(at);
  return true;
}

std::string UnescapeRust(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"$LT$", "<"},  {"$GT$", ">"},  {"$RF$", "&"},  {"$BP$", "*"},  {"$LP$", "("},   {"$RP$", ")"},
      {"$C$", ","},   {"$SP$", "@"},  {"$u20$", " "}, {"$u27$", "'"}, {"$u5b$", "["},  {"$u5d$", "]"},
      {"$u7b$", "{"}, {"$u7d$", "}"}, {"$u3b$", ";"}, {"$u2b$", "+"}, {"$u22$", "\""}, {"..", "::"},
  };
  std::string text;
  while (!name.empty()) {
    bool replaced = false;
    for (const auto& [from, to] : kEscapes) {
      if (name.starts_with(from)) {
        text += to;
        name.remove_prefix(from.size());
        replaced = true;
        break;
      }
    }
    if (replaced) continue;
    // A part that begins with an escape has an underscore before it, since identifiers may not begin with "$".
    if (name.starts_with("_$") && (text.empty() || text.ends_with(':'))) {
      name.remove_prefix(1);
      continue;
    }
    text.push_back(name.front());
    name.remove_prefix(1);
  }
  return text;
}

}  // namespace

std::string Demangle(std::string_view name) {
  const size_t version = name.find('@');
  if (version != std::string_view::npos && version > 0) name = name.substr(0, version);
  const std::string plain(name);
  if (!name.starts_with("_Z") || name.size() > kMaxNameBytes) return plain;
  std::string text = TextOfMangled(plain);
  if (text.empty()) return plain;
  return CutRustHash(text) ? UnescapeRust(text) : text;
}

}  // namespace geckoprof
