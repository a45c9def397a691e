#include "tools/report/html/page_data.h"

#include <catch2/catch.hpp>

#include "page_model.h"
#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

ProfileCounter Counter(std::vector<ProfileCounter::Row> rows, bool is_rate) {
  ProfileCounter counter;
  counter.is_rate = is_rate;
  counter.rows = std::move(rows);
  return counter;
}

TEST_CASE("a counter is drawn as its value, a rate as what was added") {
  const std::vector<ProfileCounter::Row> rows = {{0, 100, 0}, {1, 5, 1}, {2, -30, 1}};
  CHECK(CounterPoints(Counter(rows, false), 10) == std::vector<CounterPoint>{{0, 100}, {1, 105}, {2, 75}});
  CHECK(CounterPoints(Counter(rows, true), 10) == std::vector<CounterPoint>{{0, 100}, {1, 5}, {2, -30}});
  CHECK(CounterPoints(Counter({}, false), 10).empty());
}

TEST_CASE("rows are taken in order of time") {
  CHECK(CounterPoints(Counter({{2, 1, 0}, {1, 10, 0}}, false), 10) == std::vector<CounterPoint>{{1, 10}, {2, 11}});
}

TEST_CASE("of many rows the extremes are left") {
  std::vector<ProfileCounter::Row> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back({static_cast<double>(i), i == 500 ? 7.0 : i == 501 ? -7.0 : 0.0, 0});
  const std::vector<CounterPoint> points = CounterPoints(Counter(rows, false), 20);
  CHECK(points.size() <= 20);
  CHECK(std::find(points.begin(), points.end(), CounterPoint{500, 7}) != points.end());
  CHECK(std::is_sorted(points.begin(), points.end(), [](auto& a, auto& b) { return a.time_ms < b.time_ms; }));

  double sum = 0;
  const std::vector<CounterPoint> rates = CounterPoints(Counter(rows, true), 20);
  for (const CounterPoint& point : rates) sum += point.value;
  CHECK(rates.size() <= 20);
  CHECK(sum == 0);

  rows.front().time_ms = -1.7e308;  // so long that it has no length
  rows.back().time_ms = 1.7e308;
  CHECK(!CounterPoints(Counter(rows, true), 20).empty());
  for (ProfileCounter::Row& row : rows) row.time_ms = 3;  // no time passes
  CHECK(CounterPoints(Counter(rows, true), 20) == std::vector<CounterPoint>{{3, 0}});
}

std::string Data(const ProfileModel& model, const PageLimits& limits = {}) {
  return WritePageData(model, Summarize(model, {}), {"f.json", {"--thread T"}, true}, limits);
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("samples are columns of small numbers, and functions only those that are used") {
  ProfileModel model = PageModel();
  model.strings.push_back("not used");
  model.functions.push_back({5, kNoRow});
  model.threads[0].samples = {PageSample(10, 3), PageSample(11, 5), PageSample(13.5, 3, 0), PageSample(14, kNoRow)};
  const std::string text = Data(model);
  INFO(text);
  CHECK(Has(text, R"("nodes":{"parent":[0,1,1,3],"function":[0,1,1,2],"category":[0,1,1,1]})"));
  CHECK(Has(text, R"("active":{"t":[10000,1000,3000],"n":[3,4,0],"c":[0,1,1]})"));
  CHECK(Has(text, R"("idle":{"t":[13500],"n":[3]})"));
  CHECK(Has(text, R"("functions":{"name":[0,1,2],"library":[3,3,-1],"source":[-1,-1,-1]})"));
  CHECK(Has(text, R"("strings":["main","work","rest","lib.so"])"));
  CHECK(Has(text, R"("filters":["--thread T"])"));
  CHECK(Has(text, R"("withIdle":true)"));
  CHECK(Has(text, R"("notes":[])"));
}

TEST_CASE("waits are rows of their own, with the holder of a lock") {
  ProfileModel model = PageModel();
  model.lock_waits = {{0x1000, 7, 1, 5}};
  ProfileThread& thread = model.threads[0];
  thread.has_states = true;
  ProfileSample wait = PageSample(11, 3, 0);
  wait.state = SampleState::kWaiting;
  wait.cause = WaitCause::kLock;
  wait.lock_wait = 0;
  wait.wait_ns = 2'500'000;
  wait.short_wait_ns = 400'000;
  thread.samples = {PageSample(10, 5), wait, PageSample(14, 5)};
  const std::string text = Data(model);
  INFO(text);
  CHECK(Has(text, R"x("waits":{"cause":["lock","lock"],"lock":["0x1000",""],"holder":["main (7)",""],"node":[3,0],)x"
                  R"("holderNode":[4,0]})"));
  CHECK(Has(text, R"("waits":{"t":[10600,400],"d":[400,2500],"r":[1,0]})"));
  CHECK(Has(text, R"("coreWaitMs":0,"waitMs":2.9)"));
  CHECK(Has(Data(PageModel()), R"("waits":{"cause":[],"lock":[],"holder":[],"node":[],"holderNode":[]})"));
}

TEST_CASE("gaps are told, and their CPU time is on the time line without a sample") {
  ProfileModel model = PageModel();
  ProfileThread& thread = model.threads[0];
  thread.has_states = true;
  ProfileSample gap = PageSample(90, kNoRow, 80'000'000);
  gap.weight = 0;
  thread.samples = {PageSample(10, 5), gap, PageSample(91, 5, 20'000'000)};
  const std::string text = Data(model);
  INFO(text);
  CHECK(Has(text, R"("active":{"t":[10000,80000,1000],"n":[2,0,2],"w":[1,0,1],"c":[0,80000,20000]})"));
  CHECK(Has(text, R"("notes":["80.0 ms (80.0 %) without samples, in 1 gap. The sampler was late, or it had no )"
                  R"(buffer left. A less busy machine or a longer --interval helps."])"));
}

TEST_CASE("what is left out or put together is told") {
  ProfileModel model = PageModel();
  for (int i = 0; i < 100'000; ++i) model.threads[0].samples.push_back(PageSample(i, i % 2 == 0 ? 3 : 5));
  for (int i = 0; i < 50; ++i) model.threads[0].markers.push_back({1, ProfileMarkerPhase::kInstant, 1.0 * i, 0});
  ProfileCounter counter;
  for (int i = 0; i < 50; ++i) counter.rows.push_back({1.0 * i, 1, 0});
  model.counters = {counter};
  model.strings[1] = std::string(3000, 'm');
  const std::string text = Data(model, {2, 5000, 10, 10});
  CHECK(Has(text, "100,000 samples were put together"));
  CHECK(Has(text, "2 lighter ones count as their callers"));
  CHECK(Has(text, "40 of 50 markers are left out"));
  CHECK(Has(text, "graphs of 1 counters have at most 10 points"));
  CHECK(Has(text, "texts of more than 1000 bytes are cut"));
}

TEST_CASE("where all paths are different, a smaller tree makes the samples few") {
  ProfileModel model = PageModel();
  for (int i = 0; i < 20'000; ++i) {
    model.strings.push_back(std::to_string(i));
    model.functions.push_back({static_cast<int32_t>(model.strings.size()) - 1, kNoRow});
    model.stacks.push_back({1, static_cast<int32_t>(model.functions.size()) - 1, 0, kNoRow});
    model.threads[0].samples.push_back(PageSample(i, static_cast<int32_t>(model.stacks.size()) - 1));
  }
  const std::string text = Data(model, {100'000, 3000, 10, 10});
  CHECK(text.size() < 200'000);
  CHECK(Has(text, "lighter ones count as their callers"));
  CHECK(Has(text, "20,000 samples were put together"));
}

TEST_CASE("nothing and nonsense are written, too") {
  CHECK(Has(Data(ProfileModel()), R"("threads":[])"));
  ProfileModel model = PageModel();
  model.threads[0].samples = {PageSample(-1e300, 3), PageSample(1e300, 3, INT64_MAX)};
  model.threads[0].register_ms = 1e300;
  model.threads[0].markers.push_back({1, ProfileMarkerPhase::kInterval, -1e300, 1e300, kNoRow, kNoRow});
  model.processes[0].parent_pid = "7";
  model.sections = {{"A", {{"Lost: x", "3", ProfileSection::Entry::Kind::kNumber}}},
                    {"B", {{"Lost: x", "4", ProfileSection::Entry::Kind::kNumber}}}};
  const std::string text = Data(model);
  CHECK(Has(text, R"("t":[-1000000000000000,2000000000000000])"));
  CHECK(Has(text, R"({"label":"All 2 together","entries":[["Lost: x","7"]]})"));
  CHECK(JsonDocument::Parse(text, JsonDocument::Utf8::kStrict).ok());
}

}  // namespace
}  // namespace geckoprof
