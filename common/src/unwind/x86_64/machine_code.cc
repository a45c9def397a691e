#include "geckoprof/unwind/machine_code.h"

#include <sys/ucontext.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace geckoprof {

namespace {

// Returns the length of "call *r/m" (ff /2, Intel SDM, table 2-2) from its ModRM byte on, without prefixes. Returns 0
// for another instruction.
size_t IndirectCallBytes(const uint8_t* modrm) {
  if ((*modrm & 0x38) != 0x10) return 0;
  const unsigned mode = *modrm >> 6;
  const bool has_sib = mode != 3 && (*modrm & 7) == 4;
  switch (mode) {
    case 3:
      return 2;
    case 2:
      return has_sib ? 7u : 6u;
    case 1:
      return has_sib ? 4u : 3u;
    default:
      if ((*modrm & 7) == 5) return 6;  // rip + disp32
      return has_sib ? ((modrm[1] & 7) == 5 ? 7u : 3u) : 2u;
  }
}

}  // namespace

bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]) {
  if (code[kMaxCallBytes - 5] == 0xe8) return true;  // call rel32
  for (size_t bytes = 2; bytes <= 7; ++bytes) {
    const uint8_t* start = code + kMaxCallBytes - bytes;
    if (start[0] == 0xff && IndirectCallBytes(start + 1) == bytes) return true;
  }
  return false;
}

std::optional<uint64_t> DirectCallTarget(const uint8_t (&code)[kMaxCallBytes], uint64_t return_avma) {
  if (code[kMaxCallBytes - 5] != 0xe8) return std::nullopt;
  int32_t distance;
  std::memcpy(&distance, code + kMaxCallBytes - sizeof distance, sizeof distance);
  return return_avma + static_cast<uint64_t>(int64_t{distance});
}

// These are stubs and jumps:
//   [endbr64] [bnd] jmp *disp(%rip), jmp rel32 or jmp rel8
//   push imm32, the index of a stub that is bound lazily
bool BeginsWithJump(std::span<const uint8_t> code) {
  constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (code.size() >= sizeof kEndbr64 && std::memcmp(code.data(), kEndbr64, sizeof kEndbr64) == 0) {
    code = code.subspan(sizeof kEndbr64);
  }
  if (!code.empty() && code[0] == 0xf2) code = code.subspan(1);
  if (code.size() < 2) return false;
  const bool is_indirect = code[0] == 0xff && code[1] == 0x25;
  return is_indirect || code[0] == 0xe9 || code[0] == 0xeb || code[0] == 0x68;
}

namespace {

class Code {
 public:
  explicit Code(std::span<const uint8_t> bytes) : left_(bytes) {}

  template <size_t kCount>
  bool Skip(const std::array<uint8_t, kCount>& bytes) {
    if (left_.size() < kCount || !std::equal(bytes.begin(), bytes.end(), left_.begin())) return false;
    left_ = left_.subspan(kCount);
    return true;
  }
  template <typename Number>
  bool Read(Number& number) {
    if (left_.size() < sizeof(number)) return false;
    std::memcpy(&number, left_.data(), sizeof(number));
    left_ = left_.subspan(sizeof(number));
    return true;
  }
  // push of any register (50+r, with REX.B for r8 to r15).
  bool SkipPush() {
    const size_t prefix = !left_.empty() && left_[0] == 0x41 ? 1 : 0;
    if (left_.size() <= prefix || (left_[prefix] & 0xf8) != 0x50) return false;
    left_ = left_.subspan(prefix + 1);
    return true;
  }

 private:
  std::span<const uint8_t> left_;
};

constexpr std::array<uint8_t, 4> kEndbr64 = {0xf3, 0x0f, 0x1e, 0xfa};
constexpr std::array<uint8_t, 1> kPushRbp = {0x55};
constexpr std::array<uint8_t, 3> kMovRbpRsp = {0x48, 0x89, 0xe5};
constexpr std::array<uint8_t, 3> kSubRspImm8 = {0x48, 0x83, 0xec};
constexpr std::array<uint8_t, 3> kSubRspImm32 = {0x48, 0x81, 0xec};
constexpr std::array<uint8_t, 5> kProbeRsp = {0x48, 0x83, 0x0c, 0x24,
                                              0x00};  // orq $0, (%rsp): -fstack-clash-protection

}  // namespace

// Recognises this prologue. Another order, or another instruction in between, is not recognised.
//   push %rbp; mov %rsp, %rbp; pushes; sub $n, %rsp
std::optional<uint64_t> BytesBelowFramePointer(std::span<const uint8_t> bytes) {
  Code code(bytes);
  code.Skip(kEndbr64);
  if (!code.Skip(kPushRbp) || !code.Skip(kMovRbpRsp)) return std::nullopt;
  uint64_t below = 0;
  for (;;) {
    int8_t small = 0;
    int32_t large = 0;
    if (code.SkipPush()) {
      below += 8;
    } else if (code.Skip(kSubRspImm8)) {
      if (!code.Read(small)) return std::nullopt;
      below += static_cast<uint64_t>(int64_t{small});
    } else if (code.Skip(kSubRspImm32)) {
      if (!code.Read(large)) return std::nullopt;
      below += static_cast<uint64_t>(int64_t{large});
    } else if (!code.Skip(kProbeRsp)) {
      return below;
    }
  }
}

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
