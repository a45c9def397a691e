#include "core/state_listeners.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/support/await.h"

namespace geckoprof {
namespace {

using States = std::vector<ProfilingState>;

TEST_CASE("listeners hear what they asked for, in the order in which they came") {
  StateListeners listeners;
  std::vector<int> order;
  listeners.Add(
      ProfilingStateSet::AllStates(), [&](ProfilingState) { order.push_back(1); }, 1, false);
  listeners.Add(
      ProfilingState::Started, [&](ProfilingState) { order.push_back(2); }, 2, false);
  listeners.Notify(ProfilingState::Started);
  listeners.Notify(ProfilingState::Pausing);
  CHECK(order == std::vector<int>{1, 2, 1});
}

TEST_CASE("who comes while it is active hears so, and who goes hears that") {
  StateListeners listeners;
  States seen;
  listeners.Add(
      ProfilingStateSet::AllStates(), [&](ProfilingState state) { seen.push_back(state); }, 5, true);
  CHECK(listeners.Remove(5));
  CHECK_FALSE(listeners.Remove(5));
  CHECK_FALSE(listeners.Remove(0));
  listeners.Notify(ProfilingState::Started);
  CHECK(seen == States{ProfilingState::AlreadyActive, ProfilingState::RemovingCallback});
}

TEST_CASE("a listener may add, remove and notify") {
  StateListeners listeners;
  States seen;
  listeners.Add(
      ProfilingStateSet(ProfilingState::Started) + ProfilingState::RemovingCallback,
      [&](ProfilingState state) {
        seen.push_back(state);
        if (state != ProfilingState::Started) return;
        listeners.Add(
            ProfilingState::Pausing, [&](ProfilingState inner) { seen.push_back(inner); }, 8, false);
        listeners.Notify(ProfilingState::Pausing);
        listeners.Remove(7);
      },
      7, false);
  listeners.Notify(ProfilingState::Started);
  listeners.Notify(ProfilingState::Started);
  CHECK(seen == States{ProfilingState::Started, ProfilingState::Pausing, ProfilingState::RemovingCallback});
}

TEST_CASE("who is removed by a listener that is told before is told no more") {
  StateListeners listeners;
  States seen;
  listeners.Add(
      ProfilingState::Started, [&](ProfilingState) { CHECK(listeners.Remove(2)); }, 1, false);
  listeners.Add(
      ProfilingStateSet(ProfilingState::Started) + ProfilingState::RemovingCallback,
      [&](ProfilingState state) { seen.push_back(state); }, 2, false);
  listeners.Notify(ProfilingState::Started);
  CHECK(seen == States{ProfilingState::RemovingCallback});
}

TEST_CASE("what a listener causes while it is told of the same is told to nobody") {
  StateListeners listeners;
  States seen;
  const auto cause = [&](ProfilingState state) {
    seen.push_back(state);
    listeners.Notify(ProfilingState::Stopping);
    listeners.Notify(ProfilingState::Pausing);
  };
  listeners.Add(ProfilingStateSet::AllStates(), cause, 1, false);
  listeners.Notify(ProfilingState::Stopping);
  CHECK(seen == States{ProfilingState::Stopping, ProfilingState::Pausing});
  listeners.Notify(ProfilingState::Pausing);  // another time it is
  CHECK(seen.size() == 4);
}

TEST_CASE("removing waits for a call that is under way on another thread") {
  StateListeners listeners;
  std::atomic<bool> entered{false}, may_leave{false}, left{false};
  listeners.Add(
      ProfilingState::Started,
      [&](ProfilingState) {
        entered = true;
        while (!may_leave) std::this_thread::yield();
        left = true;
      },
      3, false);
  std::thread notifier([&] { listeners.Notify(ProfilingState::Started); });
  while (!entered) std::this_thread::yield();
  std::thread releaser([&] { may_leave = true; });
  CHECK(listeners.Remove(3));
  CHECK(left);
  notifier.join();
  releaser.join();
}

// As a thread is in the middle of a change, and a handler of a signal forks there.
TEST_CASE("a fork in the middle of a change leaves both processes a list that works") {
  StateListeners listeners;
  int heard = 0;
  const auto works = [&] {
    std::thread([&] { listeners.Notify(ProfilingState::Started); }).join();
    return heard == 1 && listeners.Remove(5) && listeners.IsEmpty();
  };
  listeners.Add(
      ProfilingState::Started, [&](ProfilingState) { ++heard; }, 5, false);
  alarm(20);
  ForkHolds::NoteForkingThread();
  REQUIRE(listeners.BeforeFork());  // the change
  REQUIRE(listeners.BeforeFork());
  const pid_t child = fork();
  listeners.AfterFork(child == 0, true);
  std::atomic<pid_t> tid{0};
  std::thread other([&] {
    tid = gettid();
    listeners.Notify(ProfilingState::Pausing);
  });
  const bool was_held = Soon([&] { return tid != 0; }) && AwaitBlocked(tid);
  listeners.AfterFork(false, true);  // the change's end
  other.join();
  const bool good = was_held && works();
  if (child == 0) _exit(good ? 7 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  CHECK(good);
  alarm(0);
}

TEST_CASE("a listener that forks goes on in both processes, and can be removed there") {
  StateListeners listeners;
  alarm(20);
  pid_t child = -1;
  listeners.Add(
      ProfilingState::Started,
      [&](ProfilingState) {
        ForkHolds::NoteForkingThread();
        const bool held = listeners.BeforeFork();
        child = fork();
        listeners.AfterFork(child == 0, held);
      },
      5, false);
  listeners.Notify(ProfilingState::Started);
  const bool removed = listeners.Remove(5) && listeners.IsEmpty();
  if (child == 0) _exit(removed ? 7 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  CHECK(removed);
  alarm(0);
}

// As another thread is in the middle of a change, and does not come to its end: a handler of its own waits for the
// fork.
TEST_CASE("a fork in the middle of another thread's change goes on, and its child begins anew") {
  StateListeners listeners;
  int heard = 0;
  const auto add = [&](uintptr_t id) {
    listeners.Add(
        ProfilingState::Started, [&](ProfilingState) { ++heard; }, id, false);
  };
  add(5);
  alarm(20);
  std::atomic<int> step{0};
  std::thread changer([&] {
    REQUIRE(listeners.BeforeFork());
    for (step = 1; step != 2;) usleep(1000);
    listeners.AfterFork(false, true);
  });
  while (step != 1) usleep(1000);
  ForkHolds::NoteForkingThread();
  const bool held = listeners.BeforeFork();
  const pid_t child = fork();
  listeners.AfterFork(child == 0, held);
  if (child == 0) {
    const bool is_empty = listeners.IsEmpty();
    add(6);
    listeners.Notify(ProfilingState::Started);
    _exit(is_empty && heard == 1 && listeners.Remove(6) ? 7 : 1);
  }
  step = 2;
  changer.join();
  CHECK_FALSE(held);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  listeners.Notify(ProfilingState::Started);
  CHECK(heard == 1);
  CHECK(listeners.Remove(5));
  alarm(0);
}

}  // namespace
}  // namespace geckoprof
