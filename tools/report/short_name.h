#ifndef GECKOPROF_TOOLS_REPORT_SHORT_NAME_H_
#define GECKOPROF_TOOLS_REPORT_SHORT_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace geckoprof {

// A function's name in at most `width` columns where that is possible by leaving out what says least of it, in this
// order: the long forms of std::string, parameters, template arguments. Names that are not C++ (or Rust, or whatever
// has brackets in pairs) stay as they are. Takes and gives clean text.
//   "std::vector<int, std::allocator<int> >::push_back(int const&)"  ->  "std::vector<...>::push_back(...)"
std::string ShortFunctionName(std::string_view name, size_t width);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_SHORT_NAME_H_
