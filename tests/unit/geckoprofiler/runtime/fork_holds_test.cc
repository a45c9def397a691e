#include "runtime/fork_holds.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <thread>

namespace geckoprof {
namespace {

TEST_CASE("what forks hold is a stack of each thread") {
  ForkHolds::Push(ForkHolds::kBase | ForkHolds::kUnwinder);
  ForkHolds::Push(ForkHolds::kControl);  // a handler's
  uint32_t of_another = 99;
  std::thread([&] { of_another = ForkHolds::Pop(); }).join();
  CHECK(of_another == 0);
  CHECK(ForkHolds::Pop() == ForkHolds::kControl);
  CHECK(ForkHolds::Pop() == (ForkHolds::kBase | ForkHolds::kUnwinder));
  CHECK(ForkHolds::Pop() == 0);
  CHECK(ForkHolds::parent_thread() > 0);
}

TEST_CASE("a lock is waited for, but not for ever, and taken again by its holder") {
  RecursiveLock lock;
  CHECK(ForkHolds::TryLockFor(lock));
  CHECK(ForkHolds::TryLockFor(lock));
  CHECK(lock.depth() == 2);
  bool got = true;
  std::thread([&] { got = ForkHolds::TryLockFor(lock); }).join();
  CHECK_FALSE(got);
  lock.Unlock();
  lock.Unlock();
  std::thread([&] {
    got = ForkHolds::TryLockFor(lock);
    if (got) lock.Unlock();
  }).join();
  CHECK(got);
}

TEST_CASE("a holder is not interrupted, but for libc's own signals") {
  RecursiveLock lock;
  sigset_t before, during, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const ForkHolds::Holder holder(lock);
    CHECK(lock.depth() == 1);
    pthread_sigmask(SIG_BLOCK, nullptr, &during);
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  CHECK(lock.depth() == 0);
  CHECK((sigismember(&during, SIGUSR1) == 1 && sigismember(&during, SIGRTMIN) == 1));
  CHECK(sigismember(&after, SIGUSR1) == sigismember(&before, SIGUSR1));
  KernelSignalSet now = 0;
  const ForkHolds::Holder holder(lock);
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &now, sizeof(now));
  CHECK((now & (SignalBit(32) | SignalBit(33))) == 0);
}

}  // namespace
}  // namespace geckoprof
