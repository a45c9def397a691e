#include "sampler/label_copy.h"

#include <string.h>

#include <algorithm>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/process_memory.h"

namespace geckoprof {

void LabelCopy::BorrowFrom(const CaptureBuffer& capture) {
  count_ = std::min<uint32_t>(capture.label_count, CaptureBuffer::kMaxLabels);
  missing_ = capture.labels_missing;
  for (uint32_t i = 0; i < count_; ++i) {
    const CaptureBuffer::Label& label = capture.label[i];
    labels_[i] = {
        label.stack_address, label.category_pair, {capture.label_text + label.text_offset, size_t{label.text_bytes}}};
  }
}

// Copies page by page, because the text may end right before an unmapped page.
uint32_t LabelCopy::AppendProgramText(const char* text, char* out, uint32_t from, uint32_t to) {
  const ProcessMemory memory;
  uint64_t at = reinterpret_cast<uintptr_t>(text);
  while (from < to) {
    const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(to - from, kPageBytes - at % kPageBytes));
    auto* const place = reinterpret_cast<uint8_t*>(out + from);
    if (!memory.Read(at, {place, bytes})) break;
    const auto* const end = static_cast<const uint8_t*>(memchr(place, 0, bytes));
    if (end != nullptr) return from + static_cast<uint32_t>(end - place);
    from += bytes;
    at += bytes;
  }
  return from;
}

void LabelCopy::CopyFrom(const ProfilingStack& labels, StackRange stale, Append* append) {
  count_ = 0;
  uint32_t used = 0;
  missing_ = ForEachOpenLabel(labels, stale, [&](const LabelFrame& frame, uintptr_t stack_address) {
    const uint32_t end =
        WriteLabelText(frame, text_, used, sizeof(text_),
                       [&](const char* text, uint32_t from, uint32_t to) { return append(text, text_, from, to); });
    labels_[count_++] = {stack_address, frame.category_pair, {text_ + used, end - used}};
    used = end;
    return used < sizeof(text_);
  });
}

}  // namespace geckoprof
