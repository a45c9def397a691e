#include "tools/cli/sub_commands.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "tools/support/memory_reserve.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

std::string Usage(std::span<const SubCommand> table) {
  std::string text =
      "Usage: geckoprof COMMAND [OPTIONS] ...\n\nA profiler for Linux programs, from their first instruction "
      "on.\n\nCommands:\n";
  for (const SubCommand& command : table) {
    text += Concat("  ", PadRight(command.name, 12), " ", command.summary, "\n");
  }
  text +=
      "\nExamples:\n"
      "  geckoprof record -o profile.json.gz -- python3 script.py\n"
      "  geckoprof report profile.json.gz\n"
      "  geckoprof view profile.json.gz                          # in a browser\n\n"
      "`geckoprof COMMAND --help` explains a command. `geckoprof --version` prints the version.\n";
  return text;
}

int FailWithoutMemory(void* command) {
  fprintf(stderr, "geckoprof %s: not enough memory (is there a low ulimit -v or -d?)\n",
          static_cast<const SubCommand*>(command)->name);
  return 1;
}

int Run(SubCommand command, std::span<char* const> args) {
  const MemoryReserve reserve({&FailWithoutMemory, &command});
  try {
    if (MemoryReserve::IsHeld()) return command.run(args);
  } catch (const std::bad_alloc&) {
  }
  return FailWithoutMemory(&command);
}

}  // namespace

int RunSubCommand(std::span<char* const> args, std::span<const SubCommand> table) {
  const std::string_view word = args.size() < 2 ? "--help" : args[1];
  const auto command =
      std::find_if(table.begin(), table.end(), [word](const SubCommand& known) { return word == known.name; });
  if (command == table.end() || !command->starts_programs) signal(SIGXFSZ, SIG_IGN);
  if (command != table.end()) return Run(*command, args.subspan(1));
  if (word == "--help" || word == "-h" || word == "help") return PrintAndFinish("geckoprof", Usage(table));
  if (word == "--version") return PrintAndFinish("geckoprof", "geckoprof " GECKOPROF_VERSION "\n");
  fprintf(stderr, "geckoprof: there is no command \"%s\"; `geckoprof` lists them\n", CleanText(args[1]).c_str());
  return 2;
}

}  // namespace geckoprof
