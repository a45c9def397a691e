// The text that GECKOPROF_HELP asks for.
#ifndef GECKOPROF_CONFIG_START_HELP_H_
#define GECKOPROF_CONFIG_START_HELP_H_

#include <string_view>

namespace geckoprof {

// Every variable with its range, unit and default.
std::string_view StartHelpText();

// Writes the text to standard error and ends the process with status 0, as Firefox does: whoever asks for help wants no
// run of the program. Standard error, because the program's standard output may feed something. Context: early; two
// kernel calls, no exit handler runs.
[[noreturn]] void PrintStartHelpAndExit();

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_HELP_H_
