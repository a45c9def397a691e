#include "sampler/stack_builder.h"

#include <string.h>

#include <algorithm>

#include "geckoprof/modules/process_memory.h"
#include "sampler/captured_registers.h"

namespace geckoprof {
namespace {

constexpr char kAnchor = 0;  // an address inside this library

}  // namespace

StackBuilder::StackBuilder(ModuleRecorder* modules) : modules_(modules), unwinder_(modules->table()) {
  native_.resize(kMostFrames);
  frames_.reserve(kMostFrames + CaptureBuffer::kMaxLabels + 1);
  labels_.reserve(ProfilingStack::kCapacity);
  label_text_.resize(CaptureBuffer::kLabelTextBytes);
}

std::span<const StackFrame> StackBuilder::FromCapture(const CaptureBuffer& capture, bool native) {
  CollectLabels(capture);
  const StackView stack{capture.stack_copy, capture.copied_from, capture.copied_bytes};
  StackProblem problem = StackProblem::kNoProblem;
  if (capture.unknown_stack) {
    problem = StackProblem::kUnknownStack;
  } else if (!capture.reached_stack_end) {
    problem = StackProblem::kCopyLimit;
  }
  return Build(ToUnwindRegisters(capture.registers), stack, problem, native);
}

std::span<const StackFrame> StackBuilder::FromBlocked(const BlockedThreadReader::Place& place,
                                                      const BlockedThreadReader& reader, const ProfilingStack* labels,
                                                      bool native) {
  labels_.clear();
  if (labels != nullptr) CollectLabels(*labels);
  const StackView stack{reader.bytes(), place.sp, reader.size_bytes()};
  const StackProblem problem = reader.reached_stack_end() ? StackProblem::kNoProblem : StackProblem::kCopyLimit;
  return Build(Registers::FromPcAndSp(place.pc, place.sp), stack, problem, native);
}

std::span<const StackFrame> StackBuilder::OnlyReason(StackProblem problem) {
  frames_.clear();
  frames_.push_back({StackFrameKind::kReason, static_cast<uint64_t>(problem), 0, {}});
  return frames_;
}

std::span<const StackFrame> StackBuilder::Build(const Registers& registers, const StackView& stack,
                                                StackProblem problem, bool native) {
  frames_.clear();
  size_t count = 0;
  reached_start_ = true;
  if (native) {
    const UnwindResult result = unwinder_.Unwind(registers, stack, native_);
    count = result.frame_count;
    reached_start_ = result.end == UnwindEnd::kReachedStart;
    outermost_sp_ = count > 0 ? native_[count - 1].cfa_or_sp : 0;
    if (!reached_start_ || result.fallback_frames > 0) NoteUnknown(count);
    if (!reached_start_) {
      // A copy that was cut explains the end better than what the unwinder met there.
      const bool cut = result.end == UnwindEnd::kStackCut && problem != StackProblem::kNoProblem;
      const uint64_t reason = cut ? static_cast<uint64_t>(problem) : static_cast<uint64_t>(result.end);
      frames_.push_back({StackFrameKind::kReason, reason, 0, {}});
    }
  }
  Merge(count);
  return frames_;
}

// Code that is in no mapping we know of: a library that was loaded since, whose unwind data was missing here.
void StackBuilder::NoteUnknown(size_t native_count) {
  const ModuleTable& table = modules_->table();
  for (size_t i = 0; i < native_count; ++i) {
    if (table.Find(native_[i].address) == nullptr && table.RegionAt(native_[i].address) == nullptr) {
      modules_->NoteUnknownAddress();
      return;
    }
  }
}

void StackBuilder::Merge(size_t native_count) {
  size_t label = 0;
  const auto append_labels_from = [&](uint64_t lowest_address) {
    for (; label < labels_.size() && labels_[label].stack_address >= lowest_address; ++label) {
      frames_.push_back({StackFrameKind::kInlineLabel, 0, labels_[label].category_pair, labels_[label].text});
    }
  };
  for (size_t i = native_count; i-- > 0;) {
    AppendNative(native_[i], i == 0);
    append_labels_from(native_[i].cfa_or_sp);
  }
  append_labels_from(0);
}

void StackBuilder::AppendNative(const UnwoundFrame& frame, bool innermost) {
  if (own_high_ == 0) {
    const Module* const own = modules_->table().Find(reinterpret_cast<uintptr_t>(&kAnchor));
    const bool is_program = own != nullptr && own->entry_avma() != 0;  // linked in as an archive: all else is there too
    if (own != nullptr) {
      own_low_ = is_program ? 1 : own->start_avma();
      own_high_ = is_program ? 1 : own->end_avma();
    }
  }
  if (!innermost && frame.address >= own_low_ && frame.address < own_high_) return;
  frames_.push_back({StackFrameKind::kNative, frame.address, 0, {}});
}

void StackBuilder::CollectLabels(const CaptureBuffer& capture) {
  labels_.clear();
  for (uint32_t i = 0; i < capture.label_count; ++i) {
    const CaptureBuffer::Label& label = capture.label[i];
    labels_.push_back(
        {label.stack_address, label.category_pair, {capture.label_text + label.text_offset, label.text_bytes}});
  }
}

// A string of the program's, page by page through the kernel: it may end right before one that is not mapped.
size_t StackBuilder::AppendProgramText(const char* text, size_t used, size_t limit) {
  const ProcessMemory memory;
  uint64_t from = reinterpret_cast<uintptr_t>(text);
  while (text != nullptr && used < limit) {
    const size_t bytes = std::min<size_t>(limit - used, kPageBytes - from % kPageBytes);
    auto* const place = reinterpret_cast<uint8_t*>(label_text_.data() + used);
    if (!memory.Read(from, {place, bytes})) break;
    const auto* const end = static_cast<const uint8_t*>(memchr(place, 0, bytes));
    if (end != nullptr) return used + static_cast<size_t>(end - place);
    used += bytes;
    from += bytes;
  }
  return used;
}

// The thread is blocked, so its labels hold still; should it run on all the same, the sample is thrown away afterwards,
// and reading through the kernel cannot fault meanwhile.
void StackBuilder::CollectLabels(const ProfilingStack& labels) {
  const uint32_t depth = std::min(labels.depth(), CaptureBuffer::kMaxLabels);
  size_t used = 0;
  for (uint32_t i = 0; i < depth; ++i) {
    const LabelFrame& frame = labels.frame(i);
    const uintptr_t stack_address = frame.stack_address.load(std::memory_order_acquire);
    if (stack_address == 0) continue;
    const size_t start = used;
    const size_t limit = std::min<size_t>(used + CaptureBuffer::kMaxLabelBytes, label_text_.size());
    used = AppendProgramText(frame.label, used, limit);
    if (frame.dynamic != nullptr) {
      if (used > start && used < limit) label_text_[used++] = ' ';
      used = AppendProgramText(frame.dynamic, used, limit);
    }
    labels_.push_back({stack_address, frame.category_pair, {label_text_.data() + start, used - start}});
  }
}

}  // namespace geckoprof
