#include "geckoprof/unwind/machine_code.h"

#include <signal.h>
#include <sys/ucontext.h>

#include <cstring>

namespace geckoprof {

// bl, blr and its authenticated forms (Arm ARM, C4.1.66).
bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]) {
  uint32_t instruction;
  std::memcpy(&instruction, code + kMaxCallBytes - sizeof instruction, sizeof instruction);
  if ((instruction & 0xfc000000) == 0x94000000) return true;  // bl
  if ((instruction & 0xfffffc1f) == 0xd63f0000) return true;  // blr
  return (instruction & 0xfefff800) == 0xd63f0800;            // blraa, blrab and with a zero modifier
}

std::optional<uint64_t> DirectCallTarget(const uint8_t (&code)[kMaxCallBytes], uint64_t return_avma) {
  uint32_t instruction;
  std::memcpy(&instruction, code + kMaxCallBytes - sizeof instruction, sizeof instruction);
  if ((instruction & 0xfc000000) != 0x94000000) return std::nullopt;
  const int32_t words = static_cast<int32_t>(instruction << 6) >> 6;  // imm26 with its sign
  return return_avma - sizeof instruction + static_cast<uint64_t>(int64_t{words} * 4);
}

namespace {

// Returns the instruction at `index`. After the end it returns 0, which is no instruction (udf).
uint32_t InstructionAt(std::span<const uint8_t> code, size_t index) {
  uint32_t instruction = 0;
  if (code.size() >= 4 * (index + 1)) std::memcpy(&instruction, code.data() + 4 * index, sizeof(instruction));
  return instruction;
}

bool IsLandingPad(uint32_t instruction) {
  return (instruction & 0xffffff3f) == 0xd503241f || instruction == 0xd503233f;  // bti, paciasp
}

}  // namespace

// These are jumps and stubs:
//   [bti c] b
//   [bti c] adrp x16, page; ldr x17, [x16, #n]
std::optional<StubTarget> FindStubTarget(std::span<const uint8_t> code, uint64_t avma) {
  const size_t at = InstructionAt(code, 0) == 0xd503245f ? 1 : 0;
  const uint32_t first = InstructionAt(code, at);
  const uint32_t second = InstructionAt(code, at + 1);
  avma += 4 * at;
  if ((first & 0xfc000000) == 0x14000000) {
    return StubTarget{avma + static_cast<uint64_t>(int64_t{static_cast<int32_t>(first << 6) >> 6} * 4), 0};
  }
  if ((first & 0x9f00001f) != 0x90000010) return std::nullopt;
  if ((second & 0xffc003ff) != 0xf9400211) return StubTarget{};
  const uint32_t pages = (first >> 3 & 0x1ffffc) | (first >> 29 & 3);
  const auto distance = int64_t{static_cast<int32_t>(pages << 11) >> 11} * 4096;
  return StubTarget{0, (avma & ~uint64_t{4095}) + static_cast<uint64_t>(distance) + (second >> 10 & 0xfff) * 8};
}

// ldp x29, x30, [sp], #n; [autiasp]; ret
std::optional<ReturnSlot> FindReturnSlot(std::span<const uint8_t> code) {
  const uint32_t load = InstructionAt(code, 0);
  const uint32_t bytes = (load >> 15 & 0x7f) * 8;
  const size_t after = InstructionAt(code, 1) == 0xd50323bf ? 2 : 1;
  if ((load & 0xffc07fff) != 0xa8c07bfd || bytes < 16 || bytes >= 512) return std::nullopt;
  if (InstructionAt(code, after) != 0xd65f03c0) return std::nullopt;
  return ReturnSlot{8, bytes, 0};
}

// The return address may be in a register.
FollowedCode FollowStackPointer(std::span<const uint8_t>) { return {}; }

size_t FindLastStart(std::span<const uint8_t>, uint64_t, size_t) { return 0; }

size_t FindLastStartWithoutPadding(std::span<const uint8_t>, size_t) { return 0; }

// Two prologues are known (Arm ARM, C6.2):
//   stp x29, x30, [sp, #-n]!; mov x29, sp                          the frame record is the lowest part of the frame
//   sub sp, sp, #n; stp x29, x30, [sp, #m]; add x29, sp, #m        the frame record lies m above it
FrameSizes FindFrameSizes(std::span<const uint8_t> code) {
  FrameSizes sizes;
  size_t at = 0;
  while (at < 2 && IsLandingPad(InstructionAt(code, at))) ++at;
  const uint32_t first = InstructionAt(code, at);
  const uint32_t second = InstructionAt(code, at + 1);
  if ((first & 0xffe07fff) == 0xa9a07bfd && second == 0x910003fd) sizes.Add(0);
  if ((first & 0xff8003ff) != 0xd10003ff || (second & 0xffe07fff) != 0xa9007bfd) return sizes;
  const uint32_t record = (second >> 15 & 0x3f) * 8;
  const uint32_t third = InstructionAt(code, at + 2);
  if ((third & 0xffc003ff) == 0x910003fd && (third >> 10 & 0xfff) == record) sizes.Add(record);
  return sizes;
}

bool IsSignalTrampoline(std::span<const uint8_t> code) {
  size_t at = 0;
  while (IsLandingPad(InstructionAt(code, at)) || InstructionAt(code, at) == 0xd503201f) ++at;  // nop
  return InstructionAt(code, at) == 0xd2801168 && InstructionAt(code, at + 1) == 0xd4000001;    // mov x8, 139; svc 0
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
