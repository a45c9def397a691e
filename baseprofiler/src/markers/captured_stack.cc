#include "markers/captured_stack.h"

#include <string.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "geckoprof/arch/registers.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/signal/capture_handler.h"
#include "geckoprof/signal/open_labels.h"
#include "geckoprof/unwind/label_merge.h"

namespace geckoprof {

MarkerStackMemory* MarkerStackMemory::New() {
  PageMemory memory = PageMemory::Map(sizeof(MarkerStackMemory));
  return memory ? new (memory.Release()) MarkerStackMemory() : nullptr;
}

std::optional<MarkerStackMemory::Written> MarkerStackMemory::Write(std::span<const UnwoundFrame> frames,
                                                                   const AddressRange& own) {
  size_t same = 0;
  const size_t most = std::min(frame_count_, frames.size());
  while (same < most && frames_[same].address == frames[frames.size() - 1 - same].address) ++same;
  frame_count_ = same;  // the next frames are about to change
  Frame last = same == 0 ? Frame{} : frames_[same - 1];
  uint64_t caller = 0;
  for (size_t i = same; i > 0 && caller == 0; --i) {
    if (!own.Contains(frames_[i - 1].address - 1)) caller = frames_[i - 1].address;
  }
  EntryBuilder field{std::span(written_).subspan(last.bytes)};
  const uint32_t before = last.bytes;
  for (size_t i = same; i < frames.size(); ++i) {
    last.address = frames[frames.size() - 1 - i].address;
    if (!own.Contains(last.address - 1)) {
      caller = AppendNativeFrame(last.address, caller, field);
      ++last.shown;
      last.bytes = before + static_cast<uint32_t>(field.bytes().size());
    }
    frames_[i] = last;
  }
  if (!field.fits()) return std::nullopt;
  frame_count_ = frames.size();
  return Written{last.shown, {written_, last.bytes}};
}

namespace {

// A label that is open, by its place in the thread's stack of them.
struct OpenLabel {
  uint64_t stack_address;
  const LabelFrame* frame;
};

// The label's text and the moment's behind it, as samples have them.
StackFrame ToFrame(const LabelFrame& label, std::span<char, CaptureBuffer::kMaxLabelBytes> room) {
  const auto append = [&](const char* text, uint32_t from, uint32_t to) {
    return AppendLabelText(text, room.data(), from, to);
  };
  const uint32_t used = WriteLabelText(label, room.data(), 0, CaptureBuffer::kMaxLabelBytes, append);
  return {StackFrameKind::kInlineLabel, 0, label.category_pair, {room.data(), used}};
}

}  // namespace

bool CapturedStack::Capture(const Thread& thread, const CallerFrame& caller, bool native) {
  HandOver({});  // of an earlier capture
  stale_ = thread.stack.Below(caller.sp);
  if (!native) return Encode({}, thread.labels, StackProblem::kNoProblem, {});
  // It is not cleared first, because that would take as long as the walk. Each element is written before it is read.
  union Frames {
    Frames() {}
    UnwoundFrame frame[kMaxFrames];
  } frames;
  std::span<const UnwoundFrame> known;
  StackView view;
  const bool is_elsewhere = thread.stack.high != 0 && !thread.stack.Contains(caller.sp);
  // On another stack, such as a coroutine's, only this page is known to be mapped.
  const uint64_t high = is_elsewhere ? RoundUpTo(caller.sp + 1, kPageBytes) : thread.stack.high;
  if (thread.stack.high != 0 && stacks_.HasRulesFor(thread.unloads)) {
    view = {reinterpret_cast<const uint8_t*>(caller.sp), caller.sp, high - caller.sp};
  }
  const Outside outside = {is_elsewhere ? thread.stack : StackRange{0, 0}};
  int tries = 0;
  do {
    const RuleWalk walk = WalkByRules(stacks_.rules(), caller, view, frames.frame,
                                      thread.memory == nullptr ? nullptr : &thread.memory->walks());
    const std::span<const UnwoundFrame> walked(frames.frame, walk.frame_count);
    known = walked.subspan(std::min<size_t>(thread.skipped_frames, walk.frame_count));
    // The frames that are left out open no labels, so labels that lie there are stale.
    if (!known.empty()) stale_ = thread.stack.Below(known.front().cfa_or_sp);
    if (walk.reached_start && EncodeComplete(known, thread, outside)) return true;
    // The sampler would see no more of another stack either, because the mapped page ends there.
    const bool is_all = is_elsewhere && walk.left_stack && view.size_bytes > 0 && !known.empty();
    if (is_all) return Encode(known, thread.labels, StackProblem::kUnknownStack, {outside.outer, high});
    if (Defer(thread, is_elsewhere ? high : 0)) return true;
    // The sampler gets as much of the stack as there is room for. It may learn the missing rules from it.
  } while (++tries < kMaxTries && stacks_.WaitForSampler());
  Encode(known, thread.labels, StackProblem::kNotLearnt, outside);
  return false;
}

// Nothing is known of a stack with labels, because labels may be others the next time.
bool CapturedStack::EncodeComplete(std::span<const UnwoundFrame> native, const Thread& thread, const Outside& outside) {
  std::optional<MarkerStackMemory::Written> written;
  if (thread.labels.depth() == 0 && thread.memory != nullptr) written = thread.memory->Write(native, stacks_.OwnCode());
  if (!written.has_value()) return Encode(native, thread.labels, StackProblem::kNoProblem, outside);
  used_ = 0;
  if (written->frame_count == 0) return true;
  used_ = static_cast<size_t>(WriteUleb128(uint64_t{written->frame_count} << 1, room_) - room_);
  memcpy(room_ + used_, written->bytes.data(), written->bytes.size());
  used_ += written->bytes.size();
  return true;
}

bool CapturedStack::Encode(std::span<const UnwoundFrame> native, const ProfilingStack& labels, StackProblem problem,
                           const Outside& outside) {
  OpenLabel open[CaptureBuffer::kMaxLabels];
  size_t open_count = 0;
  labels_missing_ = ForEachOpenLabel(labels, stale_, [&](const LabelFrame& frame, uintptr_t stack_address) {
    open[open_count++] = {stack_address, &frame};
    return true;
  });
  const bool whole = problem == StackProblem::kNoProblem;
  const AddressRange own = stacks_.OwnCode();
  size_t other_count = whole ? 0 : 1;
  for (const UnwoundFrame& frame : native) other_count += own.Contains(frame.address - 1) ? 0 : 1;
  used_ = 0;
  while (open_count + other_count > 0) {
    size_t fitting = 0;
    EntryBuilder field{std::span<uint8_t>(room_)};
    field.U((uint64_t{open_count} + other_count) << 1);
    if (!whole) AppendStackFrame({StackFrameKind::kReason, static_cast<uint64_t>(problem), 0, {}}, 0, field);
    uint64_t address = 0;
    MergeLabels(
        native, std::span<const OpenLabel>(open, open_count),
        [&](size_t i) {
          if (!own.Contains(native[i].address - 1)) address = AppendNativeFrame(native[i].address, address, field);
        },
        [&](const OpenLabel& label) {
          if (!field.fits()) return;
          char text[CaptureBuffer::kMaxLabelBytes];
          AppendStackFrame(ToFrame(*label.frame, text), 0, field);
          fitting += field.fits() ? 1 : 0;
        },
        outside.outer, outside.missing_from);
    if (field.fits()) {
      used_ = field.bytes().size();
      return true;
    }
    // The sampler has more room, so it takes a whole stack. Otherwise the outermost labels stay, as in samples.
    if (open_count == 0 || (whole && !native.empty())) return false;
    const size_t left = std::min(fitting, open_count - 1);
    labels_missing_ += static_cast<uint32_t>(open_count - left);
    open_count = left;
  }
  return true;
}

// For the sampler, which unwinds from here and leaves out the frames of this library. The registers are those of this
// function.
__attribute__((noinline)) bool CapturedStack::Defer(const Thread& thread, uint64_t elsewhere_to) {
  CaptureBuffer* const buffer = stacks_.Acquire();
  if (buffer == nullptr) return false;
  buffer->tid = thread.tid;
  buffer->skipped_frames = thread.skipped_frames;
  buffer->unloads = thread.unloads;
  buffer->labels = &thread.labels;
  CapturedRegisters& registers = buffer->registers;
  registers.known = ReadCurrentRegisters(registers.values);
  registers.pc = registers.values[kDwarfPc];
  registers.sp = registers.values[kDwarfSp];
  buffer->stack = elsewhere_to == 0 ? thread.stack : StackRange{registers.sp, elsewhere_to};
  CopyStack(*buffer);
  buffer->unknown_stack |= elsewhere_to != 0;
  buffer->stack = thread.stack;
  CopyLabels(*buffer);
  labels_missing_ = buffer->labels_missing;
  EntryBuilder field{std::span<uint8_t>(room_)};
  field.U(PendingMarkerStacks::IdOf(*buffer) << 1 | 1);
  used_ = field.bytes().size();
  deferred_ = buffer;
  sampler_ = &thread.sampler;
  return true;
}

void CapturedStack::HandOver(const ChunkUse& marker) {
  if (deferred_ == nullptr) return;
  deferred_->marker_chunk = marker.chunk.ToNumber();
  deferred_->marker_block = marker.block;
  stacks_.Publish(deferred_, *sampler_);
  deferred_ = nullptr;
}

// Few markers have such a stack, so it is compiled for size.
[[gnu::cold]] bool CapturedStack::Capture(const geckoprof_stack& stack) {
  uint32_t first = 0;
  const StackFrame cut{StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCopyLimit), 0, {}};
  while (first < stack.frame_count) {
    EntryBuilder field{std::span<uint8_t>(room_)};
    field.U(uint64_t{stack.frame_count - first + (first > 0 ? 1 : 0)} << 1);
    if (first > 0) AppendStackFrame(cut, 0, field);
    uint64_t address = 0;
    for (uint32_t i = first; i < stack.frame_count && field.fits(); ++i) {
      geckoprof_stack_frame frame = {};
      stack.frame(stack.context, i, &frame);
      const std::string_view label =
          frame.label == nullptr ? std::string_view() : std::string_view(frame.label, frame.label_bytes);
      const bool is_label = frame.address == 0;
      address = AppendStackFrame(is_label ? StackFrame{StackFrameKind::kInlineLabel, 0, frame.category_pair,
                                                       label.substr(0, CaptureBuffer::kMaxLabelBytes)}
                                          : StackFrame{StackFrameKind::kNative, frame.address, 0, {}},
                                 address, field);
    }
    // Behind the frames, where earlier readers do not look.
    if (stack.size_bytes >= sizeof(stack) && stack.thread > 0) {
      field.U(static_cast<uint64_t>(stack.thread)).U(static_cast<uint64_t>(std::max<int64_t>(stack.monotonic_ns, 0)));
    }
    if (field.fits()) {
      used_ = field.bytes().size();
      break;
    }
    first += (stack.frame_count - first + 3) / 4;
  }
  return first == 0;
}

}  // namespace geckoprof
