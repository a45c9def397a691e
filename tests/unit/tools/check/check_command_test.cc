#include <stdio.h>
#include <unistd.h>

#include "tests/unit/tools/check/valid_profile_text.h"
#include "tools/options/commands.h"

namespace geckoprof {
namespace {

// A file of a test's own, gone at its end.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view text) {
    const int fd = mkstemp(name_);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(fd);
  }
  ~ScratchFile() { unlink(name_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  char* name() { return name_; }

 private:
  char name_[40] = "/tmp/geckoprof-check-test.XXXXXX";
};

int Run(std::vector<std::string> words) {
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return CheckMain(args);
}

TEST_CASE("exit status of check") {
  ScratchFile good(kValidGecko), bad(Replaced(kValidGecko, "[1,2]]", "[2,2]]")), broken("{\"meta\":");
  ScratchFile marked(std::string("\xef\xbb\xbf") + kValidGecko), text("int main() {}"), chrome("{\"traceEvents\":[]}");
  CHECK(Run({"check", good.name()}) == 0);
  CHECK(Run({"check", marked.name()}) == 0);
  CHECK(Run({"check", text.name()}) == 1);
  CHECK(Run({"check", chrome.name()}) == 1);
  CHECK(Run({"check", good.name(), bad.name()}) == 1);
  CHECK(Run({"check", broken.name()}) == 1);
  CHECK(Run({"check", "/nonexistent/profile.json"}) == 1);
  CHECK(Run({"check"}) == 2);
  CHECK(Run({"check", "--max", "0", good.name()}) == 2);
  CHECK(Run({"check", "--help"}) == 0);
}

}  // namespace
}  // namespace geckoprof
