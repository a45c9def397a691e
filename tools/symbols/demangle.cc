#include "tools/symbols/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <cstddef>

#include "tools/symbols/rust_symbol_parser.h"
#include "tools/text/concat.h"

// libstdc++'s demangler below abi::__cxa_demangle: hands the text over in pieces, so that it can be stopped.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*take)(const char*, size_t, void*),
                                             void* context);

namespace geckoprof {
namespace {

// No compiler writes longer names in earnest.
constexpr size_t kMaxMangledBytes = 32 * 1024;
// A part of a name may refer to an earlier one, that to one before it and so on, so three hundred bytes can stand for a
// terabyte of text.
constexpr size_t kMaxTextBytes = 256 * 1024;

struct TextTooLong {};

// The demanglers have nothing on the heap but a decoded identifier, so an exception may leave them.
void TakePiece(const char* piece, size_t size_bytes, void* context) {
  auto* const text = static_cast<std::string*>(context);
  if (size_bytes > kMaxTextBytes - text->size()) throw TextTooLong();
  text->append(piece, size_bytes);
}

// libstdc++ writes some names better, libiberty reads some more (_Float16).
bool DemangleCpp(const std::string& name, std::string& text) {
  if (__gcclibcxx_demangle_callback(name.c_str(), &TakePiece, &text) == 0) return true;
  text.clear();
  return cplus_demangle_v3_callback(name.c_str(), DMGL_PARAMS, &TakePiece, &text) != 0;
}

// Both schemes; without hashes.
bool DemangleRust(const std::string& name, std::string& text) {
  return rust_demangle_callback(name.c_str(), DMGL_NO_OPTS, &TakePiece, &text) != 0;
}

// Empty where the name is no mangled one, or means too long a text.
std::string TextOf(bool (*demangle)(const std::string&, std::string&), std::string_view name) {
  std::string text;
  try {
    return demangle(std::string(name), text) ? text : "";
  } catch (const TextTooLong&) {
    return "";
  }
}

// LLVM makes a module's own name unique by a number of the module: ".llvm.12345678901234567890".
std::string WithoutModule(std::string_view name) {
  constexpr std::string_view kWord = ".llvm.";
  const size_t at = name.find(kWord);
  if (at == std::string_view::npos || at == 0) return std::string(name);
  const size_t end = std::min(name.find_first_not_of("0123456789", at + kWord.size()), name.size());
  if (end == at + kWord.size() || (end < name.size() && name[end] != '.')) return std::string(name);
  return Concat(name.substr(0, at), name.substr(end));
}

// ".isra.0.cold" as C++'s demanglers put it: " [clone .isra.0] [clone .cold]".
std::string CloneText(std::string_view suffix) {
  std::string text;
  while (!suffix.empty()) {
    size_t end = std::min(suffix.find('.', 1), suffix.size());
    while (end + 1 < suffix.size() && suffix[end + 1] >= '0' && suffix[end + 1] <= '9') {
      end = std::min(suffix.find('.', end + 1), suffix.size());
    }
    text += Concat(" [clone ", suffix.substr(0, end), "]");
    suffix.remove_prefix(end);
  }
  return text;
}

// Where the part that the compiler's later steps have put behind the name begins. Rust's older scheme has dots in
// names, which end in "E" then.
size_t SuffixStart(std::string_view name, bool has_dots) {
  if (!has_dots) return std::min(name.find('.'), name.size());
  const size_t end = name.ends_with('E') ? std::string_view::npos : name.rfind("E.");
  return end == std::string_view::npos ? name.size() : end + 1;
}

std::string DemangleNewerRust(std::string_view name) {
  const size_t end = SuffixStart(name, /*has_dots=*/false);
  if (!RustSymbolParser::IsSound(name.substr(0, end))) return "";
  const std::string text = TextOf(&DemangleRust, name.substr(0, end));
  return text.empty() ? "" : Concat(text, CloneText(name.substr(end)));
}

std::string DemangleCppOrOlderRust(std::string_view name) {
  const size_t end = SuffixStart(name, /*has_dots=*/true);
  const std::string text = TextOf(&DemangleRust, name.substr(0, end));
  return text.empty() ? TextOf(&DemangleCpp, name) : Concat(text, CloneText(name.substr(end)));
}

}  // namespace

std::string Demangle(std::string_view name) {
  const size_t version = name.find('@');
  if (version != std::string_view::npos && version > 0) name = name.substr(0, version);
  std::string plain = WithoutModule(name);
  if (plain.size() > kMaxMangledBytes) return plain;
  std::string text;
  if (plain.starts_with("_R")) text = DemangleNewerRust(plain);
  if (plain.starts_with("_Z")) text = DemangleCppOrOlderRust(plain);
  return text.empty() ? plain : text;
}

}  // namespace geckoprof
