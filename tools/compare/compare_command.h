// geckoprof compare: docs/man/geckoprof-compare.1.md.
#ifndef GECKOPROF_TOOLS_COMPARE_COMPARE_COMMAND_H_
#define GECKOPROF_TOOLS_COMPARE_COMPARE_COMMAND_H_

#include <span>

namespace geckoprof {

// args[0] is "compare". Returns the exit status: 0, 1 (a budget is exceeded, or a profile cannot be read), 2 (wrong
// use).
int CompareMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_COMPARE_COMMAND_H_
