#include "tools/convert/exported_profile.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/tools/convert/small_model.h"

namespace geckoprof {
namespace {

TEST_CASE("samples that count") {
  const ProfileModel model = SmallModel();
  ExportedProfile busy(model, false), all(model, true);
  const std::vector<ProfileSample>& samples = model.threads[0].samples;
  CHECK(busy.Counts(model.threads[0], samples[0]));
  CHECK_FALSE(busy.Counts(model.threads[0], samples[3]));
  CHECK(all.Counts(model.threads[0], samples[3]));
  ProfileSample root_only;
  root_only.stack = 0;
  CHECK(all.StackOf(root_only) == kNoRow);

  std::vector<int32_t> rows;
  const auto sums = busy.SumByStack(model.threads[0], &rows);
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].weight == 3);
  CHECK(sums[0].cpu_ns == 2'000'000);  // the first covers time before the recording
  CHECK(rows == std::vector<int32_t>{0, 0, 0, kNoRow});
  CHECK(all.SumByStack(model.threads[0])[0].weight == 8);
  // The scratch of one thread does not show in the next.
  CHECK(busy.SumByStack(model.threads[1])[0].weight == 2);
}

TEST_CASE("what weights count") {
  ProfileModel model = SmallModel();
  CHECK(std::string(UnitOfWeights(model).unit) == "count");
  model.threads[1].weight_unit = ProfileWeightUnit::kMs;
  CHECK(UnitOfWeights(model).scale == 1e6);
  model.threads[0].weight_unit = ProfileWeightUnit::kBytes;
  CHECK(UnitOfWeights(model).scale == 1e6);  // bytes are told of apart
  const ExportedProfile both(model, false);
  CHECK(both.has_bytes_beside());
  CHECK_FALSE(both.IsMain(model.threads[0]));
  CHECK(both.Counts(model.threads[0], model.threads[0].samples[3]));  // no allocation is idle
  ProfileSample freed = model.threads[0].samples[0];
  freed.weight = 0;
  CHECK_FALSE(both.Counts(model.threads[0], freed));
  model.threads[1].samples.clear();
  CHECK(std::string(UnitOfWeights(model).type) == "space");
  CHECK_FALSE(ExportedProfile(model, false).has_bytes_beside());
}

TEST_CASE("paths are without the root") {
  const ProfileModel model = SmallModel();
  const ExportedProfile profile(model, false);
  std::vector<int32_t> path;
  profile.PathOf(model.threads[1].samples[0].stack, &path);
  REQUIRE(path.size() == 3);
  CHECK(profile.FunctionName(model.stacks[static_cast<size_t>(path[0])].function) == "main");
  CHECK(profile.FunctionName(model.stacks[static_cast<size_t>(path[2])].function) == "hash");
}

TEST_CASE("texts, pids and times that others can take") {
  ProfileModel model = SmallModel();
  model.strings.push_back("a\nb\x1b[31m\xff");
  model.functions[0].name = static_cast<int32_t>(model.strings.size()) - 1;
  model.processes[0].pid = "10.2";
  model.processes.push_back({"no number", "", 0});
  model.processes.push_back({"99999999999999999999", "", 0});
  model.threads[0].samples[0].time_ms = -4;
  model.threads[0].samples[1].time_ms = 1e15;
  model.threads[1].tid = -3;
  const ExportedProfile profile(model, false);
  CHECK(profile.FunctionName(0) == "a b?[31m?");
  CHECK(profile.Pid(0) == 10);
  CHECK(profile.Pid(1) != profile.Pid(2));
  CHECK(profile.Tid(model.threads[1]) == 10);
  CHECK(profile.ProcessName(1) == "demo");
  CHECK(profile.TimeNs(-4) == 0);
  CHECK(profile.TimeNs(1) == 5'000'000);
  CHECK(profile.TimeNs(1e15) > 0);
  CHECK(profile.epoch_ns() == 1'750'000'000'000'000'000 - 4'000'000);
}

}  // namespace
}  // namespace geckoprof
