#include "tools/check/thread_id_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

std::vector<std::string> WarningsOf(std::string threads) {
  const auto document = JsonDocument::Parse(std::move(threads), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  FaultList faults(100);
  ValueChecker checker(&faults);
  CheckThreadIds(document->root(), JsonPath(), &checker);
  return faults.warnings();
}

TEST_CASE("a tid is one thread's at a time") {
  const std::string warning = "$.threads[1].tid: 100 is that of thread 0, too, which lives at the same time";
  RequireWarnings(kValidGecko, {{"\"tid\":101", "\"tid\":100", warning.c_str()}});
  RequireWarnings(kValidProcessed, {{"\"tid\":\"101\"", "\"tid\":\"100\"", warning.c_str()}});
}

TEST_CASE("a tid may come again, in another process or later") {
  CHECK(WarningsOf(R"([{"pid":1,"tid":5,"registerTime":1,"unregisterTime":3},
                     {"pid":1,"tid":5,"registerTime":3,"unregisterTime":null},
                     {"pid":2,"tid":5,"registerTime":1},{"tid":"x"},{"pid":1,"tid":null,"registerTime":1}])")
            .empty());
}

TEST_CASE("a long life overlaps with more than the next one") {
  CHECK(WarningsOf(R"([{"pid":1,"tid":5,"registerTime":1,"unregisterTime":9},
                     {"pid":1,"tid":5,"registerTime":7,"unregisterTime":8},
                     {"pid":1,"tid":5,"registerTime":2,"unregisterTime":3}])") ==
        std::vector<std::string>{"$[2].tid: 5 is that of thread 0, too, which lives at the same time",
                                 "$[1].tid: 5 is that of thread 0, too, which lives at the same time"});
}

}  // namespace
}  // namespace geckoprof
