#include "tools/profile/gecko_loader.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/profile/profile_loader.h"

namespace geckoprof {
namespace {

TEST_CASE("location strings") {
  const std::vector<GeckoLibrary> libraries = {{0x1000, 0x2000, 0, "demo"}, {0x3000, 0x4000, 0x100, "libc"}};
  const auto parse = [&](const char* text) {
    const GeckoLocation location = ParseGeckoLocation(text, libraries);
    return location.name + " | " + location.library;
  };
  CHECK(parse("0x1010") == "demo+0x10 | demo");
  CHECK(parse("0x3010") == "libc+0x110 | libc");
  CHECK(parse("0x2000") == "0x2000 | ");
  CHECK(parse("0xfff") == "0xfff | ");
  CHECK(parse("0x4000") == "0x4000 | ");
  CHECK(parse("0xzz") == "0xzz | ");
  CHECK(parse("0x11112222333344445") == "0x11112222333344445 | ");
  CHECK(parse("Run() (in libdemo.so)") == "Run() | libdemo.so");
  CHECK(parse("Run() (in libdemo.so) + 123") == "Run() | libdemo.so");
  CHECK(parse("Run() (in libdemo.so) (a.cc:7)") == "Run() | libdemo.so");
  CHECK(parse("waiting (in a queue) for it") == "waiting (in a queue) for it | ");
  CHECK(parse("x (in )") == "x (in ) | ");
  CHECK(parse("tick (file:///a.js:1:2)[7]") == "tick (file:///a.js:1:2) | ");
  CHECK(parse("operator[]") == "operator[] | ");
  CHECK(parse("a[b]") == "a[b] | ");
  CHECK(parse("]") == "] | ");
  CHECK(parse("") == " | ");
}

// {markers} etc. are filled in by the tests.
std::string Thread(const std::string& name, int pid, const std::string& samples, const std::string& stacks) {
  return R"({"name":")" + name + R"(","pid":)" + std::to_string(pid) + R"(,"tid":7,"processName":"P",
    "samples":{"schema":{"stack":0,"time":1,"eventDelay":2,"threadCPUDelta":3},"data":)" +
         samples + R"(},
    "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4},"data":[[2,5,6,1,0]]},
    "stackTable":{"schema":{"prefix":0,"frame":1},"data":)" +
         stacks + R"(},
    "frameTable":{"schema":{"location":0,"category":1},"data":[[0],[1,1],[2]]},
    "stringTable":["r","0x1010","Label"]})";
}

std::string Profile(const std::string& threads, const std::string& processes = "[]", int version = 34) {
  return R"({"meta":{"version":)" + std::to_string(version) + R"(,"startTime":1000,"interval":2,"profilingStartTime":1,
    "profilingEndTime":11,"categories":[{"name":"Idle"},{"name":"Other"}]},
    "libs":[{"start":4096,"end":8192,"offset":0,"name":"demo"}],"profilingLog":{"7":{"begin":1.5,"losses":{"late":3},"rows":[1,2],
    "recording":{"endReason":"exited","samplerCPUTime":12.5,"problems":["why"],"losses":[{"what":"missed-tick","count":4},{"what":"no-chunk","count":2}]}}},
    "threads":)" +
         threads + R"(,"processes":)" + processes + "}";
}

constexpr char kStacks[] = "[[null,0],[0,1],[1,2]]";

std::string ErrorOf(std::string text) {
  const auto model = LoadProfileText(std::move(text));
  return model.ok() ? "" : std::string(model.status().message());
}

TEST_CASE("the sections of a raw profile come first") {
  std::string text = Profile("[" + Thread("GeckoMain", 7, "[]", kStacks) + "]");
  const std::string extra =
      R"("extra":[{"label":"Recording","entries":[{"label":"End","format":"string","value":"Aborted"}]}],)";
  text.insert(text.find("\"version\""), extra);
  const auto model = LoadProfileText(text);
  REQUIRE(model.ok());
  REQUIRE(model->sections.size() == 4);
  REQUIRE(model->sections[0].entries.size() == 1);
  CHECK((model->sections[0].entries[0].label == "End" && model->sections[0].entries[0].value == "Aborted"));
}

TEST_CASE("a Gecko profile with a subprocess, whose times are shifted") {
  const std::string child = R"([{"meta":{"startTime":1500,"profilingEndTime":20},"libs":[],"threads":[)" +
                            Thread("GeckoMain", 20000007, "[[0,1,null,9]]", "[[null,1]]") + "]}]";
  const auto model =
      LoadProfileText(Profile("[" + Thread("GeckoMain", 7, "[[2,3.5,null,100],[null,4.5]]", kStacks) + "]", child));
  REQUIRE(model.ok());
  CHECK(model->version == 34);
  CHECK(model->begin_ms == 1);
  CHECK(model->duration_ms == 519);  // to the end of the subprocess
  REQUIRE(model->threads.size() == 2);
  REQUIRE(model->processes.size() == 2);
  CHECK(model->processes[1].pid == "7.2");
  CHECK(model->processes[1].shift_ms == 500);
  CHECK(model->processes[0].parent_pid.empty());
  CHECK(model->processes[1].parent_pid == "7");
  const ProfileThread& parent = model->threads[0];
  CHECK(parent.is_main);
  CHECK(parent.samples[0].time_ms == 3.5);
  CHECK(parent.samples[0].cpu_ns == 100);
  CHECK(parent.samples[1].stack == kNoRow);
  CHECK(parent.samples[1].cpu_ns == -1);
  const ProfileStack& leaf = model->stacks[static_cast<size_t>(parent.samples[0].stack)];
  CHECK(leaf.category == 1);  // the caller's
  CHECK(model->strings[static_cast<size_t>(model->functions[static_cast<size_t>(leaf.function)].name)] == "Label");
  const ProfileStack& caller = model->stacks[static_cast<size_t>(leaf.prefix)];
  CHECK(model->strings[static_cast<size_t>(model->functions[static_cast<size_t>(caller.function)].name)] ==
        "demo+0x10");
  // The child has no libraries: its address stays one. Its stacks follow the parent's.
  const ProfileThread& other = model->threads[1];
  CHECK(other.samples[0].time_ms == 501);
  CHECK(other.samples[0].stack == 3);
  CHECK(other.markers[0].start_ms == 505);
  REQUIRE(model->sections.size() == 3);
  const auto& entries = model->sections[2].entries;
  REQUIRE(entries.size() == 5);  // labelled as in the processed format
  CHECK(entries[0].label == "Ended");
  CHECK(entries[0].value == "exited");
  CHECK(entries[1].label == "CPU time of the sampler");
  CHECK((entries[1].value == "12.5" && entries[1].kind == ProfileSection::Entry::Kind::kMs));
  CHECK(entries[2].label == "Not as asked");
  CHECK(entries[3].label == "Lost: no-chunk");
  CHECK(entries[4].label == "Ticks without a request: missed-tick");
  CHECK(entries[4].value == "4");
  CHECK(model->sections[1].label == "losses of process 7");
  CHECK(model->sections[1].entries[0].value == "3");
}

TEST_CASE("the main thread has its process's name, but for Firefox's") {
  const std::string text =
      Profile("[" + Thread("GeckoMain", 7, "[]", kStacks) + "," + Thread("w", 7, "[]", kStacks) + "]");
  const auto ours = LoadProfileText(text);
  REQUIRE(ours.ok());
  CHECK(ours->threads[0].name == "P");
  CHECK(ours->threads[0].is_main);
  CHECK(ours->threads[1].name == "w");
  CHECK_FALSE(ours->threads[1].is_main);
  std::string by_firefox = text;
  by_firefox.insert(by_firefox.find("\"startTime\""), R"("updateChannel":"esr",)");
  const auto firefox = LoadProfileText(by_firefox);
  REQUIRE(firefox.ok());
  CHECK(firefox->threads[0].name == "GeckoMain");
}

TEST_CASE("errors of a Gecko profile name the place") {
  const std::string good = Thread("GeckoMain", 7, "[[2,3.5]]", kStacks);
  CHECK(ErrorOf(Profile("[" + good + "]", "[]", 37)) ==
        "$.meta.version: Gecko format version 37 is not known; the newest is 36");
  CHECK(ErrorOf("[]") == "$: no profile: there is no \"meta\" object");
  CHECK(ErrorOf(R"({"meta":{}})") == "$.meta.version: is missing: neither a Gecko nor a processed profile");
  CHECK(ErrorOf(R"({"meta":{"version":34}})") == "$.threads: is missing");
  CHECK(ErrorOf(Profile("[" + Thread("x", 7, "[[3,3.5]]", kStacks) + "]")) ==
        "$.threads[0].samples.data[0][0]: index 3 is out of range (3 rows)");
  CHECK(ErrorOf(Profile("[" + Thread("x", 7, "[]", "[[null,0],[1,1]]") + "]")) ==
        "$.threads[0].stackTable.data[1][0]: is no earlier row");
  CHECK(ErrorOf(Profile("[" + Thread("x", 7, "[]", "[[null,3]]") + "]")) ==
        "$.threads[0].stackTable.data[0][1]: index 3 is out of range (3 rows)");
  CHECK(ErrorOf(Profile("[4]")) == "$.threads[0].stringTable: is missing");
  CHECK(ErrorOf(Profile("[" + good + "]", "[3]")) == "$.processes[0].meta: is missing");
}

}  // namespace
}  // namespace geckoprof
