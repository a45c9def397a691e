// geckoprof record: docs/man/geckoprof-record.1.md.
#ifndef GECKOPROF_TOOLS_RECORD_RECORD_COMMAND_H_
#define GECKOPROF_TOOLS_RECORD_RECORD_COMMAND_H_

#include <span>

namespace geckoprof {

// args[0] is "record". Returns the recorded program's exit status, or 1, 2, 126, 127 if it did not run.
int RecordMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORD_COMMAND_H_
