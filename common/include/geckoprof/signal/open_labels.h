// Selection and text of the open labels of a stack, for samples and for the stacks of markers.
#ifndef GECKOPROF_SIGNAL_OPEN_LABELS_H_
#define GECKOPROF_SIGNAL_OPEN_LABELS_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

// Calls take(frame, stack_address) for each open label, outermost first. It skips the labels in `dead` and stops at the
// maximum number of labels. It also stops when `take` returns false, which means that there is no more room. Returns
// the number of labels that were not looked at. The caller counts them as kLabelOverflow.
//
// Context: signal context, if `take` allows it.
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

// Copies `text`, which must be readable in place, to out[from, to) as far as it fits. Returns its end.
//
// Context: any, including signal context.
inline uint32_t AppendLabelText(const char* text, char* out, uint32_t from, uint32_t to) {
  while (from < to && *text != '\0') out[from++] = *text++;
  return from;
}

// Writes the label's text to out[at, ...) and, after a space, its dynamic text if there is any. It writes at most
// kMaxLabelBytes and never beyond `end`. `append(text, from, to)` copies as much of a string of the program as fits to
// out[from, to), and returns its end. PutLabelText returns the end of the whole text.
//
// Context: signal context, if `append` allows it.
template <typename Append>
uint32_t PutLabelText(const LabelFrame& frame, char* out, uint32_t at, uint32_t end, const Append& append) {
  const uint32_t limit = at + CaptureBuffer::kMaxLabelBytes < end ? at + CaptureBuffer::kMaxLabelBytes : end;
  const uint32_t label_end = frame.label == nullptr ? at : append(frame.label, at, limit);
  const uint32_t from = label_end > at ? label_end + 1 : at;
  if (frame.dynamic == nullptr || from >= limit) return label_end;
  const uint32_t dynamic_end = append(frame.dynamic, from, limit);
  if (dynamic_end == from) return label_end;  // the dynamic text has no byte
  if (from > label_end) out[label_end] = ' ';
  return dynamic_end;
}

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_OPEN_LABELS_H_
