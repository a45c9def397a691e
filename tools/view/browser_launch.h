#ifndef GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_
#define GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "tools/support/private_folder.h"

namespace geckoprof {

// BrowserPage is a file that sends a browser to a URL.
//
//   <parent>/geckoprof-view-XXXXXX/open.html      mode 0600, in a PrivateFolder
//
// All users of the machine can read the command line of a browser, and the URL of a profile holds the token that guards
// it. So the browser is started with this file, which only its user can read.
// Lifetime: the destructor removes it.
class BrowserPage {
 public:
  static absl::StatusOr<BrowserPage> Make(const std::string& url);
  ~BrowserPage();
  BrowserPage(BrowserPage&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  BrowserPage& operator=(BrowserPage&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
  }

  std::string path() const { return folder_.path + "/open.html"; }

 private:
  static absl::StatusOr<BrowserPage> MakeBelow(const std::string& parent, const std::string& html);
  explicit BrowserPage(PrivateFolder folder) : folder_(std::move(folder)) {}

  PrivateFolder folder_;  // without a path: there is nothing to remove
};

// Starts the user's browser with a URL or a file, apart from this process's terminal: what BROWSER names (the first of
// them, a command without options), else xdg-open or Debian's counterparts, where there is a display. Returns the
// process, which is a child of this one. An error says what is missing. `mask`: the signals that the child has blocked.
absl::StatusOr<pid_t> LaunchBrowser(const std::string& page, const sigset_t& mask);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_
