#include "tools/report/html/base64_text.h"

#include <cstddef>
#include <cstdint>

namespace geckoprof {

std::string Base64Text(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) {
      return at < bytes.size() ? uint32_t{static_cast<unsigned char>(bytes[at])} : 0;
    };
    const uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[three >> 18];
    text += kDigits[three >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return text;
}

}  // namespace geckoprof
