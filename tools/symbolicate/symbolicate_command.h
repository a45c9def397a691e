#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATE_COMMAND_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATE_COMMAND_H_

#include <span>

namespace geckoprof {

// `geckoprof symbolicate ...`: args[0] is "symbolicate". Returns the exit status: 0, 1, 2 (wrong use).
int SymbolicateMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATE_COMMAND_H_
