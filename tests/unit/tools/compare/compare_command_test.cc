#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tools/options/commands.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return CompareMain(args);
}

// Standard input is a file while it lives.
class InputFrom {
 public:
  explicit InputFrom(const std::string& path) : saved_(dup(STDIN_FILENO)) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
  }
  ~InputFrom() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST_CASE("one profile can come from standard input") {
  const std::string a = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"compare", a, "-"}, {"compare", "--before", "-", a, "--after", a, a}}) {
    const InputFrom input(a);
    CHECK(Run(words) == 0);
  }
}

TEST_CASE("a budget of what is not there ends with 1") {
  const std::string a = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";
  for (const char* budget : {"cpu>+3%", "self:main>+5%", "marker-count:x>+1"}) {
    CHECK(Run({"compare", "--thread", "no thread has this name", "--fail-on", budget, a, a}) == 1);
    CHECK(Run({"compare", "--fail-on", budget, a, a}) == 0);
  }
  CHECK(Run({"compare", "--thread", "no thread has this name", a, a}) == 0);
}

TEST_CASE("folded stacks are compressed where their name says so") {
  const std::string a = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";
  for (const bool packed : {false, true}) {
    char path[] = "/tmp/compare_command_test.XXXXXX";
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    const std::string name = std::string(path) + (packed ? ".gz" : ".txt");
    CHECK(Run({"compare", "--diff-stacks", name, a, a}) == 0);
    std::ifstream file(name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    CHECK(bytes.starts_with("\x1f\x8b") == packed);
    CHECK(bytes.size() > 10);
    unlink(path);
    unlink(name.c_str());
  }
}

TEST_CASE("exit status of compare") {
  const std::string a = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json",
                    b = GECKOPROF_GOLDEN_DIR "/firefox_gecko_34.json";
  CHECK(Run({"compare", a, b}) == 0);
  CHECK(Run({"compare", "--json", "--before", a, a, "--after", b, b}) == 0);
  CHECK(Run({"compare", "--before", a, "--after", b, "--top", "3"}) == 0);
  CHECK(Run({"compare", "--fail-on", "cpu>+0%", a, a}) == 0);
  CHECK(Run({"compare", "--fail-on", "cpu>0ms", "--fail-on", "self:none>+5%", a, a}) == 1);
  CHECK(Run({"compare", a, "/nonexistent.json"}) == 1);
  CHECK(Run({"compare", "--fail-on", "cpu", a, a}) == 2);
  CHECK(Run({"compare", a}) == 2);
  CHECK(Run({"compare", a, b, a}) == 2);
  CHECK(Run({"compare", "--before", a}) == 2);
  CHECK(Run({"compare", "--before", "--after", b}) == 2);
  CHECK(Run({"compare", a, "--before", a, "--after", b}) == 2);
  CHECK(Run({"compare", "-", "-"}) == 2);  // it can be read once
  CHECK(Run({"compare", "--before", a, "-", "--after", "-"}) == 2);
  CHECK(Run({"compare", "--help"}) == 0);
}

}  // namespace
}  // namespace geckoprof
