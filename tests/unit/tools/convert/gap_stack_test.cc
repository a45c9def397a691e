#include "tools/convert/gap_stack.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/chrome_trace_writer.h"
#include "tools/convert/folded_writer.h"
#include "tools/convert/speedscope_writer.h"
#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

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
