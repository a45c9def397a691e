#include "threads/registered_thread.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "catch2/catch.hpp"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

std::unique_ptr<RegisteredThread> MakeRecord(const char* name = "record", const char* name_in_base = "") {
  RegisteredThread::Facts facts;
  facts.tid = ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid)));
  facts.register_time_ns = 100;
  std::snprintf(facts.name_in_base, sizeof facts.name_in_base, "%s", name_in_base);
  return std::unique_ptr<RegisteredThread>(RegisteredThread::Make(name, facts, 7, false));
}

TEST_CASE("record: copies the name, and filters see base's if there is one") {
  std::string name = "a name that is longer than any buffer of fixed size that somebody might have thought enough";
  const std::string same = name;
  const auto record = MakeRecord(name.c_str());
  name.assign(name.size(), 'x');
  CHECK(record->name() == same);
  CHECK(record->name_for_filters() == same);
  CHECK(std::string(MakeRecord("here", "in base")->name_for_filters()) == "in base");
  CHECK(std::string(MakeRecord("here", "in base")->name()) == "here");
}

TEST_CASE("record: CPU time goes on while the thread works") {
  const auto record = MakeRecord();
  const int64_t before_ns = record->CpuTimeNs();
  REQUIRE(before_ns > 0);
  volatile int work = 0;
  while (record->CpuTimeNs() < before_ns + kNsPerMs) {
    for (int i = 0; i < 1000; ++i) work = work + 1;
  }
  CHECK(record->CpuTimeNs() > before_ns);
}

TEST_CASE("record: its lock is held by one thread at a time, which knows it") {
  const auto record = MakeRecord();
  int count = 0;
  const auto work = [&] {
    for (int n = 0; n < 1000; ++n) {
      const RegisteredThread::Lock lock(*record);
      ++count;
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(count == 2000);
  CHECK_FALSE(ApiLocks::Holds(ApiLockRank::kData));
  const RegisteredThread::Lock lock(*record);
  CHECK(ApiLocks::Holds(ApiLockRank::kData));
}

TEST_CASE("record: its end waits for a thread that holds the lock") {
  const auto record = MakeRecord();
  std::atomic<bool> has_lock{false};
  bool was_registered = false;
  std::thread holder([&] {
    const RegisteredThread::Lock lock(*record);
    has_lock = true;
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    was_registered = record->is_registered();
  });
  while (!has_lock) std::this_thread::yield();
  record->End();
  // The holder was done before, or this is a race on was_registered.
  CHECK(was_registered);
  CHECK_FALSE(record->is_registered());
  holder.join();
}

TEST_CASE("record: its end does not wait for the calling thread") {
  const auto record = MakeRecord();
  const RegisteredThread::Lock lock(*record);
  record->End();
  CHECK_FALSE(record->is_registered());
}

TEST_CASE("record: in a forked child it has another id and is the main thread's") {
  const auto record = MakeRecord();
  std::atomic<int> step{0};
  std::thread holder([&] {  // a thread that does not exist there
    const RegisteredThread::Lock lock(*record);
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  record->AdoptInForkedChild(ThreadId::FromNumber(6));
  { const RegisteredThread::Lock lock(*record); }
  CHECK(record->facts().tid == ThreadId::FromNumber(6));
  CHECK(record->facts().is_main);
  CHECK(std::string(record->name()) == "record");
  CHECK(record->facts().register_time_ns == 100);
  step = 2;
  holder.join();
}

}  // namespace
}  // namespace geckoprof
