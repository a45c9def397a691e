#include "tools/check/profile_checker.h"

#include "tests/unit/tools/check/valid_profile_text.h"
#include "tools/profile/profile_file.h"

namespace geckoprof {
namespace {

TEST_CASE("a verdict names format, version and size") {
  CHECK(CheckText(kValidGecko).description == "gecko 34, 3 threads in 2 processes");
  CHECK(CheckText(kValidProcessed).description == "processed 69, 2 threads in 1 process");
  const std::string later = R"({"processType":"default","processStartupTime":5,"registerTime":5,"pausedRanges":[],
    "name":"next","isMainThread":true,"pid":"100.1","tid":100,
    "samples":{"length":0,"stack":[],"time":[],"weight":null,"weightType":"samples"},
    "markers":{"length":0,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"data":[]}},)";
  CHECK(CheckText(Replaced(kValidProcessed, "\"threads\":[", "\"threads\":[" + later)).description ==
        "processed 69, 3 threads in 1 process");  // its second program
  CHECK(CheckText("{\"profile\":" + std::string(kValidGecko) + "}").faults.fault_count() == 0);
}

TEST_CASE("the reduced Firefox profile has no fault; the odd things that Firefox does are warnings") {
  const auto text = ReadProfileFile(GECKOPROF_GOLDEN_DIR "/firefox_gecko_34.json");
  REQUIRE(text.ok());
  const ProfileVerdict verdict = CheckText(*text);
  CHECK(verdict.faults.faults() == std::vector<std::string>());
  CHECK(verdict.faults.warning_count() >= 1);
}

}  // namespace
}  // namespace geckoprof
