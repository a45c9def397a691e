// The text that GECKOPROF_HELP prints.
#ifndef GECKOPROF_CONFIG_START_HELP_H_
#define GECKOPROF_CONFIG_START_HELP_H_

#include <string_view>

namespace geckoprof {

// Returns a text with every variable and its range, unit and default.
std::string_view StartHelpText();

// Writes the text to standard error and ends the process with status 0, as Firefox does. Users that ask for help do
// not want to run the program. The program's standard output may feed another program, so the text does not go there.
// No exit handler runs.
//
// Context: early. The function makes two system calls.
[[noreturn]] void PrintStartHelpAndExit();

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_HELP_H_
