#include "geckoprof/unwind/last_walks.h"

#include <utility>

namespace geckoprof {

LastWalks::LastWalks() : memory_(PageMemory::Map((kStacks + 1) * kMaxFrames * sizeof(WalkedFrame))) {
  if (memory_) Divide({reinterpret_cast<WalkedFrame*>(memory_.data()), (kStacks + 1) * kMaxFrames});
}

LastWalks::LastWalks(std::span<WalkedFrame> memory, size_t stacks) : slot_count_(stacks) { Divide(memory); }

void LastWalks::Divide(std::span<WalkedFrame> frames) {
  most_frames_ = frames.size() / (slot_count_ + 1);
  for (size_t i = 0; i < slot_count_; ++i) slots_[i].frames = frames.data() + i * most_frames_;
  spare_ = frames.data() + slot_count_ * most_frames_;
}

LastWalks::Slot& LastWalks::FindSlot(const StackView& stack) {
  Slot* oldest = &slots_[0];
  for (Slot& slot : std::span(slots_).first(slot_count_)) {
    if (slot.count != 0 && slot.outermost_sp - stack.base_avma < stack.size_bytes) return slot;
    if (slot.used < oldest->used) oldest = &slot;
  }
  oldest->count = 0;
  return *oldest;
}

void LastWalks::Begin(const StackView& stack, uint64_t sp, uint32_t generation) {
  if (spare_ == nullptr) return;
  slot_ = &FindSlot(stack);
  slot_->used = ++walk_count_;
  if (slot_->generation != generation) slot_->count = 0;
  slot_->generation = generation;
  last_ = slot_->frames;
  last_end_ = slot_->frames + slot_->count;
  next_ = spare_;
  next_end_ = spare_ + most_frames_;
  for (const WalkedFrame* frame = Seek(sp); frame != last_end_; ++frame) {
    if (stack.Contains(frame->sp - 8, 8)) __builtin_prefetch(stack.bytes + (frame->sp - 8 - stack.base_avma));
  }
}

void LastWalks::End() {
  if (slot_ == nullptr) return;
  slot_->count = static_cast<size_t>(next_ - spare_);
  slot_->outermost_sp = slot_->count == 0 ? 0 : next_[-1].sp;
  std::swap(slot_->frames, spare_);
  slot_ = nullptr;
  last_ = last_end_ = nullptr;
  next_ = next_end_ = nullptr;
}

}  // namespace geckoprof
