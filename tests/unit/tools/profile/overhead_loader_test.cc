#include "tools/profile/overhead_loader.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

ProfileModel Loaded(const std::string& text, bool gecko) {
  const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kAny);
  REQUIRE(document.ok());
  ProfileModel model;
  model.processes = {{"1", "", 0}, {"2.1", "", 100}};
  ModelBuilder builder(&model);
  REQUIRE((gecko ? LoadGeckoOverhead(document->root(), 1, &builder) : LoadProcessedOverhead(document->root(), &builder))
              .ok());
  return model;
}

TEST_CASE("looks of the Gecko format have times in us") {
  const ProfileModel model = Loaded(
      R"({"profilerOverhead":{"recordingTime":50,"samplerCPUTime":1.5,"handlerTime":0.25,
      "samples":{"schema":{"time":0,"locking":1,"expiredMarkerCleaning":2,"counters":3,"threads":4,"lateness":5,"samplerCPU":6},
      "data":[[2000,0,10,2,30,1,40],[4000,0,20,0,38,3,25]]}}})",
      true);
  REQUIRE(model.overheads.size() == 1);
  const ProfileOverhead& overhead = model.overheads[0];
  CHECK(overhead.process == 1);
  CHECK(overhead.looks == 2);
  CHECK(overhead.begin_ms == 102);
  CHECK(overhead.end_ms == 104);
  CHECK(overhead.upkeep.total_us == 30);
  CHECK(overhead.upkeep.most_us == 20);
  CHECK(overhead.counters.total_us == 2);
  CHECK(overhead.threads.total_us == 68);
  CHECK(overhead.lateness_us == std::vector<float>{1, 3});
  CHECK(overhead.sampler_ms == 1.5);
  CHECK(overhead.handler_ms == 0.25);
  CHECK(overhead.recording_ms == 50);
}

TEST_CASE("looks of the processed format have times in ms, and belong to known processes") {
  const ProfileModel model = Loaded(
      R"({"profilerOverhead":[{"pid":"2.1","mainThreadIndex":0,"samples":{"time":[2,5],"locking":[4,0],
      "expiredMarkerCleaning":[1,1],"counters":[1,1],"threads":[1,1],"length":2}},
      {"pid":"9","samples":{"time":[1]}},{"pid":"1","samples":{}}]})",
      false);
  REQUIRE(model.overheads.size() == 1);
  const ProfileOverhead& overhead = model.overheads[0];
  CHECK(overhead.process == 1);
  CHECK(overhead.locking.total_us == 4);
  CHECK(overhead.recording_ms == 3);  // that of the looks, as Firefox writes no other
  CHECK(overhead.lateness_us.empty());
  CHECK_FALSE(overhead.sampler_ms.has_value());
}

TEST_CASE("numbers that make no sense count as 0") {
  const ProfileModel model = Loaded(
      R"({"profilerOverhead":{"samples":{"schema":{"time":0,"threads":1},"data":[[1e300,-5],["x",1e300],[]]}}})", true);
  REQUIRE(model.overheads.size() == 1);
  CHECK(model.overheads[0].looks == 3);
  CHECK(model.overheads[0].threads.total_us == 0);
  CHECK(Loaded("{}", true).overheads.empty());
  CHECK(Loaded(R"({"profilerOverhead":7})", false).overheads.empty());
}

}  // namespace
}  // namespace geckoprof
