#ifndef GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_
#define GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_

#include <signal.h>
#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace geckoprof {

// Starts the user's browser with the URL, apart from this process's terminal: what BROWSER names (the first of them, a
// command without options), else xdg-open or Debian's counterparts, where there is a display. Returns the process,
// which is a child of this one. An error says what is missing. `mask`: the signals that the child has blocked.
absl::StatusOr<pid_t> LaunchBrowser(const std::string& url, const sigset_t& mask);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_
