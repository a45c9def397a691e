#include "tools/record/session_contents.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <tuple>

#include "geckoprof/entries/metadata_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

TEST_CASE("whatever lies in the folder, reading goes on") {
  const TemporaryFolder folder;
  folder.Write("1-0.segment", "");
  folder.Write("7-0.segment", std::string(4096, '\0'));
  folder.Write("2-0.segment", std::string(10000, 'x'));
  folder.Write("unrelated", "x");
  REQUIRE(mkfifo((folder.path() + "/3-0.segment").c_str(), 0600) == 0);
  REQUIRE(mkdir((folder.path() + "/4-0.segment").c_str(), 0700) == 0);
  REQUIRE(symlink("/dev/zero", (folder.path() + "/5-0.segment").c_str()) == 0);
  REQUIRE(symlink("no-\x1bspace", (folder.path() + "/note-6").c_str()) == 0);
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  contents.Finish();
  CHECK(contents.processes.empty());
  CHECK(contents.warnings.size() == 1);
  CHECK(contents.unfinished == std::vector<int32_t>{1, 7});
  CHECK(contents.reasons == std::vector<std::string>{"process 6: no-?space"});
}

TEST_CASE("a forked child of which there is a mark alone is a process without samples") {
  const TemporaryFolder folder;
  REQUIRE(symlink("1 word", (folder.path() + "/child-8-5000-6000-3-10-20-4096").c_str()) == 0);
  REQUIRE(symlink("1 word", (folder.path() + "/child-9-5000").c_str()) == 0);
  REQUIRE(symlink("nonsense", (folder.path() + "/child-10-5000").c_str()) == 0);
  folder.Write("child-11-5000", "");
  folder.Write("8-0.segment", "");  // called exec in the midst of making it
  folder.Write("12-0.segment", "");
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  ProcessProfile process;
  process.pid = 1;
  process.end_reason = "exited";
  contents.processes.push_back(process);
  process.pid = 9;  // called exec, say
  process.start_ns = 5500;
  contents.processes.push_back(process);
  contents.Finish();
  REQUIRE(contents.processes.size() == 3);
  CHECK(contents.processes[1].pid == 8);
  REQUIRE(contents.processes[1].threads.size() == 1);
  CHECK(contents.processes[1].threads[0].name == "word");
  const ExitRow& exit = contents.processes[1].exit;
  CHECK((exit.status == 3 && exit.user_cpu_ns == 10 && exit.system_cpu_ns == 20 && exit.peak_memory_bytes == 4096));
  CHECK(contents.processes[1].cpu_ns == 30);
  CHECK(contents.processes[2].pid == 9);
  CHECK(contents.unfinished == std::vector<int32_t>{12});
  CHECK(contents.warnings.empty());
}

TEST_CASE("whose a segment is its name says, whatever its header does") {
  const TemporaryFolder folder;
  TestSegment test;
  test.segment().header().pid = 99;
  test.segment().header().image = 7;
  for (const char* name : {"11-0.segment", "12-3.segment"}) {
    std::filesystem::copy_file(test.path(), folder.path() + "/" + name);
  }
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  contents.Finish();
  REQUIRE(contents.processes.size() == 2);
  for (const ProcessProfile& process : contents.processes) {
    CHECK(process.image == (process.pid == 11 ? 0 : 3));
    REQUIRE(process.threads.size() == 1);
    CHECK(process.threads[0].tid == process.pid);
  }
  CHECK(contents.processes[0].pid + contents.processes[1].pid == 11 + 12);
}

TEST_CASE("the command line is what the recorder wrote down") {
  const TemporaryFolder folder;
  CHECK(ReadSessionCommand(folder.path()).empty());
  folder.Write("command", std::string_view("a\0\0b c\0", 7));
  CHECK(ReadSessionCommand(folder.path()) == std::vector<std::string>{"a", "", "b c"});
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  CHECK(contents.command.size() == 3);
  folder.Write("command", std::string(1 << 20, 'x'));
  REQUIRE(ReadSessionCommand(folder.path()).size() == 1);
  CHECK(ReadSessionCommand(folder.path())[0].size() == 128 << 10);
  REQUIRE(unlink((folder.path() + "/command").c_str()) == 0);
  REQUIRE(symlink("/dev/zero", (folder.path() + "/command").c_str()) == 0);
  CHECK(ReadSessionCommand(folder.path()).empty());
}

TEST_CASE("a session that was closed says so") {
  const TemporaryFolder folder;
  folder.Write("full", "");
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  CHECK(contents.warnings.size() == 1);
}

TEST_CASE("how a process ended: as it said, as the kernel said, or that it is gone") {
  SessionContents contents;
  const auto add = [&contents](int32_t pid, const char* reason) {
    ProcessProfile process;
    process.pid = pid;
    process.end_reason = reason;
    contents.processes.push_back(process);
  };
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  REQUIRE(waitpid(gone, nullptr, 0) == gone);
  add(1 << 23, "alive");  // above every pid
  add(gone, "exited");
  add(getpid(), "alive");
  add(getppid(), "alive");
  contents.known_ends[getppid()] = {.how = "killed by signal 9"};
  contents.Finish();
  std::map<int32_t, std::string> ends;
  for (const ProcessProfile& process : contents.processes) ends[process.pid] = process.end_reason;
  CHECK(ends[1 << 23] == "ended");
  CHECK(ends[gone] == "exited");
  CHECK(ends[getpid()] == "alive");
  CHECK(ends[getppid()] == "killed by signal 9");
}

TEST_CASE("a process that has another name in the end was followed by a program that was not recorded") {
  struct Case {
    const char* end_reason;
    const char* first_name;
    const char* main_name;
    const char* last_name;
    bool followed;
  };
  const Case cases[] = {{"alive", "env", "env", "python3", true},
                        {"alive", "env", "env", "env", false},
                        {"alive", "env", "env", "", false},
                        {"alive", "", "env", "python3", false},
                        {"alive", "zygote", "of its own", "of its own", false},
                        {"exited", "env", "env", "python3", false}};
  for (const Case& c : cases) {
    INFO(c.end_reason << ": " << c.first_name << ", " << c.main_name << ", " << c.last_name);
    SessionContents contents;
    ProcessProfile& process = contents.processes.emplace_back();
    process.pid = 42;
    process.end_reason = c.end_reason;
    process.command_name = c.first_name;
    ThreadRow& main = process.threads.emplace_back();
    main.is_main = true;
    main.name = c.main_name;
    contents.known_ends[42] = {"exited", c.last_name};
    contents.Finish();
    CHECK((contents.processes[0].end_reason == "exec (not recorded afterwards)") == c.followed);
    CHECK(contents.processes[0].problems.size() == (c.followed ? 1 : 0));
  }
}

TEST_CASE("where the reason is known that a program was not recorded, nothing is guessed") {
  const auto problems = [](bool is_told, bool is_separated) {
    SessionContents contents;
    ProcessProfile& process = contents.processes.emplace_back();
    process.pid = 42;
    process.end_reason = "alive";
    process.command_name = "setpriv";
    process.is_separated = is_separated;
    contents.known_ends[42] = {"exited", "python3"};
    if (is_told) contents.told_why.insert(42);
    contents.Finish();
    CHECK(contents.processes[0].end_reason == "exec (not recorded afterwards)");
    return contents.processes[0].problems.size();
  };
  CHECK(problems(false, false) == 1);
  CHECK(problems(true, false) == 0);
  CHECK(problems(false, true) == 0);
}

TEST_CASE("a folder that is not there is a warning") {
  SessionContents contents;
  contents.ReadDirectory("/no/such/folder");
  CHECK(contents.warnings.size() == 1);
}

TEST_CASE("processes are ordered by start, images of one pid together") {
  SessionContents contents;
  const auto add = [&contents](int32_t pid, uint32_t image, int64_t start_ns, int64_t constructor_ns = 0) {
    ProcessProfile process;
    process.constructor_ns = constructor_ns;
    process.pid = pid;
    process.image = image;
    process.start_ns = start_ns;
    process.end_reason = "exited";
    process.executable = "/bin/name";
    contents.processes.push_back(std::move(process));
  };
  add(10, 1, 400);
  add(20, 0, 300);
  add(10, 0, 100);
  add(30, 0, 50);
  add(40, 0, 500, 510);
  add(40, 1, 500, 510);  // the same program, recorded anew
  contents.Finish();
  std::vector<std::pair<int32_t, uint32_t>> order;
  for (const ProcessProfile& process : contents.processes) order.emplace_back(process.pid, process.image);
  CHECK(order == std::vector<std::pair<int32_t, uint32_t>>{{30, 0}, {10, 0}, {10, 1}, {20, 0}, {40, 0}, {40, 1}});
  CHECK(contents.processes[1].end_reason == "exec");
  CHECK(contents.processes[2].end_reason == "exited");
  CHECK(contents.processes[4].end_reason == "exited");
  REQUIRE(contents.processes[0].threads.size() == 1);  // lived, but was never sampled
  CHECK(contents.processes[0].threads[0].name == "name");
  CHECK(contents.SampleCount() == 0);
  CHECK(contents.ProcessCount() == 4);
}

TEST_CASE("processes with one pid in several namespaces are several, those that do not tell are of the first") {
  SessionContents contents;
  const auto add = [&contents](uint32_t image, uint32_t pid_namespace, int64_t start_ns) {
    ProcessProfile process;
    process.pid = 1;
    process.image = image;
    process.pid_namespace = pid_namespace;
    process.start_ns = start_ns;
    process.end_reason = "exited";
    contents.processes.push_back(std::move(process));
  };
  add(0, 700, 10);
  add(1, 800, 20);
  add(2, 700, 30);
  add(3, 0, 40);
  add(4, 800, 50);
  contents.Finish();
  CHECK(contents.ProcessCount() == 2);
  std::vector<std::pair<uint32_t, uint32_t>> order;
  for (const ProcessProfile& process : contents.processes) order.emplace_back(process.pid_space, process.image);
  CHECK(order == std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {0, 2}, {0, 3}, {1, 1}, {1, 4}});
  CHECK(contents.processes[3].end_reason == "exec");
  CHECK(contents.processes[2].end_reason == "exited");
}

TEST_CASE("two processes to which the kernel gave one pid stay two") {
  SessionContents contents;
  const auto add = [&contents](uint32_t image, uint64_t start_ticks, int64_t start_ns) {
    ProcessProfile process;
    process.pid = 12;
    process.image = image;
    process.pid_namespace = 700;
    process.process_start_ticks = start_ticks;
    process.start_ns = start_ns;
    process.end_reason = "alive";
    contents.processes.push_back(std::move(process));
  };
  add(0, 5, 10);
  add(1, 5, 20);  // after exec
  add(2, 9, 30);  // another process
  add(3, 0, 40);  // it does not tell: the latest one
  contents.Finish();
  CHECK(contents.ProcessCount() == 2);
  std::vector<std::tuple<uint32_t, uint32_t, std::string>> found;
  for (const ProcessProfile& process : contents.processes) {
    found.emplace_back(process.pid_space, process.image, process.end_reason);
  }
  CHECK(found == std::vector<std::tuple<uint32_t, uint32_t, std::string>>{
                     {0, 0, "exec"}, {0, 1, "ended"}, {1, 2, "exec"}, {1, 3, "ended"}});
}

TEST_CASE("a forked child without a segment is not a later process with its pid") {
  const TemporaryFolder folder;
  REQUIRE(symlink("1 word", (folder.path() + "/child-12-3000-4000-0-1-2-4096").c_str()) == 0);
  REQUIRE(symlink("1 word", (folder.path() + "/child-12-8000").c_str()) == 0);  // it called exec
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  ProcessProfile process;
  process.pid = 1;
  process.end_reason = "exited";
  contents.processes.push_back(process);
  process.pid = 12;
  process.start_ns = process.constructor_ns = 9000;
  contents.processes.push_back(process);
  contents.Finish();
  REQUIRE(contents.processes.size() == 3);
  CHECK(contents.ProcessCount() == 3);
  CHECK(contents.processes[1].losses.at(0).what == "unsampled-child");
  CHECK(contents.processes[2].start_ns == 9000);
  CHECK(contents.processes[2].before_exec_ns == 8000);
}

TEST_CASE("a program's loading begins after the last look at the program before it") {
  SessionContents contents;
  const auto add = [&contents](int32_t pid, uint32_t image, SampleState state) {
    ProcessProfile process;
    process.pid = pid;
    process.image = image;
    process.start_ns = process.constructor_ns = 1000 * (image + 1);
    process.end_ns = process.start_ns + 500;
    process.end_reason = "alive";
    ThreadRow main;
    main.is_main = true;
    main.samples.push_back({.time_ns = process.end_ns, .stack = 0, .state = state});
    process.threads = {main};
    contents.processes.push_back(std::move(process));
  };
  add(10, 0, SampleState::kRunning);
  add(10, 1, SampleState::kRunning);
  add(20, 0, SampleState::kWaiting);  // it may have slept for long before exec
  add(20, 1, SampleState::kRunning);
  contents.Finish();
  std::vector<int64_t> times;
  for (const ProcessProfile& process : contents.processes) times.push_back(process.before_exec_ns);
  CHECK(times == std::vector<int64_t>{0, 1500, 0, 0});
}

TEST_CASE("of very many processes the tables are read again") {
  const TemporaryFolder folder;
  TestSegment test;
  const std::string_view arguments[] = {"prog"};
  REQUIRE(MetadataWriter(&test.segment()).Process("/usr/bin/prog", arguments));
  constexpr int kCount = 300;
  static_assert(kCount > RecordedProcesses::kMostHeld);
  for (int pid = 1; pid <= kCount; ++pid) {
    std::filesystem::create_hard_link(test.path(), folder.path() + "/" + std::to_string(pid) + "-0.segment");
  }
  SessionContents contents;
  contents.ReadDirectory(folder.path());
  contents.Finish();
  REQUIRE(contents.processes.size() == kCount);
  CHECK(contents.ProcessCount() == kCount);
  std::vector<ProcessFacts> facts = contents.processes.TakeAllFacts();
  facts.back().problems.emplace_back("a problem");
  contents.processes.SetAllFacts(std::move(facts));
  std::set<int32_t> pids;
  for (const ProcessProfile& process : contents.processes) {
    pids.insert(process.pid);
    CHECK(process.executable == "/usr/bin/prog");
    CHECK(process.threads.size() == 1);
  }
  CHECK(pids.size() == kCount);
  CHECK(contents.processes[kCount - 1].problems == std::vector<std::string>{"a problem"});
}

TEST_CASE("a number of another pid namespace is not judged by the process that has it here") {
  constexpr uint32_t kNobodys = 1;
  SessionContents contents;
  const auto add = [&contents](uint32_t pid_namespace, int64_t start_ns, int32_t pid) {
    ProcessProfile process;
    process.pid = pid;
    process.pid_namespace = pid_namespace;
    process.start_ns = start_ns;
    process.end_reason = "alive";
    contents.processes.push_back(std::move(process));
  };
  const uint32_t ours = PidNamespaces::NumberOf("/proc/self");
  add(ours, 10, getpid());
  add(0, 20, getppid());
  add(kNobodys, 30, getpid());
  add(kNobodys, 40, 12);
  add(ours, 50, 12);
  contents.known_ends[12] = {"exited"};
  contents.Finish();
  std::vector<std::string> ends;
  for (const ProcessProfile& process : contents.processes) ends.push_back(process.end_reason);
  CHECK(ends == std::vector<std::string>{"alive", "alive", "ended", "ended", "exited"});
}

TEST_CASE("how sampling ended is told of a program that another one followed, too") {
  for (const auto& [reason, expected] :
       {std::pair("duration over", "exec (sampling had ended before: duration over)"), std::pair("alive", "exec"),
        std::pair("exited", "exec"), std::pair("unknown", "exec"), std::pair("", "exec")}) {
    SessionContents contents;
    for (const uint32_t image : {0u, 1u}) {
      ProcessProfile process;
      process.pid = 10;
      process.image = image;
      process.end_reason = reason;
      contents.processes.push_back(std::move(process));
    }
    contents.Finish();
    CHECK(contents.processes[0].end_reason == expected);
  }
}

TEST_CASE("no two processes have the same ids, whatever their segments say") {
  SessionContents contents;
  for (int i = 0; i < 3; ++i) {
    ProcessProfile& process = contents.processes.emplace_back();
    process.pid = 7;
    process.image = i == 2 ? 1 : 0;
    process.start_ns = 10;
  }
  contents.Finish();
  CHECK(contents.processes[0].image == 0);
  CHECK(contents.processes[1].image == 1);
  CHECK(contents.processes[2].image == 2);
}

TEST_CASE("samples are counted without the rows of idle ticks") {
  SessionContents contents;
  ProcessProfile process;
  process.pid = 7;
  ThreadRow thread;
  thread.samples = {{10, 0, -1, 1},    {20, 0, 500, 1},   {25, kNone, 600, 1},  // a gap
                    {30, kNone, 0, 1}, {90, kNone, 0, 6}, {99, kNone, -1, 2, 5, 0, SampleState::kWaiting}};
  process.threads = {thread};
  contents.processes = {process, process};
  contents.processes[1].image = 1;
  CHECK(contents.SampleCount() == 4);
  CHECK(contents.ProcessCount() == 1);
}

TEST_CASE("a process that told nothing has a main thread with a name") {
  SessionContents contents;
  contents.processes.emplace_back().pid = 7;
  contents.Finish();
  REQUIRE(contents.processes[0].threads.size() == 1);
  CHECK(contents.processes[0].threads[0].name == "unknown program");
}

ProcessProfile RecordedProgram(int32_t pid, std::string_view name, int64_t start_ns) {
  ProcessProfile process;
  process.pid = pid;
  process.process_start_ticks = 7;
  process.command_name = name;
  process.start_ns = process.constructor_ns = start_ns;
  process.end_reason = "alive";
  return process;
}

UnrecordedProgram SeenProgram(int32_t pid, std::string_view name, int64_t seen_ns) {
  UnrecordedProgram program;
  program.pid = pid;
  program.process_start_ticks = 7;
  program.name = name;
  program.seen_ns = program.last_ns = seen_ns;
  program.reason = "it runs as user 7";
  return program;
}

TEST_CASE("a program that was seen without a segment follows the recorded ones of its process") {
  SessionContents contents;
  contents.processes = {RecordedProgram(100, "setpriv", 1000), RecordedProgram(200, "bash", 500)};
  contents.known_ends[100] = SessionContents::KnownEnd::Of(7 << 8);
  UnrecordedProgram forked = SeenProgram(200, "sh", 800);
  forked.is_forked = true;
  contents.unrecorded = {SeenProgram(100, "setpriv", 1500), SeenProgram(100, "id", 3000), forked,
                         SeenProgram(300, "sudo", 4000)};
  contents.Finish();
  REQUIRE(contents.processes.size() == 4);
  CHECK(contents.processes[0].pid == 200);
  CHECK((contents.processes[1].command_name == "setpriv" && contents.processes[1].end_reason == "exec"));
  CHECK((contents.processes[2].command_name == "id" && contents.processes[2].image == 1));
  CHECK((contents.processes[2].end_reason == "exited" && contents.processes[2].exit.status == 7));
  CHECK((contents.processes[3].pid == 300 && contents.processes[3].end_reason == "ended"));
}

TEST_CASE("the parent of a child that called exec is the one that forked it") {
  SessionContents contents;
  contents.processes = {RecordedProgram(100, "first", 1000), RecordedProgram(200, "daemon", 5000)};
  contents.processes[1].parent_pid = 1;  // the process between them had ended
  MarkedChild child;
  child.pid = 200;
  child.parent_pid = 100;
  child.begin_ns = 4000;
  contents.marked = {child};
  contents.Finish();
  REQUIRE(contents.processes.size() == 2);
  CHECK((contents.processes[1].pid == 200 && contents.processes[1].parent_pid == 100));
}

}  // namespace
}  // namespace geckoprof
