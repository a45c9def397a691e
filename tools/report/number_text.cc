#include "tools/report/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/text/concat.h"

namespace geckoprof {

std::string FixedText(double number, int decimals) {
  char buffer[400];  // a double has at most 309 digits before the point
  snprintf(buffer, sizeof buffer, "%.*f", decimals, number);
  return buffer;
}

std::string GroupedText(double number) {
  constexpr double kLeastWithADecimal = 0.05;  // less would be written as 0.0
  if (number != 0 && std::abs(number) < kLeastWithADecimal) {
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%.2g", number);
    return buffer;
  }
  const std::string digits = FixedText(number, number == std::floor(number) ? 0 : 1);
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < point && (point - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string PercentText(double part, double whole) {
  return Concat(FixedText(whole > 0 ? 100 * part / whole : 0, 1), " %");
}

std::string DurationText(double duration_ms) {
  if (duration_ms >= 1000) return Concat(FixedText(duration_ms / 1000, 3), " s");
  if (duration_ms == 0) return "0";
  return duration_ms >= 1 ? Concat(FixedText(duration_ms, 1), " ms") : Concat(FixedText(duration_ms * 1000, 1), " us");
}

std::string BytesText(double bytes) {
  if (bytes < 1024) return Concat(GroupedText(bytes), " bytes");
  constexpr double kMiB = 1024 * 1024, kGiB = 1024 * kMiB;
  if (bytes < kMiB) return Concat(FixedText(bytes / 1024, 1), " KiB");
  return bytes < kGiB ? Concat(FixedText(bytes / kMiB, 1), " MiB") : Concat(FixedText(bytes / kGiB, 1), " GiB");
}

}  // namespace geckoprof
