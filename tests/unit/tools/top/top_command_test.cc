#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_segment.h"
#include "tools/options/commands.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return TopMain(args);
}

TEST_CASE("exit status of top") {
  TestSegment segment;
  CHECK(Run({"top", "--once", segment.path()}) == 0);
  CHECK(Run({"top", "--once", "/nonexistent"}) == 1);
  CHECK(Run({"top", "--once", "/etc/passwd"}) == 1);
  CHECK(Run({"top"}) == 2);
  CHECK(Run({"top", "--interval", "0", "1"}) == 2);
  CHECK(Run({"top", "--help"}) == 0);
}

}  // namespace
}  // namespace geckoprof
