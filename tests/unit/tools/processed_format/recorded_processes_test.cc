#include "tools/processed_format/recorded_processes.h"

#include <catch2/catch.hpp>
#include <string>

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

TEST_CASE("a text that several objects have is there once") {
  const std::string text = "/usr/bin/python3";
  const SharedText first(text), second("/usr/bin/python3"), other("/usr/bin/python");
  CHECK(*first == text);
  CHECK(&*first == &*second);
  CHECK(first == second);
  CHECK(first != other);
  CHECK(SharedText()->empty());
  CHECK(sizeof(SharedText) == sizeof(void*));
}

int g_reads = 0;

// "7-0.segment" is a file of process 7.
ProcessProfile Read(const std::string& path) {
  ++g_reads;
  ProcessProfile process;
  process.pid = std::stoi(path.substr(path.rfind('/') + 1));
  process.executable = path;
  return process;
}

RecordedProcesses Many(int count) {
  RecordedProcesses processes;
  for (int pid = 1; pid <= count; ++pid) {
    const std::string name = std::to_string(pid) + "-0.segment";
    processes.AddRead(Read("/folder/" + name), "/folder", name, &Read);
  }
  g_reads = 0;
  return processes;
}

constexpr int kHeld = static_cast<int>(RecordedProcesses::kMostHeld);

TEST_CASE("few processes are held, and none is read again") {
  RecordedProcesses processes = Many(kHeld);
  int pid = 0;
  for (const ProcessProfile& process : processes) CHECK(process.pid == ++pid);
  CHECK(g_reads == 0);
}

TEST_CASE("of many processes those beyond the limit are read when they are asked for") {
  RecordedProcesses processes = Many(kHeld + 2);
  REQUIRE(processes.size() == kHeld + 2);
  CHECK(processes[kHeld].executable == "/folder/257-0.segment");
  CHECK(processes[kHeld].pid == kHeld + 1);
  CHECK(g_reads == 1);  // it is there until another one is asked for
  CHECK(processes[kHeld + 1].pid == kHeld + 2);
  CHECK(processes[kHeld].pid == kHeld + 1);
  CHECK(g_reads == 3);
}

TEST_CASE("processes keep the facts that a session decides on, and what amends them") {
  RecordedProcesses processes = Many(kHeld + 1);
  std::vector<ProcessFacts> facts = processes.TakeAllFacts();
  for (ProcessFacts& each : facts) {
    each.image = 3;
    each.end_reason = "exited";
    each.exit_status = 3;
    each.problems.emplace_back("a problem");
  }
  processes.SetAllFacts(std::move(facts));
  processes.AmendAll([](size_t row, ProcessProfile& process) { process.command_name = std::to_string(row); });
  processes.AmendAll([](size_t, ProcessProfile& process) { process.command_name += "!"; });
  for (const size_t row : {size_t{0}, size_t{kHeld}}) {
    CHECK(processes[row].image == 3);
    CHECK(processes[row].end_reason == "exited");
    CHECK(processes[row].exit.status == 3);
    CHECK(processes[row].problems.size() == 1);
    CHECK(processes[row].command_name == std::to_string(row) + "!");
  }
}

TEST_CASE("facts tell of samples, a crash and the command") {
  ProcessProfile process;
  process.executable = "/bin/word";
  CHECK(*ProcessFacts::Of(process).command == "word");
  process.arguments = {"word", "--all", std::string(ProcessFacts::kMostCommandBytes, 'a')};
  process.crash.signal = 11;
  process.threads.resize(1);
  process.threads[0].samples.push_back({.cpu_delta_ns = 0});  // it did not run
  ProcessFacts facts = ProcessFacts::Of(process);
  CHECK(facts.command->size() == ProcessFacts::kMostCommandBytes + 3);
  CHECK(facts.command->starts_with("word --all aaa"));
  CHECK(facts.command->ends_with("a..."));
  CHECK(facts.crash_signal == 11);
  CHECK_FALSE(facts.has_samples);
  process.threads[0].samples.push_back({.stack = 0, .cpu_delta_ns = 1});
  CHECK(ProcessFacts::Of(process).has_samples);
}

TEST_CASE("rows change places, whether or not they are held") {
  RecordedProcesses processes = Many(kHeld + 1);
  std::vector<size_t> order;
  for (size_t row = processes.size(); row-- > 0;) order.push_back(row);
  processes.Reorder(order);
  CHECK(processes[0].pid == kHeld + 1);
  CHECK(processes[kHeld].pid == 1);
  int32_t first = 0;
  processes.VisitFacts([&first](size_t row, const ProcessFacts& facts) {
    if (row == 0) first = facts.pid;
  });
  CHECK(first == kHeld + 1);
}

}  // namespace
}  // namespace geckoprof
