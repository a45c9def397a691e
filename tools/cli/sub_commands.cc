#include "tools/cli/sub_commands.h"

#include <cstdio>
#include <new>
#include <string_view>

#include "tools/cli/memory_reserve.h"
#include "tools/profile/terminal_text.h"

namespace geckoprof {
namespace {

void PrintUsage(FILE* out, std::span<const SubCommand> table) {
  fputs(
      "Usage: geckoprof COMMAND [OPTIONS] ...\n\nA profiler for Linux programs, from their first instruction "
      "on.\n\nCommands:\n",
      out);
  for (const SubCommand& command : table) {
    fprintf(out, "  %-12s %s\n", command.name, command.summary);
  }
  fputs(
      "\nExamples:\n"
      "  geckoprof record -o profile.json.gz -- python3 script.py\n"
      "  geckoprof report profile.json.gz\n"
      "  geckoprof view profile.json.gz                          # in a browser\n\n"
      "`geckoprof COMMAND --help` explains a command. `geckoprof --version` prints the version.\n",
      out);
}

int Run(const SubCommand& command, std::span<char* const> args) {
  const MemoryReserve reserve;
  try {
    if (MemoryReserve::IsHeld()) return command.run(args);
  } catch (const std::bad_alloc&) {
  }
  fprintf(stderr, "geckoprof %s: not enough memory (is there a low ulimit -v or -d?)\n", command.name);
  return 1;
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
    if (word == command.name) return Run(command, args.subspan(1));
  }
  fprintf(stderr, "geckoprof: there is no command \"%s\"; `geckoprof` lists them\n", CleanText(args[1]).c_str());
  return 2;
}

}  // namespace geckoprof
