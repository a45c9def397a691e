#ifndef GECKOPROF_TOOLS_CONVERT_CONVERT_COMMAND_H_
#define GECKOPROF_TOOLS_CONVERT_CONVERT_COMMAND_H_

#include <span>

namespace geckoprof {

// `geckoprof convert ...`: args[0] is "convert". Returns the exit status: 0, 1 (the profile cannot be read or the
// output not be written), 2 (wrong use).
int ConvertMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_CONVERT_COMMAND_H_
