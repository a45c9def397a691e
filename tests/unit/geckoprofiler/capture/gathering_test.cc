#include "capture/gathering.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

ChildSegment Of(const TestSegment& test, int32_t pid, uint32_t image = 0, bool has_ended = false) {
  return {test.path(), pid, image, has_ended};
}

// Two segments, which are published as base does it.
struct Two {
  Two() {
    first.segment().Publish();
    second.segment().Publish();
  }
  TestSegment first, second;
};

std::string LogOf(Gathering& gathering) {
  std::string json;
  JsonWriter writer(StringSink(&json));
  writer.StartObject();
  gathering.WriteLog(7, 0, writer);
  writer.EndObject();
  CHECK(writer.Finish());
  return json;
}

TEST_CASE("each segment becomes a process, and how it ended is said") {
  Two segments;
  Gathering gathering({});
  gathering.Read({Of(segments.first, 11, 0, true), Of(segments.second, 12)}, 0);
  CHECK(gathering.has_read());
  REQUIRE(gathering.size() == 2);
  CHECK(gathering.at(0).end_reason == "ended");
  CHECK(gathering.at(1).end_reason == "alive");
}

TEST_CASE("a program that another one followed ended with exec") {
  Two segments;
  Gathering gathering({});
  gathering.Read({Of(segments.first, 11, 0), Of(segments.second, 11, 1)}, 0);
  REQUIRE(gathering.size() == 2);
  CHECK(gathering.at(0).end_reason == "exec");
  CHECK(gathering.at(1).end_reason == "alive");
}

TEST_CASE("what is no segment of ours is left out, and the log says of whom") {
  Two segments;
  const std::string folder = segments.first.directory();
  const std::string fifo = folder + "/21-0.segment", link = folder + "/22-0.segment", cut = folder + "/23-0.segment";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  REQUIRE(symlink(segments.second.path().c_str(), link.c_str()) == 0);
  std::ofstream(cut) << "GPROFSEG";
  Gathering gathering({});
  gathering.Read({{fifo, 21, 0, false},
                  {link, 22, 0, false},
                  {cut, 23, 0, false},
                  {folder + "/none", 24, 0, false},
                  Of(segments.second, 25)},
                 0);
  CHECK(gathering.size() == 1);
  const std::string log = LogOf(gathering);
  for (const int pid : {21, 22, 23, 24}) {
    CHECK(log.find("\"Cannot read the data of pid:\"," + std::to_string(pid)) != std::string::npos);
  }
  for (const std::string& path : {fifo, link, cut}) unlink(path.c_str());
}

TEST_CASE("the caller is told of each step, in order") {
  Two segments;
  std::vector<double> fractions;
  Gathering gathering([&](double fraction, std::string_view text) {
    fractions.push_back(fraction);
    return !text.empty();
  });
  CHECK(gathering.Report(0, "begins"));
  gathering.Read({Of(segments.first, 11), Of(segments.second, 12)}, 0);
  for (size_t process = 0; process < 3; ++process) gathering.NoteWritten(process, 100);
  CHECK(fractions.size() == 6);
  CHECK(std::is_sorted(fractions.begin(), fractions.end()));
  CHECK(fractions.back() == 1);
  const std::string log = LogOf(gathering);
  CHECK(log.find("\"profileGatheringLog\":{\"7\":{\"profileGatheringLogBegin_TSms\":") != std::string::npos);
  CHECK(log.find("\"Got profile from pid, with size:\",12,100") != std::string::npos);
  CHECK(log.find("\"Finished gathering, total size:\",300") != std::string::npos);
}

TEST_CASE("after a cancel nothing more is read, and nothing more is told") {
  Two segments;
  int calls = 0;
  Gathering gathering([&](double, std::string_view) { return ++calls < 2; });
  CHECK(gathering.Report(0, "begins"));
  gathering.Read({Of(segments.first, 11), Of(segments.second, 12)}, 0);
  CHECK(gathering.is_cancelled());
  CHECK(gathering.size() == 0);
  gathering.NoteWritten(0, 1);
  CHECK_FALSE(gathering.Report(0.5, "more"));
  CHECK(calls == 2);
}

TEST_CASE("old events make room for new ones") {
  EventLog log;
  CHECK(log.empty());
  for (size_t i = 0; i <= EventLog::kMostEvents; ++i) log.Add("event", static_cast<int32_t>(i + 1));
  std::string json;
  JsonWriter writer(StringSink(&json));
  writer.StartObject();
  log.Write(0, writer);
  writer.EndObject();
  CHECK(writer.Finish());
  CHECK(json.find("\"event\",1]") == std::string::npos);
  CHECK(json.find("\"event\",2]") != std::string::npos);
  CHECK(json.find("\"event\",1001]") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
