#include "threads/thread_directory.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "tests/support/forked_check.h"
#include "threads/current_thread.h"

namespace geckoprof {
namespace {

ThreadId CurrentId() { return ThreadId::FromNumber(gettid()); }

// A registered thread that waits until it is told to end.
class WaitingThread {
 public:
  explicit WaitingThread(const char* name)
      : thread_([this, name] {
          CurrentThread::Register(name);
          record = CurrentThread::record();
          tid = CurrentId();
          is_ready_ = true;
          while (!may_end_) std::this_thread::yield();
        }) {
    while (!is_ready_) std::this_thread::yield();
  }
  ~WaitingThread() { End(); }
  void End() {
    may_end_ = true;
    if (thread_.joinable()) thread_.join();
  }

  const RegisteredThread* record = nullptr;
  ThreadId tid;

 private:
  std::atomic<bool> is_ready_{false}, may_end_{false};
  std::thread thread_;
};

// Calls `look` with the thread, if it is registered.
template <typename Look>
bool With(ThreadId tid, const Look& look) {
  ThreadDirectory::Walk walk;
  while (RegisteredThread* const thread = walk.Next()) {
    if (thread->facts().tid != tid) continue;
    look(*thread);
    return true;
  }
  return false;
}

bool IsSelected(ThreadId tid) {
  bool selected = false;
  With(tid, [&](const RegisteredThread& thread) { selected = thread.is_selected(); });
  return selected;
}

TEST_CASE("directory: the same data from another thread") {
  WaitingThread thread("seen");
  CHECK(With(thread.tid, [&](const RegisteredThread& seen) {
    CHECK(&seen == thread.record);
    CHECK(ApiLocks::Holds(ApiLockRank::kRegistry));
  }));
  CHECK_FALSE(ApiLocks::Holds(ApiLockRank::kRegistry));
}

TEST_CASE("directory: a thread that is not registered is not found") {
  ThreadId gone;
  {
    WaitingThread thread("gone");
    gone = thread.tid;
    CHECK(With(gone, [](const auto&) {}));
  }
  for (const ThreadId tid : {gone, ThreadId(), ThreadId::FromNumber(-1)}) CHECK_FALSE(With(tid, [](const auto&) {}));
}

TEST_CASE("directory: all threads in a walk") {
  WaitingThread a("a"), b("b"), c("c");
  b.End();
  std::multiset<std::string> names;
  ThreadDirectory::Walk walk;
  while (const RegisteredThread* const thread = walk.Next()) names.insert(thread->name());
  CHECK(names == std::multiset<std::string>{"a", "c"});
}

TEST_CASE("directory: threads begin and end while a walk lasts") {
  WaitingThread leaver("leaver");
  ThreadDirectory::Walk walk;
  const RegisteredThread* const seen = walk.Next();
  REQUIRE(seen == leaver.record);
  leaver.End();  // would not return, if it waited for this walk
  WaitingThread newcomer("newcomer");
  CHECK(std::string(seen->name()) == "leaver");
  CHECK_FALSE(seen->is_registered());
  CHECK(walk.Next() == nullptr);
  CHECK(With(newcomer.tid, [](const auto&) {}));
}

TEST_CASE("directory: a thread does not end while its lock is held") {
  WaitingThread thread("held");
  std::atomic<bool> has_ended{false};
  std::thread ender;
  With(thread.tid, [&](RegisteredThread& held) {
    const RegisteredThread::Lock lock(held);
    ender = std::thread([&] {
      thread.End();
      has_ended = true;
    });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(has_ended);
    CHECK(held.is_registered());
  });
  ender.join();
  CHECK(has_ended);
}

TEST_CASE("directory: a policy holds for threads there are and for those to come") {
  BaseDouble base;
  WaitingThread before("Worker one"), other("Compositor");
  CHECK_FALSE(IsSelected(before.tid));
  ThreadDirectory::StartProfiling(FilterFor("WORKER"));
  CHECK(IsSelected(before.tid));
  CHECK_FALSE(IsSelected(other.tid));
  WaitingThread after("Worker two"), other_after("Renderer");
  CHECK(IsSelected(after.tid));
  CHECK_FALSE(IsSelected(other_after.tid));

  ThreadDirectory::StartProfiling(FilterFor("Renderer"));
  CHECK_FALSE(IsSelected(before.tid));
  CHECK(IsSelected(other_after.tid));
  ThreadDirectory::StopProfiling();
  CHECK_FALSE(IsSelected(other_after.tid));
  WaitingThread late("Renderer");
  CHECK_FALSE(IsSelected(late.tid));
}

TEST_CASE("directory: the main thread is selected by its other names, too") {
  BaseDouble base;
  CurrentThread::Register("Boss");
  for (const auto& [filter, selected] : {std::pair{"GeckoMain", true}, std::pair{"full_threads", true},
                                         std::pair{"Boss", true}, std::pair{"Worker", false}}) {
    ThreadDirectory::StartProfiling(FilterFor(filter));
    CHECK(IsSelected(CurrentId()) == selected);
  }
  ThreadDirectory::StartProfiling(FilterFor(("pid:" + std::to_string(getpid())).c_str()));
  CHECK(IsSelected(CurrentId()));
  ThreadDirectory::StartProfiling(FilterFor("pid:1"));
  CHECK_FALSE(IsSelected(CurrentId()));
  CurrentThread::Unregister();
}

TEST_CASE("directory: three starts in a row, each with fewer filters") {
  BaseDouble base;
  WaitingThread a("thread a"), b("thread b"), c("thread c");
  const WaitingThread* const threads[] = {&a, &b, &c};
  for (int filters = 3; filters > 0; --filters) {
    ThreadFilter filter;
    for (int i = 0; i < filters; ++i) (void)filter.Add(threads[i]->record->name());
    ThreadDirectory::StartProfiling(filter);
    for (int i = 0; i < 3; ++i) CHECK(IsSelected(threads[i]->tid) == (i < filters));
  }
}

TEST_CASE("directory: starts and stops while threads come and go leave none behind") {
  BaseDouble base;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        CurrentThread::Register("Worker");
        std::this_thread::yield();
        CurrentThread::Unregister();
      }
      CurrentThread::Register("Worker");
      while (!IsSelected(CurrentId())) std::this_thread::yield();
    });
  }
  for (int n = 0; n < 200; ++n) {
    ThreadDirectory::StartProfiling(FilterFor("Worker"));
    const WaitingThread thread("Worker");
    wrong += !IsSelected(thread.tid);
    ThreadDirectory::StopProfiling();
    wrong += IsSelected(thread.tid);
  }
  ThreadDirectory::StartProfiling(FilterFor("Worker"));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

// One second of registrations and unregistrations against readers that lock.
TEST_CASE("directory: race of registrations with readers that lock") {
  std::atomic<bool> stop{false};
  std::atomic<int32_t> tid{0};
  uint64_t registrations = 0, seen = 0, walked = 0;
  std::thread writer([&] {
    tid = gettid();
    while (!stop) {
      CurrentThread::Register("raced");
      ++registrations;
      CurrentThread::Unregister();
    }
  });
  const auto look = [](RegisteredThread& thread) {
    const RegisteredThread::Lock lock(thread);
    return thread.is_registered() && std::string(thread.name()) == "raced";
  };
  std::thread walker([&] {
    while (!stop) {
      ThreadDirectory::Walk walk;
      while (RegisteredThread* const thread = walk.Next()) walked += look(*thread);
    }
  });
  while (tid == 0) std::this_thread::yield();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    With(ThreadId::FromNumber(tid), [&](RegisteredThread& thread) { seen += look(thread); });
  }
  stop = true;
  writer.join();
  walker.join();
  std::printf("race: %llu registrations, %llu looks by id, %llu in walks\n",
              static_cast<unsigned long long>(registrations), static_cast<unsigned long long>(seen),
              static_cast<unsigned long long>(walked));
  std::fflush(stdout);  // or a forked child of a later test may say it again
  CHECK(registrations > 100);
  CHECK(seen + walked > 0);
}

TEST_CASE("directory: a forked child has the thread that forked, and no lock of others") {
  BaseDouble base;
  WaitingThread other("other");
  CurrentThread::Register("forker");
  std::atomic<int> step{0};
  std::thread holder([&] {
    With(ThreadId::FromNumber(getpid()), [&](RegisteredThread& main_thread) {
      const RegisteredThread::Lock lock(main_thread);
      step = 1;
      while (step != 2) std::this_thread::yield();
    });
  });
  while (step != 1) std::this_thread::yield();
  const int status = StatusInChild([] {
    int count = 0;
    ThreadDirectory::Walk walk;
    while (RegisteredThread* const thread = walk.Next()) {
      ++count;
      if (thread->facts().tid != CurrentId()) return 1;
      const RegisteredThread::Lock lock(*thread);
      if (!thread->is_registered()) return 2;
    }
    if (count != 1) return 3;
    ThreadDirectory::StartProfiling(FilterFor("forker"));
    return IsSelected(CurrentId()) ? 0 : 4;
  });
  step = 2;
  holder.join();
  CHECK(status == 0);
  CurrentThread::Unregister();
}

}  // namespace
}  // namespace geckoprof
