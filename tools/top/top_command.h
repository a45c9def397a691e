// geckoprof top: docs/man/geckoprof-top.1.md.
#ifndef GECKOPROF_TOOLS_TOP_TOP_COMMAND_H_
#define GECKOPROF_TOOLS_TOP_TOP_COMMAND_H_

#include <span>

namespace geckoprof {

// args[0] is "top". Returns the exit status: 0, 1 (nothing that can be looked at), 2 (wrong use).
int TopMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_TOP_COMMAND_H_
