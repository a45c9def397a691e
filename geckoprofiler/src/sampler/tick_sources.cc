#include "sampler/tick_sources.h"

#include <time.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

SourceThread& TickSources::AddThread(const SourceThread::Work& work) {
  SourceThread& thread = threads_[thread_count_];
  thread.Assign(work, &tids_[thread_count_], &cpu_ns_);
  ++thread_count_;
  return thread;
}

bool TickSources::IsOn(int64_t started_ns) {
  const ForkHolds::Holder holder(lock_);
  return started_ns_ == started_ns;
}

void TickSources::Update(int64_t started_ns, const TickSource::Recording& recording) {
  const ForkHolds::Holder holder(lock_);
  if (started_ns_ == started_ns) return;
  if (started_ns_ != 0) End();
  if (started_ns != 0) Begin(started_ns, recording);
}

void TickSources::Begin(int64_t started_ns, const TickSource::Recording& recording) {
  started_ns_ = started_ns;
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->Begin(recording);
  reads_.store(true, std::memory_order_release);
}

void TickSources::End() {
  reads_.store(false, std::memory_order_release);
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->End();
  for (size_t i = 0; i < thread_count_; ++i) threads_[i].End();
  started_ns_ = 0;
}

void TickSources::StepAside() {
  {
    const ForkHolds::Holder holder(lock_);
    ++aside_;
    for (size_t i = 0; i < thread_count_; ++i) threads_[i].Hold();
  }
  AwaitThreads();
}

void TickSources::StepBack() {
  const ForkHolds::Holder holder(lock_);
  if (aside_ == 0 || --aside_ > 0) return;
  for (size_t i = 0; i < thread_count_; ++i) threads_[i].Release();
}

void TickSources::AwaitThreads() {
  const int64_t until_ns = MonotonicNs() + kPatienceNs;
  for (size_t i = 0; i < thread_count_; ++i) {
    for (;;) {
      {
        const ForkHolds::Holder holder(lock_);
        if (threads_[i].IsOwn() || threads_[i].TryJoin()) break;
      }
      if (MonotonicNs() >= until_ns) return;
      timespec time = {0, 50'000};
      RawSyscall(SYS_nanosleep, &time, nullptr);
    }
  }
}

void TickSources::AfterFork(bool in_child, bool held, bool is_recorded, int64_t started_ns) {
  if (in_child) {
    lock_.AdoptInForkedChild(ForkHolds::parent_thread());
    cpu_ns_.store(0, std::memory_order_relaxed);
    aside_ = 0;
    bool were_there[kMostThreads] = {};
    for (size_t i = 0; i < thread_count_; ++i) were_there[i] = threads_[i].ForgetInChild();
    for (size_t i = 0; i < source_count_; ++i) sources_[i]->AfterForkInChild(held);
    if (started_ns_ != 0) {
      started_ns_ = started_ns;
      if (!is_recorded || !held) End();
    }
    // libc still has the stacks of such threads, so new ones need no allocator. Its own fork handlers may run later.
    const SignalsBlocked quiet(kEverySignal & ~kSignalsOfLibc);
    for (size_t i = 0; i < thread_count_; ++i) {
      if (were_there[i] && started_ns_ != 0) threads_[i].Start();
    }
  }
  if (held) lock_.Unlock();
}

}  // namespace geckoprof
