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

TEST_CASE("a short text may not ask for much memory") {
  constexpr size_t kRows = size_t{16} << 20, kText = size_t{64} << 20;  // 16 Mi rows of 6 bytes are 96 MiB
  ProfileModel model;
  CHECK(ModelBuilder(&model).CountRows(kRows, 6).ok());
  CHECK(absl::IsResourceExhausted(ModelBuilder(&model).CountRows(kRows, 7)));
  CHECK(ModelBuilder(&model, ProfileDetail::kSummary, kText).CountRows(kRows, 24).ok());
  ModelBuilder builder(&model);
  for (int i = 0; i < 7; ++i) builder.Intern(std::string(size_t{16} << 20, static_cast<char>('a' + i)));
  CHECK(builder.IsTooLarge());
}

TEST_CASE("very long names are cut, and counted") {
  ProfileModel model;
  ModelBuilder builder(&model);
  const std::string longest(kMaxNameBytes, 'f'), longer = longest + "f";
  std::string wide = "x";
  while (wide.size() <= kMaxNameBytes) wide += "é";
  for (const std::string& name : {longest, longer, wide}) builder.Function(name, "lib");
  builder.Function(longer, "other");
  builder.Intern("text" + longer);  // of a marker
  model.threads.emplace_back().name = longer;
  CutLongNames(&model);
  CHECK(model.Text(model.functions[0].name) == longest);
  CHECK(model.Text(model.functions[1].name) == longest.substr(3) + "…");
  CHECK(model.Text(model.functions[2].name) == "x" + wide.substr(1, kMaxNameBytes - 4) + "…");
  CHECK(model.threads[0].name == longest.substr(3) + "…");
  CHECK(model.strings.back() == "text" + longer);
  CHECK(model.cut_names == 3);
  REQUIRE(model.sections.size() == 1);
  CHECK(model.sections[0].entries[0].value == "3");
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

TEST_CASE("tables: rows of a file become rows of the model, set by set") {
  const JsonDocument document = Parsed(R"({"strings":["f","g"],"rows":[0,1,null,7,-1]})");
  const JsonView rows = document.root()["rows"];
  const JsonPath path;
  ProfileModel model;
  ModelBuilder builder(&model);
  model.strings.push_back("first");
  builder.StartStrings(document.root()["strings"]);
  CHECK(model.strings[static_cast<size_t>(*builder.ReadString(rows.At(0), path))] == "f");
  CHECK(builder.ReadString(rows.At(2), path / 2).status().message() == "$[2]: is null");
  CHECK(builder.ReadString(rows.At(9), path / 9).status().message() == "$[9]: is missing");
  CHECK_FALSE(builder.ReadString(rows.At(3), path).ok());
  for (int set = 0; set < 2; ++set) {
    REQUIRE(builder.StartFrames(2).ok());
    builder.AddFrame(builder.Function("f", ""), 5);
    builder.AddFrame(builder.Function("g", ""), kNoRow);
    REQUIRE(builder.StartStacks(2, path).ok());
    REQUIRE(builder.AddStack(kNoRow, rows.At(0), path).ok());
    REQUIRE(builder.AddStack(0, rows.At(1), path).ok());
    CHECK_FALSE(builder.AddStack(0, rows.At(2), path).ok());
    CHECK_FALSE(builder.AddStack(0, rows.At(3), path).ok());
    const ProfileStack& inner = model.stacks.back();
    CHECK(inner.prefix == 2 * set);
    CHECK(inner.category == 5);  // its caller's
    CHECK(*builder.ReadStack(rows.At(1), path) == 2 * set + 1);
    CHECK(*builder.ReadStack(rows.At(2), path) == kNoRow);
    CHECK_FALSE(builder.ReadStack(rows.At(3), path).ok());
    CHECK_FALSE(builder.ReadStack(rows.At(4), path).ok());
  }
  CHECK_FALSE(builder.StartStacks(INT32_MAX, path).ok());
}

TEST_CASE("samples, phases and entries of sections") {
  const JsonDocument values = Parsed(R"([0,3,4,null,"x",12,-1,0.5,1e300])");
  const JsonView root = values.root();
  const JsonPath path;
  ProfileModel model;
  ModelBuilder builder(&model);
  ProfileThread thread;
  builder.AddSample({1, 1, -1, kNoRow}, &thread);
  CHECK_FALSE(model.has_cpu_times);
  builder.AddSample({2, 1, 0, kNoRow}, &thread);
  CHECK(model.has_cpu_times);
  CHECK(thread.samples.size() == 2);
  CHECK_FALSE(thread.starts_later);
  ProfileThread later;
  builder.AddSample({1, 1, 0, kNoRow}, &later);
  builder.AddSample({2, 1, 7, 3}, &later);
  builder.AddSample({3, 1, 8, 3}, &later);
  CHECK(later.starts_later);  // what stood ahead of the first sample is none
  CHECK(later.samples.size() == 2);
  CHECK(later.samples[0].cpu_ns == 7);
  ProfileThread with_gap;
  for (const bool has_states : {false, true}) {
    with_gap.has_states = has_states;
    builder.AddSample({1, 1, 7, kNoRow}, &with_gap);
  }
  CHECK(with_gap.samples[0].weight == 1);  // of another program
  CHECK(with_gap.samples[1].weight == 0);
  CHECK(IsGap(with_gap, with_gap.samples[1]));
  CHECK(*ReadPhase(root.At(1), path) == ProfileMarkerPhase::kIntervalEnd);
  CHECK(*ReadPhase(root.At(3), path) == ProfileMarkerPhase::kInstant);
  CHECK_FALSE(ReadPhase(root.At(2), path).ok());
  using Kind = ProfileSection::Entry::Kind;
  CHECK(SectionEntry("a", root.At(5), "integer").kind == Kind::kNumber);
  CHECK(SectionEntry("a", root.At(5), "bytes").kind == Kind::kBytes);
  for (const size_t i : {4u, 6u, 7u, 8u}) CHECK(SectionEntry("a", root.At(i), "bytes").kind == Kind::kText);
}

}  // namespace
}  // namespace geckoprof
