#include <catch2/catch.hpp>
#include <string>

#include "tools/cli/sub_commands.h"
#include "tools/options/commands.h"
#include "tools/options/option_table.h"

namespace geckoprof {
namespace {

int Run(std::string shell) {
  std::string name = "completion";
  char* args[] = {name.data(), shell.data()};
  return CompletionMain(std::span<char* const>(args, 2));
}

TEST_CASE("three shells, and no other") {
  CHECK(Run("tcsh") == 2);
  CHECK(Run("-x") == 2);
  for (const char* shell : {"bash", "zsh", "fish"}) CHECK(Run(shell) == 0);
}

TEST_CASE("every command of this build hands over its options, and does nothing else") {
  const OptionListing listing;
  for (const SubCommand& command : SubCommandTable()) {
    std::string name = command.name;
    char* args[] = {name.data()};
    CHECK(command.run(std::span<char* const>(args, 1)) == 0);
    REQUIRE(!listing.tables().empty());
    CHECK(listing.tables().back().command == name);
    CHECK(listing.tables().back().options.front().names.back() == "--help");
  }
  CHECK(listing.tables().size() == SubCommandTable().size());
}

}  // namespace
}  // namespace geckoprof
