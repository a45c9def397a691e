#include "tools/cli/view_launch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/options/option_table.h"
#include "tools/support/own_process.h"
#include "tools/text/terminal_text.h"
#include "tools/view/view_options.h"

namespace geckoprof {

int LaunchView(std::span<char* const> args) {
  if (OptionListing::Current() != nullptr) return ViewOptions().Parse(args).value_or(1);
  const absl::StatusOr<std::string> folder = OwnFolder();
  if (folder.ok()) return LaunchViewAt(*folder + "/../libexec/geckoprof/geckoprof-view", args);
  fprintf(stderr, "geckoprof view: %s\n", CleanText(std::string(folder.status().message())).c_str());
  return 1;
}

int LaunchViewAt(const std::string& path, std::span<char* const> args) {
  char own_name[] = "geckoprof";
  std::vector<char*> words = {own_name};
  words.insert(words.end(), args.begin(), args.end());
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  const int error = errno;
  fprintf(stderr, "geckoprof view: %s cannot be started: %s; is the installation complete?\n", CleanText(path).c_str(),
          strerror(error));
  return 1;
}

}  // namespace geckoprof
