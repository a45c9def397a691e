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
  constexpr uint8_t kLandingPad[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
  if (code.size() >= sizeof kLandingPad && std::memcmp(code.data(), kLandingPad, sizeof kLandingPad) == 0) {
    code = code.subspan(sizeof kLandingPad);
  }
  if (!code.empty() && code[0] == 0xf2) code = code.subspan(1);
  if (code.size() < 2) return false;
  const bool is_indirect = code[0] == 0xff && code[1] == 0x25;
  return is_indirect || code[0] == 0xe9 || code[0] == 0xeb || code[0] == 0x68;
}

namespace {

// The bytes of an instruction up to its operands in the code.
struct Opcode {
  uint8_t size_bytes;
  uint8_t bytes[9];
};

// Code is a cursor over instructions.
class Code {
 public:
  explicit Code(std::span<const uint8_t> bytes) : left_(bytes) {}

  bool AtEnd() const { return left_.empty(); }
  void SkipByte() { left_ = left_.subspan(left_.empty() ? 0 : 1); }
  [[gnu::noinline]] bool Skip(const Opcode& opcode) {
    if (left_.size() < opcode.size_bytes || std::memcmp(left_.data(), opcode.bytes, opcode.size_bytes) != 0)
      return false;
    left_ = left_.subspan(opcode.size_bytes);
    return true;
  }
  bool SkipTo(const Opcode& opcode) {
    for (; !AtEnd(); SkipByte()) {
      if (Skip(opcode)) return true;
    }
    return false;
  }
  // Skips add or sub of a number to or from rsp. `change` is the change of rsp.
  [[gnu::noinline]] bool SkipStackChange(int64_t& change) {
    if (left_.size() < 4 || left_[0] != 0x48 || (left_[1] != 0x81 && left_[1] != 0x83)) return false;
    const bool subtracts = left_[2] == 0xec;
    if ((!subtracts && left_[2] != 0xc4) || !SkipWithNumber(3, left_[1] == 0x81 ? 4 : 1, change)) return false;
    if (subtracts) change = -change;
    return true;
  }
  // Skips a load (0x8b), a store (0x89) or the address (0x8d) of offset(%rsp), to or from rbp.
  [[gnu::noinline]] bool SkipRbpAtOffset(uint8_t opcode, int64_t& offset) {
    if (left_.size() < 4 || left_[0] != 0x48 || left_[1] != opcode || left_[3] != 0x24) return false;
    if (left_[2] == 0x2c) return SkipWithNumber(4, 0, offset);
    if (left_[2] == 0x6c) return SkipWithNumber(4, 1, offset);
    return left_[2] == 0xac && SkipWithNumber(4, 4, offset);
  }
  // Skips push (`opcode` 0x50) or pop (0x58) of any register. REX.B selects r8 to r15.
  bool SkipStackInstruction(uint8_t opcode) {
    const size_t prefix = !left_.empty() && left_[0] == 0x41 ? 1 : 0;
    if (left_.size() <= prefix || (left_[prefix] & 0xf8) != opcode) return false;
    left_ = left_.subspan(prefix + 1);
    return true;
  }

 private:
  // Skips an instruction that ends with a number of 0, 1 or 4 bytes.
  bool SkipWithNumber(size_t size_bytes, size_t number_bytes, int64_t& number) {
    if (left_.size() < size_bytes + number_bytes) return false;
    int32_t value = 0;
    if (number_bytes == 1) value = static_cast<int8_t>(left_[size_bytes]);
    if (number_bytes == 4) std::memcpy(&value, &left_[size_bytes], sizeof value);
    number = value;
    left_ = left_.subspan(size_bytes + number_bytes);
    return true;
  }

  std::span<const uint8_t> left_;
};

constexpr Opcode kEndbr64 = {4, {0xf3, 0x0f, 0x1e, 0xfa}};
constexpr Opcode kPushRbp = {1, {0x55}};
constexpr Opcode kPopRbp = {1, {0x5d}};
constexpr Opcode kRet = {1, {0xc3}};
constexpr Opcode kRepRet = {2, {0xf3, 0xc3}};
constexpr Opcode kMovRbpRsp = {3, {0x48, 0x89, 0xe5}};
constexpr Opcode kNop = {1, {0x90}};
// mov $15, %rax (7 or 5 bytes long); syscall
constexpr Opcode kLongSigreturn = {9, {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}};
constexpr Opcode kShortSigreturn = {7, {0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}};

// Moves behind the next instruction that subtracts from rsp, and returns its number, or 0. Bytes inside other
// instructions may look like one.
[[gnu::noinline]] int64_t SkipToReservation(Code& code) {
  int64_t change = 0;
  for (; !code.AtEnd(); code.SkipByte()) {
    if (code.SkipStackChange(change) && change < 0) return -change;
  }
  return 0;
}

}  // namespace

// These codes are known. Go has the second and the fourth.
//   [add $n, %rsp] pops [nop] ret                           the end of a function
//   mov d(%rsp), %rbp; add $n, %rsp; ret                    the end of a function
//   mov %rsp, %rbp                                          after push %rbp
//   mov %rbp, d(%rsp) or lea d(%rsp), %rbp                  after sub $n, %rsp
std::optional<ReturnSlot> FindReturnSlot(std::span<const uint8_t> bytes) {
  Code code(bytes);
  if (code.Skip(kMovRbpRsp)) return ReturnSlot{8, 16, 0, true};
  int64_t number = 0;
  if (code.SkipRbpAtOffset(0x89, number) || code.SkipRbpAtOffset(0x8d, number)) {
    if (number < 0 || number % 8 != 0) return std::nullopt;
    const auto saved = static_cast<uint32_t>(number);
    return ReturnSlot{saved + 8, saved + 16, ReturnSlot::kNotSaved, true};
  }
  ReturnSlot slot;
  if (code.SkipRbpAtOffset(0x8b, number)) slot.fp_offset = static_cast<uint32_t>(number);
  while (!code.Skip(kRet) && !code.Skip(kRepRet)) {
    number = 8;
    if (code.Skip(kNop)) {
      number = 0;
    } else if (code.Skip(kPopRbp)) {
      slot.fp_offset = slot.frame_bytes;
    } else if (!code.SkipStackInstruction(0x58)) {
      if (!code.SkipStackChange(number) || number <= 0 || number % 8 != 0) return std::nullopt;
    }
    slot.frame_bytes += static_cast<uint32_t>(number);
  }
  slot.return_offset = slot.frame_bytes;
  slot.frame_bytes += 8;
  return slot;
}

bool MaySetUpFrame(std::span<const uint8_t> bytes) {
  Code code(bytes);
  code.Skip(kEndbr64);
  if (code.SkipStackInstruction(0x50)) return true;
  Code rest = code;
  return rest.SkipTo(kMovRbpRsp) || SkipToReservation(code) > 0;
}

size_t EndOfPadding(std::span<const uint8_t> code, uint64_t avma) {
  constexpr uint8_t kInt3 = 0xcc;
  for (size_t end = code.size() - (avma + code.size()) % 16; end > 1 && end <= code.size(); end -= 16) {
    if (code[end - 1] == kInt3 && code[end - 2] == kInt3) return end;
  }
  return 0;
}

// Compilers set up a frame by these instructions, and put others between them:
//   push %rbp; mov %rsp, %rbp; pushes; sub $n, %rsp
// A large frame is reserved in several steps (-fstack-clash-protection).
FrameSizes FindFrameSizes(std::span<const uint8_t> bytes) {
  FrameSizes sizes;
  Code code(bytes);
  if (!code.SkipTo(kPushRbp) || !code.SkipTo(kMovRbpRsp)) return sizes;
  sizes.Add(0);
  uint64_t sum = 0;
  while (sizes.count < FrameSizes::kMax) {
    const int64_t size_bytes = SkipToReservation(code);
    if (size_bytes == 0) break;
    sum += static_cast<uint64_t>(size_bytes);
    sizes.Add(sum);
  }
  return sizes;
}

bool IsSignalTrampoline(std::span<const uint8_t> bytes) {
  Code code(bytes);
  return code.Skip(kLongSigreturn) || code.Skip(kShortSigreturn);
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
