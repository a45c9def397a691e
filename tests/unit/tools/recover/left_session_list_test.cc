#include "tools/recover/left_session_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("listing changes nothing; removing takes what nobody uses") {
  const TemporaryFolder parent;
  const std::string gone = std::to_string(1 << 23);  // above every pid
  for (const std::string& pid : {gone, std::to_string(getpid())}) {
    const std::string name = pid == gone ? "geckoprof-a1B2c3" : "geckoprof-a1B2c4";
    REQUIRE(mkdir((parent.path() + "/" + name).c_str(), 0700) == 0);
    parent.Write(name + "/" + pid + "-0.segment", "no segment");
  }
  CHECK(ListLeftSessions({parent.path()}, true) == 0);
  CHECK(std::filesystem::exists(parent.path() + "/geckoprof-a1B2c3"));
  CHECK(RemoveLeftSessions({parent.path()}, true) == 0);
  CHECK_FALSE(std::filesystem::exists(parent.path() + "/geckoprof-a1B2c3"));
  CHECK(std::filesystem::exists(parent.path() + "/geckoprof-a1B2c4"));
  CHECK(RemoveLeftSessions({parent.path()}, true) == 0);
}

}  // namespace
}  // namespace geckoprof
