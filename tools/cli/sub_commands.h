#ifndef GECKOPROF_TOOLS_CLI_SUB_COMMANDS_H_
#define GECKOPROF_TOOLS_CLI_SUB_COMMANDS_H_

#include <span>

namespace geckoprof {

// One sub-command of `geckoprof`. `run` gets the arguments from its own name on and returns the exit status:
// 0, 1 (it failed, one line on stderr says why), 2 (wrong use, one line says what), or the status of a program that it
// ran.
struct SubCommand {
  const char* name;
  const char* summary;
  int (*run)(std::span<char* const> args);
  // Starts programs of the user's, which must find the dispositions of signals as they were. All others ignore SIGXFSZ:
  // a file that grows beyond `ulimit -f` is one that cannot be written, which they tell.
  bool starts_programs = false;
};

// The sub-commands in this build, in the order in which help shows them.
std::span<const SubCommand> SubCommandTable();

// Runs the sub-command that args[1] names; without one lists them. args[0] is the program's name.
int RunSubCommand(std::span<char* const> args, std::span<const SubCommand> table);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_SUB_COMMANDS_H_
