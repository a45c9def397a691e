#include "process/process_control.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/page_memory.h"
#include "labels/category_table.h"
#include "process/process_title.h"
#include "tests/support/forked_check.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TEST_CASE("the name of the calling thread is the kernel's") {
  char expected[16] = {};
  REQUIRE(pthread_getname_np(pthread_self(), expected, sizeof(expected)) == 0);
  char name[16];
  CopyCommandName(name);
  CHECK(std::string(name) == expected);
  CHECK(MainThreadExitStatus() == 0);  // it lives
}

TEST_CASE("the ids are the kernel's") {
  CHECK(CurrentProcess().ToNumber() == getpid());
  CHECK(ParentProcess().ToNumber() == getppid());
  CHECK(CurrentThread().ToNumber() == static_cast<int32_t>(syscall(SYS_gettid)));
}

TEST_CASE("a start is told what there is to be written") {
  CHECK(StatusInChild([] {
          ProcessNameOverride::Get().Set("name");
          FORKED_REQUIRE(HasPersistent(PersistentState::kProcessName));
          uint32_t pair = 0;
          CategoryTable::Get().Add("", "blue", pair);  // what was refused is counted
          return HasPersistent(PersistentState::kCategories) ? 0 : 1;
        }) == 0);
}

TEST_CASE("the pid namespace is the kernel's") {
  struct stat file = {};
  REQUIRE(stat("/proc/self/ns/pid", &file) == 0);
  CHECK(PidNamespace() == file.st_ino);
}

TEST_CASE("the start of the process is the kernel's, and another process has another one") {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) fields >> field;
  CHECK(std::to_string(ProcessStartTicks()) == field);
  const uint64_t own = ProcessStartTicks();
  bool differs = false;
  for (int i = 0; i < 10'000 && !differs; ++i) {  // a tick of the kernel's figure is longer than a fork
    differs = StatusInChild([own] { return ProcessStartTicks() > own ? 0 : 1; }) == 0;
  }
  CHECK(differs);
}

TEST_CASE("the state reads 0 in a forked child, however it was forked, and stays in the parent") {
  WipeStateOnFork();
  ForkSafeState().store(1);
  CHECK(StatusInChild([] { return static_cast<int>(ForkSafeState().load()); }) == 0);
  const long pid = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) syscall(SYS_exit_group, ForkSafeState().load());
  int status = -1;
  REQUIRE(waitpid(static_cast<pid_t>(pid), &status, 0) == pid);
  CHECK(status == 0);
  CHECK(ForkSafeState().load() == 1);
  ForkSafeState().store(0);
}

TEST_CASE("capture buffers are forgotten") {
  CaptureBuffer* const buffer = reinterpret_cast<CaptureBuffer*>(0x1000);
  TheCaptureTable().buffers[0].store(buffer);
  TheCaptureTable().buffers[CaptureTable::kCapacity - 1].store(buffer);
  TheCaptureTable().pid.store(7);
  ForgetCaptureBuffers();
  CHECK(TheCaptureTable().buffers[0].load() == nullptr);
  CHECK(TheCaptureTable().buffers[CaptureTable::kCapacity - 1].load() == nullptr);
  CHECK(TheCaptureTable().pid.load() == 0);
}

TEST_CASE("the first segment is no mapping of its own, the next ones are; none is used twice") {
  CHECK(StatusInChild([] {
          const Segment* const first = NewSegment();
          const Segment* const second = NewSegment();
          const Segment* const third = NewSegment();
          FORKED_REQUIRE(first != nullptr && second != nullptr && third != nullptr && second != third);
          const auto is_page = [](const Segment* segment) {
            return reinterpret_cast<uintptr_t>(segment) % kPageBytes == 0;
          };
          FORKED_REQUIRE(first != second && is_page(second) && is_page(third));
          FORKED_REQUIRE(!first->IsMapped() && !second->IsMapped());
          return 0;
        }) == 0);
}

TEST_CASE("what the header says of a recording that begins") {
  TestSegment test;
  StartParameters parameters;
  parameters.interval_ns = 7;
  parameters.features = 5;
  SegmentHeader& header = test.segment().header();
  const int64_t before_ns = MonotonicNs();
  DescribeRecording(parameters, header);
  CHECK((header.created_ns >= before_ns && header.created_ns <= MonotonicNs()));
  CHECK(header.heartbeat_ns.load() == header.created_ns);
  CHECK((header.interval_ns == 7 && header.features == 5));
  char name[16] = {};
  CopyCommandName(name);
  CHECK(std::string(header.command_name) == name);
  CHECK(header.state.load() == static_cast<uint32_t>(SegmentState::kRecording));
}

TEST_CASE("the end of a process has its status and what it used") {
  TestSegment test;
  SegmentHeader& header = test.segment().header();
  header.sampler_cpu_ns.store(50);
  DescribeEnd(ProcessEnd::Read(0x103, 70), header);
  CHECK(header.exit_word.load() == (kExitKnown | 3));
  CHECK(header.user_cpu_ns.load() + header.system_cpu_ns.load() > 0);
  CHECK(header.peak_memory_bytes.load() > uint64_t{1} << 20);
  CHECK(header.sampler_cpu_ns.load() == 70);
  DescribeEnd(ProcessEnd::Read(3, 60), header);  // the sampler ran on another thread before
  CHECK(header.sampler_cpu_ns.load() == 70);
}

TEST_CASE("the process is described: arguments, filters and what was wrong with the parameters") {
  TestSegment segment;
  MetadataWriter metadata(&segment.segment());
  const char* const environment[] = {"GECKOPROF_STARTUP=1", "GECKOPROF_STARTUP_FILTERS=Main,pool",
                                     "GECKOPROF_STARTUP_INTERVAL=never", nullptr};
  StartParameters parameters;
  ParseStartParameters(environment, parameters);
  DescribeProcess(parameters, metadata);
  const ProcessProfile profile = ReadBack(segment);
  REQUIRE_FALSE(profile.arguments.empty());
  CHECK(profile.arguments[0].find("base_core_test") != std::string::npos);
  CHECK(profile.filters == std::vector<std::string>{"Main", "pool"});
  CHECK(profile.executable.find("base_core_test") != std::string::npos);
  REQUIRE(profile.problems.size() == 1);
  CHECK(profile.problems[0].find("GECKOPROF_STARTUP_INTERVAL \"never\"") == 0);
}

}  // namespace
}  // namespace geckoprof
