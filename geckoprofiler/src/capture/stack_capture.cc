#include "capture/stack_capture.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "baseprofiler/category.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/modules/module_table.h"
#include "geckoprof/reader/stack_reason.h"
#include "geckoprof/unwind/label_merge.h"
#include "geckoprof/unwind/unwinder.h"
#include "runtime/api_call.h"
#include "runtime/fork_holds.h"

namespace geckoprof {
namespace {

constexpr char kAnchor = 0;  // an address inside this library

constexpr int64_t kLongestPauseNs = kNsPerSecond;
// Generated code and damaged stacks have unknown addresses in every stack. The list is not read for each of them.
constexpr int64_t kShortestPauseNs = kNsPerMs;

// Returns the library that holds an address, or nothing for the program itself. A range of the program would also hold
// the program's own functions.
AddressRange LibraryAt(const ModuleTable& table, const void* code) {
  const Module* const module = table.Find(reinterpret_cast<uintptr_t>(code));
  if (module == nullptr || module->entry_avma() != 0) return {};
  return {module->start_avma(), module->end_avma()};
}

// Copies the part of the structure that both sides know.
HandoverStack CopyKnownPart(const HandoverStack& stack) {
  HandoverStack out = {};
  memcpy(&out, &stack, std::min<size_t>(stack.size_bytes, sizeof(out)));
  return out;
}

}  // namespace

// The state that is kept from one stack to the next.
struct StackUnwinder::Modules {
  ModuleTable table;
  Unwinder unwinder{table};
  std::vector<UnwoundFrame> native = std::vector<UnwoundFrame>(Unwinder::kMaxFrames);
  std::vector<HandoverLabel> labels;
  std::string maps;
  int64_t read_ns = 0;
  uint32_t unloads = 0;
  AddressRange own, base;

  void Refresh(int64_t now_ns, const HandoverStack& stack, const void* base_code) {
    read_ns = now_ns;
    unloads = stack.unloads;
    if (ReadWholeFile("/proc/self/maps", maps) != 0) return;
    table.Refresh(maps, now_ns);
    own = LibraryAt(table, &kAnchor);
    base = LibraryAt(table, base_code);
  }
  bool AnyUnknown(size_t count) const {
    return std::any_of(native.begin(), native.begin() + static_cast<ptrdiff_t>(count),
                       [this](const UnwoundFrame& frame) { return !table.MayBeCodeAt(frame.address); });
  }
};

struct StackUnwinder::Request {
  StackUnwinder* self;
  const HandoverStack& stack;
  const bool native;
  const void* const base_code;
  Backtrace& out;
};

bool StackUnwinder::Unwind(const HandoverStack& stack, bool native, const void* base_code, Backtrace& out) {
  out.Clear();
  const RecursiveLockHolder holder(lock_);
  if (lock_.depth() > 1) return false;
  const HandoverStack known = CopyKnownPart(stack);
  Request request{this, known, native, base_code, out};
  const auto run = [](void* argument) {
    const auto* const asked = static_cast<const Request*>(argument);
    asked->self->UnwindLocked(*asked);
  };
  if (RunUnlessOutOfMemory(run, &request)) return true;
  modules_ = nullptr;  // it is in the middle of a change
  out.Clear();
  return false;
}

void StackUnwinder::UnwindLocked(const Request& request) {
  const HandoverStack& stack = request.stack;
  if (modules_ == nullptr) modules_ = new Modules;
  Modules& modules = *modules_;
  size_t count = 0;
  std::span<const uint16_t> scanned;   // frames that a scan alone found
  uint64_t missing_from = UINT64_MAX;  // the address where an incomplete stack ends
  if (request.native) {
    const int64_t now_ns = MonotonicNs();
    const bool old = modules.read_ns == 0 || now_ns - modules.read_ns > kLongestPauseNs;
    if (old || modules.unloads != stack.unloads) modules.Refresh(now_ns, stack, request.base_code);
    Registers registers;
    memcpy(registers.values, stack.registers, sizeof(registers.values));
    registers.known = stack.known & Registers::kAllKnown;
    const StackView view{stack.bytes, stack.bytes_avma, stack.byte_count};
    UnwindResult result = modules.unwinder.Unwind(registers, view, modules.native);
    const bool doubtful = !IsStart(result.end, stack.is_whole != 0) || result.fallback_frames > 0;
    if (doubtful && now_ns - modules.read_ns > kShortestPauseNs && modules.AnyUnknown(result.frame_count)) {
      modules.Refresh(now_ns, stack, request.base_code);
      result = modules.unwinder.Unwind(registers, view, modules.native);
    }
    modules.table.CloseFiles();
    count = result.frame_count;
    scanned = result.scanned_frames;
    const bool is_complete = IsStart(result.end, stack.is_whole != 0);
    request.out.info.is_complete = is_complete ? 1 : 0;
    if (!is_complete && view.size_bytes > 0) missing_from = view.end_avma();
  }
  const bool is_own = stack.source == HandoverStackSource::kOwn;
  size_t skipped = 0;
  while (is_own && skipped < count &&
         (modules.own.Contains(modules.native[skipped].address) ||
          modules.base.Contains(modules.native[skipped].address))) {
    ++skipped;
  }
  modules.labels.clear();
  const auto* at = reinterpret_cast<const char*>(stack.labels);
  for (uint32_t i = 0; i < stack.label_count; ++i, at += stack.label_size_bytes) {
    HandoverLabel label = {};
    memcpy(&label, at, std::min<size_t>(sizeof(label), stack.label_size_bytes));
    modules.labels.push_back(label);
  }
  const std::span<const UnwoundFrame> whole(modules.native.data(), count);
  const std::span<const UnwoundFrame> native = whole.subspan(skipped);
  MergeLabels(
      native, std::span<const HandoverLabel>(modules.labels),
      [&](size_t i) {
        if (std::ranges::find(scanned, skipped + i + 1) != scanned.end()) {
          const auto problem = static_cast<uint64_t>(StackProblem::kFoundByScan);
          request.out.AddLabel(StackReasonText(problem), static_cast<uint32_t>(baseprofiler::category::OTHER));
        }
        const bool innermost = i == 0 && !is_own;
        if (innermost || !modules.base.Contains(native[i].address)) request.out.AddAddress(native[i].address);
      },
      [&](const HandoverLabel& label) {
        request.out.AddLabel({label.text, label.text_bytes}, label.category_pair);
      },
      {}, missing_from);
}

void StackUnwinder::AfterFork(bool in_child, bool held) {
  if (in_child) lock_.AdoptInForkedChild(ForkHolds::parent_thread());
  if (held) {
    lock_.Unlock();
  } else if (in_child) {
    modules_ = nullptr;
  }
}

ProfilerOutcome StackCapture::Capture(const Request& request, Backtrace& out) {
  out.Clear();
  if (unwinder_.IsBusyHere()) {
    return {ProfilerStatus::kWrongThread, "asked inside of an allocation that unwinding a stack makes"};
  }
  struct Call {
    StackCapture& self;
    const Request& request;
    Backtrace& out;
    bool unwound = false;
  } call{*this, request, out};
  const auto unwind = [](void* context, const HandoverStack* stack) {
    Call& into = *static_cast<Call*>(context);
    into.unwound = into.self.unwinder_.Unwind(*stack, into.request.native, into.self.base_.code(), into.out);
    into.out.info.is_main = stack->is_main != 0 ? 1 : 0;
    into.out.info.innermost_address = stack->pc;
  };
  ProfilerOutcome outcome = base_.SampleThread(request.tid.ToNumber(), request.timeout_ns, unwind, &call);
  if (outcome.status != ProfilerStatus::kDone || call.unwound) return outcome;
  return {ProfilerStatus::kRefused, "there is no memory to unwind the stack with"};
}

}  // namespace geckoprof
