#ifndef GECKOPROF_TOOLS_REPORT_NUMBER_TEXT_H_
#define GECKOPROF_TOOLS_REPORT_NUMBER_TEXT_H_

#include <string>

namespace geckoprof {

// Numbers as a reader wants them. All take any finite number that is not negative.
//   FixedText(1.25, 1)   "1.2"
//   GroupedText(1234567) "1,234,567"      weights may have a fraction: "1,234.5", "0.0031"
//   PercentText(1, 8)    "12.5 %"         of nothing: "0.0 %"
//   DurationText(12.34)  "12.3 ms"        ms in; "0", "340.0 us", "1.500 s"
//   BytesText(1536)      "1.5 KiB"
std::string FixedText(double number, int decimals);
std::string GroupedText(double number);
std::string PercentText(double part, double whole);
std::string DurationText(double duration_ms);
std::string BytesText(double bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_NUMBER_TEXT_H_
