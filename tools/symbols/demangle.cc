#include "tools/symbols/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "tools/text/concat.h"

// libstdc++'s demangler below abi::__cxa_demangle: hands the text over in pieces, so that it can be stopped.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*take)(const char*, size_t, void*),
                                             void* context);

namespace geckoprof {
namespace {

// Compilers do not write longer names.
constexpr size_t kMaxMangledBytes = 32 * 1024;
// A part of a name may refer to an earlier part, which may refer to parts before it. Three hundred bytes can therefore
// stand for a terabyte of text.
constexpr size_t kMaxTextBytes = 256 * 1024;
// Rust's newer scheme has lower limits, because libiberty also works where it writes nothing. It reads the path of an
// `impl` at each reference to it, and follows a chain of references. The slowest names within these limits take less
// than a tenth of a second. The longest name of the 20,000 in rustc itself has 657 bytes.
constexpr size_t kMaxRustBytes = 4 * 1024, kMaxRustTextBytes = 8 * 1024;

struct TextTooLong {};

struct Text {
  std::string bytes;
  size_t max_bytes;
};

// The demanglers have nothing on the heap but a decoded identifier, so an exception may leave them.
void TakePiece(const char* piece, size_t size_bytes, void* context) {
  auto* const text = static_cast<Text*>(context);
  if (size_bytes > text->max_bytes - text->bytes.size()) throw TextTooLong();
  text->bytes.append(piece, size_bytes);
}

// libstdc++ writes some names better, libiberty reads some more (_Float16).
bool DemangleCpp(const std::string& name, Text& text) {
  if (__gcclibcxx_demangle_callback(name.c_str(), &TakePiece, &text) == 0) return true;
  text.bytes.clear();
  return cplus_demangle_v3_callback(name.c_str(), DMGL_PARAMS, &TakePiece, &text) != 0;
}

// Both schemes; without hashes.
bool DemangleRust(const std::string& name, Text& text) {
  return rust_demangle_callback(name.c_str(), DMGL_NO_OPTS, &TakePiece, &text) != 0;
}

// Empty where the name is no mangled one, or means too long a text.
std::string TextOf(bool (*demangle)(const std::string&, Text&), std::string_view name, size_t max_bytes) {
  Text text{{}, max_bytes};
  try {
    return demangle(std::string(name), text) ? text.bytes : "";
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

// Returns where the suffix begins that later steps of the compiler added. Names of Rust's older scheme may have dots,
// and end in "E" then.
size_t SuffixStart(std::string_view name, bool has_dots) {
  if (!has_dots) return std::min(name.find('.'), name.size());
  const size_t end = name.ends_with('E') ? std::string_view::npos : name.rfind("E.");
  return end == std::string_view::npos ? name.size() : end + 1;
}

// Replaces large counts of lifetimes by zero, since libiberty counts up to any number that a name has. A count is
// "G<digits>_" behind "F" (a function type) or "D" (a trait object). This function does not parse the name. It
// therefore also changes hashes of crates, which are not shown, and identifiers such as "CFGuard".
std::string WithFewLifetimes(std::string name) {
  for (size_t at = name.find('G', 1); at != std::string::npos; at = name.find('G', at + 1)) {
    if (name[at - 1] != 'F' && name[at - 1] != 'D') continue;
    const size_t end = name.find('_', at), digits = end - at - 1;
    if (end == std::string::npos) break;
    if (digits > 1 || name[at + 1] > '9') std::fill_n(name.begin() + static_cast<ptrdiff_t>(at) + 1, digits, '0');
  }
  return name;
}

std::string DemangleNewerRust(std::string_view name) {
  const std::string_view mangled = name.substr(0, SuffixStart(name, /*has_dots=*/false));
  if (mangled.size() > kMaxRustBytes) return "";
  const std::string bounded = WithFewLifetimes(std::string(mangled));
  const std::string text = TextOf(&DemangleRust, bounded, kMaxRustTextBytes);
  // A name stays mangled where an identifier has lost letters.
  const bool has_lost_letters =
      bounded != mangled && (text.find("FG0") != std::string::npos || text.find("DG0") != std::string::npos);
  return text.empty() || has_lost_letters ? "" : Concat(text, CloneText(name.substr(mangled.size())));
}

std::string DemangleCppOrOlderRust(std::string_view name) {
  const size_t end = SuffixStart(name, /*has_dots=*/true);
  const std::string text = TextOf(&DemangleRust, name.substr(0, end), kMaxTextBytes);
  return text.empty() ? TextOf(&DemangleCpp, name, kMaxTextBytes) : Concat(text, CloneText(name.substr(end)));
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

std::string Demangler::Demangle(std::string_view name) {
  constexpr int64_t kNsPerName = 50'000, kTextBytesPerName = 1024;
  // A process may be stopped while it demangles a name, which then seems to take very long.
  constexpr std::chrono::nanoseconds kMostPerName(100'000'000);
  if (!name.starts_with("_R") && !name.starts_with("_Z")) return geckoprof::Demangle(name);
  if (left_ns_ < 0 || left_text_bytes_ < 0) {
    ++left_mangled_;
    return std::string(name);
  }
  const auto start = std::chrono::steady_clock::now();
  std::string text = geckoprof::Demangle(name);
  const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
  left_ns_ += kNsPerName - std::min(spent, kMostPerName).count();
  left_text_bytes_ += kTextBytesPerName - static_cast<int64_t>(text.size());
  return text;
}

}  // namespace geckoprof
