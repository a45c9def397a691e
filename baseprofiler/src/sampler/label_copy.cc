#include "sampler/label_copy.h"

#include <string.h>

#include <algorithm>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/process_memory.h"

namespace geckoprof {

void LabelCopy::TakeFrom(const CaptureBuffer& capture) {
  count_ = std::min<uint32_t>(capture.label_count, CaptureBuffer::kMaxLabels);
  missing_ = capture.labels_missing;
  for (uint32_t i = 0; i < count_; ++i) {
    const CaptureBuffer::Label& label = capture.label[i];
    labels_[i] = {label.stack_address,
                  label.category_pair,
                  label.origin,
                  {capture.label_text + label.text_offset, size_t{label.text_bytes}}};
  }
}

// Page by page: it may end right before one that is not mapped.
size_t LabelCopy::AppendProgramText(const char* text, char* out, size_t used, size_t limit) {
  const ProcessMemory memory;
  uint64_t from = reinterpret_cast<uintptr_t>(text);
  while (text != nullptr && used < limit) {
    const size_t bytes = std::min<size_t>(limit - used, kPageBytes - from % kPageBytes);
    auto* const place = reinterpret_cast<uint8_t*>(out + used);
    if (!memory.Read(from, {place, bytes})) break;
    const auto* const end = static_cast<const uint8_t*>(memchr(place, 0, bytes));
    if (end != nullptr) return used + static_cast<size_t>(end - place);
    used += bytes;
    from += bytes;
  }
  return used;
}

size_t LabelCopy::AppendOwnText(const char* text, char* out, size_t used, size_t limit) {
  while (text != nullptr && used < limit && *text != '\0') out[used++] = *text++;
  return used;
}

void LabelCopy::CopyFrom(const ProfilingStack& labels, const Dead& dead, Append* append) {
  const uint32_t open = labels.depth();
  const uint32_t depth = std::min(open, CaptureBuffer::kMaxLabels);
  count_ = 0;
  missing_ = open - depth;
  size_t used = 0;
  for (uint32_t i = 0; i < depth; ++i) {
    const LabelFrame& frame = labels.frame(i);
    const uintptr_t stack_address = frame.stack_address.load(std::memory_order_acquire);
    if (stack_address == 0 || dead.Holds(stack_address)) continue;
    const size_t start = used;
    const size_t limit = std::min<size_t>(used + CaptureBuffer::kMaxLabelBytes, sizeof(text_));
    used = append(frame.label, text_, used, limit);
    if (frame.dynamic != nullptr) {
      if (used > start && used < limit) text_[used++] = ' ';
      used = append(frame.dynamic, text_, used, limit);
    }
    labels_[count_++] = {stack_address, frame.category_pair, frame.origin, {text_ + start, used - start}};
  }
}

}  // namespace geckoprof
