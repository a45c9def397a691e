#include "tools/profile/model_builder.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

JsonDocument Parsed(const char* text) { return *JsonDocument::Parse(text, JsonDocument::Utf8::kStrict); }

TEST_CASE("strings and functions are stored once") {
  ProfileModel model;
  ModelBuilder builder(&model);
  CHECK(builder.Intern("a") == 0);
  CHECK(builder.Intern("b") == 1);
  CHECK(builder.Intern("a") == 0);
  const int32_t with = builder.Function("a", "lib"), without = builder.Function("a", "");
  CHECK(with != without);
  CHECK(builder.Function("a", "lib") == with);
  CHECK(model.functions[static_cast<size_t>(without)].library == kNoRow);
}

TEST_CASE("CPU deltas by their unit") {
  const JsonDocument deltas = Parsed("[5,-1,null,1e300]");
  const auto cpu_ns = [&](const char* unit, size_t row) {
    ProfileModel model;
    ModelBuilder builder(&model);
    const std::string meta = std::string(R"({"sampleUnits":{"threadCPUDelta":")") + unit + "\"}}";
    REQUIRE(builder.ReadMeta(Parsed(meta.c_str()).root()).ok());
    return builder.CpuNs(deltas.root().At(row));
  };
  CHECK(cpu_ns("ns", 0) == 5);
  CHECK(cpu_ns("µs", 0) == 5000);
  CHECK(cpu_ns("variable CPU cycles", 0) == -1);
  for (const size_t row : {1u, 2u, 3u}) CHECK(cpu_ns("ns", row) == -1);
}

TEST_CASE("indices, times and texts") {
  const JsonDocument values = Parsed(R"([2,3,null,"x",1e300,-1,1.5,true,7])");
  const JsonPath path;
  CHECK(*ReadIndex(values.root().At(0), 3, path) == 2);
  CHECK(*ReadIndex(values.root().At(2), 3, path) == kNoRow);
  CHECK(ReadIndex(values.root().At(1), 3, path / 1).status().message() == "$[1]: index 3 is out of range (3 rows)");
  for (const size_t i : {3u, 4u, 5u, 6u}) CHECK_FALSE(ReadIndex(values.root().At(i), 100, path).ok());
  CHECK(ReadTimeMs(values.root().At(4)) == 0);
  CHECK(ReadTimeMs(values.root().At(6)) == 1.5);
  CHECK(ReadWeight(values.root().At(5)) == 0);
  CHECK(ReadWeight(values.root().At(2)) == 1);
  CHECK(TextOf(values.root().At(3)) == "x");
  CHECK(TextOf(values.root().At(8)) == "7");
  CHECK(TextOf(values.root().At(7)) == "yes");
}

}  // namespace
}  // namespace geckoprof
