#include "geckoprof/gecko_json/gecko_thread_writer.h"

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/changed_rows.h"
#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

// The threads of `process`, as an array.
rapidjson::Document Written(const ProcessProfile& process, uint64_t most_idle_rows = GeckoThreadWriter::kMaxIdleRows) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  const GeckoLibraryMap libraries(process.libraries);
  GeckoCategories categories(process.categories);
  const std::vector<int32_t> numbers = categories.AddAll(process.categories);
  GeckoThreadWriter threads(process, libraries, categories, numbers, writer, most_idle_rows);
  writer.StartArray();
  for (const ThreadRow& thread : process.threads) threads.Write(thread, thread.name);
  writer.EndArray();
  REQUIRE(writer.Finish());
  rapidjson::Document document;
  document.Parse(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

TEST_CASE("each thread has the rows that it uses, numbered anew, the root first") {
  const auto threads = Written(SampleProcess());
  for (rapidjson::SizeType i = 0; i < threads.Size(); ++i) {
    const auto& stacks = threads[i]["stackTable"]["data"];
    CHECK(stacks.Size() == (i == 0 ? 4u : 4u));
    CHECK(stacks[0][0].IsNull());
    for (rapidjson::SizeType k = 1; k < stacks.Size(); ++k) CHECK(stacks[k][0].GetUint() < k);
    CHECK(threads[i]["stringTable"][0].GetString() == std::string("(root)"));
    CHECK(threads[i]["frameTable"]["data"].Size() == 4);
  }
  // The worker's tables know nothing of the main thread's markers.
  for (const auto& text : threads[1]["stringTable"].GetArray()) CHECK(text.GetString() != std::string("step"));
  CHECK(threads[1]["tid"].GetInt() == 1002);
  CHECK(threads[1]["registerTime"].GetInt() == 2);
}

TEST_CASE("idle ticks are as far apart as they were, whatever the interval became") {
  ProcessProfile process = SampleProcess();
  process.interval_ns = 1'000'000;
  SampleRow row = process.threads[0].samples.back();
  row.idle_ticks = 3;
  row.apart_ns = 20'000'000;
  row.time_ns += 100'000'000;
  process.threads[0].samples.push_back(row);
  const auto threads = Written(process);
  const auto& rows = threads[0]["samples"]["data"];
  for (rapidjson::SizeType i = rows.Size() - 2; i < rows.Size(); ++i) {
    CHECK(rows[i][1].GetDouble() - rows[i - 1][1].GetDouble() == Approx(20));
  }
}

TEST_CASE("beyond so many rows of threads that did not run, an idle run is its first and its last tick") {
  ProcessProfile process = SampleProcess();
  SampleRow row = process.threads[0].samples.back();
  row.idle_ticks = UINT32_MAX;
  row.apart_ns = 1'000'000;
  row.time_ns += 86'400'000'000'000;
  process.threads[0].samples = {row};
  row.time_ns += 10'000'000;
  row.idle_ticks = 10;
  process.threads[0].samples.push_back(row);
  const auto threads = Written(process, 100);
  const auto& rows = threads[0]["samples"]["data"];
  REQUIRE(rows.Size() == 102 + 2);
  CHECK(rows[101][1].GetDouble() - rows[0][1].GetDouble() == Approx(86'400'000).margin(100));
  CHECK(rows[103][1].GetDouble() - rows[102][1].GetDouble() == Approx(9));
}

TEST_CASE("threads with times at the ends of int64_t are written") {
  for (const int64_t start_ns : {INT64_MIN, int64_t{0}, INT64_MAX}) {
    ProcessProfile process = SampleProcess();
    process.start_ns = start_ns;
    for (const int64_t time_ns : {INT64_MIN, INT64_MAX}) {
      for (ThreadRow& thread : process.threads) {
        thread.registered_ns = thread.unregistered_ns = time_ns;
        ChangeRows(thread.samples, [time_ns](SampleRow& sample) { sample.time_ns = time_ns; });
        ChangeRows(thread.markers, [time_ns](MarkerRow& marker) { marker.start_ns = marker.end_ns = time_ns; });
      }
      SampleList& samples = process.threads[0].samples;
      ChangeRow(samples, 0, [](SampleRow& sample) { sample.time_ns = INT64_MIN; });
      ChangeRow(samples, samples.size() - 1, [](SampleRow& sample) {
        sample.idle_ticks = 3;
        sample.time_ns = sample.apart_ns = INT64_MAX;
      });
      const auto threads = Written(process);
      CHECK(threads[0]["samples"]["data"].Size() >= 3);
    }
  }
}

}  // namespace
}  // namespace geckoprof
