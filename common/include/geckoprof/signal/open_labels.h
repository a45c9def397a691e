// Which open labels a stack shows, and what each of them says: the same in samples and in the stacks of markers.
#ifndef GECKOPROF_SIGNAL_OPEN_LABELS_H_
#define GECKOPROF_SIGNAL_OPEN_LABELS_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

// Calls take(frame, stack_address) for each, outermost first, but for those in `dead` and past the most that are shown,
// until it returns false: there is no room for another one. Returns how many were not looked at: count them
// (kLabelOverflow). Context: signal safe, if `take` is.
template <typename Take>
uint32_t TakeOpenLabels(const ProfilingStack& labels, const ProfilingStack::DeadRange& dead, const Take& take) {
  const uint32_t depth = labels.depth();
  const uint32_t stored = depth < ProfilingStack::kCapacity ? depth : ProfilingStack::kCapacity;
  uint32_t looked_at = 0;
  uint32_t taken = 0;
  for (bool has_room = true; looked_at < stored && taken < CaptureBuffer::kMaxLabels && has_room; ++looked_at) {
    const LabelFrame& frame = labels.frame(looked_at);
    const uintptr_t stack_address = frame.stack_address.load(std::memory_order_acquire);
    if (stack_address == 0 || dead.Holds(stack_address)) continue;
    ++taken;
    has_room = take(frame, stack_address);
  }
  return depth - looked_at;
}

// Puts `text`, which this code may read where it lies, to out[from, to) as far as it goes. Returns where it ends.
// Context: signal safe.
inline uint32_t AppendLabelText(const char* text, char* out, uint32_t from, uint32_t to) {
  while (from < to && *text != '\0') out[from++] = *text++;
  return from;
}

// Writes the label's text to out[at, ...), and behind a space the moment's, if there is any: kMaxLabelBytes at most,
// and not past `end`. append(text, from, to): puts as much of a string of the program's to out[from, to) as it has, and
// returns where that ends. Returns the end of all. Context: as above.
template <typename Append>
uint32_t PutLabelText(const LabelFrame& frame, char* out, uint32_t at, uint32_t end, const Append& append) {
  const uint32_t limit = at + CaptureBuffer::kMaxLabelBytes < end ? at + CaptureBuffer::kMaxLabelBytes : end;
  const uint32_t label_end = frame.label == nullptr ? at : append(frame.label, at, limit);
  const uint32_t from = label_end > at ? label_end + 1 : at;
  if (frame.dynamic == nullptr || from >= limit) return label_end;
  const uint32_t dynamic_end = append(frame.dynamic, from, limit);
  if (dynamic_end == from) return label_end;  // not even a byte
  if (from > label_end) out[label_end] = ' ';
  return dynamic_end;
}

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_OPEN_LABELS_H_
