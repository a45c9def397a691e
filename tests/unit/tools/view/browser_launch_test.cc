#include "tools/view/browser_launch.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("the browser of BROWSER gets the address") {
  const DebugInfoSample folder;
  // In a session of its own, where Ctrl-C does not reach it.
  WriteBytes(folder.folder() + "/browser",
             "#!/bin/sh\nread -r pid name state parent group session rest </proc/$$/stat\n[ $session = $$ ] && echo "
             "\"$1\" >" +
                 folder.folder() + "/asked\n");
  REQUIRE(folder.Run("chmod +x browser"));
  sigset_t none;
  sigemptyset(&none);
  setenv("BROWSER", (folder.folder() + "/browser:other").c_str(), 1);
  const auto child = LaunchBrowser("http://a/?b=c&d", none);
  REQUIRE(child.ok());
  int status = -1;
  REQUIRE(waitpid(*child, &status, 0) == *child);
  CHECK(status == 0);
  CHECK(FileBytes(folder.folder() + "/asked") == "http://a/?b=c&d\n");
  setenv("BROWSER", "/nowhere/browser", 1);
  CHECK(std::string(LaunchBrowser("http://a/", none).status().message()).find("/nowhere/browser") != std::string::npos);
  unsetenv("BROWSER");
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  CHECK_FALSE(LaunchBrowser("http://a/", none).ok());
}

TEST_CASE("a page that only its user can read leads to the address, and goes with its object") {
  std::string path;
  {
    const absl::StatusOr<BrowserPage> page = BrowserPage::Make("http://127.0.0.1:1/TOKEN/?a=\"b\"&c=<d>");
    REQUIRE(page.ok());
    path = page->path();
    const std::string html = FileBytes(path);
    CHECK(html.find("content=\"0; url=http://127.0.0.1:1/TOKEN/?a=&quot;b&quot;&amp;c=&lt;d>\"") != std::string::npos);
    CHECK(path.find("TOKEN") == std::string::npos);
    struct stat file = {}, folder = {};
    REQUIRE((stat(path.c_str(), &file) == 0 && stat(path.substr(0, path.rfind('/')).c_str(), &folder) == 0));
    CHECK((file.st_mode & 0777) == 0600);
    CHECK((folder.st_mode & 0777) == 0700);
  }
  CHECK(access(path.substr(0, path.rfind('/')).c_str(), F_OK) != 0);
}

}  // namespace
}  // namespace geckoprof
