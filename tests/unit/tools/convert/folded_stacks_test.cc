#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/format_writers.h"

namespace geckoprof {
namespace {

TEST_CASE("lines become samples that last as long as they weigh") {
  const auto model = LoadFolded("# comment\nmain;run;f(int, char) 3\n\nmain;do_idle_[k] 2.5\r\nmain;run 0\n");
  REQUIRE(model.ok());
  const std::vector<ProfileSample>& samples = model->threads[0].samples;
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].weight == 3);
  CHECK(samples[1].time_ms == 3);
  CHECK(model->categories[static_cast<size_t>(model->stacks[static_cast<size_t>(samples[1].stack)].category)] ==
        "Kernel");
  CHECK(Written(*model, WriteFolded) == "stacks;main;run;f(int, char) 3\nstacks;main;do_idle_[k] 3\n");
}

TEST_CASE("what is no folded stack") {
  for (const char* text :
       {"", "main;run\n", "main 1\nmain;run x\n", "7\n", " 7\n", "main -1\n", "main nan\n", "main 1e300\n"}) {
    CHECK_FALSE(LoadFolded(text).ok());
  }
  CHECK(std::string(LoadFolded("a 1\nb\n").status().message()) == "line 2: is no folded stack, \"a;b;c 17\"");
  CHECK(std::string(LoadFolded("a 1\na 99999999999999999999\n").status().message()) ==
        "line 2: the count is too large");
  CHECK(LooksFolded("a " + std::string(400, '9') + "\n"));
  CHECK_FALSE(LoadFolded("a " + std::string(400, '9') + "\n").ok());
  CHECK(LooksFolded("\n# x\na;b 1\n"));
  CHECK_FALSE(LooksFolded("a;b\nc 1\n"));
}

TEST_CASE("of two counts, as a comparison writes them, the second is taken") {
  const auto model = LoadFolded("main;foo 10 12\nmain;bar 3 0\nmain 0 1\n");
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "stacks;main;foo 12\nstacks;main 1\n");
  // A name may end in a number.
  const auto names = LoadFolded("main;foo 10 12\nmain;bar 3\n");
  REQUIRE(names.ok());
  CHECK(Written(*names, WriteFolded) == "stacks;main;foo 10 12\nstacks;main;bar 3\n");
  CHECK(Written(*LoadFolded("worker 1 17\n"), WriteFolded) == "stacks;worker 1 17\n");
}

TEST_CASE("huge weights, empty names, a very deep stack") {
  const auto model = LoadFolded("a;;b 1000000000000000\nc 1000000000000000\n");
  REQUIRE(model.ok());
  CHECK(model->threads[0].samples[1].time_ms < 1e8);
  std::string deep;
  for (int i = 0; i < 1000000; ++i) deep += "f;";
  deep += "g 1\n";
  const auto read = LoadFolded(deep);
  REQUIRE(read.ok());
  CHECK(read->stacks.size() == 1000001);
  CHECK(Written(*read, WriteFolded).size() > deep.size());
}

TEST_CASE("a line for each thread and path") {
  ProfileModel model = SmallModel();
  CHECK(Written(model, WriteFolded) == "main;main;run 3\nwork:er;main;run;hash 2\n");
  CHECK(Written(model, WriteFolded, /*with_idle=*/true) == "main;main;run 8\nwork:er;main;run;hash 2\n");
  model.processes.push_back({"12", "other", 0});
  CHECK(Written(model, WriteFolded).starts_with("demo 10;main;main;run 3\n"));
}

TEST_CASE("names that would break a line") {
  ProfileModel model = SmallModel();
  for (std::string& text : model.strings) {
    if (text == "run") text = "operator;\n 5";
    if (text == "hash") text = "";
  }
  CHECK(Written(model, WriteFolded) == "main;main;operator:  5 3\nwork:er;main;operator:  5;(no name) 2\n");
}

TEST_CASE("bytes are no samples, and where there is nothing else they are what is counted") {
  ProfileModel model = SmallModel();
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  CHECK(Written(model, WriteFolded) == "main;main;run 3\n");
  model.threads.erase(model.threads.begin());
  CHECK(Written(model, WriteFolded) == "work:er;main;run;hash 2\n");
}

TEST_CASE("parts of samples are not lost: the lines add up to the rounded sum") {
  ProfileModel model = SmallModel();
  for (ProfileThread& thread : model.threads) {
    for (ProfileSample& sample : thread.samples) sample.weight = 0.4;
  }
  // 1.2 and 0.8 samples.
  CHECK(Written(model, WriteFolded) == "main;main;run 1\nwork:er;main;run;hash 1\n");
  for (ProfileSample& sample : model.threads[1].samples) sample.weight = 0.2;
  CHECK(Written(model, WriteFolded) == "main;main;run 1\nwork:er;main;run;hash 1\n");  // 1.2 + 0.4
}

}  // namespace

}  // namespace geckoprof
