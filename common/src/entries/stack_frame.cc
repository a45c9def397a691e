#include "geckoprof/entries/stack_frame.h"

namespace geckoprof {

uint64_t AppendStackFrame(const StackFrame& frame, uint64_t caller_address, EntryBuilder& entry) {
  const uint64_t kind = static_cast<uint64_t>(frame.kind);
  switch (frame.kind) {
    case StackFrameKind::kNative:
      return AppendNativeFrame(frame.value, caller_address, entry);
    case StackFrameKind::kLabel:
      entry.U(frame.value << 2 | kind).U(frame.category_pair);
      break;
    case StackFrameKind::kReason:
      entry.U(frame.value << 2 | kind);
      break;
    case StackFrameKind::kInlineLabel:
      entry.U(uint64_t{frame.text.size()} << 2 | kind);
      for (const char c : frame.text) entry.Byte(static_cast<uint8_t>(c));
      entry.U(frame.category_pair);
      break;
  }
  return caller_address;  // what is not native does not disturb the deltas of what it calls
}

}  // namespace geckoprof
