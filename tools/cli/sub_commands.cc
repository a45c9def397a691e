#include "tools/cli/sub_commands.h"

#include <cstdio>
#include <string_view>

namespace geckoprof {
namespace {

void PrintUsage(FILE* out, std::span<const SubCommand> table) {
  fputs(
      "Usage: geckoprof COMMAND [OPTIONS] ...\n\nA profiler for Linux programs, from their first instruction "
      "on.\n\nCommands:\n",
      out);
  for (const SubCommand& command : table) fprintf(out, "  %-10s %s\n", command.name, command.summary);
  fputs("\n`geckoprof COMMAND --help` explains a command. `geckoprof --version` prints the version.\n", out);
}

}  // namespace

int RunSubCommand(std::span<char* const> args, std::span<const SubCommand> table) {
  if (args.size() < 2) {
    PrintUsage(stdout, table);
    return 0;
  }
  const std::string_view word = args[1];
  if (word == "--help" || word == "-h" || word == "help") {
    PrintUsage(stdout, table);
    return 0;
  }
  if (word == "--version") {
    puts("geckoprof " GECKOPROF_VERSION);
    return 0;
  }
  for (const SubCommand& command : table) {
    if (word == command.name) return command.run(args.subspan(1));
  }
  fprintf(stderr, "geckoprof: there is no command \"%s\"; `geckoprof` lists them\n", args[1]);
  return 2;
}

}  // namespace geckoprof
