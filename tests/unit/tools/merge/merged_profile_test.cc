#include "tools/merge/merged_profile.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/merge/small_profile.h"
#include "tools/check/profile_checker.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Several profiles merged into one, which is read again. The viewer would not refuse it.
class Merged {
 public:
  explicit Merged(const std::vector<std::string>& texts) {
    const TemporaryFolder folder;
    std::vector<std::string> files;
    for (size_t i = 0; i < texts.size(); ++i) {
      files.push_back(folder.Write(Concat("host", i + 1, ".json"), texts[i]));
      auto input = ReadMergeInput(files.back(), size_t{1} << 30);
      INFO(input.status().message());
      REQUIRE(input.ok());
      inputs_.push_back(*std::move(input));
    }
    const std::vector<std::string> labels = LabelsOfFiles(files);
    std::vector<ClockFacts> clocks;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i].label = labels[i];
      clocks.push_back(inputs_[i].clock);
    }
    offsets = FindClockOffsets(clocks, std::vector<std::optional<double>>(inputs_.size()));
    MergedProfile merged(inputs_, offsets);
    REQUIRE(merged.Load().ok());
    JsonWriter writer(StringSink(&text_));
    merged.Write(writer);
    REQUIRE(writer.Finish());
    notes = merged.notes();
    document_.emplace(*JsonDocument::Parse(text_, JsonDocument::Utf8::kStrict));
    const FaultList faults = CheckProfile(*document_, 10).faults;
    CHECK(faults.faults() == std::vector<std::string>());
    CHECK(faults.fault_count() == 0);
  }

  JsonView root() const { return document_->root(); }
  JsonView thread(size_t row) const { return root()["threads"].At(row); }
  std::string_view String(JsonView number) const {
    return root()["shared"]["stringArray"].At(static_cast<size_t>(number.AsInteger().value_or(-1))).AsString();
  }
  // The functions of a stack, innermost first, with their categories.
  std::vector<std::string> Stack(JsonView number) const {
    std::vector<std::string> names;
    const JsonView shared = root()["shared"], frames = shared["frameTable"], meta = root()["meta"];
    for (int64_t row = number.AsInteger().value_or(-1); row >= 0;) {
      const auto at = static_cast<size_t>(row);
      const auto frame = static_cast<size_t>(shared["stackTable"]["frame"].At(at).AsInteger().value());
      const auto func = static_cast<size_t>(frames["func"].At(frame).AsInteger().value());
      std::string name(String(shared["funcTable"]["name"].At(func)));
      if (const auto category = frames["category"].At(frame).AsInteger()) {
        const JsonView known = meta["categories"].At(static_cast<size_t>(*category));
        const auto subcategory = static_cast<size_t>(frames["subcategory"].At(frame).AsInteger().value());
        name += Concat(" ", known["name"].AsString(), "/", known["subcategories"].At(subcategory).AsString());
      }
      names.push_back(name);
      const int64_t offset = shared["stackTable"]["prefixOffset"].At(at).AsInteger().value();
      row = offset == 0 ? -1 : row - offset;
    }
    return names;
  }
  const std::string& text() const { return text_; }

  std::vector<ClockOffset> offsets;
  std::vector<std::string> notes;

 private:
  std::vector<MergeInput> inputs_;
  std::string text_;
  std::optional<JsonDocument> document_;
};

// Sums has the numbers that reports add up. The functions have samples and CPU time.
struct Sums {
  double samples = 0, counted = 0, bytes = 0, overhead_us = 0, sampler_ms = 0;
  size_t looks = 0;
  int64_t cpu_ns = 0;
  size_t markers = 0, threads = 0, processes = 0;
  std::map<std::string, std::pair<double, int64_t>> functions;
  std::map<std::string, size_t> marker_types;
  std::multiset<std::tuple<double, int64_t, size_t>> of_processes;  // samples, CPU time and markers of each

  bool operator==(const Sums&) const = default;

  void Add(const std::string& text) {
    const auto model = LoadProfileText(text, ProfileDetail::kFull);
    REQUIRE(model.ok());
    threads += model->threads.size();
    processes += model->processes.size();
    for (const ProfileCounter& counter : model->counters) counted += counter.total;
    for (const ProfileOverhead& overhead : model->overheads) {
      looks += overhead.looks;
      for (const auto& sum : {overhead.locking, overhead.upkeep, overhead.counters, overhead.threads}) {
        overhead_us += sum.total_us;
      }
      sampler_ms += overhead.sampler_ms.value_or(0);
    }
    std::vector<std::tuple<double, int64_t, size_t>> sums(model->processes.size());
    for (const ProfileThread& thread : model->threads) {
      auto& [own_samples, own_cpu_ns, own_markers] = sums[static_cast<size_t>(thread.process)];
      own_markers += thread.markers.size();
      markers += thread.markers.size();
      for (const ProfileMarker& marker : thread.markers) ++marker_types[model->Text(marker.name)];
      for (const ProfileSample& sample : thread.samples) {
        samples += sample.weight;
        cpu_ns += std::max<int64_t>(sample.cpu_ns, 0);
        own_samples += sample.weight;
        own_cpu_ns += std::max<int64_t>(sample.cpu_ns, 0);
        if (sample.stack == kNoRow) continue;
        const int32_t function = model->stacks[static_cast<size_t>(sample.stack)].function;
        auto& [weight, cpu] = functions[model->Text(model->functions[static_cast<size_t>(function)].name)];
        weight += sample.weight;
        cpu += std::max<int64_t>(sample.cpu_ns, 0);
      }
    }
    of_processes.insert(sums.begin(), sums.end());
  }
};

void CheckSums(const std::vector<std::string>& texts) {
  Sums apart, merged;
  for (const std::string& text : texts) apart.Add(text);
  merged.Add(Merged(texts).text());
  CHECK(apart.samples > 0);
  CHECK(apart == merged);
}

std::string Golden(const std::string& name) {
  auto text = ReadProfileFile(Concat(GECKOPROF_GOLDEN_DIR, "/", name));
  REQUIRE(text.ok());
  return *std::move(text);
}

TEST_CASE("samples, CPU times and markers are the sums of the inputs") {
  SmallProfile a, b;
  b.start_ms += 300;
  CheckSums({a.Text()});
  CheckSums({a.Text(), b.Text()});
  b.function = "0x1234";  // without symbols
  b.version = 70;
  b.cpu_unit = "µs";
  CheckSums({b.Text()});
  const std::string firefox = Golden("firefox_gecko_34.json"), demo = Golden("demo_processed_69.json");
  CheckSums({demo, demo});
  CheckSums({demo, firefox, a.Text()});
  CheckSums({firefox, demo, firefox});
}

TEST_CASE("times of the later profile are shifted, and it keeps the distance of its boot") {
  SmallProfile a, b;
  a.boot_id = b.boot_id = "boot";
  b.monotonic_ns += 250'000'000;
  b.start_ms += 77;
  const Merged merged({b.Text(), a.Text()});
  const JsonView meta = merged.root()["meta"], shifted = merged.thread(0), first = merged.thread(2);
  CHECK(meta["startTimeAsClockMonotonicNanosecondsSinceBoot"].AsInteger() == a.monotonic_ns);
  CHECK(meta["startTime"].AsNumber() == a.start_ms + 77 - 250);
  CHECK(meta["bootId"].AsString() == "boot");
  CHECK(meta["profilingStartTime"].AsNumber() == 0);
  CHECK(meta["profilingEndTime"].AsNumber() == 310);
  CHECK(first["samples"]["timeDeltas"].At(0).AsNumber() == 2);
  CHECK(shifted["samples"]["timeDeltas"].At(0).AsNumber() == 252);
  CHECK(shifted["samples"]["timeDeltas"].At(1).AsNumber() == 1);
  CHECK(merged.thread(1)["samples"]["time"].At(0).AsNumber() == 259);
  CHECK(shifted["registerTime"].AsNumber() == 251);
  CHECK(shifted["unregisterTime"].AsNumber() == 300);
  CHECK(shifted["processStartupTime"].AsNumber() == 251);
  CHECK(shifted["processShutdownTime"].IsNull());
  CHECK(shifted["pausedRanges"].At(0)["startTime"].AsNumber() == 254);
  CHECK(shifted["pausedRanges"].At(0)["endTime"].IsNull());
  CHECK(shifted["nativeAllocations"]["time"].At(0).AsNumber() == 252);
  const JsonView markers = shifted["markers"], data = markers["data"].At(0);
  CHECK(markers["startTime"].At(1).AsNumber() == 252);
  CHECK(markers["endTime"].At(1).AsNumber() == 255);
  CHECK(markers["endTime"].At(0).IsNull());
  CHECK(markers["startTime"].At(3).IsNull());
  CHECK(markers["endTime"].At(3).AsNumber() == 256);
  CHECK(data["due"].AsNumber() == 258);
  CHECK(markers["data"].At(2)["due"].AsNumber() == 8);  // no schema says that it is a time
  CHECK(data["cause"]["time"].AsNumber() == 251);
  CHECK(merged.root()["counters"].At(0)["samples"]["time"].At(1).AsNumber() == 252);
  CHECK(merged.root()["counters"].At(1)["samples"]["time"].At(1).AsNumber() == 2);
  CHECK(merged.root()["profilerOverhead"].At(0)["samples"]["time"].At(1).AsNumber() == 255);
  CHECK(merged.root()["profilerOverhead"].At(1)["samples"]["time"].At(1).AsNumber() == 5);
}

TEST_CASE("processes of the same pid are told apart, with all that names them") {
  SmallProfile a, b;
  b.start_ms += 5000;  // of another boot
  const Merged merged({a.Text(), b.Text()});
  const auto text = [&](size_t thread, const char* key) { return merged.thread(thread)[key].AsString(); };
  CHECK(text(0, "pid") == "100");
  CHECK(text(1, "pid") == "100.1");
  CHECK(text(2, "pid") == "100@1");
  CHECK(text(3, "pid") == "100@1.1");
  CHECK(text(0, "processName") == "demo (host1)");
  CHECK(text(2, "processName") == "demo (host2)");
  CHECK(text(0, "name") == "demo");
  CHECK(text(1, "parentPid") == "100");
  CHECK(text(3, "parentPid") == "100@1");
  CHECK(text(2, "parentPid") == "50");
  const JsonView counter = merged.root()["counters"].At(1);
  CHECK(counter["pid"].AsString() == "100@1.1");
  CHECK(counter["mainThreadIndex"].AsInteger() == 3);
  const JsonView overhead = merged.root()["profilerOverhead"].At(1);
  CHECK(overhead["pid"].AsString() == "100@1.1");
  CHECK(overhead["mainThreadIndex"].AsInteger() == 3);
  CHECK(merged.root()["profilingLog"]["100@1"]["a"].AsInteger() == 1);
  const JsonView extra = merged.root()["meta"]["extra"];
  CHECK(extra.At(0)["label"].AsString() == "Recording");
  CHECK(extra.At(1)["label"].AsString() == "demo (100) (host1)");
  CHECK(extra.At(2)["label"].AsString() == "host2");
  CHECK(extra.At(4)["entries"].At(1)["value"].AsString() == "+5.000000 s by the wall clocks, counted from host1");
}

TEST_CASE("processes of one boot have no host, and may be parents of those of other profiles") {
  const std::string a = SmallProfile().Text();
  std::string b = a;
  for (size_t at; (at = b.find("\"100")) != std::string::npos;) b.replace(at, 4, "\"50");
  const Merged merged({a, b});
  CHECK(merged.thread(0)["processName"].AsString() == "demo");
  CHECK(merged.thread(0)["parentPid"].AsString() == "50");
  CHECK(merged.thread(2)["pid"].AsString() == "50");
  SmallProfile other;
  other.start_ms += 5000;
  CHECK(Merged({b, other.Text()}).thread(2)["parentPid"].IsNull());  // that 50 is of another host
}

TEST_CASE("stacks, strings and pages have the rows of the merged tables") {
  SmallProfile a, b;
  b.function = "other";
  b.start_ms += 5000;
  b.version = 70;
  std::string text = b.Text();
  // From version 70 on the library is in the frame.
  text.insert(text.find(R"("inlineDepth")"), R"("lib":[0,0],)");
  const Merged merged({a.Text(), text});
  using Names = std::vector<std::string>;
  CHECK(merged.root()["meta"]["preprocessedProfileVersion"].AsInteger() == 70);
  CHECK(merged.root()["libs"].size() == 1);
  CHECK(merged.Stack(merged.thread(0)["samples"]["stack"].At(0)) == Names{"work User/Deep", "main"});
  CHECK(merged.Stack(merged.thread(2)["samples"]["stack"].At(0)) == Names{"other User/Deep", "main"});
  CHECK(merged.Stack(merged.thread(2)["samples"]["stack"].At(2)) == Names{"main"});
  CHECK(merged.Stack(merged.thread(2)["nativeAllocations"]["stack"].At(0)) == Names{"other User/Deep", "main"});
  CHECK(merged.thread(3)["samples"]["stack"].At(0).IsNull());
  const JsonView data = merged.thread(2)["markers"]["data"];
  CHECK(merged.String(data.At(0)["what"]) == "red");
  CHECK(merged.Stack(data.At(0)["cause"]["stack"]) == Names{"other User/Deep", "main"});
  CHECK(merged.String(merged.thread(2)["markers"]["name"].At(0)) == "Step");
  const JsonView shared = merged.root()["shared"], frames = shared["frameTable"];
  CHECK(shared["funcTable"]["length"].AsInteger() == 3);
  CHECK(shared["nativeSymbols"]["length"].AsInteger() == 1);
  CHECK(frames["lib"].At(2).AsInteger() == 0);
  CHECK(shared["sourceLocationTable"]["length"].AsInteger() == 2);
  CHECK(frames["originalLocation"].At(1).AsInteger() == 0);
  CHECK(frames["originalLocation"].At(2).AsInteger() == 1);
  // Pages 7 and 8 of tab 3 are others in the second profile.
  const JsonView pages = merged.root()["pages"];
  CHECK(pages.At(0)["innerWindowID"].AsInteger() == 7);
  CHECK(pages.At(2)["innerWindowID"].AsInteger() == 9);
  CHECK(pages.At(3)["embedderInnerWindowID"].AsInteger() == 9);
  CHECK(pages.At(2)["embedderInnerWindowID"].AsInteger() == 0);
  CHECK(pages.At(2)["tabID"].AsInteger() == 4);
  CHECK(pages.At(3)["tabID"].AsInteger() == 4);
  CHECK(frames["innerWindowID"].At(2).AsInteger() == 9);
  CHECK(data.At(0)["innerWindowID"].AsInteger() == 9);
  CHECK(merged.thread(2)["usedInnerWindowIDs"].At(0).AsInteger() == 9);
}

TEST_CASE("categories and schemas of one name with other contents are right for both profiles") {
  SmallProfile a, b;
  b.categories = R"([{"name":"Idle","color":"grey","subcategories":["Other"]},)"
                 R"({"name":"User","color":"red","subcategories":["Other","Flat"]},)"
                 R"({"name":"Other","color":"grey","subcategories":["Other"]}])";
  b.schemas = R"([{"name":"Step","display":["marker-table"],"fields":[{"key":"what","format":"integer"}]},)"
              R"({"name":"Loose","display":[],"fields":[{"key":"what","format":"unique-string"}]}])";
  const Merged merged({a.Text(), b.Text()});
  using Names = std::vector<std::string>;
  CHECK(merged.Stack(merged.thread(0)["samples"]["stack"].At(0)) == Names{"work User/Deep", "main"});
  // The first grey category of the second profile is another one, so that its stacks name it.
  CHECK(merged.Stack(merged.thread(2)["samples"]["stack"].At(0)) == Names{"work User/Flat", "main Idle/Other"});
  const JsonView categories = merged.root()["meta"]["categories"], markers = merged.thread(2)["markers"];
  CHECK(categories.size() == 4);
  CHECK(categories.At(static_cast<size_t>(markers["category"].At(0).AsInteger().value()))["color"].AsString() == "red");
  const JsonView first = merged.thread(0)["markers"]["data"], second = markers["data"];
  CHECK(first.At(0)["type"].AsString() == "Step");
  CHECK(merged.String(first.At(0)["what"]) == "red");
  CHECK(second.At(0)["type"].AsString() == "Step (2)");
  CHECK(second.At(0)["what"].AsInteger() == 5);
  CHECK(second.At(0)["due"].AsInteger() == 8);
  // The first profile's markers of type Loose have no schema, and do not get that of the second one.
  CHECK(first.At(2)["type"].AsString() == "Loose (2)");
  CHECK(first.At(2)["what"].AsInteger() == 5);
  CHECK(second.At(2)["type"].AsString() == "Loose");
  CHECK(merged.String(second.At(2)["what"]) == "red");
}

TEST_CASE("an input without categories does not disturb the others") {
  SmallProfile a, b;
  std::string text = b.Text();
  const size_t begin = text.find(R"("categories":)");
  text.erase(begin, text.find(R"("markerSchema")") - begin);
  const Merged merged({text, a.Text()});
  CHECK(merged.Stack(merged.thread(0)["samples"]["stack"].At(0)) == std::vector<std::string>{"work", "main"});
  CHECK(merged.Stack(merged.thread(2)["samples"]["stack"].At(0)) == std::vector<std::string>{"work User/Deep", "main"});
}

TEST_CASE("intervals and units that differ are said, and CPU times are in one unit") {
  SmallProfile a, b, c;
  b.interval_ms = 10;
  b.cpu_unit = "µs";
  c.cpu_unit = "variable CPU cycles";
  const Merged merged({a.Text(), b.Text(), c.Text()});
  REQUIRE(merged.notes.size() == 2);
  CHECK(merged.notes[0].find("intervals of 1 and 10 ms") != std::string::npos);
  CHECK(merged.notes[1].find("variable CPU cycles") != std::string::npos);
  CHECK(merged.root()["meta"]["interval"].AsNumber() == 1);
  CHECK(merged.root()["meta"]["sampleUnits"]["threadCPUDelta"].AsString() == "ns");
  CHECK(merged.thread(0)["samples"]["threadCPUDelta"].At(1).AsNumber() == 1e6);
  CHECK(merged.thread(2)["samples"]["threadCPUDelta"].At(1).AsNumber() == 1e9);
  CHECK_FALSE(merged.thread(4)["samples"]["threadCPUDelta"].Exists());
  const Merged cycles({c.Text(), c.Text()});
  CHECK(cycles.thread(2)["samples"]["threadCPUDelta"].At(1).AsNumber() == 1e6);
  CHECK(cycles.notes.empty());
}

TEST_CASE("what is true of all inputs alone is true of the result") {
  SmallProfile a, b;
  std::string raw = b.Text();
  raw.replace(raw.find(R"("symbolicated":true)"), 19, R"("symbolicated":false)");
  raw.replace(raw.find(R"("oscpu":"Linux")"), 15, R"("oscpu":"Other")");
  CHECK(Merged({a.Text(), b.Text()}).root()["meta"]["symbolicated"].IsTrue());
  const Merged merged({a.Text(), raw});
  CHECK_FALSE(merged.root()["meta"]["symbolicated"].IsTrue());
  CHECK_FALSE(merged.root()["meta"]["oscpu"].Exists());
  CHECK(merged.root()["meta"]["product"].AsString() == "demo");
  CHECK(merged.root()["meta"]["initialVisibleThreads"].size() == 2);
}

TEST_CASE("counters of versions that do not say how they are drawn are drawn as the viewer did") {
  SmallProfile old;
  old.version = 61;
  std::string text = old.Text();
  const size_t begin = text.find(R"(,"display":{"graphType")");
  text.erase(begin, text.find("}", begin) + 1 - begin);
  const Merged merged({text, text});
  CHECK(merged.root()["meta"]["preprocessedProfileVersion"].AsInteger() == 63);
  const JsonView counter = merged.root()["counters"].At(1);
  CHECK(counter["display"]["unit"].AsString() == "bytes");
  CHECK(counter["display"]["graphType"].AsString() == "line-accumulated");
  CHECK(counter["samples"]["count"].At(1).AsInteger() == 30);
  CHECK(counter["samples"]["time"].At(1).AsNumber() == 2);
}

TEST_CASE("a profile that is damaged in a place that is not read stays harmless") {
  const std::string good = SmallProfile().Text();
  for (const auto& [part, bad] : std::vector<std::pair<std::string, std::string>>{
           {R"(null,{"type":"Loose")", R"(7,{"type":"Loose")"},
           {R"("pages":[)", R"("pages":[1,{"innerWindowID":9223372036854775807},)"},
           {R"("counters":[)", R"("counters":[{"mainThreadIndex":99,"samples":{"count":[1]}},)"},
           {R"("usedInnerWindowIDs":[7])", R"("usedInnerWindowIDs":[null])"},
           {R"("nativeSymbol":[null,0])", R"("nativeSymbol":[9,-7])"}}) {
    INFO(bad);
    std::string text = good;
    text.replace(text.find(part), part.size(), bad);
    const TemporaryFolder folder;
    std::vector<MergeInput> inputs;
    for (const char* name : {"a.json", "b.json"}) {
      auto input = ReadMergeInput(folder.Write(name, text), size_t{1} << 30);
      REQUIRE(input.ok());
      inputs.push_back(*std::move(input));
    }
    const std::vector<ClockOffset> offsets(2);
    MergedProfile merged(inputs, offsets);
    REQUIRE(merged.Load().ok());
    std::string out;
    JsonWriter writer(StringSink(&out));
    merged.Write(writer);
    CHECK(writer.Finish());
  }
}

}  // namespace
}  // namespace geckoprof
