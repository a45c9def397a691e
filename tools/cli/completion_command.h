#ifndef GECKOPROF_TOOLS_CLI_COMPLETION_COMMAND_H_
#define GECKOPROF_TOOLS_CLI_COMPLETION_COMMAND_H_

#include <span>

namespace geckoprof {

// `geckoprof completion bash|zsh|fish`: prints the script with which the shell completes all sub-commands, made of
// their own option tables.
int CompletionMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_COMPLETION_COMMAND_H_
