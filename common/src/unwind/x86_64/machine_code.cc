#include "geckoprof/unwind/machine_code.h"

#include <sys/ucontext.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "instruction.h"

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
  size_t PositionIn(std::span<const uint8_t> bytes) const { return bytes.size() - left_.size(); }
  // Returns the next instruction, and skips it unless it is not known.
  [[gnu::noinline]] Instruction SkipInstruction() {
    const Instruction instruction = ReadInstruction(left_);
    left_ = left_.subspan(instruction.size_bytes);
    return instruction;
  }
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
constexpr Opcode kZero = {1, {0x00}};
// mov $15, %rax (7 or 5 bytes long), or push $15; pop %rax. Then syscall.
constexpr Opcode kLongSigreturn = {9, {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}};
constexpr Opcode kShortSigreturn = {7, {0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}};
constexpr Opcode kPushedSigreturn = {5, {0x6a, 0x0f, 0x58, 0x0f, 0x05}};

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

namespace {

// The depth of the stack pointer below the return address, and that of the caller's frame pointer.
struct Depth {
  int64_t bytes = 0;
  int64_t fp_bytes = 0;  // 0: not saved
};

// Depths holds those at the targets of forward jumps. Code behind a jump or a return belongs to such a target, or else
// to another function.
class Depths {
 public:
  // `position` is that of the jump.
  void Add(size_t position, size_t target, const Depth& depth) {
    for (Known& known : known_) {
      if (known.target > position) continue;
      known = {target, depth};
      return;
    }
    is_complete_ = false;
  }
  const Depth* Find(size_t target) const {
    for (const Known& known : known_) {
      if (known.target == target) return &known.depth;
    }
    return nullptr;
  }
  // A jump through a table leads to targets that are not known.
  void AddUnknown() { is_complete_ = false; }
  bool is_complete() const { return is_complete_; }

 private:
  struct Known {
    size_t target = 0;
    Depth depth;
  };
  std::array<Known, 32> known_;
  bool is_complete_ = true;
};

// Compilers set up a frame among the first instructions. A test may come first, with a return that it jumps over.
[[gnu::cold]] bool BeginsFunction(std::span<const uint8_t> bytes) {
  constexpr int kMaxInstructions = 8;
  Code code(bytes);
  if (code.Skip(kEndbr64)) return true;
  int64_t change = 0;
  size_t target = 0;  // of the last conditional jump
  for (int i = 0; i < kMaxInstructions; ++i) {
    if (code.SkipStackInstruction(0x50) || (code.SkipStackChange(change) && change < 0)) return true;
    const Instruction other = code.SkipInstruction();
    const size_t position = code.PositionIn(bytes);
    if (other.IsConditionalJump()) target = position + static_cast<uint64_t>(other.number);
    if (other.size_bytes == 0 || other.IsNop() || other.IsCall() || (other.IsEnd() && position != target)) break;
  }
  return false;
}

// Returns true if code ends with the end of a function or of a stub, with padding of nops behind it or without. Linkers
// put zeros between sections.
[[gnu::cold]] bool EndsFunction(std::span<const uint8_t> bytes) {
  constexpr size_t kMaxPaddingBytes = 16;
  for (size_t padding_bytes = 0; padding_bytes < kMaxPaddingBytes && padding_bytes + 5 <= bytes.size();
       ++padding_bytes) {
    const std::span<const uint8_t> before = bytes.first(bytes.size() - padding_bytes);
    const uint8_t* const end = before.data() + before.size();
    const bool is_end = end[-1] == 0xc3 || end[-1] == 0xf4 || end[-5] == 0xe9 || end[-2] == 0xeb ||
                        (end[-2] == 0x0f && end[-1] == 0x0b) ||
                        (bytes.size() > padding_bytes + 5 && end[-6] == 0xff && end[-5] == 0x25) ||
                        (end[-5] == 0xe8 && padding_bytes > 0);
    if (!is_end) continue;
    Code padding(bytes.last(padding_bytes));
    while (padding.Skip(kZero) || padding.SkipInstruction().IsNop()) {
    }
    if (padding.AtEnd()) return true;
  }
  return false;
}

}  // namespace

[[gnu::cold]] FollowedCode FollowStackPointer(std::span<const uint8_t> bytes) {
  Code code(bytes);
  Depths at_targets;
  Depth depth;
  std::optional<Depth> before_end;  // before the first of the instructions that take down the frame
  while (!code.AtEnd()) {
    int64_t change = 8;
    if (code.Skip(kPushRbp)) {
      depth.bytes += 8;
      if (depth.fp_bytes == 0) depth.fp_bytes = depth.bytes;
      before_end.reset();
    } else if (code.SkipStackInstruction(0x50)) {
      depth.bytes += 8;
      before_end.reset();
    } else if (code.SkipStackInstruction(0x58) || code.SkipStackChange(change)) {
      if (change > 0 && !before_end) before_end = depth;
      if (change < 0) before_end.reset();
      depth.bytes -= change;
      if (depth.bytes < depth.fp_bytes) depth.fp_bytes = 0;
    } else {
      const Instruction other = code.SkipInstruction();
      if (other.size_bytes == 0 || other.SetsSp()) return {};
      const size_t target = code.PositionIn(bytes) + static_cast<uint64_t>(other.number);
      if (other.IsConditionalJump() || other.IsDirectJump()) at_targets.Add(code.PositionIn(bytes), target, depth);
      const bool is_push =
          other.opcode == 0x68 || other.opcode == 0x6a || (other.opcode == 0xff && other.extension() == 6);
      if (is_push) depth.bytes += 8;
      if (is_push || other.IsCall()) before_end.reset();
      if (other.IsEnd()) {
        while (!code.AtEnd() && at_targets.Find(code.PositionIn(bytes)) == nullptr) {
          Code rest = code;
          if (!rest.SkipInstruction().IsNop()) break;
          code = rest;
        }
        const Depth* const of_jump = at_targets.Find(code.PositionIn(bytes));
        // A jump with the frame in place stays in the function. A loop may begin behind it. Without a frame it may also
        // go on in another function.
        const bool stays = other.IsJump() && !before_end &&
                           (depth.bytes > 0 || !BeginsFunction(bytes.subspan(code.PositionIn(bytes))));
        if (stays && !other.IsDirectJump()) at_targets.AddUnknown();
        if (of_jump == nullptr && !stays && at_targets.is_complete() && !code.AtEnd()) return {false, std::nullopt};
        if (of_jump != nullptr) {
          depth = *of_jump;
        } else if (before_end) {
          depth = *before_end;
        }
        before_end.reset();
      }
    }
    constexpr int64_t kMaxFrameBytes = 1 << 20;
    if (depth.bytes < 0 || depth.bytes > kMaxFrameBytes) return {};
  }
  const auto bytes_below = static_cast<uint32_t>(depth.bytes);
  ReturnSlot slot = {bytes_below, bytes_below + 8};
  if (depth.fp_bytes != 0) slot.fp_offset = bytes_below - static_cast<uint32_t>(depth.fp_bytes);
  return {true, slot};
}

size_t FindLastStart(std::span<const uint8_t> code, uint64_t avma, size_t end) {
  constexpr uint8_t kInt3 = 0xcc;
  const size_t last = end - (avma + end) % 16;
  for (size_t start = last; start > 1 && start <= end; start -= 16) {
    if (code[start - 1] == kInt3 && code[start - 2] == kInt3) return start;
    if (BeginsFunction(code.subspan(start)) && EndsFunction(code.first(start))) return start;
  }
  return 0;
}

size_t FindLastStartWithoutPadding(std::span<const uint8_t> code, size_t end) {
  for (size_t start = std::min(end, code.size()); start > 0; --start) {
    if (code[start - 1] == kRet.bytes[0] && BeginsFunction(code.subspan(start))) return start;
  }
  return 0;
}

// These are stubs and jumps:
//   [endbr64] [bnd] jmp *disp(%rip), jmp rel32 or jmp rel8
//   [endbr64] push imm32, the index of a stub that is bound lazily
std::optional<StubTarget> FindStubTarget(std::span<const uint8_t> bytes, uint64_t avma) {
  Code code(bytes);
  code.Skip(kEndbr64);
  const Instruction jump = code.SkipInstruction();
  if (jump.opcode == 0x68) return StubTarget{};
  const uint64_t target_avma = avma + code.PositionIn(bytes) + static_cast<uint64_t>(jump.number);
  if (jump.IsDirectJump()) return StubTarget{target_avma, 0};
  if (jump.opcode == 0xff && jump.modrm == 0x25) return StubTarget{0, target_avma};
  return std::nullopt;
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
  Code rest = code;
  while (rest.Skip(kEndbr64) || rest.SkipInstruction().IsNop()) code = rest;
  return code.Skip(kLongSigreturn) || code.Skip(kShortSigreturn) || code.Skip(kPushedSigreturn);
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
