// Interrupts a piece of code at each of its instructions in turn, so that no window is too narrow for a test.
#ifndef GECKOPROF_TESTS_SUPPORT_INTERRUPTED_AT_H_
#define GECKOPROF_TESTS_SUPPORT_INTERRUPTED_AT_H_

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#if defined(__x86_64__)
#define GECKOPROF_CAN_INTERRUPT_AT 1

namespace geckoprof {
namespace internal {

constexpr greg_t kTrapFlag = 0x100;  // Intel SDM, volume 3, 18.3.1.4: a debug exception after each instruction
inline uint64_t g_instructions_left = 0;
inline bool g_was_interrupted = false;
inline void (*g_interruption)() = nullptr;

// The kernel clears the flag for the handler itself.
inline void OnTrap(int /*signal*/, siginfo_t* /*info*/, void* context) {
  if (g_was_interrupted || g_instructions_left-- != 0) return;
  g_was_interrupted = true;
  g_interruption();
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

}  // namespace internal

// Runs `body` and, in a signal handler (SIGTRAP) after its first `index` instructions, `interruption`. False: it has
// fewer. One thread at a time.
template <typename Body>
bool InterruptedAt(uint64_t index, void (*interruption)(), const Body& body) {
  internal::g_instructions_left = index;
  internal::g_was_interrupted = false;
  internal::g_interruption = interruption;
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = &internal::OnTrap;
  sigaction(SIGTRAP, &action, nullptr);
  // Below the red zone.
  asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::
                   : "memory", "cc");
  body();
  asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $-257, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::
                   : "memory", "cc");
  return internal::g_was_interrupted;
}

}  // namespace geckoprof
#endif

#endif  // GECKOPROF_TESTS_SUPPORT_INTERRUPTED_AT_H_
