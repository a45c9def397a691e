#include "tools/record/process_markers.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

void AddThread(ProcessProfile& process, int32_t tid, const char* name) {
  ThreadRow& thread = process.threads.emplace_back();
  thread.tid = tid;
  thread.name = name;
}

ProcessProfile Process(int32_t pid, int32_t parent, int64_t start_ns, std::vector<std::string> arguments) {
  ProcessProfile process;
  process.pid = pid;
  process.parent_pid = parent;
  process.start_ns = start_ns;
  process.end_ns = start_ns + 10 * kMs;
  process.end_reason = "exited";
  process.arguments = std::move(arguments);
  AddThread(process, pid, "main");
  process.threads.back().is_main = true;
  return process;
}

void AddMarkers(RecordedProcesses& processes) {
  const ProcessMarkers markers(processes);
  for (size_t row = 0; row < processes.size(); ++row) markers.AddTo(row, processes[row]);
}

struct Seen {
  std::string name;
  int64_t time_ns;
  int32_t stack;
  std::map<std::string, std::string> texts;
  std::map<std::string, int64_t> numbers;
};

std::vector<Seen> MarkersOf(const ProcessProfile& process, size_t thread = 0) {
  std::vector<Seen> all;
  for (const MarkerRow& row : process.threads[thread].markers) {
    Seen seen{std::string(process.strings[static_cast<size_t>(row.name)]), row.start_ns, row.stack, {}, {}};
    for (const MarkerField& field : row.fields) {
      const std::string key(process.strings[static_cast<size_t>(field.key)]);
      if (field.kind == MarkerFieldKind::kText) {
        seen.texts[key] = process.strings[static_cast<size_t>(field.text)];
      } else {
        seen.numbers[key] = field.integer;
      }
    }
    all.push_back(std::move(seen));
  }
  return all;
}

TEST_CASE("start, fork, exec and exit of processes are markers of their main threads") {
  RecordedProcesses processes = {Process(1, 9, 100 * kMs, {"sh", "-c", "word"}),
                                 Process(2, 1, 150 * kMs, {"sh", "-c", "word"}),
                                 Process(2, 1, 152 * kMs, {"word", "--all"})};
  processes[1].end_reason = "exec";
  processes[2].image = 1;
  processes[2].exit = {3, 5 * kMs, 2 * kMs, 7 << 20};
  AddMarkers(processes);

  const std::vector<Seen> shell = MarkersOf(processes[0]);
  REQUIRE(shell.size() == 3);
  CHECK((shell[0].name == "process start" && shell[0].time_ns == 100 * kMs));
  CHECK(shell[0].texts == std::map<std::string, std::string>{{"command", "sh -c word"}, {"parent", "9"}});
  CHECK((shell[1].name == "fork" && shell[1].time_ns == 150 * kMs && shell[1].texts.at("process") == "2"));
  CHECK(shell[1].texts.at("command") == "sh -c word");
  CHECK((shell[2].name == "exit" && shell[2].texts.at("end") == "exited"));  // it told no status
  CHECK(shell[2].numbers.empty());

  const std::vector<Seen> child = MarkersOf(processes[1]);
  REQUIRE(child.size() == 1);  // it did not end
  CHECK(child[0].name == "process start");

  const std::vector<Seen> word = MarkersOf(processes[2]);
  REQUIRE(word.size() == 2);
  CHECK((word[0].name == "exec" && word[0].texts.at("command") == "word --all"));
  CHECK((word[1].name == "exit" && word[1].texts.at("end") == "exit status 3" && word[1].time_ns == 162 * kMs));
  CHECK(word[1].numbers ==
        std::map<std::string, int64_t>{{"userTime", 5 * kMs}, {"systemTime", 2 * kMs}, {"peakMemory", 7 << 20}});
  CHECK(processes[2].marker_types.size() == 1);  // one type for all
}

TEST_CASE("a child that was seen at its fork starts there, and has an exec") {
  RecordedProcesses processes = {Process(1, 9, 100 * kMs, {"sh"}), Process(2, 1, 150 * kMs, {"word"})};
  processes[1].before_exec_ns = 140 * kMs;
  AddMarkers(processes);
  const std::vector<Seen> shell = MarkersOf(processes[0]);
  REQUIRE(shell.size() == 3);
  CHECK((shell[1].name == "fork" && shell[1].time_ns == 140 * kMs && shell[1].texts.at("command") == "word"));
  const std::vector<Seen> child = MarkersOf(processes[1]);
  REQUIRE(child.size() == 3);
  CHECK((child[0].name == "process start" && child[0].time_ns == 140 * kMs && child[0].texts.at("command") == "sh"));
  CHECK((child[1].name == "exec" && child[1].time_ns == 150 * kMs && child[1].texts.at("command") == "word"));
}

TEST_CASE("a fork belongs to the program that its process ran by then") {
  RecordedProcesses processes = {Process(1, 9, 100 * kMs, {"first"}), Process(1, 9, 120 * kMs, {"second"}),
                                 Process(2, 1, 130 * kMs, {"early"}), Process(3, 1, 110 * kMs, {"late"}),
                                 Process(4, 1, 90 * kMs, {"before"}), Process(5, 1, 140 * kMs, {"other"})};
  for (ProcessProfile& process : processes) process.pid_namespace = process.pid == 5 ? 701 : 700;
  AddMarkers(processes);
  const auto forked = [](const ProcessProfile& process) {
    std::vector<std::string> found;
    for (Seen& seen : MarkersOf(process)) {
      if (seen.name == "fork") found.push_back(seen.texts.at("process"));
    }
    return found;
  };
  CHECK(forked(processes[0]) == std::vector<std::string>{"3"});
  CHECK(forked(processes[1]) == std::vector<std::string>{"2"});
}

TEST_CASE("a fork belongs to its parent also if the parent's pid was in use before") {
  RecordedProcesses processes = {Process(1, 9, 100 * kMs, {"first"}), Process(1, 9, 120 * kMs, {"second"}),
                                 Process(2, 1, 130 * kMs, {"child"})};
  processes[1].pid_space = 1;
  AddMarkers(processes);
  CHECK(MarkersOf(processes[0]).size() == 2);
  CHECK(MarkersOf(processes[1])[1].name == "fork");
}

TEST_CASE("a crash is a marker of its thread, with its stack") {
  RecordedProcesses processes = {Process(1, 9, 100 * kMs, {"word"})};
  AddThread(processes[0], 7, "worker");
  processes[0].end_reason = "killed by signal 11";
  processes[0].crash = {SIGSEGV, SEGV_MAPERR, 0x10, 0x401000, 105 * kMs, 7, 0};
  AddMarkers(processes);
  const std::vector<Seen> worker = MarkersOf(processes[0], 1);
  REQUIRE(worker.size() == 1);
  CHECK((worker[0].name == "crash" && worker[0].time_ns == 105 * kMs && worker[0].stack == 0));
  CHECK(worker[0].texts == std::map<std::string, std::string>{{"signal", "Segmentation fault (SIGSEGV)"},
                                                              {"reason", "no memory is mapped at address 0x10"},
                                                              {"address", "0x10"},
                                                              {"instruction", "0x401000"}});
  const std::vector<Seen> main = MarkersOf(processes[0]);
  CHECK(main.back().texts.at("end") == "Segmentation fault of thread worker (7): no memory is mapped at address 0x10");
}

TEST_CASE("a crash of a thread that is not known is a marker of the main thread") {
  RecordedProcesses processes = {Process(1, 9, 100 * kMs, {"word"})};
  processes[0].crash = {SIGABRT, SI_TKILL, 1, 0x401000, 105 * kMs, 70};
  AddMarkers(processes);
  const std::vector<Seen> main = MarkersOf(processes[0]);
  REQUIRE(main.size() == 3);
  CHECK(main[1].name == "crash");
  CHECK(main[1].texts.count("reason") == 0);
  CHECK(main[1].texts.count("address") == 0);
}

ProcessProfile Process() {
  ProcessProfile process;
  process.constructor_ns = 9'000'000;
  process.threads.resize(2);
  process.threads[1].is_main = true;
  return process;
}

TEST_CASE("the main thread has a marker from exec to the constructor") {
  ProcessProfile process = Process();
  process.exec_ns = 5'000'000;
  AddLoadingMarker(process);
  CHECK(process.threads[0].markers.empty());
  REQUIRE(process.threads[1].markers.size() == 1);
  const MarkerRow marker = process.threads[1].markers.front();
  CHECK(process.strings[static_cast<size_t>(marker.name)] == "exec to constructor (dynamic linker)");
  CHECK(process.marker_types[static_cast<size_t>(marker.type)].name == "geckoprofDynamicLinker");
  CHECK(marker.phase == MarkerPhase::kInterval);
  CHECK(marker.start_ns == 5'000'000);
  CHECK(marker.end_ns == 9'000'000);
}

TEST_CASE("without the time of exec the marker begins shortly before it") {
  ProcessProfile process = Process();
  process.before_exec_ns = 7'000'000;
  AddLoadingMarker(process);
  REQUIRE(process.threads[1].markers.size() == 1);
  CHECK(process.threads[1].markers.front().start_ns == 7'000'000);
}

TEST_CASE("a process of which no time is known has no such marker") {
  ProcessProfile process = Process();
  AddLoadingMarker(process);
  process.exec_ns = 9'000'000;
  AddLoadingMarker(process);
  process.threads.pop_back();
  process.exec_ns = 1;
  AddLoadingMarker(process);
  CHECK(process.marker_types.empty());
  CHECK(process.threads[0].markers.empty());
}

}  // namespace
}  // namespace geckoprof
