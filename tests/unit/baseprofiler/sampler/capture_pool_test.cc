#include "sampler/capture_pool.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <thread>

namespace geckoprof {
namespace {

CaptureTable* g_table;

void OnSignal(int, siginfo_t* info, void* context) { CaptureSignalSafe(*g_table, *info, context); }

ThreadId OwnTid() { return ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))); }
ProcessId OwnPid() { return ProcessId::FromNumber(getpid()); }

struct Fixture {
  Fixture() {
    g_table = table.get();
    table->pid.store(getpid());
    struct sigaction action = {};
    action.sa_sigaction = &OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
    sigaction(SIGURG, &action, nullptr);
  }
  ~Fixture() { signal(SIGURG, SIG_DFL); }
  static void Use(CaptureBuffer* buffer) { buffer->word.store(MakeCaptureWord(7, CaptureState::kRequested)); }

  std::unique_ptr<CaptureTable> table = std::make_unique<CaptureTable>();
  CapturePool pool{table.get()};
};

TEST_CASE("a buffer has room for the usual stack, zeroed answers, and is in the table") {
  Fixture fixture;
  CaptureBuffer* const buffer = fixture.pool.Acquire(0);
  REQUIRE(buffer != nullptr);
  CHECK(buffer->capacity_bytes == CapturePool::kUsualCopyBytes);
  CHECK(buffer->stack_copy != nullptr);
  buffer->stack_copy[0] = buffer->stack_copy[CapturePool::kUsualCopyBytes - 1] = 1;
  CHECK(fixture.table->buffers[0].load() == buffer);
  CHECK_FALSE(CapturePool::IsAnswered(buffer));
}

TEST_CASE("a buffer that is in use is not given again, one that was given back is") {
  Fixture fixture;
  CaptureBuffer* const first = fixture.pool.Acquire(0);
  Fixture::Use(first);
  CaptureBuffer* const second = fixture.pool.Acquire(0);
  REQUIRE(second != nullptr);
  CHECK(second != first);
  Fixture::Use(second);
  fixture.pool.Release(first);
  CHECK(fixture.pool.Acquire(0) == first);
}

TEST_CASE("a deep stack gets a larger copy, at most 1 MiB, and the larger buffer stays so") {
  Fixture fixture;
  CaptureBuffer* const buffer = fixture.pool.Acquire(300 * 1024);
  REQUIRE(buffer != nullptr);
  CHECK(buffer->capacity_bytes >= 300 * 1024);
  buffer->stack_copy[300 * 1024 - 1] = 1;
  CHECK(fixture.pool.Acquire(0) == buffer);
  CaptureBuffer* const most = fixture.pool.Acquire(0xffffffff);
  REQUIRE(most != nullptr);
  CHECK(most->capacity_bytes == CapturePool::kMaxCopyBytes);
}

TEST_CASE("there are as many buffers as an index can name, and then none") {
  Fixture fixture;
  std::set<CaptureBuffer*> all;
  for (uint32_t i = 0; i < CaptureTable::kFirstOnDemand; ++i) {
    CaptureBuffer* const buffer = fixture.pool.Acquire(0);
    REQUIRE(buffer != nullptr);
    Fixture::Use(buffer);
    all.insert(buffer);
  }
  CHECK(all.size() == CaptureTable::kFirstOnDemand);
  CHECK(fixture.pool.Acquire(0) == nullptr);
  fixture.pool.Release(*all.begin());
  CHECK(fixture.pool.Acquire(0) == *all.begin());
}

TEST_CASE("two pools share a table, and neither gives what is the other's") {
  Fixture fixture;
  CapturePool other(fixture.table.get(), CapturePool::kOnDemand);
  std::set<CaptureBuffer*> all;
  for (;;) {
    CaptureBuffer* const buffer = other.Acquire(0);
    if (buffer == nullptr) break;
    Fixture::Use(buffer);
    all.insert(buffer);
  }
  CHECK(all.size() == CaptureTable::kCapacity - CaptureTable::kFirstOnDemand);
  CaptureBuffer* const mine = fixture.pool.Acquire(0);
  REQUIRE(mine != nullptr);
  CHECK(all.count(mine) == 0);
  CHECK(fixture.table->buffers[CaptureTable::kCapacity].load() == nullptr);
  // One that comes later finds those of its range, and frees what was answered meanwhile.
  (*all.begin())->word.store(MakeCaptureWord(7, CaptureState::kAnswered));
  CapturePool later(fixture.table.get(), CapturePool::kOnDemand);
  CHECK(later.Acquire(0) == *all.begin());
}

TEST_CASE("a request is answered by the thread that it was sent to") {
  Fixture fixture;
  CaptureBuffer* const buffer = fixture.pool.Acquire(0);
  volatile int here = 0;
  const auto at = reinterpret_cast<uintptr_t>(&here);
  buffer->stack = {at - 32 * 1024, at + 256};
  buffer->labels = nullptr;
  REQUIRE(fixture.pool.Send(buffer, OwnPid(), OwnTid(), SIGURG) == 0);
  REQUIRE(CapturePool::IsAnswered(buffer));  // to the sender itself a signal comes before the call returns
  CHECK(buffer->registers.sp >= at - 32 * 1024);
  CHECK(buffer->registers.sp < at + 256);
  CHECK(buffer->reached_stack_end);
  fixture.pool.Release(buffer);
  CHECK_FALSE(CapturePool::IsAnswered(buffer));
}

TEST_CASE("every request has a token of its own, so an answer is never taken for another's") {
  Fixture fixture;
  CaptureBuffer* const buffer = fixture.pool.Acquire(0);
  buffer->stack = {0, 0};
  buffer->labels = nullptr;
  REQUIRE(fixture.pool.Send(buffer, OwnPid(), OwnTid(), SIGURG) == 0);
  const uint64_t first = buffer->word.load();
  fixture.pool.Release(buffer);
  REQUIRE(fixture.pool.Send(buffer, OwnPid(), OwnTid(), SIGURG) == 0);
  CHECK(buffer->word.load() != first);
}

TEST_CASE("a thread that is gone gives ESRCH, and the buffer is free again") {
  Fixture fixture;
  ThreadId gone;
  std::thread([&] { gone = OwnTid(); }).join();
  while (syscall(SYS_tgkill, getpid(), gone.ToNumber(), 0) == 0) std::this_thread::yield();
  CaptureBuffer* const buffer = fixture.pool.Acquire(0);
  CHECK(fixture.pool.Send(buffer, OwnPid(), gone, SIGURG) == -ESRCH);
  CHECK(fixture.pool.Acquire(0) == buffer);
}

}  // namespace
}  // namespace geckoprof
