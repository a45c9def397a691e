#include "capture/stack_capture.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fake_base.h"
#include "geckoprof/arch/registers.h"
#include "geckoprof/unwind/registers.h"
#include "runtime/fork_holds.h"
#include "tests/support/own_stack.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

// Unwinders are never destroyed, as the library's own.
StackUnwinder& NewUnwinder() {
  static auto* const all = new std::vector<StackUnwinder*>();
  return *all->emplace_back(new StackUnwinder);
}

// Calls `use` with the calling function's stack, as base would capture it.
template <typename Use>
__attribute__((noinline)) void WithOwnStack(const std::vector<HandoverLabel>& labels, const Use& use) {
  Registers registers;
  HandoverStack stack = {};
  stack.known = registers.known = ReadCurrentRegisters(registers.values);
  for (size_t i = 0; i < kDwarfRegisterCount; ++i) stack.registers[i] = registers.values[i];
  stack.size_bytes = sizeof(stack);
  stack.source = HandoverStackSource::kSignal;  // so that the test's own frames, the library's here, are not left out
  stack.pc = registers.pc();
  stack.sp = registers.sp();
  stack.bytes = reinterpret_cast<const uint8_t*>(stack.sp);
  stack.bytes_avma = stack.sp;
  stack.byte_count = OwnStack().high - stack.sp;
  stack.label_count = static_cast<uint32_t>(labels.size());
  stack.labels = labels.data();
  stack.label_size_bytes = sizeof(HandoverLabel);
  use(stack);
  asm volatile("");
}

// Returns the label's text, or "none" for a native frame.
std::string LabelText(const geckoprof_frame& frame) {
  return frame.label == nullptr ? "none" : std::string(frame.label, frame.label_bytes);
}

bool HasFrameOf(const Backtrace& backtrace, const void* function, size_t bytes = 4096) {
  const auto low = reinterpret_cast<uintptr_t>(function);
  for (size_t i = 0; i < backtrace.size(); ++i) {
    if (backtrace.frame(i).address > low && backtrace.frame(i).address < low + bytes) return true;
  }
  return false;
}

TEST_CASE("a stack is unwound to its start, and the same again while warm") {
  StackUnwinder& unwinder = NewUnwinder();
  WithOwnStack({}, [&](const HandoverStack& stack) {
    for (int i = 0; i < 3; ++i) {
      Backtrace out;
      REQUIRE(unwinder.Unwind(stack, true, nullptr, out));
      CHECK(out.info.is_complete == 1);
      CHECK(out.size() > 3);
      CHECK(out.frame(out.size() - 1).address == stack.pc);  // innermost last
    }
  });
}

TEST_CASE("labels alone, and among frames by their stack address") {
  StackUnwinder& unwinder = NewUnwinder();
  int here = 0;
  const std::vector<HandoverLabel> labels = {{reinterpret_cast<uintptr_t>(&here), "first!", 5, 7}, {1, "last", 4, 8}};
  WithOwnStack(labels, [&](const HandoverStack& stack) {
    Backtrace out;
    REQUIRE(unwinder.Unwind(stack, false, nullptr, out));
    REQUIRE(out.size() == 2);
    CHECK((LabelText(out.frame(0)) == "first" && out.frame(0).category_pair == 7));
    CHECK(LabelText(out.frame(1)) == "last");
    REQUIRE(unwinder.Unwind(stack, true, nullptr, out));
    CHECK(out.frame(0).label == nullptr);
    size_t first = 0;
    while (LabelText(out.frame(first)) != "first") ++first;
    CHECK((first > 0 && first + 2 < out.size()));
    CHECK(LabelText(out.frame(first + 1)) == "last");  // of another stack
  });
}

TEST_CASE("an older base's shorter word, and longer labels of a newer one, are read as far as they go") {
  StackUnwinder& unwinder = NewUnwinder();
  struct Longer {
    HandoverLabel label;
    uint64_t more;
  } longer[2] = {{{20, "one", 3, 1}, 9}, {{10, "two", 3, 2}, 9}};
  WithOwnStack({}, [&](HandoverStack stack) {
    stack.labels = &longer[0].label;
    stack.label_count = 2;
    stack.label_size_bytes = sizeof(Longer);
    Backtrace out;
    REQUIRE(unwinder.Unwind(stack, false, nullptr, out));
    REQUIRE(out.size() == 2);
    CHECK(LabelText(out.frame(1)) == "two");
    stack.size_bytes = offsetof(HandoverStack, label_count);
    REQUIRE(unwinder.Unwind(stack, false, nullptr, out));
    CHECK(out.empty());
  });
}

TEST_CASE("a library that was loaded since is found, one that was unloaded is forgotten") {
  StackUnwinder& unwinder = NewUnwinder();
  Backtrace out;
  WithOwnStack({}, [&](const HandoverStack& stack) { REQUIRE(unwinder.Unwind(stack, true, nullptr, out)); });
  for (uint32_t unloads = 1; unloads < 4; ++unloads) {
    void* const plugin = dlopen(BACKTRACE_PLUGIN, RTLD_NOW);
    REQUIRE(plugin != nullptr);
    using Function = void (*)(void (*)(void*), void*);
    const auto call = reinterpret_cast<Function>(dlsym(plugin, "CallFromPlugin"));
    struct Argument {
      StackUnwinder& unwinder;
      Backtrace& out;
      uint32_t unloads;
    } argument{unwinder, out, unloads};
    call(
        [](void* context) {
          auto* const asked = static_cast<Argument*>(context);
          WithOwnStack({}, [asked](HandoverStack stack) {
            stack.unloads = asked->unloads;
            REQUIRE(asked->unwinder.Unwind(stack, true, nullptr, asked->out));
          });
        },
        &argument);
    CHECK(out.info.is_complete == 1);
    CHECK(HasFrameOf(out, reinterpret_cast<const void*>(call), 64));
    dlclose(plugin);
  }
}

TEST_CASE("threads take turns, and a forked child goes on whatever another thread was doing") {
  StackUnwinder& unwinder = NewUnwinder();
  std::atomic<bool> stop{false};
  std::mutex fork_mutex;  // the sanitizer's allocator keeps its locks over fork; its child would wait for them
  std::thread other([&] {
    while (!stop) {
      std::unique_lock<std::mutex> no_fork(fork_mutex, std::defer_lock);
      if (kIsSanitized) no_fork.lock();
      Backtrace out;
      WithOwnStack({}, [&](const HandoverStack& stack) {
        if (!unwinder.Unwind(stack, true, nullptr, out) || out.info.is_complete == 0) abort();
      });
    }
  });
  for (int i = 0; i < 50; ++i) {
    std::unique_lock<std::mutex> no_other(fork_mutex);
    ForkHolds::NoteForkingThread();
    const bool held = unwinder.BeforeFork();
    const pid_t child = fork();
    unwinder.AfterFork(child == 0, held);
    no_other.unlock();
    if (child == 0) {
      alarm(10);
      Backtrace out;
      bool good = false;
      WithOwnStack({}, [&](const HandoverStack& stack) {
        good = !unwinder.IsBusyHere() && unwinder.Unwind(stack, true, nullptr, out) && out.info.is_complete == 1;
      });
      _exit(good ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
  }
  stop = true;
  other.join();
}

TEST_CASE("what base captured becomes frames, without native ones if so asked") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  Backtrace frames;
  // The capture keeps its modules for the next stack. Nothing frees them, because the library never ends.
  static StackCapture& capture = *new StackCapture(base);
  REQUIRE(capture.Capture({ThreadId::FromNumber(7), false, 5}, frames).status == ProfilerStatus::kDone);
  CHECK(fake.calls.back() == "sample 7");
  CHECK(frames.info.is_main == 1);
  CHECK(frames.info.innermost_address == 0x1234);
  REQUIRE(frames.size() == 1);
  CHECK(LabelText(frames.frame(0)) == "fake label");
  CHECK(frames.frame(0).category_pair == 0x100);
}

TEST_CASE("a refusal leaves no frames") {
  FakeBase fake;
  fake.sample_result = static_cast<int32_t>(HandoverSample::kSignalBlocked);
  const BaseLink base(&fake.table);
  Backtrace frames;
  frames.AddAddress(1);
  StackCapture capture(base);
  CHECK(capture.Capture({}, frames).status == ProfilerStatus::kThreadSignalBlocked);
  CHECK(frames.empty());
  const BaseLink none(nullptr);
  CHECK(StackCapture(none).Capture({}, frames).status == ProfilerStatus::kNoBase);
}

TEST_CASE("a backtrace owns its labels, also when it is moved") {
  Backtrace first;
  first.AddAddress(0);  // none
  first.AddAddress(0x10);
  {
    const std::string label(100, 'x');
    first.AddLabel(label, 0x201);
  }
  first.AddLabel("", 0);
  first.info.is_complete = 1;
  const Backtrace second = std::move(first);
  REQUIRE(second.size() == 3);
  CHECK((second.frame(0).address == 0x10 && second.frame(0).label == nullptr));
  CHECK((LabelText(second.frame(1)) == std::string(100, 'x')));
  CHECK(second.frame(1).category_pair == 0x201);
  CHECK((LabelText(second.frame(2)) == ""));
  CHECK(second.info.is_complete == 1);
}

}  // namespace
}  // namespace geckoprof
