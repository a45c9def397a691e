#include "tools/recover/file_owner.h"

#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"
#include "tests/support/test_segment.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

int64_t NowS() { return time(nullptr); }

TEST_CASE("a process that is gone does not live") {
  CHECK_FALSE(FileOwner{.pid = 1 << 23, .file_changed_s = NowS()}.Lives());
  CHECK_FALSE(FileOwner{.pid = 0, .file_changed_s = NowS()}.Lives());
}

TEST_CASE("the kernel's start of the process tells it from another one with its id") {
  const uint64_t ticks = ReadProcessState(getpid())->start_ticks;
  CHECK(FileOwner{.pid = getpid(), .start_ticks = ticks}.Lives());
  CHECK_FALSE(FileOwner{.pid = getpid(), .start_ticks = ticks - 1, .running_ns = MonotonicNs()}.Lives());
}

TEST_CASE("a process that began after the file's process ran is another one") {
  CHECK(FileOwner{.pid = getpid(), .running_ns = MonotonicNs()}.Lives());
  CHECK_FALSE(FileOwner{.pid = getpid(), .running_ns = 1}.Lives());  // when the machine had just started
  // From before the machine's last start, whose clock had gone further.
  CHECK_FALSE(FileOwner{.pid = getpid(), .running_ns = MonotonicNs() + 3600 * kNsPerSecond}.Lives());
}

TEST_CASE("where nothing else is known the file's time counts") {
  CHECK(FileOwner{.pid = getpid(), .file_changed_s = NowS()}.Lives());
  CHECK_FALSE(FileOwner{.pid = getpid(), .file_changed_s = NowS() - 365 * 24 * 3600}.Lives());
}

TEST_CASE("a segment says when its process began") {
  TestSegment test;
  test.segment().header().process_start_ticks = 77;
  test.segment().header().constructor_ns = 99;
  const FileOwner owner = FileOwner::OfSegment(getpid(), test.path(), 5);
  CHECK(owner.pid == getpid());
  CHECK(owner.start_ticks == 77);
  CHECK(owner.running_ns == 99);
  const FileOwner unreadable = FileOwner::OfSegment(getpid(), "/dev/null", 5);
  CHECK(unreadable.running_ns == 0);
  CHECK(unreadable.file_changed_s == 5);
}

}  // namespace
}  // namespace geckoprof
