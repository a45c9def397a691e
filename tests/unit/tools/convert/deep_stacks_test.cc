#include "tools/convert/deep_stacks.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/folded_writer.h"
#include "tools/convert/pprof_writer.h"
#include "tools/convert/speedscope_writer.h"

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

}  // namespace
}  // namespace geckoprof
