#include "tools/check/processed_table_rules.h"

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

TEST_CASE("a table is as long as it says") {
  RequireFaults(
      kValidProcessed,
      {{"\"stackTable\":{\"length\":3", "\"stackTable\":{\"length\":4",
        "$.shared.stackTable.frame: has 3 rows, the table's length is 4"},
       {"\"inlineDepth\":[0,0,1]", "\"inlineDepth\":[0,0]",
        "$.shared.frameTable.inlineDepth: has 2 rows, the table's length is 3"},
       {"\"stackTable\":{\"length\":3,", "\"stackTable\":{", "$.shared.stackTable.length: is missing"},
       {"\"stackTable\":{\"length\":3", "\"stackTable\":{\"length\":-3", "$.shared.stackTable.length: is no length"},
       {"\"isJS\":[false,false],", "", "$.shared.funcTable.isJS: is missing"}});
}

TEST_CASE("indices of the shared tables") {
  RequireFaults(
      kValidProcessed,
      {{"\"frame\":[0,1,2]", "\"frame\":[0,1,3]", "$.shared.stackTable.frame[2]: frame index 3 is out of range (0..2)"},
       {"\"prefixOffset\":[0,1,1]", "\"prefixOffset\":[0,2,1]",
        "$.shared.stackTable.prefixOffset[1]: prefix offset 2 is not in 0..1"},
       {"\"prefixOffset\":[0,1,1]", "\"prefixOffset\":[0,-1,1]",
        "$.shared.stackTable.prefixOffset[1]: prefix offset -1 is not in 0..1"},
       {"\"func\":[0,0,1]", "\"func\":[0,0,2]", "$.shared.frameTable.func[2]: func index 2 is out of range (0..1)"},
       {"\"nativeSymbol\":[0,0,0]", "\"nativeSymbol\":[0,1,0]",
        "$.shared.frameTable.nativeSymbol[1]: nativeSymbol index 1 is out of range (0..0)"},
       {"\"address\":[4100,4200,4200]", "\"address\":[null,4200,4200]",
        "$.shared.frameTable.address[0]: is null, not number"},
       {"\"address\":[4100,4200,4200]", "\"address\":[-2,4200,4200]",
        "$.shared.frameTable.address[0]: address -2 is negative"},
       {"\"address\":[4100,4200,4200]", "\"address\":[1e-300,4200,4200]",
        "$.shared.frameTable.address[0]: address 1e-300 is no whole number"},
       {"\"category\":[0,0,null]", "\"category\":[1,0,null]",
        "$.shared.frameTable.category[0]: category index 1 is out of range (0..0)"},
       {"\"resource\":[0,-1]", "\"resource\":[1,-1]",
        "$.shared.funcTable.resource[0]: resource index 1 is out of range (0..0)"},
       {"\"source\":[0,null]", "\"source\":[1,null]",
        "$.shared.funcTable.source[0]: source index 1 is out of range (0..0)"},
       {"\"name\":[0,1]", "\"name\":[0,5]", "$.shared.funcTable.name[1]: string index 5 is out of range (0..4)"},
       {"\"lib\":[0]", "\"lib\":[1]", "$.shared.resourceTable.lib[0]: lib index 1 is out of range (0..0)"},
       {"\"type\":[1]", "\"type\":[6]", "$.shared.resourceTable.type[0]: type index 6 is out of range (0..5)"},
       {"\"libIndex\":[0]", "\"libIndex\":[-1]",
        "$.shared.nativeSymbols.libIndex[0]: lib index -1 is out of range (0..0)"},
       {"\"filename\":[3]", "\"filename\":[9]",
        "$.shared.sources.filename[0]: string index 9 is out of range (0..4)"}});
  RequireWarnings(
      kValidProcessed,
      {{"\"isJS\":[false,false]", "\"isJS\":[0,false]", "$.shared.funcTable.isJS[0]: is number, not boolean"},
       {"\"line\":[11,12,13]", "\"line\":[11,-12,13]", "$.shared.frameTable.line[1]: line -12 is negative"},
       {"\"line\":[11,12,13]", "\"line\":[11,12.5,13]", "$.shared.frameTable.line[1]: line 12.5 is no whole number"},
       {"\"line\":[11,12,13]", "\"line\":[11,1e308,13]",
        "$.shared.frameTable.line[1]: line 1e+308 is no whole number"}});
}

TEST_CASE("an inlined frame stands on the frame it was inlined into") {
  RequireWarnings(kValidProcessed, {{"\"inlineDepth\":[0,0,1]", "\"inlineDepth\":[0,0,2]",
                                     "$.shared.stackTable.frame[2]: frame 2 has inline depth 2, its caller not 1"},
                                    {"\"inlineDepth\":[0,0,1]", "\"inlineDepth\":[1,0,1]",
                                     "$.shared.stackTable.frame[0]: frame 0 is inlined into nothing"},
                                    {"\"address\":[4100,4200,4200]", "\"address\":[4100,4200,4201]",
                                     "$.shared.stackTable.frame[2]: frame 2 is inlined into one of another address"}});
}

TEST_CASE("versions: prefix before 66, lib of frames from 70") {
  const std::string old =
      Replaced(Replaced(kValidProcessed, "\"preprocessedProfileVersion\":69", "\"preprocessedProfileVersion\":65"),
               "\"prefixOffset\":[0,1,1]", "\"prefix\":[null,0,1]");
  CHECK(CheckText(old).faults.faults() == std::vector<std::string>());
  CHECK(CheckText(Replaced(old, "\"prefix\":[null,0,1]", "\"prefix\":[null,1,1]")).faults.faults() ==
        std::vector<std::string>{"$.shared.stackTable.prefix[1]: prefix 1 is not an earlier row"});
  const std::string newest =
      Replaced(kValidProcessed, "\"preprocessedProfileVersion\":69", "\"preprocessedProfileVersion\":70");
  CHECK(CheckText(newest).faults.faults() == std::vector<std::string>{"$.shared.frameTable.lib: is missing"});
  CHECK(CheckText(Replaced(newest, "\"func\":[0,0,1]", "\"func\":[0,0,1],\"lib\":[0,-1,-1]")).faults.fault_count() ==
        0);
}

}  // namespace
}  // namespace geckoprof
