#include "tools/profile/processed_loader.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/profile/profile_loader.h"

namespace geckoprof {
namespace {

constexpr char kTables[] = R"("resourceTable":{"length":1,"lib":[0],"name":[2]},
  "funcTable":{"length":3,"name":[0,1,3],"resource":[0,-1,0]},
  "frameTable":{"length":3,"func":[0,1,2],"category":[0,null,null]},)";

std::string Thread(const std::string& tables, const std::string& samples) {
  return R"({"name":"T","isMainThread":true,"pid":"7","parentPid":"6","tid":9,)" + tables + R"("samples":)" + samples +
         R"(,"markers":{"length":1,"name":[1],"startTime":[5],"endTime":[null],"phase":[0]}})";
}

std::string Profile(int version, const std::string& shared, const std::string& thread) {
  return R"({"meta":{"preprocessedProfileVersion":)" + std::to_string(version) +
         R"(,"product":"demo","arguments":"demo -x","categories":[{"name":"Other"}],
         "extra":[{"label":"Losses","entries":[{"label":"late","value":3}]}]},"libs":[{"name":"libdemo"}],)" +
         R"("shared":{)" + shared + R"(},"threads":[)" + thread + "]}";
}

constexpr char kStrings[] = R"("stringArray":["f","g","h","0x1c15"],)";

void RequireDemo(const absl::StatusOr<ProfileModel>& model) {
  INFO(model.status().message());
  REQUIRE(model.ok());
  CHECK(model->format == ProfileFormat::kProcessed);
  REQUIRE(model->stacks.size() == 3);
  CHECK(model->stacks[1].prefix == 0);
  CHECK(model->stacks[2].prefix == 1);
  CHECK(model->stacks[2].category == 0);
  const auto name = [&](size_t stack) {
    const ProfileFunction& function = model->functions[static_cast<size_t>(model->stacks[stack].function)];
    return model->strings[static_cast<size_t>(function.name)] + "|" +
           (function.library == kNoRow ? "" : model->strings[static_cast<size_t>(function.library)]);
  };
  CHECK(name(0) == "f|libdemo");
  CHECK(name(1) == "g|");
  CHECK(name(2) == "libdemo+0x1c15|libdemo");
}

TEST_CASE("shared tables with prefix offsets, weights, time deltas") {
  const std::string shared =
      std::string(kStrings) + kTables + R"("stackTable":{"length":3,"frame":[0,1,2],"prefixOffset":[0,1,1]})";
  const auto model = LoadProfileText(Profile(
      69, shared,
      Thread("", R"({"length":2,"stack":[2,null],"timeDeltas":[10,0.5],"weight":[3,1],"threadCPUDelta":[null,7]})")));
  RequireDemo(model);
  const auto& samples = model->threads[0].samples;
  CHECK(samples[0].weight == 3);
  CHECK(samples[1].time_ms == 10.5);
  CHECK(samples[1].cpu_ns == 7);
  CHECK(samples[1].stack == kNoRow);
  CHECK(model->command_line == "demo -x");
  CHECK(model->sections[0].entries[0].value == "3");
  CHECK(model->processes[0].pid == "7");
  CHECK(model->processes[0].parent_pid == "6");
}

TEST_CASE("bytes that were freed, and weights that cannot be counted") {
  const std::string shared =
      std::string(kStrings) + kTables + R"("stackTable":{"length":3,"frame":[0,1,2],"prefixOffset":[0,1,1]})";
  const auto load = [&](const std::string& unit) {
    return LoadProfileText(Profile(
        69, shared,
        Thread("", R"({"length":4,"stack":[2,1,null,0],"time":[1,2,3,4],"weight":[100,-40,1e30,-1e30],"weightType":")" +
                       unit + "\"}")));
  };
  const auto bytes = load("bytes");
  REQUIRE(bytes.ok());
  const ProfileThread& thread = bytes->threads[0];
  CHECK(thread.weight_unit == ProfileWeightUnit::kBytes);
  REQUIRE(thread.samples.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(thread.samples[i].weight == (i == 0 ? 100 : 0));
  REQUIRE(thread.frees.size() == 1);
  CHECK(thread.frees[0].weight == 40);
  CHECK(thread.frees[0].time_ms == 2);
  CHECK(thread.frees[0].stack == 1);
  CHECK(load("samples")->threads[0].frees.empty());  // no sample is given back
}

TEST_CASE("shared tables with prefixes; tables of each thread; libraries of frames") {
  const std::string prefixes = R"("stackTable":{"length":3,"frame":[0,1,2],"prefix":[null,0,1]})";
  const std::string samples = R"({"length":1,"stack":[2],"time":[1]})";
  RequireDemo(LoadProfileText(Profile(65, std::string(kStrings) + kTables + prefixes, Thread("", samples))));
  RequireDemo(LoadProfileText(Profile(55, "", Thread(std::string(kStrings) + kTables + prefixes + ",", samples))));
  const std::string newest = std::string(kStrings) + R"("funcTable":{"length":3,"name":[0,1,3],"resource":[-1,-1,-1]},
    "frameTable":{"length":3,"func":[0,1,2],"category":[0,null,null],"lib":[0,-1,0]},
    "stackTable":{"length":3,"frame":[0,1,2],"prefixOffset":[0,1,1]})";
  RequireDemo(LoadProfileText(Profile(70, newest, Thread("", samples))));
}

// As the location strings of a Gecko profile have it.
TEST_CASE("functions of scripts that have one name are told apart by their places") {
  const std::string strings = R"("stringArray":["init","a.js","b.js","(root scope) a.js","native"],)";
  const std::string functions = R"("funcTable":{"length":6,"name":[0,0,0,3,0,4],"isJS":[true,true,true,true,true,false],
    "resource":[-1,-1,-1,-1,-1,-1],"source":[0,0,1,0,null,0],"lineNumber":[12,34,12,1,5,7],"columnNumber":[3,3,null,1,5,7]},
    "frameTable":{"length":6,"func":[0,1,2,3,4,5]},"stackTable":{"length":6,"frame":[0,1,2,3,4,5],"prefixOffset":[0,1,1,1,1,1]},)";
  const std::string samples = Thread("", R"({"length":1,"stack":[5],"time":[1]})");
  const std::vector<std::string> expected = {
      "init (a.js:12:3)", "init (a.js:34:3)", "init (b.js:12)", "a.js:1:1", "init", "native"};
  const auto names = [](const absl::StatusOr<ProfileModel>& model) {
    REQUIRE(model.ok());
    std::vector<std::string> found;
    for (const ProfileFunction& function : model->functions)
      found.push_back(model->strings[static_cast<size_t>(function.name)]);
    return found;
  };
  CHECK(names(LoadProfileText(
            Profile(69, strings + functions + R"("sources":{"length":2,"filename":[1,2]})", samples))) == expected);
  // Up to version 57 a function names its file itself.
  std::string older = functions;
  older.replace(older.find(R"("source":[0,0,1,0,null,0])"), 25, R"("fileName":[1,1,2,1,null,1])");
  CHECK(names(LoadProfileText(Profile(56, strings + older + R"("x":0)", samples))) == expected);
}

TEST_CASE("a column that is shorter or longer than its table is a fault") {
  const std::string shared =
      std::string(kStrings) + kTables + R"("stackTable":{"length":3,"frame":[0,1,2],"prefixOffset":[0,1,1]})";
  const auto fault = [&](const std::string& rows, const std::string& from, const std::string& to) {
    std::string text = Profile(69, shared, Thread("", rows));
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    return std::string(LoadProfileText(text).status().message());
  };
  const std::string samples =
      R"({"length":2,"stack":[2,null],"time":[10,11],"weight":[3,1],"threadCPUDelta":[null,7]})";
  CHECK(fault(samples, "[10,11]", "[10]") == "$.threads[0].samples.time: has length 1 in a table of length 2");
  CHECK(fault(samples, "[3,1]", "[3,1,1]") == "$.threads[0].samples.weight: has length 3 in a table of length 2");
  CHECK(fault(samples, "[null,7]", "[]") == "$.threads[0].samples.threadCPUDelta: has length 0 in a table of length 2");
  CHECK(fault(samples, "[2,null]", "[2]") == "$.threads[0].samples.time: has length 2 in a table of length 1");
  CHECK(fault(samples, R"("length":2,"stack")", R"("length":3,"stack")") ==
        "$.threads[0].samples.length: is 3 in a table of length 2");
  CHECK(fault(samples, R"("startTime":[5])", R"("startTime":[])") ==
        "$.threads[0].markers.startTime: has length 0 in a table of length 1");
  CHECK(fault(samples, "[0,1,1]}", "[0,1]}") ==
        "$.shared.stackTable.prefixOffset: has length 2 in a table of length 3");
  CHECK(fault(samples, R"("category":[0,null,null])", R"("category":[0])") ==
        "$.shared.frameTable.category: has length 1 in a table of length 3");
  CHECK(fault(samples, R"("resource":[0,-1,0])", R"("resource":[0])") ==
        "$.shared.funcTable.resource: has length 1 in a table of length 3");
}

TEST_CASE("errors of a processed profile name the place") {
  const auto error = [](const std::string& stacks, const std::string& samples, int version = 69) {
    const auto model = LoadProfileText(
        Profile(version, std::string(kStrings) + kTables + "\"stackTable\":" + stacks, Thread("", samples)));
    return model.ok() ? "" : std::string(model.status().message());
  };
  const std::string good = R"({"length":1,"frame":[0],"prefixOffset":[0]})", sample = R"({"stack":[0],"time":[1]})";
  CHECK(error(good, sample) == "");
  CHECK(error(good, sample, 71) ==
        "$.meta.preprocessedProfileVersion: processed format version 71 is not known; the newest is 70");
  CHECK(error(good, R"({"stack":[1],"time":[1]})") ==
        "$.threads[0].samples.stack[0]: index 1 is out of range (1 rows)");
  CHECK(error(R"({"frame":[0],"prefixOffset":[1]})", sample) ==
        "$.shared.stackTable.prefixOffset[0]: is no earlier row");
  CHECK(error(R"({"frame":[0],"prefix":[0]})", sample) == "$.shared.stackTable.prefix[0]: is no earlier row");
  CHECK(error(R"({"frame":[3],"prefix":[null]})", sample) ==
        "$.shared.stackTable.frame[0]: index 3 is out of range (3 rows)");
  CHECK(error(R"({"frame":[0]})", sample) == "$.shared.stackTable.prefixOffset: is missing");
}

TEST_CASE("a thread without tables does not get those of the thread before") {
  const std::string tables = std::string(kTables) + R"("stackTable":{"length":1,"frame":[0],"prefix":[null]},)";
  const std::string good = Thread(std::string(kStrings) + tables, R"({"length":1,"stack":[0],"time":[1]})");
  CHECK(LoadProfileText(Profile(46, "", good)).ok());
  const auto no_tables = Profile(46, "", good + "," + Thread(kStrings, R"({"length":1,"stack":[0],"time":[1]})"));
  CHECK(LoadProfileText(no_tables).status().message() == "$.threads[1].funcTable.name: is missing");
  const auto no_strings = Profile(46, "", good + "," + Thread(tables, R"({"length":1,"stack":[0],"time":[1]})"));
  CHECK(LoadProfileText(no_strings).status().message() == "$.threads[1].stringArray: is missing or not an array");
}

}  // namespace
}  // namespace geckoprof
