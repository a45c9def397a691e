#include "geckoprof/entries/kept_stack.h"

#include <string_view>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/segment/leb128.h"

namespace geckoprof {

void KeptStack::Keep(std::span<const StackFrame> frames) {
  uint8_t room[kMaxBytes];
  for (bool is_cut = false;; is_cut = true, frames = frames.subspan((frames.size() + 1) / 2)) {
    EntryBuilder text{std::span<uint8_t>(room)};
    uint64_t caller = 0;
    if (is_cut) {
      AppendStackFrame({StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCopyLimit), 0, {}}, 0, text);
    }
    for (const StackFrame& frame : frames) caller = AppendStackFrame(frame, caller, text);
    if (!text.fits()) continue;
    bytes_.assign(text.bytes().begin(), text.bytes().end());
    return;
  }
}

void KeptStack::CopyTo(std::vector<StackFrame>& frames) const {
  frames.clear();
  Leb128Reader reader(bytes_);
  uint64_t caller = 0;
  while (reader.remaining() > 0) {
    const uint64_t word = reader.Uleb();
    StackFrame frame{static_cast<StackFrameKind>(word & 3), word >> 2, 0, {}};
    switch (frame.kind) {
      case StackFrameKind::kNative:
        caller += static_cast<uint64_t>(FromZigzag(word >> 2));
        frame.value = caller;
        break;
      case StackFrameKind::kLabel:
        frame.category_pair = static_cast<uint32_t>(reader.Uleb());
        break;
      case StackFrameKind::kReason:
        break;
      case StackFrameKind::kInlineLabel: {
        const std::span<const uint8_t> text = reader.Bytes(word >> 2);
        frame.text = {reinterpret_cast<const char*>(text.data()), text.size()};
        frame.value = 0;
        frame.category_pair = static_cast<uint32_t>(reader.Uleb());
        break;
      }
    }
    frames.push_back(frame);
  }
}

void KeptStack::Forget(const AddressRange& range, std::vector<StackFrame>& room) {
  CopyTo(room);
  bool is_changed = false;
  for (StackFrame& frame : room) {
    if (frame.kind != StackFrameKind::kNative || !range.Contains(frame.value)) continue;
    frame = {StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCodeUnloaded), 0, {}};
    is_changed = true;
  }
  // The texts of the frames point into the old bytes, so those stay until the new ones are complete.
  if (!is_changed) return;
  KeptStack changed;
  changed.Keep(room);
  bytes_.swap(changed.bytes_);
}

}  // namespace geckoprof
