#include "tools/processed_format/processed_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/gecko_json/format_versions.h"
#include "tests/unit/tools/processed_format/written_json.h"

namespace geckoprof {
namespace {

// Writes samples whose cells are all alike but for the stacks.
rapidjson::Document Samples(const SampleTable& table, SampleColumn known, JsonNumber cell) {
  return WrittenJson([&](JsonWriter& writer) {
    writer.StartObject();
    const auto fill = [&](SampleColumn column, size_t first_row, std::span<JsonNumber> cells) {
      for (size_t i = 0; i < cells.size(); ++i) {
        cells[i] = column == known ? cell : JsonNumber::Null();
        if (column == SampleColumn::kStack) cells[i] = RowCell(static_cast<int32_t>(first_row + i));
      }
    };
    WriteSamples(table, fill, writer);
    writer.EndObject();
  });
}

class NoSource : public ProcessedSource {
 public:
  explicit NoSource(bool has_counters) : has_counters_(has_counters) {}
  void WriteThreads(JsonWriter&) override {}
  bool HasCounters() const override { return has_counters_; }
  void WriteCounters(JsonWriter&) override {}
  void WriteMeta(JsonWriter& writer) override {
    ProfileHead head;
    head.interval = TimeCell(1);
    WriteHead(head, writer);
  }

 private:
  bool has_counters_;
};

TEST_CASE("a column is whole, however long it is") {
  for (const size_t rows : {0, 1, 255, 256, 257, 1000}) {
    const auto document = Samples({rows}, SampleColumn::kTime, TimeCell(0.5));
    const auto& samples = document["samples"];
    REQUIRE(samples["stack"].Size() == rows);
    for (size_t i = 0; i < rows; ++i) CHECK(samples["stack"][static_cast<unsigned>(i)].GetUint() == i);
    CHECK(samples["time"].Size() == rows);
    CHECK(samples["length"].GetUint() == rows);
  }
}

TEST_CASE("columns of samples that say nothing are left out") {
  for (const JsonNumber one : {JsonNumber::Int(1), JsonNumber::Double(1)}) {
    const auto document = Samples({3}, SampleColumn::kWeight, one);
    CHECK(document["samples"]["weight"].IsNull());
    CHECK(document["samples"]["weightType"] == "samples");
    CHECK(document["samples"].MemberCount() == 5);
  }
  CHECK(Samples({3}, SampleColumn::kWeight, JsonNumber::Int(2))["samples"]["weight"].Size() == 3);
  CHECK(Samples({3, false, "bytes"}, SampleColumn::kWeight, JsonNumber::Int(1))["samples"]["weight"].Size() == 3);
  CHECK(Samples({3, true}, SampleColumn::kState, JsonNumber::Int(0))["samples"]["state"].Size() == 3);
  CHECK(Samples({3}, SampleColumn::kCpuDelta, JsonNumber::Int(0))["samples"]["threadCPUDelta"].Size() == 3);
  for (const auto& [column, name] :
       {std::pair(SampleColumn::kWaitCause, "waitCause"), std::pair(SampleColumn::kReadyDelta, "threadReadyDelta"),
        std::pair(SampleColumn::kLock, "lock"), std::pair(SampleColumn::kLockHolder, "lockHolder")}) {
    CHECK_FALSE(Samples({3}, column, JsonNumber::Int(0))["samples"].HasMember(name));
    CHECK(Samples({3}, column, JsonNumber::Int(7))["samples"][name].Size() == 3);
  }
}

TEST_CASE("the versions of a file, and counters where there are any") {
  for (const bool has_counters : {false, true}) {
    const auto document = WrittenJson([&](JsonWriter& writer) {
      NoSource source(has_counters);
      WriteProcessedFile(source, SharedTables(), writer);
    });
    CHECK(document.HasMember("counters") == has_counters);
    CHECK(document["meta"]["preprocessedProfileVersion"].GetInt() == ProcessedVersion::kWritten);
    CHECK(document["meta"]["version"].GetInt() == GeckoVersion::kWritten);
    CHECK_FALSE(document["meta"].HasMember("profilingEndTime"));
    for (const char* const member : {"threads", "pages", "libs"}) CHECK(document[member].Empty());
  }
}

TEST_CASE("times have no digits that a double adds, and may be any number") {
  const auto text_of = [](JsonNumber number) {
    std::string text;
    JsonWriter writer(StringSink(&text));
    writer.Number(number);
    CHECK(writer.Finish());
    return text;
  };
  CHECK(text_of(TimeCell(0.1 + 0.2)) == "0.3");
  CHECK(text_of(TimeCell(-12)) == "-12");
  CHECK(text_of(TimeCell(1e300)) == "1e300");
}

TEST_CASE("a cause has a stack, and what is known of it") {
  const auto document = WrittenJson([](JsonWriter& writer) {
    writer.StartArray();
    for (const int32_t stack : {-1, 4}) {
      writer.StartObject();
      WriteCause(JsonNumber::Int(7), JsonNumber::Null(), stack, writer);
      writer.EndObject();
    }
    writer.EndArray();
  });
  CHECK(document[0].MemberCount() == 0);
  CHECK(document[1]["cause"]["tid"].GetInt() == 7);
  CHECK(document[1]["cause"]["stack"].GetInt() == 4);
  CHECK_FALSE(document[1]["cause"].HasMember("time"));
}

}  // namespace
}  // namespace geckoprof
