#include "tools/convert/stack_changes.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"
#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

// A chain of functions f0, f1, ..., with a sample in each.
ProfileModel Chain(int32_t rows) {
  ProfileModel model;
  model.interval_ms = 1;
  ModelBuilder builder(&model, ProfileDetail::kFull);
  model.processes.push_back({"10", "demo", 0});
  ProfileThread thread;
  thread.name = "main";
  thread.tid = 10;
  thread.is_main = true;
  int32_t stack = kNoRow;
  for (int32_t i = 0; i < rows; ++i) {
    ProfileFrame frame;
    frame.function = builder.Function("f" + std::to_string(i), "");
    stack = builder.AddModelStack(stack, builder.FrameRow(frame));
    builder.AddSample({static_cast<double>(i), 1, 1'000'000, stack}, &thread);
  }
  model.threads.push_back(std::move(thread));
  return model;
}

std::string Written(const ProfileModel& model, void (*write)(ExportedProfile& profile, FormatOutput* output)) {
  ExportedProfile profile(model, false);
  FormatOutput output(nullptr, /*compress=*/false);
  write(profile, &output);
  return output.Finish().ok() ? output.buffer() : "(failed)";
}

TEST_CASE("usual stacks stay as they are") {
  ProfileModel model = Chain(1000);
  const std::string before = Written(model, &WriteFolded);
  CHECK(CutDeepStacks(&model, StackLists::kOnce) == 0);
  CHECK(Written(model, &WriteFolded) == before);
}

TEST_CASE("of deep stacks the outer frames and the innermost one stay") {
  ProfileModel model = Chain(1000);
  const uint32_t depth = CutDeepStacks(&model, StackLists::kOnce, 1);
  REQUIRE(depth > 128);
  REQUIRE(depth < 200);
  const std::string folded = Written(model, &WriteFolded);
  const std::string outer = "f" + std::to_string(depth - 3);
  CHECK(folded.find(outer + ";(deeper frames are left out);f999 ") != std::string::npos);
  CHECK(folded.find(outer + ";(deeper frames are left out);f" + std::to_string(depth) + " ") != std::string::npos);
  CHECK(folded.find(";f10 1") != std::string::npos);
}

TEST_CASE("stacks that are not too deep keep all their frames beside those that are cut") {
  ProfileModel model = Chain(1000);
  const uint32_t depth = [&] {
    ProfileModel copy = model;
    return CutDeepStacks(&copy, StackLists::kOnce, 1);
  }();
  // A second chain that ends just where the first one is cut.
  ModelBuilder builder(&model, ProfileDetail::kFull);
  int32_t stack = kNoRow;
  for (uint32_t i = 0; i < depth - 1; ++i) {
    ProfileFrame frame;
    frame.function = builder.Function("g" + std::to_string(i), "");
    stack = builder.AddModelStack(stack, builder.FrameRow(frame));
  }
  builder.AddSample({1000, 1, 1'000'000, stack}, &model.threads[0]);
  REQUIRE(CutDeepStacks(&model, StackLists::kOnce, 1) != 0);
  CHECK(Written(model, &WriteFolded).find(";g" + std::to_string(depth - 2) + " 1") != std::string::npos);
}

TEST_CASE("a small file with one long chain of callers makes no large output") {
  ProfileModel model = Chain(200'000);
  CHECK(CutDeepStacks(&model, StackLists::kOnce) < 200);
  for (const auto write : {&WriteFolded, &WritePprof, &WriteSpeedscope}) {
    CHECK(Written(model, write).size() < size_t{256} << 20);
  }
}

TEST_CASE("stacks that come again and again make no large output where each sample has a list") {
  ProfileModel model = Chain(20'000);
  const int32_t deepest = static_cast<int32_t>(model.stacks.size()) - 1;
  std::vector<ProfileSample>& samples = model.threads[0].samples;
  for (size_t i = 0; i < samples.size(); ++i) samples[i].stack = deepest - static_cast<int32_t>(i % 7);
  ProfileModel copy = model;
  CHECK(CutDeepStacks(&copy, StackLists::kOnce) == 0);
  CHECK(CutDeepStacks(&model, StackLists::kEachSample) < 1000);
  CHECK(Written(model, &WriteSpeedscope).size() < size_t{128} << 20);
}

TEST_CASE("names that would fill the disk are cut") {
  ProfileModel model = Chain(30);
  model.strings[static_cast<size_t>(model.functions[0].name)] = std::string(8'000, 'f');
  CHECK(CutListedNames(&model) == 0);
  const size_t length = CutListedNames(&model, 1);
  CHECK(length == 128);
  CHECK(model.Text(model.functions[0].name) == std::string(125, 'f') + "…");
  CHECK(model.Text(model.functions[1].name) == "f1");
}

constexpr char kGap[] = "(gap: ran without samples)";

// The first thread ran from 10 to 14 ms without samples.
ProfileModel ModelWithGap() {
  ProfileModel model = SmallModel();
  ProfileThread& thread = model.threads[0];
  thread.has_states = true;
  ProfileSample gap;
  gap.time_ms = 14;
  gap.weight = 0;
  gap.cpu_ns = 4'000'000;
  ProfileSample after = thread.samples[0];
  after.time_ms = 15;
  thread.samples.push_back(gap);
  thread.samples.push_back(after);
  return model;
}

std::string WithGaps(ProfileModel model, void (*write)(ExportedProfile& profile, FormatOutput* output)) {
  const int32_t gap_stack = AddGapStack(&model);
  ExportedProfile profile(model, false, gap_stack);
  FormatOutput output(nullptr, /*compress=*/false);
  write(profile, &output);
  return output.Finish().ok() ? output.buffer() : "(failed)";
}

TEST_CASE("a profile without gaps stays as it is") {
  ProfileModel model = SmallModel();
  const size_t stacks = model.stacks.size();
  CHECK(AddGapStack(&model) == kNoRow);
  CHECK(model.stacks.size() == stacks);
}

TEST_CASE("gaps have one stack of their own, with their CPU time and no samples") {
  ProfileModel model = ModelWithGap();
  const int32_t gap_stack = AddGapStack(&model);
  REQUIRE(gap_stack != kNoRow);
  ExportedProfile profile(model, false, gap_stack);
  CHECK(profile.FunctionName(model.stacks[static_cast<size_t>(gap_stack)].function) == kGap);
  bool is_found = false;
  int64_t cpu_ns = 0;
  for (const ExportedProfile::StackSum& sum : profile.SumByStack(model.threads[0])) {
    cpu_ns += sum.cpu_ns;
    if (!profile.IsGapStack(sum.stack)) continue;
    is_found = true;
    CHECK(sum.weight == 0);
    CHECK(sum.cpu_ns == 4'000'000);
  }
  CHECK(is_found);
  // All rows but the first, whose CPU time is from before the recording.
  CHECK(cpu_ns == 2'000'000 + 4'000'000 + 1'000'000);
}

TEST_CASE("a gap is as long as its CPU time on a time line") {
  const std::string text = WithGaps(ModelWithGap(), WriteSpeedscope);
  const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView root = document->root(), first = root["profiles"].At(0);
  REQUIRE(first["samples"].size() == 4);  // run, idle, the gap, run
  const auto frame = static_cast<size_t>(first["samples"].At(2).At(0).AsInteger().value_or(-1));
  CHECK(root["shared"]["frames"].At(frame)["name"].AsString() == kGap);
  CHECK(first["weights"].At(2).NumberOr(0) == 4);
  CHECK(first["endValue"].NumberOr(0) == 13);
}

TEST_CASE("in a trace the thread is not idle in a gap") {
  const std::string text = WithGaps(ModelWithGap(), WriteChromeTrace);
  CHECK(text.find(kGap) != std::string::npos);
  CHECK(text.find("\"timeDeltas\":[0,1000,1000,1000,7000,5000]") != std::string::npos);
}

TEST_CASE("counts of samples do not have a gap") {
  CHECK(WithGaps(ModelWithGap(), WriteFolded).find(kGap) == std::string::npos);
}

}  // namespace
}  // namespace geckoprof
