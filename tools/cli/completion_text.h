#ifndef GECKOPROF_TOOLS_CLI_COMPLETION_TEXT_H_
#define GECKOPROF_TOOLS_CLI_COMPLETION_TEXT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/sub_commands.h"
#include "tools/options/option_table.h"

namespace geckoprof {

// What a completion script is made of.
struct CompletionSource {
  std::vector<SubCommand> commands;  // in the order of help
  std::vector<OptionTable> tables;   // of each of them
};

// The texts one after the other, a space between.
std::string JoinWords(std::span<const std::string> words);
// In single quotes, as bash and zsh read them; fish has its own way for the quote itself.
std::string ShellQuoted(std::string_view text);
// "summary of what" up to its first line's end; an option's help without what is in parentheses at its end.
std::string ShortHelp(std::string_view help);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_COMPLETION_TEXT_H_
