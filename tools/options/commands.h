// The sub-commands of `geckoprof`. The folder of a command defines its function.
// docs/man/geckoprof-NAME.1.md says what the command does.
#ifndef GECKOPROF_TOOLS_OPTIONS_COMMANDS_H_
#define GECKOPROF_TOOLS_OPTIONS_COMMANDS_H_

#include <span>

namespace geckoprof {

// The functions of sub-commands. args[0] is the command's name. Each returns the exit status:
//   0  success
//   1  it failed, and one line on stderr says why; for CheckMain and CompareMain also a fault or an exceeded budget
//   2  wrong use
int CheckMain(std::span<char* const> args);
int CompareMain(std::span<char* const> args);
// Prints the script with which a shell completes all sub-commands. The option tables of the commands give the contents.
int CompletionMain(std::span<char* const> args);
int ConvertMain(std::span<char* const> args);
int CtlMain(std::span<char* const> args);
int MergeMain(std::span<char* const> args);
// Returns the exit status of the recorded program, or 1, 2, 126 or 127 if it did not run.
int RecordMain(std::span<char* const> args);
int RecoverMain(std::span<char* const> args);
int ReportMain(std::span<char* const> args);
int ScrubMain(std::span<char* const> args);
int SymbolicateMain(std::span<char* const> args);
int TopMain(std::span<char* const> args);
// Serves a profile until a signal ends it.
int ViewMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_OPTIONS_COMMANDS_H_
