#include "tools/processed_format/ipc_peers.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/changed_rows.h"
#include "tools/processed_format/processed_thread_writer.h"

namespace geckoprof {
namespace {

ProcessProfile Process(int32_t pid, uint32_t image, int64_t start_ns) {
  ProcessProfile process;
  process.pid = pid;
  process.image = image;
  process.start_ns = start_ns;
  process.strings = {"otherPid", "messageSeqno", "messageType"};
  process.marker_types.emplace_back().name = "IPC";
  process.threads.emplace_back();
  return process;
}

void Mark(ProcessProfile& process, const std::string& other_pid, int64_t number, int64_t time_ns,
          const std::string& type = "Job") {
  const auto row = [&](const std::string& text) {
    process.strings.push_back(text);
    return static_cast<int32_t>(process.strings.size()) - 1;
  };
  MarkerRow marker;
  marker.type = 0;
  marker.start_ns = time_ns;
  marker.fields = {{0, MarkerFieldKind::kText, row(other_pid)},
                   {1, MarkerFieldKind::kInteger, kNone, 0, number},
                   {2, MarkerFieldKind::kText, row(type)}};
  process.threads[0].markers.push_back(marker);
}

void Name(RecordedProcesses& processes) {
  const IpcPeers peers(processes, &ProcessedPid);
  processes.AmendAll([&](size_t row, ProcessProfile& process) { peers.NameIn(row, process); });
}

std::string OtherPid(const ProcessProfile& process, size_t marker = 0) {
  return std::string(process.strings[static_cast<size_t>(process.threads[0].markers[marker].fields[0].text)]);
}

TEST_CASE("the program that marked the same message is meant") {
  RecordedProcesses processes = {Process(10, 2, 5), Process(20, 0, 0), Process(20, 1, 30)};
  Mark(processes[0], "20", 7, 10);  // sent before the receiver's exec
  Mark(processes[0], "20", 7, 10, "Other");
  Mark(processes[2], "10", 7, 40);
  Name(processes);
  CHECK(OtherPid(processes[0], 0) == "20.1");
  CHECK(OtherPid(processes[0], 1) == "20");
  CHECK(OtherPid(processes[2]) == "10.2");
}

TEST_CASE("without a second end the program of that time is meant") {
  RecordedProcesses processes = {Process(10, 0, 0), Process(20, 1, 30), Process(20, 0, 20)};
  for (const int64_t time_ns : {5, 25, 35}) Mark(processes[0], "20", time_ns, time_ns);
  Name(processes);
  CHECK(OtherPid(processes[0], 0) == "20");
  CHECK(OtherPid(processes[0], 1) == "20");
  CHECK(OtherPid(processes[0], 2) == "20.1");
}

TEST_CASE("what is no process of the profile stays as it is") {
  RecordedProcesses processes = {Process(10, 0, 0)};
  for (const char* pid : {"20", "", "x", "0", "99999999999"}) Mark(processes[0], pid, 1, 1);
  processes[0].marker_types.emplace_back().name = "Mine";
  Mark(processes[0], "10", 1, 1);
  ChangeRow(processes[0].threads[0].markers, 5, [](MarkerRow& marker) { marker.type = 1; });
  Name(processes);
  CHECK(OtherPid(processes[0], 0) == "20");
  CHECK(OtherPid(processes[0], 2) == "x");
  CHECK(OtherPid(processes[0], 5) == "10");
}

}  // namespace
}  // namespace geckoprof
