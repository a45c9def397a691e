#include "tools/processed_format/profile_output.h"

#include <rapidjson/document.h>
#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sample_process.h"
#include "tests/unit/tools/processed_format/written_json.h"
#include "tools/processed_format/processed_meta_writer.h"

namespace geckoprof {
namespace {

RecordedSession SampleSession() {
  RecordedSession session;
  session.processes = {SampleProcess(), SampleSecondImage()};
  session.processes[0].parent_pid = 1000;
  ThreadRow thread;
  thread.tid = 1001;
  thread.is_main = true;
  thread.registered_ns = session.processes[1].start_ns;
  session.processes[1].threads.push_back(thread);
  session.exit_status = 3;
  session.exit_status_known = true;
  return session;
}

rapidjson::Document Written(const RecordedSession& session) {
  Symbolizer symbolizer;
  MissingNames missing_names;
  return WrittenJson(
      [&](JsonWriter& writer) { CHECK(WriteProcessedProfile(session, symbolizer, writer, &missing_names)); });
}

const char* Name(const rapidjson::Document& document, const rapidjson::Value& string) {
  return document["shared"]["stringArray"][string.GetUint()].GetString();
}

struct Frame {
  std::string name;
  int64_t address;
};

std::vector<Frame> Stack(const rapidjson::Document& document, const rapidjson::Value& stack) {
  const auto& shared = document["shared"];
  std::vector<Frame> frames;
  const rapidjson::Value* row = &stack;
  while (!row->IsNull()) {
    const auto frame = shared["stackTable"]["frame"][row->GetUint()].GetUint();
    const auto func = shared["frameTable"]["func"][frame].GetUint();
    frames.push_back(
        {Name(document, shared["funcTable"]["name"][func]), shared["frameTable"]["address"][frame].GetInt64()});
    const rapidjson::Value* prefix = &shared["stackTable"]["prefix"][row->GetUint()];
    if (!prefix->IsNull()) CHECK(prefix->GetUint() < row->GetUint());
    row = prefix;
  }
  return frames;
}

TEST_CASE("every column of the whole file has its length") {
  const auto document = Written(SampleSession());
  const auto check = [](const rapidjson::Value& table) {
    for (const auto& column : table.GetObject()) {
      if (column.value.IsArray()) CHECK(column.value.Size() == table["length"].GetUint());
    }
  };
  for (const char* name : {"stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"}) {
    check(document["shared"][name]);
  }
  for (const auto& thread : document["threads"].GetArray()) {
    check(thread["samples"]);
    check(thread["markers"]);
  }
}

TEST_CASE("an instruction is itself where the thread was, and one less as a caller") {
  const auto document = Written(SampleSession());
  const auto& stacks = document["threads"][0]["samples"]["stack"];
  const auto inner = Stack(document, stacks[0]);  // a.so called from the program
  REQUIRE(inner.size() == 3);
  CHECK(inner[0].address == 0x10);
  CHECK(inner[1].address == 0xff);
  CHECK(inner[2].name == "(root)");
  CHECK(inner[2].address == -1);
  const auto leaf = Stack(document, stacks[1]);  // the program itself
  CHECK(leaf[0].address == 0x100);
  // The same address in two libraries at two times.
  const auto other = Stack(document, stacks[3]);
  CHECK(other[0].address == 0x10);
  const auto& worker = document["threads"][1]["samples"]["stack"];
  CHECK(Stack(document, worker[0])[0].name == "Solver::Run step:64");
  CHECK(document["libs"].Size() == 3);  // only libraries with frames
  CHECK_FALSE(document["libs"][0].HasMember("start"));
}

TEST_CASE("threads carry process, names and markers") {
  const auto document = Written(SampleSession());
  const auto& main = document["threads"][0];
  CHECK(main["pid"].GetString() == std::string("1001"));
  CHECK(main["parentPid"].GetString() == std::string("1000"));
  CHECK(document["threads"][2]["pid"].GetString() == std::string("1001.1"));
  CHECK_FALSE(document["threads"][2].HasMember("parentPid"));
  CHECK(main["isMainThread"].GetBool());
  CHECK_FALSE(document["threads"][1]["isMainThread"].GetBool());
  CHECK(main["processName"].GetString() == std::string("solver"));
  const auto& markers = main["markers"];
  REQUIRE(markers["length"].GetUint() == 4);
  CHECK(markers["endTime"][1].IsNull());
  CHECK(markers["startTime"][3].IsNull());
  CHECK(markers["data"][0]["cause"]["stack"].IsUint());
  CHECK(markers["data"][2].IsNull());
}

TEST_CASE("meta: flags, categories, schema, extra sections") {
  const auto document = Written(SampleSession());
  const auto& meta = document["meta"];
  CHECK(meta["preprocessedProfileVersion"].GetInt() == 63);
  CHECK(meta["product"].GetString() == std::string("solver"));
  CHECK(meta["arguments"].GetString() == std::string("solver 'two words'"));
  CHECK(meta["startTime"].GetDouble() == 1795225882547.5);
  for (const char* flag : {"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType"})
    CHECK(meta[flag].GetBool());
  CHECK(meta["categories"][0]["color"].GetString() == std::string("grey"));
  CHECK(meta["markerSchema"][1]["fields"].Size() == 3);
  CHECK(meta["markerSchema"][1]["description"].GetString() == std::string("One step."));
  CHECK(meta["extra"][0]["entries"][0]["value"].GetString() == std::string("3"));
  CHECK(meta["extra"].Size() == 3);
  CHECK(meta["initialVisibleThreads"][0].GetInt() == 0);
  const auto& categories = document["shared"]["frameTable"]["category"];
  for (const auto& category : categories.GetArray()) {
    if (category.IsUint()) CHECK(category.GetUint() < meta["categories"].Size());
  }
}

RecordedSession SessionWith(const char* category, const char* unit, void (*change)(CounterRow&)) {
  RecordedSession session;
  session.processes = {SampleProcess(), SampleSecondImage()};
  session.processes[0].counters.clear();
  ThreadRow worker, main;
  main.is_main = true;
  session.processes[1].threads = {worker, main};
  const int64_t zero_ns = SessionZeroNs(session);
  CounterRow counter;
  counter.name = "cache";
  counter.category = category;
  counter.description = "d";
  counter.unit = unit;
  counter.samples = {{zero_ns + 500'000, 5, 0}, {zero_ns + 2'000'000, -3, 2}};
  change(counter);
  session.processes[1].counters = {counter};
  return session;
}

TEST_CASE("a counter stands with its process and its main thread") {
  const auto document = Written(SessionWith("Memory", "bytes", [](CounterRow& counter) { counter.has_number = true; }));
  REQUIRE(document["counters"].Size() == 1);
  const auto& written = document["counters"][0];
  CHECK(written["name"] == "cache");
  CHECK(written["category"] == "Memory");
  CHECK(written["description"] == "d");
  CHECK(written["pid"] == "1001.1");
  CHECK(written["mainThreadIndex"].GetUint() == 3);  // two threads of the first process, and a worker
  const auto& samples = written["samples"];
  CHECK(samples["length"].GetUint() == 2);
  CHECK(samples["time"][1].GetDouble() == 2.0);
  CHECK(samples["count"][1].GetInt() == -3);
  CHECK(samples["number"][1].GetInt() == 2);
  const auto& display = written["display"];
  CHECK(display["graphType"] == "line-accumulated");
  CHECK(display["color"] == "orange");
  CHECK(display["unit"] == "bytes");
  CHECK(display["markerSchemaLocation"] == "timeline-memory");
  CHECK(display["tooltipRows"].Size() == 3);
}

TEST_CASE("a rate in a unit of its own; colours that the viewer does not know become grey") {
  const auto document = Written(SessionWith("Server", "requests", [](CounterRow& counter) {
    counter.is_rate = true;
    counter.color = "chartreuse";
  }));
  const auto& written = document["counters"][0];
  CHECK_FALSE(written["samples"].HasMember("number"));
  CHECK(written["display"]["graphType"] == "line-rate");
  CHECK(written["display"]["color"] == "grey");
  CHECK(written["display"]["markerSchemaLocation"].IsNull());
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& row : written["display"]["tooltipRows"].GetArray()) {
    rows.emplace_back(row["source"].GetString(), row["label"].GetString());
  }
  CHECK(rows ==
        std::vector<std::pair<std::string, std::string>>{{"count", "in this sample (requests)"},
                                                         {"selection-total", "in the selection (requests)"},
                                                         {"committed-range-total", "in the visible range (requests)"}});
  const auto teal = Written(SessionWith("Server", "requests", [](CounterRow& counter) { counter.color = "teal"; }));
  CHECK(teal["counters"][0]["display"]["color"] == "teal");
}

TEST_CASE("a time that is drawn as a rate is a share, and its counts may be parts of a ms") {
  const auto document = Written(SessionWith("CPU", "ms", [](CounterRow& counter) {
    counter.is_rate = true;
    counter.parts = 1'000'000;
    counter.samples[1].count = 1'500'000;
  }));
  const auto& written = document["counters"][0];
  CHECK(written["samples"]["count"][1].GetDouble() == 1.5);
  CHECK(written["display"]["unit"] == "ms");
  CHECK(written["display"]["tooltipRows"][0]["source"] == "rate");
  CHECK(written["display"]["tooltipRows"][0]["format"]["unit"] == "percent");
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("a session becomes a file of either format, packed by its name") {
  char folder[] = "/tmp/profile_output_test.XXXXXX";
  ProfileFindings findings;
  REQUIRE(mkdtemp(folder) != nullptr);
  RecordedSession session;
  session.processes = {SampleProcess()};
  const std::string plain = std::string(folder) + "/p.json";
  const std::string packed = std::string(folder) + "/p.json.gz";
  const auto write = [&findings](const RecordedSession& what, OutputFormat format, const std::string& path) {
    absl::StatusOr<OutputFile> file = OutputFile::Create(path);
    return file.ok() && WriteProfile(what, format, *file, nullptr, &findings).ok();
  };
  REQUIRE(write(session, OutputFormat::kGecko, plain));
  CHECK(Contents(plain).starts_with("{\"libs\":["));
  REQUIRE(write(session, OutputFormat::kProcessed, packed));
  CHECK(Contents(packed).starts_with("\x1f\x8b"));
  CHECK(Contents(packed).size() < Contents(plain).size());
  CHECK_FALSE(write(session, OutputFormat::kGecko, std::string(folder) + "/none/p.json"));
  CHECK_FALSE(write(RecordedSession(), OutputFormat::kGecko, plain));
  CHECK_FALSE(write(session, OutputFormat::kGecko, "/dev/full"));
  unlink(plain.c_str());
  unlink(packed.c_str());
  CHECK(rmdir(folder) == 0);  // nothing left over
}

}  // namespace
}  // namespace geckoprof
