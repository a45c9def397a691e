// The open labels that a stack shows, and their texts. Samples and the stacks of markers share these rules.
#ifndef GECKOPROF_SIGNAL_OPEN_LABELS_H_
#define GECKOPROF_SIGNAL_OPEN_LABELS_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

// Calls visit(frame, stack_address) for each open label, outermost first. Labels that lie in `stale` are skipped
// (ProfilingStack). The calls end at the limit of labels that are shown, or when `visit` returns false, since it has no
// room for another label. Returns how many labels were not looked at, which the caller counts (kLabelOverflow).
// Context: signal safe, if `visit` is.
template <typename Visit>
uint32_t ForEachOpenLabel(const ProfilingStack& labels, StackRange stale, const Visit& visit) {
  const uint32_t depth = labels.depth();
  const uint32_t stored = depth < ProfilingStack::kCapacity ? depth : ProfilingStack::kCapacity;
  uint32_t looked_at = 0;
  uint32_t taken = 0;
  for (bool has_room = true; looked_at < stored && taken < CaptureBuffer::kMaxLabels && has_room; ++looked_at) {
    const LabelFrame& frame = labels.frame(looked_at);
    const uintptr_t stack_address = frame.stack_address.load(std::memory_order_acquire);
    if (stack_address == 0 || stale.Contains(stack_address)) continue;
    ++taken;
    has_room = visit(frame, stack_address);
  }
  return depth - looked_at;
}

// Copies `text` to out[from, to), as far as there is room. Returns its end there. REQUIRES: the caller may read `text`.
// Context: signal safe.
inline uint32_t AppendLabelText(const char* text, char* out, uint32_t from, uint32_t to) {
  while (from < to && *text != '\0') out[from++] = *text++;
  return from;
}

// Writes the label to out[at, ...), then a space and the text of the moment, if there is one. It writes at most
// kMaxLabelBytes, and nothing past `end`. append(text, from, to) copies a string of the program to out[from, to), as
// far as there is room, and returns its end there. Returns the end of the whole text. Context: as above.
template <typename Append>
uint32_t WriteLabelText(const LabelFrame& frame, char* out, uint32_t at, uint32_t end, const Append& append) {
  const uint32_t limit = at + CaptureBuffer::kMaxLabelBytes < end ? at + CaptureBuffer::kMaxLabelBytes : end;
  const uint32_t label_end = frame.label == nullptr ? at : append(frame.label, at, limit);
  const uint32_t from = label_end > at ? label_end + 1 : at;
  if (frame.dynamic == nullptr || from >= limit) return label_end;
  const uint32_t dynamic_end = append(frame.dynamic, from, limit);
  if (dynamic_end == from) return label_end;  // It has no byte, or no room.
  if (from > label_end) out[label_end] = ' ';
  return dynamic_end;
}

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_OPEN_LABELS_H_
