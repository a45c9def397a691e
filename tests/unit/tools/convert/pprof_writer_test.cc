#include <catch2/catch.hpp>

#include "tests/unit/tools/convert/proto_text.h"
#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/format_writers.h"

namespace geckoprof {
namespace {

TEST_CASE("samples with their number and CPU time, labels and build id") {
  const std::string bytes = Written(SmallModel(), WritePprof);
  const std::vector<std::string> samples = ProtoValues(bytes, 2), strings = ProtoValues(bytes, 6);
  REQUIRE(samples.size() == 2);
  CHECK(strings[0].empty());
  CHECK(ProtoNumbers(samples[0], 2) == std::vector<uint64_t>{3, 2'000'000});
  CHECK(ProtoNumbers(samples[0], 1).size() == 2);
  CHECK(ProtoNumbers(samples[1], 1).size() == 2);  // hash and run are one location
  const std::vector<std::string> labels = ProtoValues(samples[1], 3);
  REQUIRE(labels.size() == 4);
  CHECK(strings[ProtoNumbers(labels[2], 1)[0]] == "thread");
  CHECK(strings[ProtoNumbers(labels[2], 2)[0]] == "work;er");
  CHECK(ProtoNumbers(labels[3], 3)[0] == 11);
  const std::string mapping = ProtoValue(bytes, 3);
  CHECK(strings[ProtoNumbers(mapping, 6)[0]] == "0123456789abcdef");
  CHECK(ProtoNumbers(mapping, 7)[0] == 1);
  CHECK(ProtoValue(bytes, 9) == "1750000000000000000");
}

TEST_CASE("what pprof has is what its loader reads") {
  const auto model = LoadPprof(Written(SmallModel(), WritePprof));
  REQUIRE(model.ok());
  REQUIRE(model->threads.size() == 2);
  CHECK(model->threads[1].name == "work;er");
  CHECK(model->threads[1].tid == 11);
  CHECK(model->processes[0].pid == "10");
  ExportedProfile profile(*model, false);
  const auto sums = profile.SumByStack(model->threads[0]);
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].weight == 3);
  CHECK(sums[0].cpu_ns == 2'000'000);
  std::vector<int32_t> path;
  profile.PathOf(model->threads[1].samples.back().stack, &path);
  REQUIRE(path.size() == 3);
  const ProfileFrame& frame = model->frames[static_cast<size_t>(model->stacks[static_cast<size_t>(path[2])].frame)];
  CHECK(frame.line == 21);
  CHECK(frame.inline_depth == 1);
  CHECK(profile.Source(frame) == "demo.cc");
}

TEST_CASE("weights that are bytes") {
  ProfileModel model = SmallModel();
  for (ProfileThread& thread : model.threads) {
    thread.weight_unit = ProfileWeightUnit::kBytes;
    for (ProfileSample& sample : thread.samples) sample.cpu_ns = -1;
  }
  model.has_cpu_times = false;
  const std::string bytes = Written(model, WritePprof);
  CHECK(ProtoValues(bytes, 1).size() == 1);
  const auto read = LoadPprof(bytes);
  REQUIRE(read.ok());
  CHECK(read->threads[0].weight_unit == ProfileWeightUnit::kBytes);
}

TEST_CASE("bytes beside samples are a value of their own") {
  ProfileModel model = SmallModel();
  ProfileThread& heap = model.threads[1];
  heap.weight_unit = ProfileWeightUnit::kBytes;
  heap.samples[0].weight = 4096;
  heap.samples[1].weight = 100;
  const std::string bytes = Written(model, WritePprof);
  const std::vector<std::string> strings = ProtoValues(bytes, 6), types = ProtoValues(bytes, 1);
  REQUIRE(types.size() == 3);
  const auto type = [&](size_t i) {
    return strings[ProtoNumbers(types[i], 1)[0]] + "/" + strings[ProtoNumbers(types[i], 2)[0]];
  };
  CHECK(type(0) == "samples/count");
  CHECK(type(1) == "cpu/nanoseconds");
  CHECK(type(2) == "space/bytes");
  CHECK(strings[std::stoul(ProtoValue(bytes, 14))] == "cpu");
  const std::vector<std::string> samples = ProtoValues(bytes, 2);
  REQUIRE(samples.size() == 2);
  // Packed: samples, CPU time, bytes.
  CHECK(ProtoNumbers(samples[0], 2) == std::vector<uint64_t>{3, 2'000'000, 0});
  CHECK(ProtoNumbers(samples[1], 2) == std::vector<uint64_t>{0, 0, 4196});
  const auto read = LoadPprof(bytes);
  REQUIRE(read.ok());
  CHECK(read->threads[0].weight_unit == ProfileWeightUnit::kSamples);
}

}  // namespace
}  // namespace geckoprof
