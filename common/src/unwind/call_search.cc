#include "geckoprof/unwind/call_search.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

namespace geckoprof {

const ReturnSite& ReturnSites::At(uint64_t avma) {
  static constexpr ReturnSite kNothing = {};
  // Most words on a stack are small numbers or point into data. They are not cached.
  const ModuleTable::Region* region = modules_.RegionAt(avma - 1);
  if (region == nullptr || !region->executable) return kNothing;
  Known& known = PlaceOf(avma);
  if (known.avma != avma || known.generation != modules_.generation()) {
    known = {avma, modules_.generation(), Read(avma, avma - region->start_avma)};
  }
  return known.site;
}

ReturnSites::Known& ReturnSites::PlaceOf(uint64_t avma) {
  if (!memory_) memory_ = PageMemory::Map(sizeof(Known) << kCacheBits);
  if (!memory_) return last_;
  return reinterpret_cast<Known*>(memory_.data())[(avma * 0x9e3779b97f4a7c15) >> (64 - kCacheBits)];
}

// Reads the code at `avma` and the bytes before it, of which `bytes_before` are there.
ReturnSite ReturnSites::Read(uint64_t avma, uint64_t bytes_before) const {
  ReturnSite site = {};
  std::array<uint8_t, kMaxCallBytes + kReturnSlotBytes> code = {};
  const size_t missing = kMaxCallBytes - std::min<uint64_t>(bytes_before, kMaxCallBytes);
  const size_t end =
      missing + modules_.memory().ReadPrefix(avma - kMaxCallBytes + missing, std::span(code).subspan(missing));
  if (end < kMaxCallBytes) return site;
  uint8_t call[kMaxCallBytes];
  std::memcpy(call, code.data(), sizeof call);
  site.follows_call = EndsWithCall(call);
  site.call_target = DirectCallTarget(call, avma).value_or(0);
  const std::span<const uint8_t> behind(code.data() + kMaxCallBytes, end - kMaxCallBytes);
  site.is_signal_trampoline = IsSignalTrampoline(behind);
  const std::optional<ReturnSlot> slot = FindReturnSlot(behind);
  site.has_return_slot = slot.has_value();
  if (slot) site.return_slot = *slot;
  return site;
}

CallSearch::Call CallSearch::Judge(uint64_t return_avma, const Function& function) {
  return JudgeCall(return_avma, function).call;
}

CallSearch::JudgedCall CallSearch::JudgeCall(uint64_t return_avma, const Function& function) {
  const ReturnSite site = sites_.At(return_avma);
  if (site.is_signal_trampoline) return {Call::kPossible, 0};
  if (!site.follows_call) return {Call::kNone, 0};
  uint64_t target_avma = site.call_target;
  if (target_avma == 0 || function.inner_avma == 0) return {Call::kPossible, 0};
  if (Leads(target_avma, function)) return {Call::kOfFunction, target_avma};
  std::array<uint8_t, kMaxStubBytes> code;
  if (!modules_.memory().Read(target_avma, code)) return {Call::kPossible, 0};
  const std::optional<StubTarget> stub = FindStubTarget(code, target_avma);
  if (!stub) return {Call::kOfAnother, 0};
  target_avma = stub->avma;
  std::array<uint8_t, sizeof target_avma> slot;
  if (stub->slot_avma != 0 && modules_.memory().Read(stub->slot_avma, slot)) {
    std::memcpy(&target_avma, slot.data(), sizeof target_avma);
  }
  if (Leads(target_avma, function)) return {Call::kOfFunction, target_avma};
  // The slot of a function that was never called leads to another stub.
  const bool is_known = modules_.memory().Read(target_avma, code) && !FindStubTarget(code, target_avma);
  return {is_known ? Call::kOfAnother : Call::kPossible, 0};
}

CallSearch::Function CallSearch::FunctionAt(uint64_t inner_avma) {
  Module* const module = modules_.Find(inner_avma);
  FrameDescription description;
  const bool is_known = module != nullptr && finder_.Find(*module, inner_avma, description);
  return {is_known ? module->bias() + description.start_svma : 0, inner_avma};
}

bool CallSearch::Leads(uint64_t target_avma, const Function& function) {
  if (function.start_avma == 0) return MayHold(target_avma, function.inner_avma);
  if (target_avma == function.start_avma) return true;
  // Hand-written code has several entry points.
  return target_avma > function.start_avma && target_avma <= function.inner_avma &&
         FunctionAt(target_avma).start_avma == function.start_avma;
}

bool CallSearch::MayHold(uint64_t start_avma, uint64_t inner_avma) {
  constexpr uint64_t kMaxFunctionBytes = 64 * 1024;
  if (inner_avma < start_avma || inner_avma - start_avma > kMaxFunctionBytes) return false;
  if (FunctionAt(start_avma).start_avma != 0) return false;
  std::array<uint8_t, 2048> bytes;
  // The pieces overlap, so that each start is seen with the code around it.
  for (uint64_t at_avma = start_avma; at_avma <= inner_avma; at_avma += bytes.size() - 2 * kStartBytes) {
    const size_t read_bytes = modules_.memory().ReadPrefix(at_avma, bytes);
    const uint64_t end = std::min<uint64_t>(inner_avma - at_avma, read_bytes);
    if (read_bytes == 0 || FindLastStart(std::span(bytes).first(read_bytes), at_avma, end) != 0) return false;
  }
  return true;
}

bool CallSearch::StepBySlot(std::span<const StackView> stacks, const ReturnSlot& slot, Registers& registers) {
  uint64_t return_avma = 0;
  if (!ReadStackWord(stacks, registers.sp() + slot.return_offset, return_avma)) return false;
  return_avma = StripReturnAddress(return_avma);
  if (!sites_.IsReturnAddress(return_avma)) return false;
  Registers caller = Registers::FromPcAndSp(return_avma, registers.sp() + slot.frame_bytes);
  uint64_t fp = registers.fp();
  const bool has_fp = slot.fp_offset == ReturnSlot::kNotSaved
                          ? registers.Has(kDwarfFp)
                          : ReadStackWord(stacks, registers.sp() + slot.fp_offset, fp);
  if (has_fp) caller.Set(kDwarfFp, fp);
  registers = caller;
  return true;
}

bool CallSearch::StepFromEntry(std::span<const StackView> stacks, Registers& registers) {
  constexpr bool kIsOnStack = kDwarfLink == kDwarfPc;
  uint64_t return_avma = registers.values[kDwarfLink];
  if (kIsOnStack ? !ReadStackWord(stacks, registers.sp(), return_avma) : !registers.Has(kDwarfLink)) return false;
  return_avma = StripReturnAddress(return_avma);
  if (!sites_.IsReturnAddress(return_avma)) return false;
  registers.Set(kDwarfPc, return_avma);
  if (kIsOnStack) registers.Set(kDwarfSp, registers.sp() + sizeof return_avma);
  return true;
}

void CallSearch::ReadCodeBefore(uint64_t pc) {
  const ModuleTable::Region* const region = modules_.RegionAt(pc - 1);
  code_bytes_ = region == nullptr ? 0 : std::min<uint64_t>(kMaxCodeBytes, pc - region->start_avma);
  code_avma_ = pc - code_bytes_;
  read_bytes_ = modules_.memory().ReadPrefix(code_avma_, std::span(code_).first(code_bytes_ + kStartBytes));
  code_bytes_ = std::min(code_bytes_, read_bytes_);
}

// Follows the code to pc from the start of a function on, if the code was read.
FollowedCode CallSearch::FollowFrom(uint64_t start_avma) {
  const uint64_t offset = start_avma - code_avma_;
  if (offset > code_bytes_) return {};
  return FollowStackPointer(std::span(code_).first(code_bytes_).subspan(offset));
}

// Steps to the caller if the code from the start on tells the place of a return address, and the call before it agrees.
[[gnu::cold]] bool CallSearch::StepFromStart(std::span<const StackView> stacks, uint64_t start_avma, uint64_t from_avma,
                                             uint64_t end_avma, Registers& registers) {
  const FollowedCode followed = FollowFrom(start_avma);
  if (!followed.slot) return false;
  const uint64_t avma = registers.sp() + followed.slot->return_offset;
  Registers caller = registers;
  if (avma < from_avma || avma >= end_avma || !StepBySlot(stacks, *followed.slot, caller)) return false;
  if (Judge(caller.pc(), {start_avma, start_avma}) < Call::kPossible) return false;
  registers = caller;
  return true;
}

[[gnu::cold]] bool CallSearch::FindCaller(std::span<const StackView> stacks, const Function& function,
                                          uint64_t from_avma, uint64_t end_avma, Registers& registers, bool& is_guess) {
  const uint64_t sp = registers.sp();
  uint64_t start_avma = function.start_avma;
  code_bytes_ = 0;
  if (function.inner_avma != 0) {
    ReadCodeBefore(registers.pc());
    const size_t start = FindLastStart(std::span(code_).first(read_bytes_), code_avma_, code_bytes_);
    if (start_avma == 0 && start != 0) start_avma = code_avma_ + start;
  }
  is_guess = false;
  if (start_avma != 0 && StepFromStart(stacks, start_avma, from_avma, end_avma, registers)) return true;
  Registers guess = registers;
  Call guessed_call = Call::kOfAnother;
  const uint64_t first_avma = (sp + 7) & ~uint64_t{7};
  const unsigned words = function.inner_avma == 0 ? kGuessedWords : kWords;
  for (uint64_t i = (from_avma + 7 - first_avma) / 8; i < words && first_avma + 8 * i < end_avma; ++i) {
    const uint64_t avma = first_avma + 8 * i;
    uint64_t word = 0;
    if (!ReadStackWord(stacks, avma, word)) break;
    word = StripReturnAddress(word);
    const JudgedCall judged = JudgeCall(word, function);
    if (judged.call <= Call::kOfAnother) continue;
    if (judged.call == Call::kOfFunction) {
      const auto [is_of_function, slot] = FollowFrom(judged.target_avma);
      if (!is_of_function || (slot && sp + slot->return_offset != avma)) continue;
      if (slot) return StepBySlot(stacks, *slot, registers);
    }
    if (judged.call <= guessed_call || (i >= kGuessedWords && judged.call == Call::kPossible)) continue;
    guessed_call = judged.call;
    guess = Registers::FromPcAndSp(word, avma + 8);
    // If the frame pointer points above the frame, the frame did not change it or has restored it. If it points into
    // the frame, the frame has changed it.
    if (registers.Has(kDwarfFp) && registers.fp() >= guess.sp()) guess.Set(kDwarfFp, registers.fp());
    if (function.inner_avma == 0) break;
  }
  is_guess = true;
  if (guessed_call != Call::kOfFunction && function.start_avma == 0) {
    size_t start = code_bytes_ + 1;
    for (unsigned i = 0; i < kMaxStarts && start > 0; ++i) {
      start = FindLastStartWithoutPadding(std::span(code_).first(read_bytes_), start - 1);
      if (start != 0 && StepFromStart(stacks, code_avma_ + start, from_avma, end_avma, registers)) return true;
    }
  }
  if (guessed_call == Call::kOfAnother) return false;
  registers = guess;
  return true;
}

}  // namespace geckoprof
