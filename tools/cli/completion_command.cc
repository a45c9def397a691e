#include <cstdio>
#include <string>
#include <utility>

#include "tools/cli/completion_scripts.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/options/option_table.h"
#include "tools/support/standard_output.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  source <(geckoprof completion bash)\n"
    "  geckoprof completion zsh >~/.zfunc/_geckoprof        # where ~/.zfunc is in $fpath, before compinit\n"
    "  geckoprof completion fish >~/.config/fish/completions/geckoprof.fish\n\n"
    "An installed package has them in place.\n";

constexpr std::pair<const char*, std::string (*)(const CompletionSource&)> kShells[] = {
    {"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}};

CompletionSource SourceOf(std::span<const SubCommand> commands) {
  const OptionListing listing;
  for (const SubCommand& command : commands) {
    std::string name = command.name;
    char* args[] = {name.data()};
    command.run(std::span<char* const>(args, 1));
  }
  return {{commands.begin(), commands.end()}, listing.tables()};
}

}  // namespace

int CompletionMain(std::span<char* const> args) {
  std::string shell;
  CommandOptions options("completion", "Prints the script with which a shell completes geckoprof's commands.",
                         kExamples);
  options.Positional("SHELL", &shell, "bash, zsh or fish");
  std::vector<std::string> shells;
  for (const auto& [name, make] : kShells) shells.emplace_back(name);
  options.OfferOperands({ValueHint::Kind::kWords, shells});
  if (const std::optional<int> status = options.Parse(args)) return *status;
  for (const auto& [name, make] : kShells) {
    if (shell != name) continue;
    return PrintAndFinish("geckoprof completion", make(SourceOf(SubCommandTable())));
  }
  fputs("geckoprof completion: SHELL is bash, zsh or fish (--help explains)\n", stderr);
  return 2;
}

}  // namespace geckoprof
