#include "tools/check/library_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("libraries are sorted, disjoint and named") {
  RequireFaults(
      kValidGecko,
      {{"\"end\":8192", "\"end\":4095", "$.libs[0].end: 4095 is below the start (4096)"},
       {"\"end\":8192", "\"end\":12289", "$.libs[1].start: 12288 lies in the library before (up to 12289)"},
       {"\"start\":12288,\"end\":16384", "\"start\":256,\"end\":512",
        "$.libs[1].start: 256 is below that of the row before (4096)"},
       {"\"start\":4096", "\"start\":-1", "$.libs[0].start: -1 is no address (a whole number from 0 to 2^53)"},
       {"\"start\":4096", "\"start\":1e17", "$.libs[0].start: 1e+17 is no address (a whole number from 0 to 2^53)"},
       {"\"start\":4096", "\"start\":\"0x1000\"", "$.libs[0].start: is string, not number"},
       {"\"start\":4096,", "", "$.libs[0].start: is missing"},
       {"\"end\":8192,\"offset\":0", "\"end\":8192", "$.libs[0].offset: is missing"}});
  RequireWarnings(
      kValidGecko,
      {{"\"debugName\":\"libc\"", "\"debugName\":4", "$.libs[1].debugName: is number, not string"},
       {"ABEFD98494C1DB7B0146A054B0B08C320", "abefd98494c1db7b0146a054b0b08c320",
        "$.libs[0].breakpadId: \"abefd98494c1db7b0146a054b0b08c320\" is no breakpad id (32 upper-case hex digits "
        "and an age)"},
       {"ABEFD98494C1DB7B0146A054B0B08C320", "ABEF0",
        "$.libs[0].breakpadId: \"ABEF0\" is no breakpad id (32 upper-case hex digits and an age)"},
       {"84d9efabc194", "84d9efabc19", "$.libs[0].codeId: \"84d9efabc19\" is no build id in hex"}});
  RequireWarnings(kValidProcessed, {{"\"path\":\"/demo\",", "", "$.libs[0].path: is missing"}});
}

TEST_CASE("a library of a processed profile is there once") {
  const std::string lib =
      "\"path\":\"/demo\",\"debugName\":\"demo\",\"debugPath\":\"/demo\",\n "
      "\"breakpadId\":\"ABEFD98494C1DB7B0146A054B0B08C320\",\"codeId\":null,\"arch\":\"x86_64\"}";
  const auto with = [&lib](const char* name) {
    return CheckText(Replaced(kValidProcessed, lib, lib + ",{\"name\":\"" + name + "\"," + lib)).faults.warnings();
  };
  CHECK(with("demo") == std::vector<std::string>{"$.libs[1]: is the same library as row 0"});
  CHECK(with("other").empty());
}

TEST_CASE("a library without a build id is only odd") {
  RequireWarnings(kValidProcessed,
                  {{"ABEFD98494C1DB7B0146A054B0B08C320", "",
                    "$.libs[0].breakpadId: is empty: the library has no build id, so it has no symbols"}});
}

}  // namespace
}  // namespace geckoprof
