#ifndef GECKOPROF_TOOLS_CLI_COMPLETION_SCRIPTS_H_
#define GECKOPROF_TOOLS_CLI_COMPLETION_SCRIPTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/sub_commands.h"
#include "tools/options/option_table.h"

namespace geckoprof {

// CompletionSource has the contents of a completion script.
struct CompletionSource {
  std::vector<SubCommand> commands;  // in the order of help
  std::vector<OptionTable> tables;   // of each of them
};

// The texts one after the other, a space between.
std::string JoinWords(std::span<const std::string> words);
// Puts a text in single quotes, as bash and zsh read them. Fish has its own way for the quote itself.
std::string ShellQuoted(std::string_view text);
// Returns the first line of a help text, without a part in parentheses at its end.
std::string ShortHelp(std::string_view help);

// A script that completes `geckoprof` in bash 4 and newer, with or without the package bash-completion.
std::string BashCompletion(const CompletionSource& source);

// A script that completes `geckoprof` in fish 3.
std::string FishCompletion(const CompletionSource& source);

// A function _geckoprof for zsh, to lie in a folder of $fpath.
std::string ZshCompletion(const CompletionSource& source);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_COMPLETION_SCRIPTS_H_
