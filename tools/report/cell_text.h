#ifndef GECKOPROF_TOOLS_REPORT_CELL_TEXT_H_
#define GECKOPROF_TOOLS_REPORT_CELL_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace geckoprof {

// The texts of a report's cells.
//
// All functions for numbers take any finite number that is not negative.
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

// Returns a function's name in at most `width` columns, if it can be shortened so far. The name loses the long forms of
// std::string first, then parameters, then template arguments. A name without brackets in pairs, as C++ and Rust have
// them, stays unchanged. The argument and the result are clean text.
//   "std::vector<int, std::allocator<int> >::push_back(int const&)"  ->  "std::vector<...>::push_back(...)"
std::string ShortFunctionName(std::string_view name, size_t width);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_CELL_TEXT_H_
