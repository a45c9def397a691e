#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/format_writers.h"
#include "tools/convert/proto_wire.h"
#include "tools/report/profile_summary.h"

namespace geckoprof {
namespace {

// The types of two values, each a name and a unit: strings 1 to 4.
void WriteTwoTypes(ProtoWriter& writer) {
  for (const uint64_t name : {1, 3}) {
    const size_t message = writer.Begin(1);
    writer.Varint(1, name);
    writer.Varint(2, name + 1);
    writer.End(message);
  }
}

// One function "f", location 1; values: alloc count, alloc bytes as Go's heap profiles have them.
std::string HeapProfile(int64_t count, int64_t bytes, uint64_t location) {
  std::string out;
  ProtoWriter writer(&out);
  WriteTwoTypes(writer);
  size_t message = writer.Begin(2);
  writer.Packed(1, {location});
  writer.Packed(2, {static_cast<uint64_t>(count), static_cast<uint64_t>(bytes)});
  writer.End(message);
  message = writer.Begin(4);
  writer.Varint(1, 1);
  const size_t line = writer.Begin(4);
  writer.Varint(1, 7);
  writer.Int(2, -5);
  writer.End(line);
  writer.End(message);
  message = writer.Begin(5);
  writer.Varint(1, 7);
  writer.Varint(2, 5);
  writer.End(message);
  for (const char* text : {"", "alloc", "count", "space", "bytes", "f"}) writer.Text(6, text);
  return out;
}

TEST_CASE("a heap profile's default value is bytes") {
  const auto model = LoadPprof(HeapProfile(2, 4096, 1));
  REQUIRE(model.ok());
  CHECK(model->threads[0].weight_unit == ProfileWeightUnit::kBytes);
  CHECK(model->threads[0].samples[0].weight == 4096);
  CHECK(Written(*model, WriteFolded) == "samples;f 4096\n");
}

TEST_CASE("values that make no sense") {
  std::vector<std::string> notes;
  CHECK_FALSE(LoadPprof(HeapProfile(1, -4096, 1), "", &notes).ok());  // nothing is left
  REQUIRE(notes.size() == 2);
  CHECK(notes[1] == "1 of 1 samples are left out: their values are negative, as of a difference of two profiles");
  CHECK(LoadPprof(HeapProfile(1, INT64_MAX, 1)).status().message() == "sample 1: the count is too large");
  CHECK(std::string(LoadPprof(HeapProfile(1, 1, 99)).status().message()) ==
        "a sample names location 99, which is not there");
  CHECK_FALSE(LoadPprof("").ok());
  CHECK_FALSE(LoadPprof("\x0a\x02\x08").ok());
}

// Values: samples, CPU ns. "f" waited in all its samples.
TEST_CASE("a sample without CPU time counts, and does so after a round trip") {
  std::string out;
  ProtoWriter writer(&out);
  WriteTwoTypes(writer);
  for (const uint64_t id : {1, 2}) {
    size_t message = writer.Begin(2);
    writer.Packed(1, {id});
    writer.Packed(2, {id == 1 ? uint64_t{10} : 5, id == 1 ? uint64_t{0} : 5'000'000});
    writer.End(message);
    message = writer.Begin(4);
    writer.Varint(1, id);
    const size_t line = writer.Begin(4);
    writer.Varint(1, id);
    writer.End(line);
    writer.End(message);
    message = writer.Begin(5);
    writer.Varint(1, id);
    writer.Varint(2, 4 + id);
    writer.End(message);
  }
  for (const char* text : {"", "samples", "count", "cpu", "nanoseconds", "f", "g"}) writer.Text(6, text);
  const auto model = LoadPprof(out);
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "samples;f 10\nsamples;g 5\n");
  CHECK(model->has_cpu_times);
  const auto again = LoadPprof(Written(*model, WritePprof));
  REQUIRE(again.ok());
  CHECK(Written(*again, WriteFolded) == "samples;f 10\nsamples;g 5\n");
}

// Each sample is of a function of its own, "f0", "f1", ...; period 0: none.
std::string ProfileOf(const std::vector<std::pair<const char*, const char*>>& types,
                      const std::vector<std::vector<int64_t>>& samples, int64_t period_ns = 0) {
  std::string out;
  ProtoWriter writer(&out);
  std::vector<std::string> strings = {"", "cpu", "nanoseconds"};
  const auto string = [&strings](std::string text) {
    strings.push_back(std::move(text));
    return strings.size() - 1;
  };
  const auto message = [&writer](uint32_t field, const std::vector<uint64_t>& numbers) {
    const size_t begin = writer.Begin(field);
    for (size_t i = 0; i < numbers.size(); ++i) writer.Varint(static_cast<uint32_t>(i) + 1, numbers[i]);
    writer.End(begin);
  };
  for (const auto& [name, unit] : types) message(1, {string(name), string(unit)});
  for (size_t i = 0; i < samples.size(); ++i) {
    size_t begin = writer.Begin(2);
    writer.Packed(1, {i + 1});
    writer.Packed(2, std::vector<uint64_t>(samples[i].begin(), samples[i].end()));
    writer.End(begin);
    begin = writer.Begin(4);
    writer.Varint(1, i + 1);
    message(4, {i + 1});
    writer.End(begin);
    message(5, {i + 1, string("f" + std::to_string(i))});
  }
  if (period_ns > 0) {
    message(11, {1, 2});
    writer.Int(12, period_ns);
  }
  for (const std::string& text : strings) writer.Text(6, text);
  return out;
}

std::string FoldedOf(const std::string& profile, std::string_view value) {
  const auto model = LoadPprof(profile, value);
  return model.ok() ? Written(*model, WriteFolded) : std::string(model.status().message());
}

TEST_CASE("what a process became by exec is one of its own, and no two threads of a process have one id") {
  ProfileModel model = SmallModel();
  const auto add = [&](int32_t process, const char* name, bool is_main) {
    ProfileThread thread = model.threads[0];
    thread.process = process;
    thread.name = name;
    thread.is_main = is_main;
    model.threads.push_back(thread);
  };
  add(0, "renamed", false);
  for (const int64_t tid : {1, 2, 3}) {  // numbers as those get that have none of their own
    add(0, "numbered", false);
    model.threads.back().tid = tid;
  }
  model.processes.push_back({"10", "other", 0});
  add(static_cast<int32_t>(model.processes.size()) - 1, "other", true);
  const auto read = LoadPprof(Written(model, WritePprof));
  REQUIRE(read.ok());
  REQUIRE(read->processes.size() == 2);
  CHECK(read->processes[0].pid == "10");
  CHECK(read->processes[1].pid == "10.1");
  std::set<std::pair<int32_t, int64_t>> ids;
  std::set<int32_t> with_main;
  for (const ProfileThread& thread : read->threads) {
    CHECK(ids.emplace(thread.process, thread.tid).second);
    if (thread.is_main) CHECK(with_main.insert(thread.process).second);
  }
  CHECK(with_main.size() == 2);
}

TEST_CASE("one of several values is taken, and it is told which") {
  const std::string block =
      ProfileOf({{"contentions", "count"}, {"delay", "nanoseconds"}}, {{9, 1'000'000}, {1, 5'000'000}, {0, 2'000'000}});
  std::vector<std::string> notes;
  const auto model = LoadPprof(block, "", &notes);
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "samples;f0 9\nsamples;f1 1\n");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "the samples are those of contentions; left out: delay (nanoseconds); --event NAME takes another value");
  REQUIRE(model->sections.size() == 1);
  CHECK(model->sections[0].entries[0].value == "contentions");
  notes.clear();
  CHECK(LoadPprof(block, "contentions", &notes).ok());
  CHECK(notes.empty());
  CHECK(FoldedOf(block, "delay") == "samples;f0 1\nsamples;f1 5\nsamples;f2 2\n");
  CHECK(FoldedOf(block, "cpu") == "there is no value \"cpu\", but contentions (count), delay (nanoseconds)");
}

TEST_CASE("a profile of samples and CPU times needs no word") {
  std::vector<std::string> notes;
  CHECK(LoadPprof(Written(SmallModel(), WritePprof), "", &notes).ok());
  CHECK(notes.empty());
}

TEST_CASE("CPU time of samples that count 0 is told, and may be taken") {
  const std::string profile =
      ProfileOf({{"samples", "count"}, {"cpu", "nanoseconds"}}, {{0, 30'000'000}, {2, 10'000'000}, {0, 0}});
  std::vector<std::string> notes;
  const auto model = LoadPprof(profile, "", &notes);
  REQUIRE(model.ok());
  CHECK(model->threads[0].samples.size() == 1);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "1 of 3 samples are left out: they count 0, though with 30 ms of CPU time, which --event cpu takes");
  notes.clear();
  const auto cpu = LoadPprof(profile, "cpu", &notes);
  REQUIRE(cpu.ok());
  CHECK(notes.empty());
  REQUIRE(cpu->threads[0].samples.size() == 2);
  CHECK(cpu->threads[0].samples[0].cpu_ns == 30'000'000);
}

TEST_CASE("CPU time without a count is CPU time, in samples of the period") {
  const std::vector<std::vector<int64_t>> values = {{3'070'000'000}, {12'340'000'000}};
  for (const auto& [period_ns, samples] : {std::pair(10'000'000, 307), std::pair(0, 3070)}) {
    const auto model = LoadPprof(ProfileOf({{"cpu", "nanoseconds"}}, values, period_ns));
    REQUIRE(model.ok());
    CHECK(model->has_cpu_times);
    CHECK(model->threads[0].weight_unit == ProfileWeightUnit::kSamples);
    CHECK(model->threads[0].samples[0].weight == samples);
    CHECK(model->threads[0].samples[0].cpu_ns == 3'070'000'000);
    CHECK(model->threads[0].samples[1].cpu_ns == 12'340'000'000);
    CHECK(model->threads[0].samples[1].time_ms == Approx(15410));
    CHECK(LoadPprof(Written(*model, WritePprof))->threads[0].samples[1].cpu_ns == 12'340'000'000);
  }
  CHECK(LoadPprof(ProfileOf({{"cpu", "microseconds"}}, {{3}}))->threads[0].samples[0].cpu_ns == 3000);
}

TEST_CASE("values that are too large are refused") {
  constexpr int64_t kMost = 1'000'000'000'000'000;
  CHECK(LoadPprof(ProfileOf({{"cycles", "count"}}, {{1}, {kMost}})).ok());
  CHECK(LoadPprof(ProfileOf({{"cycles", "count"}}, {{1}, {kMost + 1}})).status().message() ==
        "sample 2: the count is too large");
  CHECK_FALSE(LoadPprof(ProfileOf({{"space", "GB"}}, {{kMost / 1000}})).ok());
  const auto with_cpu = [](const char* name, int64_t ms) {
    return LoadPprof(ProfileOf({{"samples", "count"}, {name, "ms"}}, {{1, ms}}));
  };
  CHECK(with_cpu("cpu", 1'000'000'000'000)->threads[0].samples[0].cpu_ns == int64_t{1'000'000'000'000'000'000});
  CHECK(with_cpu("cpu", 1'000'000'000'001).status().message() == "sample 1: the count is too large");
  CHECK(with_cpu("delay", 1'000'000'000'001).ok());  // only where the next one stands
}

TEST_CASE("units of memory are bytes in the end") {
  const auto model = LoadPprof(ProfileOf({{"alloc_space", "megabytes"}}, {{3}, {1}}));
  REQUIRE(model.ok());
  CHECK(model->threads[0].weight_unit == ProfileWeightUnit::kBytes);
  CHECK(model->threads[0].samples[0].weight == 3 * 1048576);
}

TEST_CASE("there are as many samples as were read, and their CPU times count from the first on") {
  const auto model = LoadPprof(Written(SmallModel(), WritePprof));
  REQUIRE(model.ok());
  double samples = 0, cpu_ns = 0;
  for (const ProfileThread& thread : model->threads) {
    CHECK(thread.starts_later);
    for (const ProfileSample& sample : thread.samples) {
      CHECK(sample.stack != kNoRow);
      samples += sample.weight;
      cpu_ns += static_cast<double>(std::max<int64_t>(0, sample.cpu_ns));
    }
  }
  const ProfileSummary summary = Summarize(*model, {});
  CHECK(summary.samples + summary.idle_samples == samples);
  double sum_ns = 0;
  for (const ProfileSummary::Thread& thread : summary.threads) sum_ns += static_cast<double>(thread.cpu_ns.value_or(0));
  CHECK(sum_ns == cpu_ns);
  CHECK(cpu_ns > 0);
}

TEST_CASE("the recording lasts as long as it says, or as its samples do") {
  const auto with_duration = [](int64_t duration_ns) {
    std::string out = Written(SmallModel(), WritePprof);
    ProtoWriter(&out).Int(10, duration_ns);  // of two the last one counts
    return LoadPprof(out);
  };
  const auto model = with_duration(1'120'000'000);
  REQUIRE(model.ok());
  CHECK(model->duration_ms == Approx(1120));
  CHECK(LoadPprof(Written(*model, WritePprof))->duration_ms == Approx(1120));
  const double samples_ms = with_duration(0)->duration_ms;
  CHECK(samples_ms > 0);
  CHECK(with_duration(-1)->duration_ms == samples_ms);
  CHECK(with_duration(1)->duration_ms == samples_ms);
}

TEST_CASE("a profile may begin with any field, as Go's do") {
  const std::string heap = HeapProfile(2, 4096, 1);
  std::string out;
  ProtoWriter writer(&out);
  writer.Varint(9, 1'700'000'000'000'000'000);
  CHECK(LooksLikePprof(out + heap));
  CHECK_FALSE(LooksLikePprof(out));
  for (const char* text : {"", "main;foo 10\n", "Hi there", "{}",
                           "\x7f"
                           "ELF\x02\x01",
                           "%PDF-1.4", "\x1f\x8b\x08", "\n\tffffffff821d7b37 f\n", "\n\t\tffffffff f\n"}) {
    CHECK_FALSE(LooksLikePprof(text));
  }
}

TEST_CASE("cuts and damaged bytes are read or refused") {
  const std::string good = Written(SmallModel(), WritePprof);
  CHECK(LooksLikePprof(good));
  for (size_t end = 0; end < good.size(); ++end) (void)LoadPprof(std::string_view(good).substr(0, end));
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int j = 0; j < 3; ++j) bad[random() % bad.size()] = static_cast<char>(random());
    const auto model = LoadPprof(bad);
    if (!model.ok()) continue;
    // Whatever was read can be written.
    CHECK_FALSE(Written(*model, WriteFolded, true) == "(failed)");
    CHECK_FALSE(Written(*model, WritePprof, true) == "(failed)");
  }
}

// A location of many functions, that a small sample names again and again.
TEST_CASE("stacks that would fill the memory are refused") {
  std::string out;
  ProtoWriter writer(&out);
  size_t message = writer.Begin(1);
  writer.Varint(2, 2);
  writer.End(message);
  message = writer.Begin(4);
  writer.Varint(1, 1);
  for (int i = 0; i < 100000; ++i) {
    const size_t line = writer.Begin(4);
    writer.Varint(1, static_cast<uint64_t>(i));
    writer.End(line);
  }
  writer.End(message);
  message = writer.Begin(2);
  writer.Packed(1, std::vector<uint64_t>(100000, 1));
  writer.Packed(2, {1});
  writer.End(message);
  for (const char* text : {"", "samples", "count"}) writer.Text(6, text);
  const auto model = LoadPprof(out);
  REQUIRE_FALSE(model.ok());
  CHECK(std::string(model.status().message()).find("too much for its size") != std::string::npos);
}

TEST_CASE("a location of very many functions is refused") {
  std::string out, lines;
  ProtoWriter line_writer(&lines);
  line_writer.Varint(1, 1);
  for (int i = 0; i < 5'000'000; ++i) lines += std::string_view("\x22\0", 2);
  ProtoWriter writer(&out);
  size_t message = writer.Begin(1);
  writer.Varint(2, 2);
  writer.End(message);
  writer.Text(4, lines);
  message = writer.Begin(2);
  writer.Packed(1, {1});
  writer.Packed(2, {1});
  writer.End(message);
  for (const char* text : {"", "samples", "count"}) writer.Text(6, text);
  CHECK(absl::IsResourceExhausted(LoadPprof(out).status()));
}

}  // namespace
}  // namespace geckoprof
