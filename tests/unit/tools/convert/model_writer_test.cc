#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/check/profile_checker.h"
#include "tools/convert/format_writers.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/profile_summary.h"

namespace geckoprof {
namespace {

std::string WrittenModel(const ProfileModel& model) {
  FormatOutput output(nullptr, false);
  WriteModel(model, &output);
  REQUIRE(output.Finish().ok());
  return output.buffer();
}

JsonDocument Parsed(const ProfileModel& model) {
  auto document = JsonDocument::Parse(WrittenModel(model), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  return *std::move(document);
}

TEST_CASE("frames, functions and sources of the shared tables") {
  const JsonDocument document = Parsed(SmallModel());
  const JsonView shared = document.root()["shared"], frames = shared["frameTable"], funcs = shared["funcTable"];
  CHECK(frames["length"].AsInteger() == 4);
  CHECK(frames["inlineDepth"].At(3).AsInteger() == 1);
  CHECK(frames["line"].At(0).IsNull());
  CHECK(frames["line"].At(3).AsInteger() == 21);
  const auto func = static_cast<size_t>(frames["func"].At(3).AsInteger().value_or(-1));
  const auto name = static_cast<size_t>(funcs["name"].At(func).AsInteger().value_or(-1));
  CHECK(shared["stringArray"].At(name).AsString() == "hash");
  CHECK(funcs["resource"].At(0).AsInteger() == -1);
  CHECK(funcs["resource"].At(func).AsInteger() == 0);
  CHECK(shared["sources"]["length"].AsInteger() == 1);
  CHECK(document.root()["libs"].At(0)["codeId"].AsString() == "0123456789abcdef");
}

TEST_CASE("an address without a symbol stays one") {
  ProfileModel model = SmallModel();
  CHECK(Parsed(model).root()["meta"]["symbolicated"].IsTrue());
  for (std::string& text : model.strings) {
    if (text == "hash") text = "demo+0x40";
  }
  const JsonDocument document = Parsed(model);
  const JsonView strings = document.root()["shared"]["stringArray"];
  bool found = false;
  for (size_t i = 0; i < strings.size(); ++i) found = found || strings.At(i).AsString() == "0x40";
  CHECK(found);
  CHECK_FALSE(document.root()["meta"]["symbolicated"].IsTrue());
}

TEST_CASE("a stack without a frame has one of its function and category") {
  ProfileModel model = SmallModel();
  for (ProfileStack& stack : model.stacks) stack.frame = kNoRow;
  const JsonDocument document = Parsed(model);
  const JsonView shared = document.root()["shared"];
  CHECK(shared["stackTable"]["frame"].At(0).AsInteger() == 4);
  CHECK(shared["frameTable"]["length"].AsInteger() == 8);
  CHECK(shared["frameTable"]["category"].At(4).AsInteger() == model.stacks[0].category);
  CHECK(shared["frameTable"]["address"].At(7).AsInteger() == -1);
}

TEST_CASE("a model that is written is read again") {
  const ProfileModel model = SmallModel();
  const auto read = LoadProfileText(WrittenModel(model), ProfileDetail::kFull);
  REQUIRE(read.ok());
  REQUIRE(read->threads.size() == 2);
  CHECK(read->product == "demo");
  CHECK(read->threads[0].samples.size() == 4);
  CHECK(read->threads[0].samples[3].weight == 5);
  CHECK(read->threads[0].samples[1].cpu_ns == 1'000'000);
  CHECK(read->frames.size() == 4);
  CHECK(read->frames[3].line == 21);
  CHECK(read->libraries == model.libraries);
  REQUIRE(read->threads[0].markers.size() == 2);
  CHECK(read->threads[0].markers[0].end_ms == 2);
  REQUIRE(read->marker_fields.size() == 4);
  CHECK(read->strings[static_cast<size_t>(read->marker_fields[0].text)] == "a.txt");
  CHECK(read->marker_fields[1].number == 42);
  CHECK(read->marker_data[0].stack == model.marker_data[0].stack);
  REQUIRE(read->counters.size() == 1);
  CHECK(read->counters[0].rows.size() == 3);
  CHECK(read->counters[0].rows[2].count == -30);
  REQUIRE(read->marker_schemas[0].fields.size() == 3);
  CHECK(read->marker_schemas[0].fields[2].format == model.marker_schemas[0].fields[2].format);
}

TEST_CASE("states of samples are kept") {
  ProfileModel model = SmallModel();
  ProfileThread& thread = model.threads[0];
  model.lock_waits = {{0x7f0000001000, 5, kNoRow, kNoRow}};
  thread.has_states = true;
  thread.samples[1].ready_ns = 4000;
  thread.samples[2].state = SampleState::kWaiting;
  thread.samples[2].cause = WaitCause::kLock;
  thread.samples[2].lock_wait = 0;
  const auto read = LoadProfileText(WrittenModel(model));
  REQUIRE(read.ok());
  CHECK(read->threads[0].has_states);
  CHECK_FALSE(read->threads[1].has_states);
  const std::vector<ProfileSample>& samples = read->threads[0].samples;
  CHECK(samples[1].ready_ns == 4000);
  CHECK(samples[1].state == SampleState::kRunning);
  CHECK(samples[2].state == SampleState::kWaiting);
  CHECK(samples[2].cause == WaitCause::kLock);
  REQUIRE(read->lock_waits.size() == 1);
  CHECK(read->lock_waits[0].address == 0x7f0000001000);
  CHECK(read->lock_waits[0].holder_tid == 5);
}

TEST_CASE("a recording that went on after its last sample is as long when it is read") {
  ProfileModel model = SmallModel();
  model.duration_ms = 1120;
  CHECK(LoadProfileText(WrittenModel(model))->duration_ms == Approx(1120));
  model.duration_ms = 3.5;  // the last one, at 3 ms, lasts until 4
  CHECK(WrittenModel(model).find("profilingEndTime") == std::string::npos);
}

TEST_CASE("the profiler's own time of the file that the model is from is kept") {
  const std::string text =
      R"([{"pid":10,"mainThreadIndex":7,"samples":{"time":[1,2],"threads":[30,50],"length":2},"handlerTime":0.5},)"
      R"({"pid":"11","mainThreadIndex":0,"samples":{"time":[1]}}])";
  const auto overheads = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  FormatOutput output(nullptr, false);
  WriteModel(SmallModel(), &output, overheads->root());
  REQUIRE(output.Finish().ok());
  const auto document = JsonDocument::Parse(output.buffer(), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  CHECK(CheckProfile(*document, 10).faults.faults() == std::vector<std::string>{});
  const JsonView written = document->root()["profilerOverhead"];
  REQUIRE(written.size() == 1);  // process 11 has no thread
  CHECK(written.At(0)["mainThreadIndex"].AsInteger() == 0);
  CHECK(written.At(0)["handlerTime"].AsNumber() == 0.5);
  CHECK(written.At(0)["samples"]["threads"].At(1).AsInteger() == 50);
}

TEST_CASE("the strict check has nothing to say") {
  const ProfileVerdict verdict = CheckProfile(Parsed(SmallModel()), 10);
  CHECK(verdict.faults.faults() == std::vector<std::string>{});
}

TEST_CASE("the first sample's CPU time, where it counts, does so when it is read, and no sample is added") {
  for (const bool starts_later : {false, true}) {
    ProfileModel model = SmallModel();
    model.threads[0].starts_later = starts_later;
    const std::string text = WrittenModel(model);
    const auto read = LoadProfileText(text, ProfileDetail::kFull);
    REQUIRE(read.ok());
    REQUIRE(read->threads[0].samples.size() == 4);
    CHECK(read->threads[0].starts_later == starts_later);
    const ProfileSummary summary = Summarize(*read, {});
    CHECK(summary.threads[0].cpu_ns == (starts_later ? 3'000'000 : 2'000'000));
    CHECK(summary.samples == Summarize(model, {}).samples);
    CHECK(summary.idle_samples == 5);
    CHECK(summary.rows_without_weight == 0);
    const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
    REQUIRE(document.ok());
    const ProfileVerdict verdict = CheckProfile(*document, 10);
    CHECK(verdict.faults.faults() == std::vector<std::string>{});
    CHECK(verdict.faults.warnings() == std::vector<std::string>{});
  }
}

TEST_CASE("what was freed stays so") {
  ProfileModel model = SmallModel();
  ProfileThread& heap = model.threads[1];
  heap.weight_unit = ProfileWeightUnit::kBytes;
  heap.samples[0].weight = 4096;
  heap.samples[1].weight = 0;
  heap.frees = {heap.samples[1]};
  heap.frees[0].weight = 96;
  const auto read = LoadProfileText(WrittenModel(model), ProfileDetail::kFull);
  REQUIRE(read.ok());
  CHECK(read->threads[1].weight_unit == ProfileWeightUnit::kBytes);
  CHECK(read->threads[1].samples[0].weight == 4096);
  REQUIRE(read->threads[1].frees.size() == 1);
  CHECK(read->threads[1].frees[0].weight == 96);
}

}  // namespace
}  // namespace geckoprof
