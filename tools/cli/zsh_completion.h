#ifndef GECKOPROF_TOOLS_CLI_ZSH_COMPLETION_H_
#define GECKOPROF_TOOLS_CLI_ZSH_COMPLETION_H_

#include <string>

#include "tools/cli/completion_text.h"

namespace geckoprof {

// A function _geckoprof for zsh, to lie in a folder of $fpath.
std::string ZshCompletion(const CompletionSource& source);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_ZSH_COMPLETION_H_
