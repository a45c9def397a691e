#include <signal.h>
#include <sys/ucontext.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <iterator>
#include <vector>

#include "cfi_builder.h"
#include "geckoprof/unwind/machine_code.h"
#include "geckoprof/unwind/unwinder.h"

using namespace geckoprof;

namespace {

bool Is(const std::vector<uint8_t>& bytes) { return IsSignalTrampoline(bytes); }

// What a handler sees of its own signal frame: where the frame is and what the kernel says was interrupted.
struct Seen {
  uint64_t frame_avma = 0;     // sp in the trampoline
  std::vector<uint8_t> bytes;  // with room for any frame: a handler allocates nothing
  uint64_t pc = 0, sp = 0, fp = 0;
} g_seen;

void Handler(int, siginfo_t* info, void* context) {
  const auto* user = static_cast<const ucontext_t*>(context);
#ifdef __x86_64__
  (void)info;
  g_seen.frame_avma = reinterpret_cast<uint64_t>(user);
  g_seen.pc = static_cast<uint64_t>(user->uc_mcontext.gregs[REG_RIP]);
  g_seen.sp = static_cast<uint64_t>(user->uc_mcontext.gregs[REG_RSP]);
  g_seen.fp = static_cast<uint64_t>(user->uc_mcontext.gregs[REG_RBP]);
#else
  g_seen.frame_avma = reinterpret_cast<uint64_t>(info);
  g_seen.pc = user->uc_mcontext.pc;
  g_seen.sp = user->uc_mcontext.sp;
  g_seen.fp = user->uc_mcontext.regs[29];
#endif
  const auto* first = reinterpret_cast<const uint8_t*>(g_seen.frame_avma);
  g_seen.bytes.assign(first, reinterpret_cast<const uint8_t*>(user + 1));
}

}  // namespace

#ifdef __x86_64__
TEST_CASE("x86-64: all ways to write rt_sigreturn, and nothing else") {
  CHECK(Is({0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}));
  CHECK(Is({0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}));
  CHECK(Is({0x6a, 0x0f, 0x58, 0x0f, 0x05}));                                               // push $15; pop %rax
  CHECK(Is({0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}));              // endbr64; nop
  CHECK(Is({0x66, 0x0f, 0x1f, 0x44, 0, 0, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}));  // a long nop
  CHECK_FALSE(Is({0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xff, 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}));  // another instruction
  CHECK_FALSE(Is({0x90, 0x90, 0x90}));
  CHECK_FALSE(Is({0x48, 0xc7, 0xc0, 0x0e, 0, 0, 0, 0x0f, 0x05}));  // another system call
  CHECK_FALSE(Is({0xb8, 0x0f, 0, 0, 0, 0xcd, 0x80}));              // another way into the kernel
  CHECK_FALSE(Is({}));
}
#else
TEST_CASE("aarch64: rt_sigreturn and nothing else") {
  CHECK(Is({0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}));
  CHECK(Is({0x5f, 0x24, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}));  // bti c
  CHECK_FALSE(Is({0x1f, 0x20, 0x03, 0xd5}));                                                                    // nop
  CHECK_FALSE(Is({0x48, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}));  // another system call
  CHECK_FALSE(Is({}));
}
#endif

// Fills g_seen.
void SeeSignalFrame() {
  struct sigaction action {};
  struct sigaction before {};
  g_seen.bytes.reserve(64 * 1024);
  action.sa_sigaction = Handler;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  raise(SIGUSR1);
  REQUIRE(sigaction(SIGUSR1, &before, nullptr) == 0);
  REQUIRE(g_seen.sp > g_seen.frame_avma);
}

TEST_CASE("a walk goes on behind a signal frame, though nothing is written about the trampoline") {
  SeeSignalFrame();
#ifdef __x86_64__
  alignas(16) uint8_t code[64] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#else
  alignas(16) uint8_t code[64] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
#endif
  const auto code_avma = reinterpret_cast<uint64_t>(code);
  CfiBuilder cfi;
  cfi.AddCie("zR", {0x0c, kDwarfSp, 16, 0x80 | kDwarfLink, 1}, -8, kDwarfLink);
  cfi.AddFde(0x1000, 0x100, {});
  cfi.AddEnd();
  ModuleTable modules;
  modules.AddForTest(
      Module::ForTest(1, {code_avma - 64, code_avma + sizeof(code)}, code_avma, cfi.Header(), cfi.Section()));
  Unwinder unwinder(modules);
  const StackView stack{g_seen.bytes.data(), g_seen.frame_avma, g_seen.bytes.size()};
  UnwoundFrame frames[8];
  const UnwindResult result =
      unwinder.Unwind(Registers::FromPcAndSp(code_avma, g_seen.frame_avma), std::span(&stack, 1), frames);
  REQUIRE(result.frame_count >= 2);
  CHECK(frames[1].address == g_seen.pc + 1);
  CHECK(frames[1].cfa_or_sp == g_seen.sp);
  CHECK(result.fallback_frames == 0);
}

TEST_CASE("a trampoline right behind a function with unwind data is none of it") {
  SeeSignalFrame();
#ifdef __x86_64__
  alignas(16) uint8_t code[64] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#else
  alignas(16) uint8_t code[64] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
#endif
  const auto code_avma = reinterpret_cast<uint64_t>(code);
  // The function begins 32 bytes before the code, and its frame has 16 bytes. The handler's frame has 8 bytes.
  const uint64_t bias = code_avma - 0x1020;
  const uint64_t handler_avma = bias + 0x1000;
  CfiBuilder cfi;
  cfi.AddCie("zR", {0x0c, kDwarfSp, 16, 0x80 | kDwarfLink, 1}, -8, kDwarfLink);
  cfi.AddFde(0x1000, 0x20, {});
  cfi.AddEnd();
  ModuleTable modules;
  modules.AddForTest(Module::ForTest(1, {code_avma - 64, code_avma + sizeof(code)}, bias, cfi.Header(), cfi.Section()));
  Unwinder unwinder(modules);
  std::vector<uint8_t> bytes(16);
  std::memcpy(bytes.data() + 8, &code_avma, sizeof code_avma);
  bytes.insert(bytes.end(), g_seen.bytes.begin(), g_seen.bytes.end());
  const StackView stack{bytes.data(), g_seen.frame_avma - 16, bytes.size()};
  UnwoundFrame frames[8];
  for (int round = 0; round < 2; ++round) {
    const UnwindResult result =
        unwinder.Unwind(Registers::FromPcAndSp(handler_avma, g_seen.frame_avma - 16), std::span(&stack, 1), frames);
    REQUIRE(result.frame_count >= 3);
    CHECK(frames[1].address == code_avma + 1);
    CHECK(frames[2].address == g_seen.pc + 1);
    CHECK(frames[2].cfa_or_sp == g_seen.sp);
  }
}

TEST_CASE("the registers in a real signal frame are those of the interrupted code") {
  SeeSignalFrame();

  const StackView whole{g_seen.bytes.data(), g_seen.frame_avma, g_seen.bytes.size()};
  Registers registers = Registers::FromPcAndSp(0x1234, g_seen.frame_avma);
  uint64_t missing_avma = 0;
  REQUIRE(StepOverSignalFrame(std::span(&whole, 1), registers, missing_avma));
  CHECK(registers.pc() == g_seen.pc);
  CHECK(registers.sp() == g_seen.sp);
  CHECK(registers.fp() == g_seen.fp);
  CHECK(registers.known == Registers::kAllKnown);

  // A frame that was copied in part gives nothing, and says what is missing.
  const StackView part{g_seen.bytes.data(), g_seen.frame_avma, 160};
  registers = Registers::FromPcAndSp(0x1234, g_seen.frame_avma);
  CHECK_FALSE(StepOverSignalFrame(std::span(&part, 1), registers, missing_avma));
  CHECK(registers.pc() == 0x1234);
  CHECK(missing_avma >= g_seen.frame_avma);
  CHECK_FALSE(part.Contains(missing_avma, 8));
  CHECK(whole.Contains(missing_avma, 8));
}
