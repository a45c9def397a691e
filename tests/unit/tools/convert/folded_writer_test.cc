#include <catch2/catch.hpp>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"

namespace geckoprof {
namespace {

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
