#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tools/cli/sub_commands.h"

namespace geckoprof {
namespace {

TEST_CASE("the table has report and check, and no name twice") {
  std::set<std::string> names;
  for (const SubCommand& command : SubCommandTable()) {
    CHECK(names.insert(command.name).second);
    CHECK(std::string(command.summary) != "");
    CHECK(command.run != nullptr);
    CHECK(command.starts_programs == (std::string(command.name) == "record" || std::string(command.name) == "view"));
  }
  CHECK(names.count("report") == 1);
  CHECK(names.count("check") == 1);
}

}  // namespace
}  // namespace geckoprof
