#ifndef GECKOPROF_TOOLS_CLI_FISH_COMPLETION_H_
#define GECKOPROF_TOOLS_CLI_FISH_COMPLETION_H_

#include <string>

#include "tools/cli/completion_text.h"

namespace geckoprof {

// A script that completes `geckoprof` in fish 3.
std::string FishCompletion(const CompletionSource& source);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_FISH_COMPLETION_H_
