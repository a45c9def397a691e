#ifndef GECKOPROF_TOOLS_VIEW_VIEW_COMMAND_H_
#define GECKOPROF_TOOLS_VIEW_VIEW_COMMAND_H_

#include <span>
#include <string>

namespace geckoprof {

// `geckoprof view ...`: args[0] is "view". Serves until a signal ends it. Returns the exit status: 0, 1 (the profile
// cannot be read, the port not be had), 2 (wrong use).
int ViewMain(std::span<char* const> args);

// The name under which a profile is served, of letters that need no escapes: that of its file, as far as it goes.
std::string ServedName(const std::string& path, bool is_gzip);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_VIEW_COMMAND_H_
