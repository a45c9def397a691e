#ifndef GECKOPROF_TOOLS_SUPPORT_STANDARD_OUTPUT_H_
#define GECKOPROF_TOOLS_SUPPORT_STANDARD_OUTPUT_H_

#include <string_view>

namespace geckoprof {

// Standard output, for commands that print what they found: where nobody reads it any more (`| head`) that is no error
// to tell anybody of, whether or not the process was started with SIGPIPE ignored.
//
// Appends to stdout. Nothing is reported before FinishStandardOutput.
void PrintStandardOutput(std::string_view text);

// Writes what is left. True: everything was taken. False: it was not (a full disk), errno says why. Does not return
// where the reader is gone: the process ends by SIGPIPE, as other commands do.
[[nodiscard]] bool FinishStandardOutput();

// All that a command prints, at once. Returns its exit status: 1, with a line on stderr that begins with the command's
// name, where it was not taken.
int PrintAndFinish(const char* command, std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_STANDARD_OUTPUT_H_
