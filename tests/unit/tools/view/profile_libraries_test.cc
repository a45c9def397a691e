#include "tools/view/profile_libraries.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/view/sample_library.h"

namespace geckoprof {
namespace {

constexpr char kId[] = "A36A1B55C852A2FF8A8E978C6AD630580";

TEST_CASE("libraries of all processes, by what the viewer calls them") {
  const ProfileLibraries libraries(Json(
      std::string(R"({"libs":[{"debugName":"a","breakpadId":")") + kId + R"(","path":"/x/a","codeId":null}],)" +
      R"("processes":[{"libs":[{"debugName":"b","breakpadId":"1","debugPath":"/x/b","codeId":"0aff"}],"processes":[)" +
      R"({"libs":[{"debugName":"c","breakpadId":"2","name":"c.so"}]}]}]})"));
  CHECK(libraries.size() == 3);
  REQUIRE(libraries.Find("a", kId) != nullptr);
  CHECK(libraries.Find("a", kId)->path == "/x/a");
  CHECK(libraries.Find("a", kId)->build_id.substr(0, 4) == "\x55\x1b\x6a\xa3");
  REQUIRE(libraries.Find("b", "1") != nullptr);
  CHECK(libraries.Find("b", "1")->path == "/x/b");
  CHECK(libraries.Find("b", "1")->build_id == "\x0a\xff");
  REQUIRE(libraries.Find("c", "2") != nullptr);
  CHECK(libraries.Find("c", "2")->path == "c.so");
  CHECK(libraries.Find("a", "1") == nullptr);
  CHECK(libraries.Find("/x/a", kId) == nullptr);
  CHECK(libraries.Find("", "") == nullptr);
}

TEST_CASE("what is no library is none") {
  for (const char* text : {"{}", R"({"libs":3})", R"({"libs":[1,null,{},{"debugName":"a"},{"breakpadId":"1"}]})",
                           R"({"libs":[],"processes":[3,{"processes":"x"}]})"}) {
    CHECK(ProfileLibraries(Json(text)).size() == 0);
  }
}

}  // namespace
}  // namespace geckoprof
