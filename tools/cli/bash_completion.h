#ifndef GECKOPROF_TOOLS_CLI_BASH_COMPLETION_H_
#define GECKOPROF_TOOLS_CLI_BASH_COMPLETION_H_

#include <string>

#include "tools/cli/completion_text.h"

namespace geckoprof {

// A script that completes `geckoprof` in bash 4 and newer, with or without the package bash-completion.
std::string BashCompletion(const CompletionSource& source);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_BASH_COMPLETION_H_
