#include "sampler/stack_builder.h"

#include <algorithm>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/unwind/label_merge.h"
#include "sampler/capture_pool.h"

namespace geckoprof {
namespace {

constexpr char kAnchor = 0;

}  // namespace

const void* const StackBuilder::kThisLibrary = &kAnchor;

StackBuilder::StackBuilder(ModuleRecorder* modules, const void* own_code, SharedRules* shared)
    : modules_(modules), unwinder_(modules->table(), shared), own_code_(own_code) {
  native_.resize(kMaxFrames);
  frames_.reserve(kMaxFrames + ScannedFrames::kMax + CaptureBuffer::kMaxLabels + 1);
}

std::span<const StackFrame> StackBuilder::FromCapture(const CaptureBuffer& capture, bool native) {
  BorrowLabels(capture);
  const StackView view{capture.stack_copy, capture.copied_from, capture.copied_bytes};
  StackProblem problem = StackProblem::kNoProblem;
  if (capture.unknown_stack) {
    problem = StackProblem::kUnknownStack;
  } else if (!capture.reached_stack_end) {
    problem = StackProblem::kCopyLimit;
  }
  const StackRange outer = capture.unknown_stack ? capture.stack : StackRange{0, 0};
  return Build(ToUnwindRegisters(capture.registers), {view, !capture.unknown_stack, problem, outer}, native);
}

std::span<const StackFrame> StackBuilder::FromMarker(const CaptureBuffer& capture, bool native) {
  for_marker_ = true;
  skipped_frames_ = capture.skipped_frames;
  const std::span<const StackFrame> frames = FromCapture(capture, native);
  for_marker_ = false;
  skipped_frames_ = 0;
  return frames;
}

std::span<const StackFrame> StackBuilder::OnlyLabels(const CaptureBuffer& capture, StackProblem problem) {
  BorrowLabels(capture);
  MakeReasonStack(problem);
  Merge(0, {0, 0}, UINT64_MAX);
  return frames_;
}

std::span<const StackFrame> StackBuilder::FromBlocked(const BlockedThreadReader::Place& place,
                                                      const BlockedThreadReader::Copy& copy, const LabelCopy* labels,
                                                      StackRange known, bool native) {
  borrowed_labels_.Clear();
  labels_ = labels != nullptr ? labels : &borrowed_labels_;
  const StackView view{copy.bytes, place.sp, copy.size_bytes};
  const bool is_known = known.Contains(place.sp);
  const StackProblem problem = copy.reached_stack_end ? StackProblem::kNoProblem : StackProblem::kCopyLimit;
  const StackRange outer = is_known ? StackRange{0, 0} : known;
  return Build(place.KnownRegisters(), {view, is_known, problem, outer}, native);
}

std::span<const StackFrame> StackBuilder::MakeReasonStack(StackProblem problem) {
  frames_.clear();
  frames_.push_back({StackFrameKind::kReason, static_cast<uint64_t>(problem), 0, {}});
  return frames_;
}

std::span<const StackFrame> StackBuilder::Build(const Registers& registers, const CopiedStack& stack, bool native) {
  frames_.clear();
  size_t count = 0;
  reached_start_ = true;
  has_unknown_code_ = false;
  scanned_frames_ = {};
  if (native) {
    const UnwindResult result = unwinder_.Unwind(registers, stack.view, native_);
    count = result.frame_count;
    scanned_frames_ = result.scanned_frames;
    reached_start_ = IsStart(result.end, stack.is_known);
    outermost_sp_ = count > 0 ? native_[count - 1].cfa_or_sp : 0;
    has_unknown_code_ = (!reached_start_ || result.fallback_frames > 0) && HasUnknownCode(count);
    if (has_unknown_code_) modules_->NoteUnknownAddress();
    if (!reached_start_) {
      // A cut copy explains the end better than the unwinder's reason does.
      const bool cut = result.end == UnwindEnd::kStackCut && stack.problem != StackProblem::kNoProblem;
      const uint64_t reason = cut ? static_cast<uint64_t>(stack.problem) : static_cast<uint64_t>(result.end);
      frames_.push_back({StackFrameKind::kReason, reason, 0, {}});
    } else if (has_unknown_code_) {
      frames_.push_back({StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kUnknownCode), 0, {}});
    }
  }
  native_count_ = count;
  const bool is_cut = !reached_start_ && stack.view.size_bytes > 0;
  Merge(count, stack.outer, is_cut ? stack.view.end_avma() : UINT64_MAX);
  return frames_;
}

bool StackBuilder::HasUnknownCode(size_t native_count) const {
  for (size_t i = 0; i < native_count; ++i) {
    const uint64_t address = native_[i].address;
    if (address >= kLowestCodeAvma && !modules_->table().MayBeCodeAt(address)) return true;
  }
  return false;
}

void StackBuilder::Merge(size_t native_count, StackRange outer, uint64_t missing_from) {
  FindOwnCode();
  size_t innermost = 0;
  while (innermost < native_count && IsOwn(innermost)) ++innermost;
  if (skipped_frames_ > 0) {
    innermost = std::min(innermost + skipped_frames_, native_count);
  } else if (innermost == native_count) {
    innermost = 0;  // the stack has no other frames
  }
  size_t innermost_at = SIZE_MAX;           // index in frames_
  size_t scanned = scanned_frames_.size();  // those that are not reached yet
  MergeLabels(
      std::span<const UnwoundFrame>(native_.data(), native_count), labels_->labels(),
      [&](size_t i) {
        if (scanned > 0 && scanned_frames_[scanned - 1] == i + 1) {
          --scanned;
          frames_.push_back({StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kFoundByScan), 0, {}});
        }
        if (i == innermost) innermost_at = frames_.size();
        if (i == innermost || (i > innermost && !IsOwn(i))) {
          frames_.push_back({StackFrameKind::kNative, native_[i].address, 0, {}});
        }
      },
      [this](const LabelCopy::Label& label) {
        frames_.push_back({StackFrameKind::kInlineLabel, 0, label.category_pair, label.text});
      },
      outer, missing_from);
  // The innermost frame is written as its place demands. The class comment has the table.
  if (innermost_at == SIZE_MAX) return;
  const bool is_last = innermost_at + 1 == frames_.size();
  const bool is_pc = innermost == 0;
  if (is_last && !is_pc && !for_marker_) --frames_[innermost_at].value;
  if (is_pc && (!is_last || for_marker_)) ++frames_[innermost_at].value;
}

AddressRange StackBuilder::OwnCode() {
  FindOwnCode();
  return {own_low_, own_high_};
}

void StackBuilder::FindOwnCode() {
  if (own_high_ != 0) return;
  const Module* const own = modules_->table().Find(reinterpret_cast<uintptr_t>(own_code_));
  if (own == nullptr) return;
  const bool is_program = own->entry_avma() != 0;  // linked in as an archive, beside the program's own code
  own_low_ = is_program ? 1 : own->start_avma();
  own_high_ = is_program ? 1 : own->end_avma();
}

bool StackBuilder::IsOwn(size_t native_index) const {
  const uint64_t address = native_[native_index].address - (native_index == 0 ? 0 : 1);
  return address >= own_low_ && address < own_high_;
}

}  // namespace geckoprof
