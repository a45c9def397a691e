#include "tools/processed_format/made_code.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <fstream>

#include "tests/unit/tools/symbols/jitdump_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kCode = 0x7f0000000000;

Fd FileOf(const std::string& bytes) {
  Fd file(memfd_create("made-code", MFD_CLOEXEC));
  REQUIRE(write(file.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return file;
}

ProcessProfile MakeProcess(int32_t pid, int32_t parent_pid, int64_t start_ns, uint64_t vdso_avma) {
  ProcessProfile process;
  process.pid = pid;
  process.parent_pid = parent_pid;
  process.start_ns = start_ns;
  process.start_epoch_ms = 1e15;  // so that no file of an earlier test is its own
  process.executable = "/bin/runtime";
  process.libraries.resize(2);
  process.libraries[0].path = process.executable;
  process.libraries[0].start_avma = 0x400000;
  process.libraries[1].path = "[vdso]";
  process.libraries[1].start_avma = vdso_avma;
  return process;
}

// A parent, its forked child, a child of that, and a child that is a program of its own.
struct Family {
  Family() {
    session.processes = {MakeProcess(1, 0, 0, 0x1000), MakeProcess(2, 1, 100, 0x1000), MakeProcess(3, 2, 200, 0x1000),
                         MakeProcess(4, 1, 100, 0x9000)};
    session.held_files = &held;
  }
  HeldFiles held;
  RecordedSession session;
};

TEST_CASE("a forked child has the code that its parents had by then") {
  Family family;
  JitdumpBuilder dump;
  dump.Load(50, kCode, 64, 1, "before the fork");
  dump.Load(150, kCode + 64, 64, 2, "after the fork");
  dump.Load(150, kCode, 64, 3, "in its place");
  family.held.JitFilesOf({1, 0}).push_back({FileOf(dump.bytes), {}});
  MadeCode code(family.session);
  CHECK(code.Find(0, kCode, 120) == "before the fork");
  CHECK(code.Find(0, kCode, 160) == "in its place");
  CHECK(code.Find(1, kCode, 160) == "before the fork");
  CHECK(code.Find(2, kCode, 500) == "before the fork");
  CHECK(code.Find(3, kCode, 160).empty());
  CHECK(code.MayChange(0, kCode));
  CHECK_FALSE(code.MayChange(0, kCode + 64));
}

TEST_CASE("a child's own code comes before its parent's") {
  Family family;
  JitdumpBuilder parent, child;
  parent.Load(50, kCode, 64, 1, "parent's");
  child.Load(150, kCode, 64, 1, "child's");
  family.held.JitFilesOf({1, 0}).push_back({FileOf(parent.bytes), {}});
  family.held.JitFilesOf({2, 0}).push_back({FileOf(child.bytes), {}});
  MadeCode code(family.session);
  CHECK(code.Find(1, kCode, 120) == "parent's");
  CHECK(code.Find(1, kCode, 150) == "child's");
  CHECK(code.Find(2, kCode, 250) == "child's");
  CHECK(code.MayChange(1, kCode));
  CHECK_FALSE(code.MayChange(0, kCode));
}

TEST_CASE("a jitdump comes before a perf map") {
  Family family;
  JitdumpBuilder dump;
  dump.Load(50, kCode, 64, 1, "exact");
  const std::string lines = Concat("7f0000000000 40 by line\n", "7f0000001000 40 only there\n");
  family.held.JitFilesOf({1, 0}).push_back({FileOf(lines), {{1, lines.size()}}});
  family.held.JitFilesOf({1, 0}).push_back({FileOf(dump.bytes), {}});
  MadeCode code(family.session);
  CHECK(code.Find(0, kCode, 60) == "exact");
  CHECK(code.Find(0, kCode + 0x1000, 60) == "only there");
}

TEST_CASE("a process that calls itself its parent has no code of it") {
  Family family;
  family.session.processes[0].parent_pid = 3;  // which began later
  family.session.processes[1].parent_pid = 2;
  MadeCode code(family.session);
  CHECK(code.Find(0, kCode, 0).empty());
  CHECK(code.Find(1, kCode, 0).empty());
  CHECK(code.Find(2, kCode, 0).empty());
}

TEST_CASE("without the recorder's files the process's map in /tmp counts") {
  Family family;
  const std::string path = Concat("/tmp/perf-", getpid(), ".map");
  std::ofstream(path) << "7f0000000000 40 from the folder\n";
  family.session.processes[0].pid = getpid();
  family.session.processes[0].start_epoch_ms = static_cast<double>(time(nullptr)) * 1000;
  family.session.held_files = nullptr;
  CHECK(MadeCode(family.session).Find(0, kCode, 0) == "from the folder");
  family.session.held_files = &family.held;  // written when the program ended
  CHECK(MadeCode(family.session).Find(0, kCode, 0) == "from the folder");
  unlink(path.c_str());
}

}  // namespace
}  // namespace geckoprof
