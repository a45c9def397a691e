// Entries that a longjmp leaves on the stack of labels. Each case runs in a forked child, since a process has one core.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>

#include "baseprofiler/c/geckoprof_base.h"
#include "baseprofiler/labels.h"
#include "core/profiler_core.h"
#include "geckoprof/signal/open_labels.h"
#include "labels/own_labels.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"
#include "tests/support/own_stack.h"

namespace geckoprof {
namespace {

// The library in this process, which knows where the stack of the main thread lies.
void LoadWithBounds() { RecordingFolder::Load(OwnStack().high); }

// The labels that a sample or a marker of the calling function would show now.
__attribute__((noinline)) std::string Shown() {
  const auto sp = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  const ThreadSlot& slot = *RecordingState::Get().slots().Current();
  std::string shown;
  ForEachOpenLabel(slot.labels, RecordingState::Get().StackOf(slot).Below(sp), [&](const LabelFrame& frame, uintptr_t) {
    shown += std::string(frame.label) + " ";
    return true;
  });
  return shown;
}

jmp_buf g_back;
std::atomic<bool> g_always{true};
void Jump() {
  if (g_always.load()) longjmp(g_back, 1);
}

__attribute__((noinline)) void OpenAndJump(int levels) {
  geckoprof_label_stack* const own = geckoprof_base_own_labels();
  geckoprof_base_label_push(own, "left", nullptr, 0x100);
  if (levels > 1) OpenAndJump(levels - 1);
  Jump();
}

TEST_CASE("stale labels: a jump out of functions leaves entries that no sample shows, and the next push drops") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          AUTO_PROFILER_LABEL("outer", OTHER);
          for (static int round = 0; round < 1000; ++round) {
            if (setjmp(g_back) == 0) OpenAndJump(3);
            FORKED_REQUIRE(OwnLabels().depth() == 4 && Shown() == "outer ");
            AUTO_PROFILER_LABEL("next", OTHER);
            FORKED_REQUIRE(Texts() == "outer next " && Shown() == "outer next ");
          }
          FORKED_REQUIRE(Texts() == "outer ");
          return 0;
        }) == 0);
}

TEST_CASE("stale labels: a label that is opened by a call drops them, too, wherever its scope lies") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          static int on_heap = 0;
          if (setjmp(g_back) == 0) OpenAndJump(2);
          void* const opened = geckoprof_open_label("opened", nullptr, GECKOPROF_CATEGORY_OTHER, &on_heap);
          FORKED_REQUIRE(Texts() == "opened ");
          geckoprof_close_label(opened);
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          if (setjmp(g_back) == 0) OpenAndJump(2);
          GECKOPROF_LABEL("block", GECKOPROF_CATEGORY_OTHER);
          FORKED_REQUIRE(Texts() == "block ");
          return 0;
        }) == 0);
}

// The label lies in the frame that calls setjmp, so it is not below the stack pointer there.
__attribute__((noinline)) int JumpWithinFunction() {
  if (setjmp(g_back) == 0) {
    AUTO_PROFILER_LABEL("block", OTHER);
    Jump();
  }
  FORKED_REQUIRE(Shown() == "outer block ");
  {
    AUTO_PROFILER_LABEL("next", OTHER);
    FORKED_REQUIRE(Texts() == "outer block next ");
  }
  FORKED_REQUIRE(Texts() == "outer block ");
  return 0;
}

TEST_CASE("stale labels: a label of the function that called setjmp is stale once that function has returned") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          AUTO_PROFILER_LABEL("outer", OTHER);
          FORKED_REQUIRE(JumpWithinFunction() == 0);
          FORKED_REQUIRE(Texts() == "outer block " && Shown() == "outer ");
          AUTO_PROFILER_LABEL("next", OTHER);
          FORKED_REQUIRE(Texts() == "outer next ");
          return 0;
        }) == 0);
}

TEST_CASE("stale labels: the end of a scope restores the depth from before its push, also after it dropped entries") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          {
            AUTO_PROFILER_LABEL("outer", OTHER);
            if (setjmp(g_back) == 0) OpenAndJump(3);
          }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          if (setjmp(g_back) == 0) OpenAndJump(3);
          FORKED_REQUIRE(OwnLabels().depth() == 3);
          { AUTO_PROFILER_LABEL("next", OTHER); }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("stale labels: entries past the capacity go with those before them") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          {
            AUTO_PROFILER_LABEL("outer", OTHER);
            if (setjmp(g_back) == 0) OpenAndJump(2 * ProfilingStack::kCapacity);
            FORKED_REQUIRE(OwnLabels().depth() == 1 + 2 * ProfilingStack::kCapacity && Shown() == "outer ");
            AUTO_PROFILER_LABEL("next", OTHER);
            FORKED_REQUIRE(Texts() == "outer next ");
          }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("stale labels: nothing is dropped where the bounds of the stack are unknown") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          {
            AUTO_PROFILER_LABEL("outer", OTHER);
            if (setjmp(g_back) == 0) OpenAndJump(2);
            AUTO_PROFILER_LABEL("next", OTHER);
            FORKED_REQUIRE(Texts() == "outer left left next " && Shown() == Texts());
          }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

constexpr size_t kStackBytes = 1 << 16;
std::string g_in_handler;
void JumpFromHandler(int) {
  AUTO_PROFILER_LABEL("handler", OTHER);
  g_in_handler = Texts();
  siglongjmp(g_back, 1);
}

// Handles SIGUSR1 on `memory` from now on.
bool UseAlternateStack(char* memory, void (*handler)(int)) {
  const stack_t stack = {memory, 0, kStackBytes};
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  return sigaltstack(&stack, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0;
}

__attribute__((noinline)) void RaiseDeep() {
  AUTO_PROFILER_LABEL("interrupted", OTHER);
  raise(SIGUSR1);
}

TEST_CASE("stale labels: a handler that jumps off the alternate stack leaves its label to the scope around it") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          static char memory[kStackBytes];
          FORKED_REQUIRE(UseAlternateStack(memory, &JumpFromHandler));
          {
            AUTO_PROFILER_LABEL("outer", OTHER);
            if (sigsetjmp(g_back, 1) == 0) RaiseDeep();
            FORKED_REQUIRE(g_in_handler == "outer interrupted handler ");
            FORKED_REQUIRE(Shown() == "outer handler ");  // the handler's lies on another stack
            AUTO_PROFILER_LABEL("next", OTHER);
            FORKED_REQUIRE(Texts() == "outer interrupted handler next ");
          }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

void LabelInHandler(int) {
  AUTO_PROFILER_LABEL("handler", OTHER);
  g_in_handler = Texts();
}

// Small programs have such an array in main. The interrupted function lies below the handler's stack pointer.
TEST_CASE("stale labels: nothing is dropped on an alternate stack that lies on the thread's own one") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          alignas(16) char memory[kStackBytes];
          FORKED_REQUIRE(UseAlternateStack(memory, &LabelInHandler));
          AUTO_PROFILER_LABEL("outer", OTHER);
          RaiseDeep();
          FORKED_REQUIRE(g_in_handler == "outer interrupted handler " && Texts() == "outer ");
          return 0;
        }) == 0);
}

ucontext_t g_own_context, g_coroutine_context;
std::string g_in_coroutine, g_resumed;
void Coroutine() {
  AUTO_PROFILER_LABEL("coroutine", OTHER);
  g_in_coroutine = Texts() + "| " + Shown();
  swapcontext(&g_coroutine_context, &g_own_context);
  AUTO_PROFILER_LABEL("resumed", OTHER);
  g_resumed = Texts() + "| " + Shown();
}

// Runs it on this stack, which may lie higher or lower than the thread's own one.
int CheckCoroutineOn(char* stack) {
  getcontext(&g_coroutine_context);
  g_coroutine_context.uc_stack.ss_sp = stack;
  g_coroutine_context.uc_stack.ss_size = kStackBytes;
  g_coroutine_context.uc_link = &g_own_context;
  makecontext(&g_coroutine_context, &Coroutine, 0);
  AUTO_PROFILER_LABEL("outer", OTHER);
  swapcontext(&g_own_context, &g_coroutine_context);
  FORKED_REQUIRE(g_in_coroutine == "outer coroutine | outer coroutine ");
  {
    AUTO_PROFILER_LABEL("meanwhile", OTHER);
    FORKED_REQUIRE(Texts() == "outer coroutine meanwhile " && Shown() == Texts());
  }
  swapcontext(&g_own_context, &g_coroutine_context);
  FORKED_REQUIRE(g_resumed == "outer coroutine resumed | outer coroutine resumed ");
  FORKED_REQUIRE(Texts() == "outer ");
  return 0;
}

TEST_CASE("stale labels: nothing is dropped while a coroutine runs or waits, whose stack lies higher or lower") {
  CHECK(StatusInChild([] {
          LoadWithBounds();
          static char lower[kStackBytes];  // The main thread's stack lies higher than the program's data.
          FORKED_REQUIRE(reinterpret_cast<uintptr_t>(lower) < OwnStack().low);
          return CheckCoroutineOn(lower);
        }) == 0);
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          constexpr size_t kThreadBytes = 4 * kStackBytes;
          alignas(4096) static char memory[kThreadBytes + kStackBytes];  // the thread's stack, then the coroutine's
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          FORKED_REQUIRE(pthread_attr_setstack(&attributes, memory, kThreadBytes) == 0);
          const auto run = [](void* status) -> void* {
            ThreadSlot& slot = *RecordingState::Get().slots().Current();
            slot.stack_low = reinterpret_cast<uintptr_t>(memory);
            slot.stack_high = slot.stack_low + kThreadBytes;
            *static_cast<int*>(status) = CheckCoroutineOn(memory + kThreadBytes);
            return nullptr;
          };
          int status = 1;
          pthread_t thread;
          FORKED_REQUIRE(pthread_create(&thread, &attributes, run, &status) == 0);
          pthread_join(thread, nullptr);
          return status;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
