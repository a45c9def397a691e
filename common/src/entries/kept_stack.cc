#include "geckoprof/entries/kept_stack.h"

#include <string.h>

#include <utility>

#include "geckoprof/entries/entry_format.h"

namespace geckoprof {
namespace {

constexpr size_t kWordBytes = sizeof(uint64_t);

size_t WordsOfText(size_t bytes) { return (bytes + kWordBytes - 1) / kWordBytes; }

// A word with the value and the kind of the frame. Labels have a word with the category pair, and their text follows.
size_t WordsOf(const StackFrame& frame) {
  switch (frame.kind) {
    case StackFrameKind::kNative:
    case StackFrameKind::kReason:
      return 1;
    case StackFrameKind::kLabel:
      return 2;
    case StackFrameKind::kInlineLabel:
      return 2 + WordsOfText(frame.text.size());
  }
  return 1;
}

size_t WordsOf(std::span<const StackFrame> frames) {
  size_t words = 0;
  for (const StackFrame& frame : frames) words += WordsOf(frame);
  return words;
}

// User-space addresses have at most 57 bits, so the shift by two loses nothing.
uint64_t* Write(const StackFrame& frame, uint64_t* to) {
  const bool has_text = frame.kind == StackFrameKind::kInlineLabel;
  to[0] = (has_text ? frame.text.size() : frame.value) << 2 | static_cast<uint64_t>(frame.kind);
  const size_t words = WordsOf(frame);
  if (words > 1) to[1] = frame.category_pair;
  if (has_text) memcpy(to + 2, frame.text.data(), frame.text.size());
  return to + words;
}

StackFrame Read(const uint64_t* from) {
  const uint64_t value = from[0] >> 2;
  StackFrame frame{static_cast<StackFrameKind>(from[0] & 3), value, 0, {}};
  if (frame.kind == StackFrameKind::kInlineLabel) {
    frame.value = 0;
    frame.text = {reinterpret_cast<const char*>(from + 2), static_cast<size_t>(value)};
  }
  if (WordsOf(frame) > 1) frame.category_pair = static_cast<uint32_t>(from[1]);
  return frame;
}

}  // namespace

void KeptStack::Keep(std::span<const StackFrame> frames) {
  constexpr StackFrame kCut{StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCopyLimit), 0, {}};
  constexpr size_t kMaxWords = kMaxBytes / kWordBytes - 1;  // the reason has the last one
  size_t count = WordsOf(frames);
  const bool is_cut = count > kMaxWords;
  while (count > kMaxWords) {
    frames = frames.subspan((frames.size() + 1) / 2);
    count = WordsOf(frames);
  }
  words_.resize(count + (is_cut ? 1 : 0));
  uint64_t* to = words_.data();
  if (is_cut) to = Write(kCut, to);
  for (const StackFrame& frame : frames) to = Write(frame, to);
}

void KeptStack::CopyTo(std::vector<StackFrame>& frames) const {
  frames.clear();
  for (const uint64_t* at = words_.data(); at < words_.data() + words_.size(); at += WordsOf(frames.back())) {
    frames.push_back(Read(at));
  }
}

void KeptStack::Forget(const AddressRange& range) {
  constexpr StackFrame kGone{StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCodeUnloaded), 0, {}};
  size_t words = 0;
  for (uint64_t* at = words_.data(); at < words_.data() + words_.size(); at += words) {
    const StackFrame frame = Read(at);
    words = WordsOf(frame);
    if (frame.kind == StackFrameKind::kNative && range.Contains(frame.value)) Write(kGone, at);
  }
}

void MarkerStackCopies::Add(uint64_t id, const ChunkUse& marker, const ChunkUse& written,
                            std::span<const StackFrame> frames) {
  copies_.push_back({id, marker, written, {}});
  copies_.back().stack.Keep(frames);
  used_bytes_ += SizeOf(copies_.back());
  while (used_bytes_ > kMaxBytes) RemoveOldest();
}

bool MarkerStackCopies::RemoveDue(const ChunkUse& current, uint64_t begun_bytes, uint64_t half_bytes, Copy& copy) {
  if (first_ == copies_.size()) return false;
  const ChunkUse& written = copies_[first_].written;
  if (written.block == current.block || begun_bytes - written.block < half_bytes) return false;
  copy = RemoveOldest();
  return true;
}

MarkerStackCopies::Copy MarkerStackCopies::RemoveOldest() {
  Copy oldest = std::move(copies_[first_++]);
  used_bytes_ -= SizeOf(oldest);
  if (2 * first_ >= copies_.size()) {
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
  return oldest;
}

void MarkerStackCopies::ForgetCode(const AddressRange& range) {
  for (size_t i = first_; i < copies_.size(); ++i) copies_[i].stack.Forget(range);
}

}  // namespace geckoprof
