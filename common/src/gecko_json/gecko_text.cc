#include "geckoprof/gecko_json/gecko_text.h"

#include <cstddef>

namespace geckoprof {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool EndsInColonDigits(std::string_view text) {
  const size_t colon = text.find_last_not_of("0123456789");
  return colon != std::string_view::npos && colon + 1 < text.size() && text[colon] == ':';
}

// Without a source index "[12]" at the end.
std::string_view WithoutSourceIndex(std::string_view text) {
  if (!text.ends_with(']')) return text;
  const size_t bracket = text.rfind('[');
  if (bracket == std::string_view::npos || bracket + 2 > text.size() - 1) return text;
  for (size_t i = bracket + 1; i + 1 < text.size(); ++i) {
    if (!IsDigit(text[i])) return text;
  }
  return text.substr(0, bracket);
}

bool IsLocationText(std::string_view text) {
  // Cuts the offset of "f (in lib) + 123".
  const size_t offset = text.rfind(") + ");
  if (offset != std::string_view::npos && text.find_first_not_of("0123456789", offset + 4) == std::string_view::npos) {
    text = text.substr(0, offset + 1);
  }
  text = WithoutSourceIndex(text);
  if (EndsInColonDigits(text)) return true;
  if (!text.ends_with(')')) return false;
  if (text.rfind(" (in ") != std::string_view::npos) return true;
  return EndsInColonDigits(text.substr(0, text.size() - 1));
}

void AppendHex(std::string& out, std::string_view bytes, const char* digits) {
  for (char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
  }
}

}  // namespace

std::string GeckoLabelText(std::string_view text) {
  std::string harmless;
  harmless.reserve(text.size() + 2);
  if (text.starts_with("0x")) harmless.push_back(' ');
  harmless.append(text);
  if (IsLocationText(text)) harmless.push_back(' ');
  return harmless;
}

std::string GeckoAddressText(uint64_t avma) {
  char digits[16];
  size_t used = 0;
  do {
    digits[used++] = "0123456789abcdef"[avma & 15];
    avma >>= 4;
  } while (avma != 0);
  std::string text = "0x";
  while (used > 0) text.push_back(digits[--used]);
  return text;
}

std::string BreakpadId(std::string_view build_id) {
  if (build_id.empty()) return {};
  std::string guid(build_id.substr(0, 16));
  guid.resize(16, '\0');
  // The first three fields of a GUID are numbers of 4, 2 and 2 bytes. Their bytes are little endian, and their text is
  // big endian.
  const auto swap = [&](size_t a, size_t b) {
    const char kept = guid[a];
    guid[a] = guid[b];
    guid[b] = kept;
  };
  swap(0, 3);
  swap(1, 2);
  swap(4, 5);
  swap(6, 7);
  std::string text;
  AppendHex(text, guid, "0123456789ABCDEF");
  text.push_back('0');
  return text;
}

std::string CodeId(std::string_view build_id) {
  std::string text;
  AppendHex(text, build_id, "0123456789abcdef");
  return text;
}

std::string_view LibraryPathText(std::string_view recorded_path) {
  return recorded_path == "[vdso]" ? std::string_view("linux-vdso.so.1") : recorded_path;
}

}  // namespace geckoprof
