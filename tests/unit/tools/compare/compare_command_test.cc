#include "tools/compare/compare_command.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return CompareMain(args);
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
  CHECK(Run({"compare", "--help"}) == 0);
}

}  // namespace
}  // namespace geckoprof
