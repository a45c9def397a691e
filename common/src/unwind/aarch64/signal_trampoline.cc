#include "geckoprof/unwind/signal_trampoline.h"

#include <signal.h>
#include <sys/ucontext.h>

#include <cstring>

namespace geckoprof {

bool IsSignalTrampoline(const uint8_t (&code)[kSignalTrampolineBytes]) {
  constexpr uint32_t kCode[] = {0xd2801168, 0xd4000001};  // mov x8, 139; svc 0
  return std::memcmp(code, kCode, sizeof kCode) == 0;
}

// The kernel's frame: | siginfo, 128 bytes | ucontext |
bool StepOverSignalFrame(std::span<const StackView> stacks, Registers& registers, uint64_t& missing_avma) {
  static_assert(sizeof(siginfo_t) == 128);
  const uint64_t machine_avma = registers.sp() + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext);
  Registers interrupted;
  for (size_t number = 0; number < kDwarfRegisterCount; ++number) {
    // x0 to x30, sp and pc stand in DWARF's order behind the fault address.
    missing_avma = machine_avma + 8 + 8 * number;
    uint64_t value = 0;
    if (!ReadStackWord(stacks, missing_avma, value)) return false;
    interrupted.Set(number, value);
  }
  registers = interrupted;
  return true;
}

}  // namespace geckoprof
