#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "core/profiler_core.h"
#include "hooks/hook_calls.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

std::string NameOf(const ThreadSlot* slot) {
  char name[ThreadSlot::kNameBytes];
  return slot != nullptr && slot->CopyKernelName(name) ? name : "";
}

// A thread whose slot can be looked at while it lives.
template <typename Function>
std::string NameAfter(const Function& function) {
  std::string name;
  std::thread([&] {
    function();
    name = NameOf(ThreadSlots::Known());
  }).join();
  return name;
}

TEST_CASE("names that a thread gives itself are in its slot, as the kernel has them") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          FORKED_REQUIRE(NameAfter([] {}).empty());
          FORKED_REQUIRE(NameAfter([] { prctl(PR_SET_NAME, "by prctl", 0, 0, 0); }) == "by prctl");
          FORKED_REQUIRE(NameAfter([] { pthread_setname_np(pthread_self(), "by pthread"); }) == "by pthread");
          FORKED_REQUIRE(NameAfter([] { prctl(PR_SET_NAME, "longer than fifteen bytes", 0, 0, 0); }) ==
                         "longer than fif");
          FORKED_REQUIRE(NameAfter([] {
                           prctl(PR_SET_NAME, "first", 0, 0, 0);
                           prctl(PR_SET_NAME, "2", 0, 0, 0);
                         }) == "2");
          return 7;
        }) == 7);
}

TEST_CASE("a thread without a slot has one from its first name on") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          FORKED_REQUIRE(ThreadSlots::Known() == nullptr);
          FORKED_REQUIRE(prctl(PR_SET_NAME, "first", 0, 0, 0) == 0 && NameOf(ThreadSlots::Known()) == "first");
          FORKED_REQUIRE(pthread_setname_np(pthread_self(), "second") == 0 && NameOf(ThreadSlots::Known()) == "second");
          return 7;
        }) == 7);
}

TEST_CASE("what gives no name leaves it, and errno is libc's") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          bool fine = false;
          const std::string name = NameAfter([&fine] {
            prctl(PR_SET_NAME, "kept", 0, 0, 0);
            errno = 5;
            prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
            fine = errno == 5 && prctl(PR_SET_NAME, nullptr, 0, 0, 0) == -1 && errno == EFAULT &&
                   pthread_setname_np(pthread_self(), "longer than fifteen") == ERANGE;
          });
          FORKED_REQUIRE(fine && name == "kept");
          return 7;
        }) == 7);
}

TEST_CASE("a thread that another one names") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          std::atomic<const ThreadSlot*> slot{nullptr};
          std::atomic<bool> ends{false};
          std::thread thread([&] {
            slot = ThreadSlots::Known();
            while (!ends) std::this_thread::yield();
          });
          while (slot == nullptr) std::this_thread::yield();
          FORKED_REQUIRE(pthread_setname_np(thread.native_handle(), "by another") == 0);
          FORKED_REQUIRE(NameOf(slot) == "by another" && NameOf(ThreadSlots::Known()) != "by another");
          ends = true;
          thread.join();
          return 7;
        }) == 7);
}

TEST_CASE("while nothing is recorded nobody is told") {
  CHECK(StatusInChild([] {
          const uint32_t before = RecordingState::Get().control().announced.load();
          FORKED_REQUIRE(prctl(PR_SET_NAME, "alone", 0, 0, 0) == 0);
          FORKED_REQUIRE(pthread_setname_np(pthread_self(), "alone") == 0);
          FORKED_REQUIRE(RecordingState::Get().control().announced.load() == before);
          return 7;
        }) == 7);
}

}  // namespace
}  // namespace geckoprof
