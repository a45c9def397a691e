#ifndef GECKOPROF_ENTRIES_STACK_FRAME_H_
#define GECKOPROF_ENTRIES_STACK_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/entry_format.h"

namespace geckoprof {

// One frame of a stack, as it goes into a segment.
struct StackFrame {
  StackFrameKind kind = StackFrameKind::kNative;
  uint64_t value = 0;          // kNative: address; kLabel: string id; kReason: number; kInlineLabel: unused
  uint32_t category_pair = 0;  // labels only
  std::string_view text;       // kInlineLabel only
};

// Appends a frame of kind kNative, called by one at `caller_address` (0: by none). Returns the address for the frame
// that it calls: its own.
inline uint64_t AppendNativeFrame(uint64_t address, uint64_t caller_address, EntryBuilder& entry) {
  // The shift by two loses nothing: user-space addresses have at most 57 bits.
  entry.U(ToZigzag(static_cast<int64_t>(address - caller_address)) << 2);
  static_assert(static_cast<uint64_t>(StackFrameKind::kNative) == 0);
  return address;
}
// The same for any.
uint64_t AppendStackFrame(const StackFrame& frame, uint64_t caller_address, EntryBuilder& entry);

// What that takes at most.
constexpr size_t MaxStackFrameBytes(const StackFrame& frame) {
  return frame.kind == StackFrameKind::kNative ? kMaxLeb128Bytes : 2 * kMaxLeb128Bytes + frame.text.size();
}

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_STACK_FRAME_H_
