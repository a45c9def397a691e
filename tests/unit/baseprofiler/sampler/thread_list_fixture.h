// What the tests of ThreadList share.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_THREAD_LIST_FIXTURE_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_THREAD_LIST_FIXTURE_H_

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>

#include "sampler/thread_list.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {

inline ThreadId OwnTid() { return ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))); }

// A named thread that waits until told to end.
class Waiter {
 public:
  explicit Waiter(const char* name, int blocked_signal = 0)
      : thread_([this, name, blocked_signal] {
          prctl(PR_SET_NAME, name);
          if (blocked_signal != 0) {
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, blocked_signal);
            pthread_sigmask(SIG_BLOCK, &set, nullptr);
          }
          tid_.store(OwnTid().ToNumber());
          tid_.notify_all();
          end_.wait(false);
        }) {
    tid_.wait(0);
  }
  ~Waiter() {
    if (thread_.joinable()) End();
  }
  // Returns when the kernel has no such thread any more.
  void End() {
    end_.store(true);
    end_.notify_all();
    thread_.join();
    while (syscall(SYS_tgkill, getpid(), tid_.load(), 0) == 0) std::this_thread::yield();
  }
  ThreadId tid() const { return ThreadId::FromNumber(tid_.load()); }

 private:
  std::atomic<int32_t> tid_{0};
  std::atomic<bool> end_{false};
  std::thread thread_;
};

// A list whose sampler is the test's main thread, which is therefore never listed.
class ThreadListFixture {
 public:
  explicit ThreadListFixture(const char* filter_item = nullptr) {
    if (filter_item != nullptr) REQUIRE(filter.Add(filter_item) == FilterAddResult::kAdded);
    list = std::make_unique<ThreadList>(ThreadList::Setting{ProcessId::FromNumber(getpid()),
                                                            OwnTid(),
                                                            {0x1000, 0x2000},
                                                            &filter,
                                                            registry.get(),
                                                            &metadata,
                                                            &segment.segment().header(),
                                                            &owner,
                                                            &helper});
  }
  SampledThread* Find(ThreadId tid) const {
    for (const auto& thread : list->threads()) {
      if (thread->tid == tid) return thread.get();
    }
    return nullptr;
  }
  static const ThreadRow* Row(const ProcessProfile& profile, ThreadId tid) {
    for (const ThreadRow& row : profile.threads) {
      if (row.tid == tid.ToNumber()) return &row;
    }
    return nullptr;
  }

  TestSegment segment;
  MetadataWriter metadata{&segment.segment()};
  ThreadFilter filter;
  std::unique_ptr<ThreadRegistry> registry = std::make_unique<ThreadRegistry>();
  std::atomic<const OwnerTable*> owner{nullptr};
  std::atomic<int32_t> helper{0};
  std::unique_ptr<ThreadList> list;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_THREAD_LIST_FIXTURE_H_
