#include "tools/cli/sub_commands.h"

#include <signal.h>

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

int TellsWhetherSizesAreIgnored(std::span<char* const>) {
  struct sigaction action = {};
  sigaction(SIGXFSZ, nullptr, &action);
  return action.sa_handler == SIG_IGN ? 1 : 0;
}

TEST_CASE("files that grow too large are errors, but not to the programs that a command starts") {
  static constexpr SubCommand kTable[] = {{"own", "", TellsWhetherSizesAreIgnored},
                                          {"starts", "", TellsWhetherSizesAreIgnored, true}};
  for (const char* name : {"own", "starts"}) {
    signal(SIGXFSZ, SIG_DFL);
    std::string words[] = {"geckoprof", name};
    char* args[] = {words[0].data(), words[1].data()};
    CHECK(RunSubCommand(args, kTable) == (words[1] == "own" ? 1 : 0));
  }
  signal(SIGXFSZ, SIG_DFL);
}

TEST_CASE("without a sub-command") {
  CHECK(Run({"geckoprof"}) == 0);
  CHECK(Run({"geckoprof", "--help"}) == 0);
  CHECK(Run({"geckoprof", "--version"}) == 0);
  CHECK(Run({"geckoprof", "two"}) == 2);
  CHECK(Run({"geckoprof", "--bogus"}) == 2);
}

}  // namespace
}  // namespace geckoprof
