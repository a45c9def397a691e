#include "geckoprof/entries/last_samples.h"

namespace geckoprof {

void LastSample::Forget() {
  if (before_ == nullptr) return;
  before_->after_ = after_;
  after_->before_ = before_;
  before_ = after_ = nullptr;
}

void LastSamples::MoveToNewest(LastSample& last) {
  last.Forget();
  last.before_ = ends_.before_;
  last.after_ = &ends_;
  last.before_->after_ = ends_.before_ = &last;
}

void LastSamples::Keep(LastSample& last, const LastSample::Row& row, std::span<const StackFrame> frames) {
  const bool is_same_stack =
      last.before_ != nullptr && last.row_.chunk_serial == row.chunk_serial && last.row_.node == row.node;
  if (!is_same_stack) last.stack_.Keep(frames);
  last.row_ = row;
  MoveToNewest(last);
}

bool LastSamples::BeginRoundIfDue(const Progress& now, uint32_t chunk_count, uint64_t chunk_age) {
  if (now.chunk_serial == round_.chunk_serial) return false;
  if (HasDue()) return false;
  const bool is_affordable = now.sampler_bytes - round_.sampler_bytes >= 2 * round_bytes_;
  const bool is_urgent = now.chunks_of_others - round_.chunks_of_others >= chunk_count / 2;
  if (!is_affordable && !is_urgent) return false;
  BeginRound(now);
  // The next round is due when others have begun half of the chunks, and it takes a while.
  const bool is_old = chunk_age >= chunk_count / 4;
  if (is_old) ++round_.chunk_serial;
  return is_old;
}

void LastSamples::BeginRound(const Progress& now) {
  round_ = now;
  round_bytes_ = 0;
}

LastSample* LastSamples::NextDue(std::span<const StackFrame>& frames) {
  if (!HasDue()) return nullptr;
  LastSample* const oldest = ends_.after_;
  oldest->stack_.CopyTo(frames_);
  frames = frames_;
  return oldest;
}

void LastSamples::NoteRepeated(LastSample& last, uint32_t chunk_serial, uint32_t node, uint64_t bytes) {
  last.row_.chunk_serial = chunk_serial;
  last.row_.node = node;
  round_bytes_ += bytes;
  MoveToNewest(last);
}

void LastSamples::ForgetCode(const AddressRange& range) {
  for (LastSample* last = ends_.after_; last != &ends_; last = last->after_) last->stack_.Forget(range);
}

}  // namespace geckoprof
