// The sub-command that is a program of its own.
#ifndef GECKOPROF_TOOLS_CLI_VIEW_LAUNCH_H_
#define GECKOPROF_TOOLS_CLI_VIEW_LAUNCH_H_

#include <span>
#include <string>

namespace geckoprof {

// `geckoprof view ...`: this process becomes ../libexec/geckoprof/geckoprof-view, with the same words. args[0] is
// "view". Returns if it cannot: 1, one line says why;
// and while options are listed (OptionListing), which it does here.
int LaunchView(std::span<char* const> args);

// The same with the program at `path`.
int LaunchViewAt(const std::string& path, std::span<char* const> args);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_VIEW_LAUNCH_H_
