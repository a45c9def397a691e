// The unwinder on this process's own stacks, frame by frame against libunwind's local unw_step from the same context.
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "geckoprof/arch/signal_frame.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/unwind/unwinder.h"

using namespace geckoprof;

namespace {

constexpr size_t kFrames = 512;

struct Seen {
  UnwindResult ours;
  UnwoundFrame our_frames[kFrames];
  size_t their_count = 0;
  uint64_t their_pcs[kFrames];
};
Seen g_seen;
ModuleTable* g_modules = nullptr;

// Runs in a signal handler, raised synchronously: both unwinders start from the interrupted context.
void Capture(int, siginfo_t*, void* context) {
  static Unwinder unwinder(*g_modules);
  Registers registers;
  CopyUcontextRegisters(*static_cast<ucontext_t*>(context), registers.values);
  registers.known = Registers::kAllKnown;
  const uint64_t end = g_modules->StackRegionEnd(registers.sp());
  const StackView stack{reinterpret_cast<const uint8_t*>(registers.sp()), registers.sp(),
                        static_cast<size_t>(end - registers.sp())};
  g_seen.ours = unwinder.Unwind(registers, stack, g_seen.our_frames);

  unw_cursor_t cursor;
  g_seen.their_count = 0;
  if (unw_init_local2(&cursor, static_cast<unw_context_t*>(context), UNW_INIT_SIGNAL_FRAME) != 0) return;
  bool exact = false;
  int stepped = 0;
  do {
    unw_word_t pc = 0;
    unw_get_reg(&cursor, UNW_REG_IP, &pc);
    if (pc == 0) break;
    g_seen.their_pcs[g_seen.their_count++] = pc + (exact ? 1 : 0);
    // libunwind says of the interrupted frame, not of the trampoline, that it is a signal frame.
    stepped = unw_step(&cursor);
    exact = unw_is_signal_frame(&cursor) > 0;
    if (exact) ++g_seen.their_pcs[g_seen.their_count - 1];  // the trampoline's first instruction, behind no call
  } while (g_seen.their_count < kFrames && stepped > 0);
}

void Refresh() {
  static ModuleTable modules;
  std::string text;
  REQUIRE(ReadWholeFile("/proc/self/maps", text) == 0);
  modules.Refresh(text, 0);
  g_modules = &modules;
  struct sigaction action {};
  action.sa_sigaction = Capture;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0);
}

void CheckEqual(size_t at_least) {
  CAPTURE(std::string(ToText(g_seen.ours.end)));
  CHECK(g_seen.ours.end == UnwindEnd::kReachedStart);
  CHECK(g_seen.ours.fallback_frames == 0);
  CHECK(g_seen.ours.frame_count >= at_least);
  REQUIRE(g_seen.ours.frame_count == g_seen.their_count);
  for (size_t i = 0; i < g_seen.their_count; ++i) CHECK(g_seen.our_frames[i].address == g_seen.their_pcs[i]);
}

[[gnu::noinline]] int Recurse(int depth) {
  if (depth == 0) {
    raise(SIGUSR1);
    return 1;
  }
  volatile char pad[24] = {};
  return Recurse(depth - 1) + pad[3] + 1;
}

[[gnu::noinline]] int VariableFrame(size_t size_bytes) {
  auto* bytes = static_cast<volatile char*>(alloca(size_bytes));
  bytes[size_bytes - 1] = 1;
  raise(SIGUSR1);
  return bytes[size_bytes - 1];
}

[[gnu::noinline]] int RealignedFrame() {
  alignas(64) volatile char bytes[128] = {};
  raise(SIGUSR1);
  return bytes[5];
}

int CompareAndRaise(const void* a, const void* b) {
  static int calls = 0;
  if (++calls == 3) raise(SIGUSR1);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

struct RaisesWhenUnwound {
  ~RaisesWhenUnwound() { raise(SIGUSR1); }
};
[[gnu::noinline]] void Throw() {
  RaisesWhenUnwound guard;
  throw 1;
}

void RaiseInHandler(int) { raise(SIGUSR1); }

void* RecurseInThread(void*) {
  Recurse(5);
  return nullptr;
}

// Code made at run time that saves the frame pointer, as a stub does, and then uses the register for something else.
class GeneratedCall {
 public:
  GeneratedCall() : page_(mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    constexpr uint8_t kCode[] = {
        0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,  // a region does not begin with code that returns
        0x55,                                            // push %rbp
        0x6a, 0x00, 0x6a, 0x00, 0x6a, 0x00, 0x6a, 0x00,  // push $0, four times: nothing older is found there
        0x48, 0xc7, 0xc5, 0x07, 0x00, 0x00, 0x00,        // mov $7,%rbp
        0xff, 0xd7,                                      // call *%rdi
        0x85, 0xc0,              // test %eax, %eax: the code behind the call tells no return address
        0x48, 0x83, 0xc4, 0x20,  // add $32,%rsp
        0x5d, 0xc3,              // pop %rbp; ret
    };
    memcpy(page_, kCode, sizeof(kCode));
  }
  ~GeneratedCall() { munmap(page_, 4096); }
  void Call(void (*function)()) const {
    reinterpret_cast<void (*)(void (*)())>(static_cast<uint8_t*>(page_) + 8)(function);
  }

 private:
  void* const page_;
};

[[gnu::noinline]] int CallGenerated(const GeneratedCall& code, size_t size_bytes) {
  auto* bytes = static_cast<volatile char*>(alloca(size_bytes));  // so its frame is found by the frame pointer
  bytes[0] = 1;
  code.Call([] { raise(SIGUSR1); });
  return bytes[0];
}

// Hand-written code that pushes 0, and its own address on the stack; its unwind data speaks of neither. Raises in
// between.
extern "C" void PushZeroSilently(void (*raise)());
extern "C" void PushStackSilently(void (*raise)());
#define PUSHES_SILENTLY(name, pushed)                            \
  __asm__(".pushsection .text\n.type " name ", @function\n" name \
          ":\n.cfi_startproc\npush %rbx\npush %rbx\n"            \
          "push " pushed                                         \
          "\n"                                                   \
          "call *%rdi\npop %rax\npop %rbx\npop %rbx\n"           \
          "ret\n.cfi_endproc\n.size " name ", .-" name "\n.popsection\n")
PUSHES_SILENTLY("PushZeroSilently", "$0");
PUSHES_SILENTLY("PushStackSilently", "%rsp");

[[gnu::noinline]] void CallSilent(void (*silent)(void (*)())) {
  silent([] { raise(SIGUSR1); });
  __asm__ volatile("");  // so that the call is none in the tail
}

}  // namespace

TEST_CASE("the caller of code that pushes, and whose unwind data says nothing of it, is found by a scan") {
  Refresh();
  for (const auto silent : {&PushZeroSilently, &PushStackSilently}) {
    CallSilent(silent);
    CAPTURE(std::string(ToText(g_seen.ours.end)));
    CHECK(g_seen.ours.end == UnwindEnd::kReachedStart);
    // Where the caller has a frame pointer, whose value nobody knows behind a scan, it is found without its data, too.
    CHECK((g_seen.ours.fallback_frames == 1 || g_seen.ours.fallback_frames == 2));
    const auto within = [](const UnwoundFrame& frame, auto* function, uint64_t bytes) {
      const auto begin = reinterpret_cast<uint64_t>(function);
      return frame.address > begin && frame.address - begin < bytes;
    };
    size_t i = 0;
    while (i < g_seen.ours.frame_count && !within(g_seen.our_frames[i], silent, 16)) ++i;
    REQUIRE(i + 1 < g_seen.ours.frame_count);
    CHECK(within(g_seen.our_frames[i + 1], &CallSilent, 1024));
  }
}

TEST_CASE(
    "generated code that uses the frame pointer for itself is passed by a scan, and its caller's is found again") {
  const GeneratedCall code;
  Refresh();
  CallGenerated(code, 100);
  CAPTURE(std::string(ToText(g_seen.ours.end)));
  CHECK(g_seen.ours.end == UnwindEnd::kReachedStart);
  CHECK(g_seen.ours.fallback_frames == 1);
}

TEST_CASE("a second stretch of generated code behind a scan ends the stack: one guess is not built upon another") {
  static const GeneratedCall code;
  Refresh();
  code.Call([] { CallGenerated(code, 100); });
  CHECK(g_seen.ours.end == UnwindEnd::kNoModule);
  CHECK(g_seen.ours.fallback_frames == 1);
}

TEST_CASE("recursion") {
  Refresh();
  Recurse(100);
  CheckEqual(105);
}

TEST_CASE("frames of variable size and realigned frames") {
  Refresh();
  for (const size_t size_bytes : {1u, 100u, 5000u}) {
    VariableFrame(size_bytes);
    CheckEqual(4);
  }
  RealignedFrame();
  CheckEqual(4);
}

TEST_CASE("a callback from libc") {
  Refresh();
  int values[] = {5, 3, 8, 1, 9, 2};
  qsort(values, 6, sizeof values[0], CompareAndRaise);
  CheckEqual(6);
}

TEST_CASE("a destructor that an exception in flight runs") {
  Refresh();
  try {
    Throw();
  } catch (int) {
  }
  CheckEqual(6);
}

TEST_CASE("through a signal frame to the code that was interrupted") {
  Refresh();
  struct sigaction action {};
  action.sa_handler = RaiseInHandler;
  REQUIRE(sigaction(SIGUSR2, &action, nullptr) == 0);
  raise(SIGUSR2);
  CheckEqual(8);
}

TEST_CASE("a signal frame on an alternate stack, with the main stack not copied") {
  Refresh();
  std::vector<char> memory(128 * 1024);
  stack_t alternate{};
  alternate.ss_sp = memory.data();
  alternate.ss_size = memory.size();
  REQUIRE(sigaltstack(&alternate, nullptr) == 0);
  struct sigaction action {};
  action.sa_handler = RaiseInHandler;
  action.sa_flags = SA_ONSTACK;
  REQUIRE(sigaction(SIGUSR2, &action, nullptr) == 0);
  Refresh();
  raise(SIGUSR2);
  alternate.ss_flags = SS_DISABLE;
  REQUIRE(sigaltstack(&alternate, nullptr) == 0);
  // All of the handler's frames, the trampoline and the interrupted function: then the other stack is needed.
  CHECK(g_seen.ours.end == UnwindEnd::kStackCut);
  REQUIRE(g_seen.ours.frame_count >= 4);
  for (size_t i = 0; i < g_seen.ours.frame_count; ++i) CHECK(g_seen.our_frames[i].address == g_seen.their_pcs[i]);
}

TEST_CASE("a thread, down to clone") {
  Refresh();
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::vector<char> stack(1 << 20);
  pthread_attr_setstack(&attributes, reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(stack.data()) + 63) & ~63ul),
                        stack.size() - 64);
  Refresh();
  REQUIRE(pthread_create(&thread, &attributes, RecurseInThread, nullptr) == 0);
  pthread_join(thread, nullptr);
  CheckEqual(8);
}
