#include "geckoprof/modules/build_id.h"

#include <cstddef>
#include <cstdint>

namespace geckoprof {

namespace {

void AppendByte(uint8_t byte, std::string_view digits, std::string& out) {
  out.push_back(digits[byte >> 4]);
  out.push_back(digits[byte & 15]);
}

}  // namespace

std::string BreakpadId(std::string_view build_id) {
  if (build_id.empty()) return {};
  // The origin of each byte of the GUID's text. Three little-endian fields come first, then eight bytes in order.
  constexpr size_t kOrder[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  std::string text;
  text.reserve(33);
  for (const size_t index : kOrder) {
    AppendByte(index < build_id.size() ? static_cast<uint8_t>(build_id[index]) : uint8_t{0}, "0123456789ABCDEF", text);
  }
  text.push_back('0');
  return text;
}

std::string CodeId(std::string_view build_id) {
  std::string text;
  text.reserve(2 * build_id.size());
  for (const char byte : build_id) AppendByte(static_cast<uint8_t>(byte), "0123456789abcdef", text);
  return text;
}

}  // namespace geckoprof
