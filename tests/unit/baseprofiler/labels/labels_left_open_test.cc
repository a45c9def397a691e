// What leaves the scope of a label without its end: each case in a forked child, as a process has one core.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "baseprofiler/labels.h"
#include "core/profiler_core.h"
#include "labels/own_labels.h"
#include "labels/twenty_labels.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

jmp_buf g_back;
std::atomic<bool> g_always{true};
__attribute__((noinline)) void LeaveBehind(int levels) {
  geckoprof_label_stack* const own = geckoprof_base_own_labels();
  geckoprof_base_label_push(own, "left behind", nullptr, 0x100);
  if (levels > 1) LeaveBehind(levels - 1);
  if (g_always.load()) longjmp(g_back, 1);  // always
}

TEST_CASE("labels: what a longjmp leaves open is gone with the next label, and never piles up") {
  CHECK(StatusInChild([] {
          std::thread([] {
            _exit([] {
              // A thread of a recording's, so that the bounds of its stack are known.
              RecordingFolder::Load();
              ThreadSlot* const slot = RecordingState::Get().slots().Current();
              pthread_attr_t attributes;
              void* low = nullptr;
              size_t size = 0;
              pthread_getattr_np(pthread_self(), &attributes);
              pthread_attr_getstack(&attributes, &low, &size);
              slot->stack_low = reinterpret_cast<uintptr_t>(low);
              slot->stack_high = slot->stack_low + size;
              AUTO_PROFILER_LABEL("outer", OTHER);
              for (static int round = 0; round < 1000; ++round) {
                if (setjmp(g_back) == 0) LeaveBehind(3);
                FORKED_REQUIRE(OwnLabels().depth() == 4);
                AUTO_PROFILER_LABEL("next", OTHER);
                FORKED_REQUIRE(Texts() == "outer next ");
              }
              FORKED_REQUIRE(Texts() == "outer ");
              return 0;
            }());
          }).join();
          return 1;
        }) == 0);
}

// Functions with frames alike, called from one place: what one leaves open lies where the other's label does.
__attribute__((noinline)) int Parse(int /*unused*/) {
  AUTO_PROFILER_LABEL("parse", OTHER);
  if (g_always.load()) longjmp(g_back, 1);  // always
  return 0;
}
std::string g_texts;
__attribute__((noinline)) int Good(int /*unused*/) {
  AUTO_PROFILER_LABEL("good", OTHER);
  AUTO_PROFILER_LABEL("good, too", OTHER);
  g_texts = Texts();
  return 0;
}
__attribute__((noinline)) int Large(int value) {
  volatile char bytes[5000];  // whatever was left lies inside
  bytes[value] = 1;
  AUTO_PROFILER_LABEL("large", OTHER);
  g_texts = Texts();
  return bytes[value];
}

TEST_CASE("labels: what a longjmp left open in the place of a frame that opens one is not taken for its own") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          AUTO_PROFILER_LABEL("outer", OTHER);
          for (static int round = 0; round < 200; ++round) {
            if (setjmp(g_back) == 0) Parse(round);
            FORKED_REQUIRE(Texts() == "outer parse ");  // one, however many there were
          }
          Good(0);
          FORKED_REQUIRE(g_texts == "outer good good, too ");
          if (setjmp(g_back) == 0) Parse(0);
          Large(1);
          FORKED_REQUIRE(g_texts == "outer large " && Texts() == "outer ");
          return 0;
        }) == 0);
}

char g_signal_stack[1 << 16];
void JumpFromHandler(int) {
  AUTO_PROFILER_LABEL("handler", OTHER);
  siglongjmp(g_back, 1);
}

TEST_CASE("labels: what a handler on the alternate stack left open is gone with the next label") {
  CHECK(StatusInChild([] {
          ProfilerCore::Get().OnConstructor(
              {reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + 100'000, MonotonicNs()}, nullptr);
          const stack_t stack = {g_signal_stack, 0, sizeof g_signal_stack};
          struct sigaction action = {};
          action.sa_handler = &JumpFromHandler;
          action.sa_flags = SA_ONSTACK;
          FORKED_REQUIRE(sigaltstack(&stack, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0);
          AUTO_PROFILER_LABEL("outer", OTHER);
          for (static int round = 0; round < 100; ++round) {
            if (sigsetjmp(g_back, 1) == 0) raise(SIGUSR1);
            AUTO_PROFILER_LABEL("next", OTHER);
            FORKED_REQUIRE(Texts() == "outer next ");
          }
          return 0;
        }) == 0);
}

TEST_CASE("labels: what a longjmp leaves open on a stack that nobody knows goes with the label around it") {
  CHECK(StatusInChild([] {
          ProfilerCore::Get().OnConstructor({0, MonotonicNs()}, nullptr);
          {
            AUTO_PROFILER_LABEL("outer", OTHER);
            for (static int round = 0; round < 100; ++round) {
              if (setjmp(g_back) == 0) LeaveBehind(2);
            }
            FORKED_REQUIRE(OwnLabels().depth() > 2);
          }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

// Left with two labels open, or with three.
__attribute__((noinline)) void LeaveSeveral(bool is_long) {
  AUTO_PROFILER_LABEL("first", OTHER);
  if (is_long) {
    AUTO_PROFILER_LABEL("second", OTHER);
    AUTO_PROFILER_LABEL("third", OTHER);  // NOLINT: on one line
    g_texts = Texts();
    if (g_always.load()) longjmp(g_back, 1);
  }
  AUTO_PROFILER_LABEL("other", OTHER);
  g_texts = Texts();
  if (g_always.load()) longjmp(g_back, 1);
}

TEST_CASE("labels: what is left of a function with several open is gone when it is called again from the same place") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          AUTO_PROFILER_LABEL("outer", OTHER);
          for (static int round = 0; round < 200; ++round) {
            if (setjmp(g_back) == 0) LeaveSeveral(round % 3 == 0);
            FORKED_REQUIRE(g_texts == (round % 3 == 0 ? "outer first second third " : "outer first other "));
          }
          return 0;
        }) == 0);
}

// The label's words differ from call to call.
__attribute__((noinline)) void LeaveNamed(const char* name) {
  AUTO_PROFILER_LABEL(name, OTHER);
  g_texts = Texts();
  if (g_always.load()) longjmp(g_back, 1);
}

TEST_CASE("labels: what is left of a function whose label has another name each time does not pile up") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          AUTO_PROFILER_LABEL("outer", OTHER);
          for (static int round = 0; round < 200; ++round) {
            static const char* const kNames[] = {"a", "b", "c"};
            if (setjmp(g_back) == 0) LeaveNamed(kNames[round % 3]);
            FORKED_REQUIRE(g_texts == std::string("outer ") + kNames[round % 3] + " ");
          }
          return 0;
        }) == 0);
}

__attribute__((noinline)) void Jump() {
  if (g_always.load()) longjmp(g_back, 1);
}

TEST_CASE("labels: of a function that jumps back to itself, those that it opened before stay") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          AUTO_PROFILER_LABEL("before", OTHER);
          for (static int round = 0; round < 200; ++round) {
            if (setjmp(g_back) == 0) {
              AUTO_PROFILER_LABEL("block", OTHER);
              FORKED_REQUIRE(Texts() == "before block ");
              Jump();
            }
          }
          return 0;
        }) == 0);
}

TEST_CASE("labels: many of a function are open at once, of the same words too, and not optimised") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          std::string expected;
          for (int i = 0; i < 20; ++i) expected += "many ";
          FORKED_REQUIRE(TextsOfTwenty() == expected && OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

// As optimisers inline recursion: labels of the same words and line that are open at once, in one frame.
template <int kLevels>
inline __attribute__((always_inline)) void InlinedIntoItself() {
  AUTO_PROFILER_LABEL("level", OTHER);
  AUTO_PROFILER_LABEL("too", OTHER);
  if constexpr (kLevels > 1) {
    InlinedIntoItself<kLevels - 1>();
  } else {
    g_texts = Texts();
  }
}

TEST_CASE("labels: what is inlined into itself has all of its labels") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          for (int round = 0; round < 3; ++round) {
            InlinedIntoItself<4>();
            FORKED_REQUIRE(g_texts == "level too level too level too level too " && OwnLabels().depth() == 0);
          }
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
