#include "tools/record/capture_triggers.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000, kSecond = 1'000'000'000;
constexpr uint64_t kMachineBytes = uint64_t{8} << 30;

CaptureTriggers Make(const std::vector<std::string>& whens, int64_t pause_ns = 10 * kSecond) {
  std::vector<CaptureTrigger> triggers;
  for (const std::string& when : whens) {
    const auto trigger = CaptureTrigger::Parse(when, kMachineBytes);
    REQUIRE(trigger.ok());
    triggers.push_back(*trigger);
  }
  return CaptureTriggers(triggers, pause_ns);
}

TEST_CASE("triggers are read") {
  using Kind = CaptureTrigger::Kind;
  const auto parse = [](const char* text) { return *CaptureTrigger::Parse(text, kMachineBytes); };
  CHECK(parse("exit").kind == Kind::kExit);
  CHECK(parse("marker>500ms").duration_ns == 500 * kMs);
  CHECK(parse("marker>500ms").marker_name.empty());
  CHECK(parse("marker:a > b>1.5s").marker_name == "a > b");
  CHECK(parse("marker:a > b>1.5s").duration_ns == 1500 * kMs);
  CHECK(parse("cpu>90%").cpu_percent == 90);
  CHECK_FALSE(parse("cpu>90%").is_of_one);
  CHECK(parse("process-cpu>250%").is_of_one);
  CHECK(parse("memory>1GiB").resident_bytes == 1u << 30);
  CHECK(parse("process-memory>25%").resident_bytes == 2u << 30);
  CHECK(parse("process-memory>25%").is_of_one);
}

TEST_CASE("what is no trigger is an error that names it") {
  for (const std::string bad : {"",          "marker",     "marker>",      "marker>5",      "marker>0ms",
                                "marker>2h", "marker:>1s", "markers>1s",   "cpu",           "cpu>90",
                                "cpu>0%",    "cpu>%",      "cpu>9999999%", "process-cpu>x", "memory>100%",
                                "memory>1",  "memory>x",   "memory>-1GiB", "process->1%",   "process-marker>1s",
                                "exit>1",    "Exit",       ">1s"}) {
    INFO(bad);
    const auto trigger = CaptureTrigger::Parse(bad, kMachineBytes);
    REQUIRE_FALSE(trigger.ok());
    CHECK(std::string(trigger.status().message()).starts_with("--capture-when: " + bad + " "));
  }
}

TEST_CASE("a marker that is long enough, of the right name, makes a capture") {
  CaptureTriggers triggers = Make({"marker:Paint>500ms"});
  CHECK(triggers.wants_markers());
  CHECK(triggers.least_marker_ns() == 500 * kMs);
  CHECK_FALSE(triggers.wants_loads());
  CHECK(triggers.OnMarker({7, "Paint", 500 * kMs}, kSecond).empty());
  CHECK(triggers.OnMarker({7, "Layout", kSecond}, kSecond).empty());
  CHECK(triggers.OnMarker({7, "Paint", 1500 * kMs}, kSecond) == "the marker \"Paint\" of process 7 lasted 1.5 s");
}

TEST_CASE("a trigger makes no capture within its pause, and other triggers do") {
  CaptureTriggers triggers = Make({"marker:a>1ms", "marker:b>1ms"});
  CHECK_FALSE(triggers.OnMarker({7, "a", kSecond}, kSecond).empty());
  CHECK(triggers.OnMarker({7, "a", kSecond}, 10 * kSecond).empty());
  CHECK_FALSE(triggers.OnMarker({7, "b", kSecond}, 10 * kSecond).empty());
  CHECK_FALSE(triggers.OnMarker({7, "a", kSecond}, 11 * kSecond).empty());
}

TEST_CASE("one marker of two triggers is one capture with both causes") {
  CaptureTriggers triggers = Make({"marker>100ms", "marker:a>1ms"});
  CHECK(triggers.least_marker_ns() == kMs);
  const std::string cause = "the marker \"a\" of process 7 lasted 200 ms";
  CHECK(triggers.OnMarker({7, "a", 200 * kMs}, kSecond) == cause + "; " + cause);
}

TEST_CASE("each trigger makes a number of captures, and says which one is the last") {
  CaptureTriggers triggers = Make({"marker>1ms"}, kSecond);
  std::vector<std::string> causes;
  for (int i = 1; i <= 2 * CaptureTriggers::kMostCaptures; ++i) {
    std::string cause = triggers.OnMarker({7, "a", kSecond}, i * kSecond);
    if (!cause.empty()) causes.push_back(std::move(cause));
  }
  REQUIRE(causes.size() == CaptureTriggers::kMostCaptures);
  CHECK(causes[0].find("last capture") == std::string::npos);
  CHECK(causes.back().ends_with(" (the last capture for marker>1ms)"));
}

TEST_CASE("a load makes a capture when it comes to exceed the limit, not while it does") {
  CaptureTriggers triggers = Make({"cpu>150%"}, kSecond);
  CHECK(triggers.wants_loads());
  const auto load = [](double percent) {
    TreeLoad tree;
    tree.all.cpu_percent = percent;
    return tree;
  };
  CHECK(triggers.OnLoad(load(150), 1 * kSecond).empty());
  CHECK(triggers.OnLoad(load(180.4), 2 * kSecond) == "the processes used 180% CPU");
  CHECK(triggers.OnLoad(load(190), 5 * kSecond).empty());
  CHECK(triggers.OnLoad(load(10), 6 * kSecond).empty());
  CHECK_FALSE(triggers.OnLoad(load(190), 7 * kSecond).empty());
}

TEST_CASE("a load that begins within the pause makes its capture when the pause is over") {
  CaptureTriggers triggers = Make({"memory>1GiB"}, 10 * kSecond);
  const auto load = [](uint64_t bytes) {
    TreeLoad tree;
    tree.all.resident_bytes = bytes;
    return tree;
  };
  constexpr uint64_t kMuch = uint64_t{2} << 30;
  CHECK(triggers.OnLoad(load(kMuch), 1 * kSecond) == "the processes had 2048 MiB of resident memory");
  CHECK(triggers.OnLoad(load(0), 2 * kSecond).empty());
  CHECK(triggers.OnLoad(load(kMuch), 3 * kSecond).empty());
  CHECK_FALSE(triggers.OnLoad(load(kMuch), 11 * kSecond).empty());
}

TEST_CASE("a limit of one process is about no sum") {
  CaptureTriggers triggers = Make({"process-cpu>90%", "process-memory>1GiB"});
  TreeLoad tree;
  tree.all = {500, uint64_t{50} << 30};
  tree.processes = {{7, {80, 1 << 20}}, {8, {85, 1 << 20}}};
  CHECK(triggers.OnLoad(tree, kSecond).empty());
  tree.processes[8] = {95, uint64_t{3} << 30};
  CHECK(triggers.OnLoad(tree, kSecond) == "process 8 used 95% CPU; process 8 had 3072 MiB of resident memory");
}

TEST_CASE("the end of a program that ended well is a cause if asked for") {
  CHECK(Make({"exit"}).wants_every_end());
  CHECK_FALSE(Make({"cpu>1%"}).wants_every_end());
  CHECK_FALSE(Make({}).wants_every_end());
}

}  // namespace
}  // namespace geckoprof
