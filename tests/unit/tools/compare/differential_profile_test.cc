#include "tools/compare/differential_profile.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

namespace geckoprof {
namespace {

using Samples = std::vector<ProfileSample>;

// "(root)" calls main, which calls `leaf` of a library.
ProfileModel Run(const char* leaf, Samples samples) {
  ProfileModel model;
  model.strings = {"(root)", "main", leaf, "lib"};
  model.functions = {{0, kNoRow}, {1, kNoRow}, {2, 3}};
  model.categories = {"Other"};
  model.category_colors = {"grey"};
  model.stacks = {{kNoRow, 0, 0}, {0, 1, 0}, {1, 2, 0}};
  model.has_cpu_times = true;
  model.threads.emplace_back().samples = std::move(samples);
  return model;
}

TEST_CASE("each path once, with both counts; idle samples if they are asked for") {
  DifferentialProfile differences;
  CHECK(differences.FoldedText().empty());
  differences.Add(Run("b", {{0, 2, 5, 2}, {1, 1, 5, 1}, {2, 9, 0, 1}}), DifferentialProfile::kBefore, false);
  differences.Add(Run("b", {{0, 3.4, 5, 2}}), DifferentialProfile::kBefore, false);
  differences.Add(Run("c;\x1b", {{0, 7, 5, 2}, {1, 1, 5, 1}, {2, 2, 0, kNoRow}}), DifferentialProfile::kAfter, false);
  CHECK(differences.FoldedText() == "main 1 1\nmain;b 5 0\nmain;c:? 0 7\n");
  differences.Add(Run("b", {{0, 4, 0, 2}}), DifferentialProfile::kAfter, true);
  CHECK(differences.FoldedText() == "main 1 1\nmain;b 5 4\nmain;c:? 0 7\n");
}

TEST_CASE("the counts of a side add up to its samples, whatever fractions they have") {
  DifferentialProfile differences;
  ProfileModel run = Run("b", {});
  for (int i = 0; i < 10; ++i) {
    run.strings.push_back("f" + std::to_string(i));
    run.functions.push_back({static_cast<int32_t>(run.strings.size()) - 1, 3});
    run.stacks.push_back({1, static_cast<int32_t>(run.functions.size()) - 1, 0});
    run.threads[0].samples.push_back({0, 0.3, 5, static_cast<int32_t>(run.stacks.size()) - 1});
  }
  differences.Add(run, DifferentialProfile::kBefore, false);
  differences.Add(run, DifferentialProfile::kAfter, false);
  differences.Add(run, DifferentialProfile::kAfter, false);
  const std::string text = differences.FoldedText();
  int before = 0, after = 0;
  std::istringstream lines(text);
  for (std::string path, first, second; lines >> path >> first >> second;) {
    before += std::stoi(first);
    after += std::stoi(second);
  }
  CHECK(before == 3);
  CHECK(after == 6);
}

TEST_CASE("paths of one name in two libraries are one line, and two paths") {
  DifferentialProfile differences;
  ProfileModel other = Run("b", {{0, 1, 5, 2}});
  other.strings[3] = "other";
  differences.Add(Run("b", {{0, 2, 5, 2}}), DifferentialProfile::kBefore, false);
  differences.Add(other, DifferentialProfile::kAfter, false);
  CHECK(differences.FoldedText() == "main;b 2 1\n");
  CHECK(differences.TakeModel().stacks.size() == 3);
}

TEST_CASE("a profile of two threads, each with the mean of its runs") {
  DifferentialProfile differences;
  differences.Add(Run("b", {{0, 2, 5, 2}, {1, 1, 5, 1}}), DifferentialProfile::kBefore, false);
  differences.Add(Run("b", {{0, 4, 5, 2}}), DifferentialProfile::kBefore, false);
  differences.Add(Run("c", {{0, 7, 5, 2}}), DifferentialProfile::kAfter, false);
  const ProfileModel model = differences.TakeModel();
  REQUIRE(model.threads.size() == 2);
  CHECK(model.threads[0].name == "before");
  CHECK(model.threads[1].name == "after");
  REQUIRE(model.stacks.size() == 3);  // main, b, c: without the root
  CHECK(model.stacks[0].prefix == kNoRow);
  CHECK(model.strings[static_cast<size_t>(model.functions[static_cast<size_t>(model.stacks[1].function)].name)] == "b");
  CHECK(model.categories == std::vector<std::string>{"Other"});
  REQUIRE(model.threads[0].samples.size() == 2);
  CHECK(model.threads[0].samples[0].weight == Approx(1.0 / 6));  // the mean of a third and nothing
  CHECK(model.threads[0].samples[1].weight == Approx(5.0 / 6));
  REQUIRE(model.threads[1].samples.size() == 1);
  CHECK(model.threads[1].samples[0].weight == 1);
}

TEST_CASE("bytes beside samples are left out, and alone are bytes") {
  ProfileModel run = Run("b", {{0, 2, 5, 2}});
  run.threads.push_back(run.threads[0]);
  run.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  run.threads[1].samples[0].weight = 4096;
  DifferentialProfile both, bytes;
  both.Add(run, DifferentialProfile::kBefore, false);
  CHECK(both.FoldedText() == "main;b 2 0\n");
  run.threads.erase(run.threads.begin());
  bytes.Add(run, DifferentialProfile::kAfter, false);
  run.threads[0].samples.clear();
  bytes.Add(run, DifferentialProfile::kAfter, false);  // a run of nothing
  CHECK(bytes.FoldedText() == "main;b 0 4096\n");
  CHECK(bytes.TakeModel().threads[1].weight_unit == ProfileWeightUnit::kBytes);
}

}  // namespace
}  // namespace geckoprof
