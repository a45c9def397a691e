#include "geckoprof/segment/segment_name.h"

#include <charconv>
#include <system_error>

#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

// Decimal digits only, no leading zero: exactly what the library writes.
template <typename Number>
bool ParseExactly(std::string_view text, Number* number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *number);
  const bool has_leading_zero = text.size() > 1 && text[0] == '0';
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && !has_leading_zero && text[0] != '-';
}

}  // namespace

bool SegmentName::Parse(std::string_view file_name) {
  if (!file_name.ends_with(kSegmentSuffix)) return false;
  file_name.remove_suffix(std::string_view(kSegmentSuffix).size());
  const size_t dash = file_name.find('-');
  if (dash == std::string_view::npos) return false;
  return ParseExactly(file_name.substr(0, dash), &pid) && pid > 0 && ParseExactly(file_name.substr(dash + 1), &image);
}

}  // namespace geckoprof
