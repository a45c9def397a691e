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
// Lifetime: the destructor removes it. `geckoprof recover --remove-stale` removes the page of a process that was
// killed.
class BrowserPage {
 public:
  static absl::StatusOr<BrowserPage> Make(const std::string& url);
  ~BrowserPage();
  BrowserPage(BrowserPage&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  BrowserPage& operator=(BrowserPage&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
  }

  std::string path() const { return folder_.path + "/" + std::string(kPageFileName); }

 private:
  static absl::StatusOr<BrowserPage> MakeBelow(const std::string& parent, const std::string& html);
  explicit BrowserPage(PrivateFolder folder) : folder_(std::move(folder)) {}

  PrivateFolder folder_;  // without a path: there is nothing to remove
};

// Starts the user's browser with a URL or a file, in a session of its own. The variable BROWSER names its command,
// without options. Of several, the first one counts. Without it, and where there is a display, xdg-open or one of
// Debian's counterparts is started. Returns the process, which is a child of this one. An error says what is missing.
// The child has the signals of `mask` blocked.
absl::StatusOr<pid_t> LaunchBrowser(const std::string& page, const sigset_t& mask);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_BROWSER_LAUNCH_H_
