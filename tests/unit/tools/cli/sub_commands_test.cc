#include "tools/cli/sub_commands.h"

#include <catch2/catch.hpp>
#include <new>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

std::vector<std::string> seen;

int Remember(std::span<char* const> args) {
  seen.assign(args.begin(), args.end());
  return 42;
}

int RunOutOfMemory(std::span<char* const>) { throw std::bad_alloc(); }

int Run(std::vector<std::string> words) {
  static constexpr SubCommand kTable[] = {{"one", "the first", Remember}, {"large", "the second", RunOutOfMemory}};
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return RunSubCommand(args, kTable);
}

TEST_CASE("a sub-command gets its arguments from its name on, and its status is passed through") {
  CHECK(Run({"geckoprof", "one", "--x", "y"}) == 42);
  CHECK(seen == std::vector<std::string>{"one", "--x", "y"});
}

TEST_CASE("a sub-command without memory has failed") { CHECK(Run({"geckoprof", "large"}) == 1); }

TEST_CASE("without a sub-command") {
  CHECK(Run({"geckoprof"}) == 0);
  CHECK(Run({"geckoprof", "--help"}) == 0);
  CHECK(Run({"geckoprof", "--version"}) == 0);
  CHECK(Run({"geckoprof", "two"}) == 2);
  CHECK(Run({"geckoprof", "--bogus"}) == 2);
}

}  // namespace
}  // namespace geckoprof
