#include "geckoprof/unwind/signal_trampoline.h"

#include <sys/ucontext.h>

#include <cstring>

namespace geckoprof {

bool IsSignalTrampoline(const uint8_t (&code)[kSignalTrampolineBytes]) {
  // mov $15,%rax (7 or 5 bytes long); syscall
  constexpr uint8_t kLong[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
  constexpr uint8_t kShort[] = {0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
  return std::memcmp(code, kLong, sizeof kLong) == 0 || std::memcmp(code, kShort, sizeof kShort) == 0;
}

// The kernel's frame: | trampoline address | ucontext | siginfo |, and the handler's return took the first word.
bool StepOverSignalFrame(std::span<const StackView> stacks, Registers& registers, uint64_t& missing_avma) {
  constexpr int kPlace[kDwarfRegisterCount] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                               REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                               REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  Registers interrupted;
  for (size_t number = 0; number < kDwarfRegisterCount; ++number) {
    missing_avma = registers.sp() + offsetof(ucontext_t, uc_mcontext) + 8 * static_cast<unsigned>(kPlace[number]);
    uint64_t value = 0;
    if (!ReadStackWord(stacks, missing_avma, value)) return false;
    interrupted.Set(number, value);
  }
  registers = interrupted;
  return true;
}

}  // namespace geckoprof
