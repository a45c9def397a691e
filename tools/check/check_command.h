#ifndef GECKOPROF_TOOLS_CHECK_CHECK_COMMAND_H_
#define GECKOPROF_TOOLS_CHECK_CHECK_COMMAND_H_

#include <span>

namespace geckoprof {

// `geckoprof check ...`: args[0] is "check". Returns the exit status: 0 (every file is without a fault), 1, 2 (wrong
// use).
int CheckMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_CHECK_COMMAND_H_
