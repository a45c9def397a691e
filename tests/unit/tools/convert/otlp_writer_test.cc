#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/tools/convert/proto_text.h"
#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"

namespace geckoprof {
namespace {

TEST_CASE("a resource, two profiles, one dictionary") {
  const std::string bytes = Written(SmallModel(), WriteOtlp);
  REQUIRE(ProtoValues(bytes, 1).size() == 1);
  const std::string dictionary = ProtoValue(bytes, 2), scope = ProtoValue(ProtoValue(bytes, 1), 2);
  const std::vector<std::string> profiles = ProtoValues(scope, 2), strings = ProtoValues(dictionary, 5);
  REQUIRE(profiles.size() == 2);
  CHECK(strings[ProtoNumbers(ProtoValue(profiles[0], 1), 1)[0]] == "samples");
  CHECK(strings[ProtoNumbers(ProtoValue(profiles[1], 1), 1)[0]] == "cpu");
  const std::vector<std::string> samples = ProtoValues(profiles[0], 2);
  REQUIRE(samples.size() == 2);
  CHECK(ProtoValue(samples[0], 5).size() == 3 * 8);  // three times
  CHECK(ProtoValues(samples[0], 4).empty());         // all of weight 1
  CHECK(ProtoNumbers(ProtoValue(profiles[1], 2), 4) == std::vector<uint64_t>{700'000});
  // Row 0 of each table is empty.
  for (const uint32_t table : {1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    REQUIRE_FALSE(ProtoValues(dictionary, table).empty());
    CHECK(ProtoValues(dictionary, table)[0].empty());
  }
  const uint64_t stack = ProtoNumbers(samples[1], 1)[0];
  const std::vector<uint64_t> locations = ProtoNumbers(ProtoValues(dictionary, 7)[stack], 1);
  REQUIRE(locations.size() == 2);
  const std::string location = ProtoValues(dictionary, 2)[locations[0]];
  REQUIRE(ProtoValues(location, 3).size() == 2);
  const uint64_t function = ProtoNumbers(ProtoValues(location, 3)[0], 1)[0];
  CHECK(strings[ProtoNumbers(ProtoValues(dictionary, 3)[function], 1)[0]] == "hash");
}

TEST_CASE("processes, threads, libraries and lines have their names, samples their times") {
  const std::string bytes = Written(SmallModel(), WriteOtlp);
  const std::string process = ProtoValue(bytes, 1), dictionary = ProtoValue(bytes, 2);
  const std::vector<std::string> strings = ProtoValues(dictionary, 5), attributes = ProtoValues(dictionary, 6);
  std::map<std::string, std::string> of_process;
  for (const std::string& attribute : ProtoValues(ProtoValue(process, 1), 1)) {
    const std::string value = ProtoValue(attribute, 2);
    of_process[ProtoValue(attribute, 1)] = ProtoValue(value, 1) + ProtoValue(value, 3);
  }
  CHECK(of_process["service.name"] == "demo");
  CHECK(of_process["process.pid"] == "10");
  // Key and value of rows of the attribute table.
  const auto texts = [&](const std::vector<uint64_t>& rows) {
    std::map<std::string, std::string> found;
    for (const uint64_t row : rows) {
      const std::string value = ProtoValue(attributes[row], 2);
      found[strings[ProtoNumbers(attributes[row], 1)[0]]] = ProtoValue(value, 1) + ProtoValue(value, 3);
    }
    return found;
  };
  const std::vector<std::string> samples = ProtoValues(ProtoValues(ProtoValue(process, 2), 2)[0], 2);
  REQUIRE(samples.size() == 2);
  const auto of_thread = texts(ProtoNumbers(samples[1], 2));
  CHECK(of_thread.at("thread.name") == "work;er");
  CHECK(of_thread.at("thread.id") == "11");
  std::string times;
  for (const uint64_t time_ns : {1750000000000500000u, 1750000000001500000u}) {
    for (int i = 0; i < 8; ++i) times.push_back(static_cast<char>(time_ns >> 8 * i));
  }
  CHECK(ProtoValue(samples[1], 5) == times);
  const std::string mapping = ProtoValues(dictionary, 1).at(1);
  CHECK(strings[ProtoNumbers(mapping, 4).at(0)] == "/usr/bin/demo");
  CHECK(texts(ProtoNumbers(mapping, 5)).at("process.executable.build_id.gnu") == "0123456789abcdef");
  const std::vector<uint64_t> stack = ProtoNumbers(ProtoValues(dictionary, 7)[ProtoNumbers(samples[1], 1)[0]], 1);
  const std::string location = ProtoValues(dictionary, 2)[stack.at(0)], hash = ProtoValues(location, 3).at(0);
  CHECK(ProtoNumbers(location, 1) == std::vector<uint64_t>{1});
  CHECK(ProtoNumbers(hash, 2) == std::vector<uint64_t>{21});
  const std::string function = ProtoValues(dictionary, 3)[ProtoNumbers(hash, 1)[0]];
  CHECK(strings[ProtoNumbers(function, 3).at(0)] == "demo.cc");
}

TEST_CASE("weights are beside the times where they are not all 1") {
  const std::string bytes = Written(SmallModel(), WriteOtlp, /*with_idle=*/true);
  const std::string profile = ProtoValues(ProtoValue(ProtoValue(bytes, 1), 2), 2)[0];
  CHECK(ProtoNumbers(ProtoValues(profile, 2)[0], 4) == std::vector<uint64_t>{1, 1, 1, 5});
}

TEST_CASE("bytes beside samples are a profile of their own") {
  ProfileModel model = SmallModel();
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  model.threads[1].samples[0].weight = 4096;
  const std::string bytes = Written(model, WriteOtlp);
  const std::vector<std::string> strings = ProtoValues(ProtoValue(bytes, 2), 5),
                                 profiles = ProtoValues(ProtoValue(ProtoValue(bytes, 1), 2), 2);
  REQUIRE(profiles.size() == 3);
  const char* const types[] = {"samples", "cpu", "space"};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(strings[ProtoNumbers(ProtoValue(profiles[i], 1), 1)[0]] == types[i]);
    CHECK(ProtoValues(profiles[i], 2).size() == 1);
  }
  CHECK(ProtoNumbers(ProtoValue(profiles[2], 2), 4) == std::vector<uint64_t>{4096, 1});
}

}  // namespace
}  // namespace geckoprof
