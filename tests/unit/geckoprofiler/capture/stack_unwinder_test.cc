#include "capture/stack_unwinder.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "geckoprof/arch/registers.h"
#include "geckoprof/unwind/registers.h"
#include "runtime/fork_holds.h"
#include "tests/support/own_stack.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

// The library's one is never destroyed, and keeps what it has.
StackUnwinder& NewUnwinder() {
  static auto* const all = new std::vector<StackUnwinder*>();
  return *all->emplace_back(new StackUnwinder);
}

// What base would say of the calling function, and calls `use` with it.
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
      CHECK(out.is_complete());
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
    CHECK((out.frame(0).is_label() && out.frame(0).label == "first" && out.frame(0).category_pair == 7));
    CHECK(out.frame(1).label == "last");
    REQUIRE(unwinder.Unwind(stack, true, nullptr, out));
    CHECK_FALSE(out.frame(0).is_label());
    size_t first = 0;
    while (out.frame(first).label != "first") ++first;
    CHECK((first > 0 && first + 2 < out.size()));
    CHECK(out.frame(first + 1).label == "last");  // of another stack
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
    CHECK(out.frame(1).label == "two");
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
    CHECK(out.is_complete());
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
        if (!unwinder.Unwind(stack, true, nullptr, out) || !out.is_complete()) abort();
      });
    }
  });
  for (int i = 0; i < 50; ++i) {
    std::unique_lock<std::mutex> no_other(fork_mutex);
    ForkHolds::Note();
    const bool held = unwinder.BeforeFork();
    const pid_t child = fork();
    unwinder.AfterFork(child == 0, held);
    no_other.unlock();
    if (child == 0) {
      alarm(10);
      Backtrace out;
      bool good = false;
      WithOwnStack({}, [&](const HandoverStack& stack) {
        good = !unwinder.IsBusyHere() && unwinder.Unwind(stack, true, nullptr, out) && out.is_complete();
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

}  // namespace
}  // namespace geckoprof
