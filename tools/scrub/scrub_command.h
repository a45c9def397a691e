#ifndef GECKOPROF_TOOLS_SCRUB_SCRUB_COMMAND_H_
#define GECKOPROF_TOOLS_SCRUB_SCRUB_COMMAND_H_

#include <span>

namespace geckoprof {

// geckoprof scrub: docs/man/geckoprof-scrub.1.md. args[0] is "scrub". Returns the exit status: 0, 1 (the profile cannot
// be read or written), 2 (wrong use).
int ScrubMain(std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SCRUB_SCRUB_COMMAND_H_
