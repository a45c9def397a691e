// geckoprof recover: docs/man/geckoprof-recover.1.md.
#ifndef GECKOPROF_TOOLS_RECOVER_RECOVER_COMMAND_H_
#define GECKOPROF_TOOLS_RECOVER_RECOVER_COMMAND_H_

#include <span>

namespace geckoprof {

// args[0] is "recover". Returns the exit status: 0, 1 (nothing to recover, or not writable), 2 (wrong use).
int RecoverMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_RECOVER_COMMAND_H_
