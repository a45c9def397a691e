#include "tools/check/frame_symbol_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

TEST_CASE("a frame's address lies in its symbol") {
  RequireWarnings(kValidProcessed,
                  {{"\"functionSize\":[128]", "\"functionSize\":[104]",
                    "$.shared.frameTable.address[1]: address 4200 is not in nativeSymbol 0 (104 bytes from 4096)"},
                   {"\"address\":[4100,4200,4200]", "\"address\":[4095,4200,4200]",
                    "$.shared.frameTable.address[0]: address 4095 is not in nativeSymbol 0 (128 bytes from 4096)"}});
  for (const char* size : {"[105]", "[null]", "[0]"}) {  // unknown, as 0 is in symbol tables
    CHECK(CheckText(Replaced(kValidProcessed, "\"functionSize\":[128]", Concat("\"functionSize\":", size)))
              .faults.warning_count() == 0);
  }
  CHECK(CheckText(Replaced(kValidProcessed, "\"address\":[4100,4200,4200]", "\"address\":[-1,4200,4200]"))
            .faults.warning_count() == 0);
}

TEST_CASE("a frame's symbol is of its library") {
  const std::string libs = Replaced(
      kValidProcessed, "\"codeId\":null,\"arch\":\"x86_64\"}]",
      "\"codeId\":null,\"arch\":\"x86_64\"},{\"name\":\"b\",\"path\":\"/b\",\"debugName\":\"b\",\"debugPath\":\"/b\","
      "\"breakpadId\":\"BBEFD98494C1DB7B0146A054B0B08C320\",\"codeId\":null,\"arch\":\"x86_64\"}]");
  CHECK(CheckText(libs).faults.warning_count() == 0);
  const std::string other = Replaced(libs, "\"libIndex\":[0]", "\"libIndex\":[1]");
  REQUIRE(CheckText(other).faults.warning_count() == 2);  // the third frame's function has no resource
  CHECK(CheckText(other).faults.warnings()[0] ==
        "$.shared.frameTable.nativeSymbol[0]: nativeSymbol 0 is of library 1, the frame of 0");
  const std::string newest =
      Replaced(Replaced(other, "\"preprocessedProfileVersion\":69", "\"preprocessedProfileVersion\":70"),
               "\"func\":[0,0,1]", "\"func\":[0,0,1],\"lib\":[1,1,1]");
  CHECK(CheckText(newest).faults.warning_count() == 0);
  CHECK(CheckText(Replaced(newest, "\"lib\":[1,1,1]", "\"lib\":[1,0,0]")).faults.warning_count() == 2);
}

}  // namespace
}  // namespace geckoprof
