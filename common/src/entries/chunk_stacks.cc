#include "geckoprof/entries/chunk_stacks.h"

#include "geckoprof/base/hash_mix.h"

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
  return caller_address;  // only native frames have addresses
}

ChunkStacks::ChunkStacks() : memory_(PageMemory::Map(kTableSize * sizeof(Node) + (kMaxNodes + 1) * sizeof(uint64_t))) {
  table_ = reinterpret_cast<Node*>(memory_.data());
  address_ = reinterpret_cast<uint64_t*>(memory_.data() + kTableSize * sizeof(Node));
}

uint64_t ChunkStacks::MakeKey(uint32_t parent, const StackFrame& frame) {
  const uint64_t value = frame.kind == StackFrameKind::kInlineLabel ? HashText(frame.text) : frame.value;
  const uint64_t where =
      uint64_t{parent} << 32 | uint64_t{frame.category_pair} << 8 | static_cast<uint64_t>(frame.kind);
  return MixBits(value + 0x9e3779b97f4a7c15u * MixBits(where + 1));
}

uint32_t ChunkStacks::FindNode(uint64_t key) const {
  for (uint32_t at = key % kTableSize;; at = at + 1 == kTableSize ? 0 : at + 1) {
    if (table_[at].round != round_) return 0;
    if (table_[at].key == key && address_[table_[at].node] != kForgotten) return table_[at].node;
  }
}

void ChunkStacks::Forget(const AddressRange& range) {
  for (uint32_t node = 1; node <= node_count_; ++node) {
    if (range.Contains(address_[node])) address_[node] = kForgotten;
  }
}

void ChunkStacks::Insert(uint64_t key, uint32_t node) {
  uint32_t at = key % kTableSize;
  while (table_[at].round == round_) at = at + 1 == kTableSize ? 0 : at + 1;
  table_[at] = {key, round_, node};
}

ChunkStacks::Match ChunkStacks::Find(std::span<const StackFrame> frames) const {
  Match match;
  for (const StackFrame& frame : frames) {
    const uint32_t node = FindNode(MakeKey(match.node, frame));
    if (node == 0) break;
    match.node = node;
    ++match.frames;
  }
  return match;
}

size_t ChunkStacks::MaxBytes(std::span<const StackFrame> frames) {
  size_t bytes = 1 + 2 * kMaxLeb128Bytes;
  for (const StackFrame& frame : frames) bytes += MaxStackFrameBytes(frame);
  return bytes;
}

uint32_t ChunkStacks::Add(uint32_t parent, std::span<const StackFrame> frames, EntryBuilder& entry) {
  entry.U(parent).U(frames.size());
  uint32_t node = parent;
  for (const StackFrame& frame : frames) {
    const uint64_t parent_address = node == 0 ? 0 : address_[node];
    const uint64_t address = AppendStackFrame(frame, parent_address, entry);
    const uint64_t key = MakeKey(node, frame);
    node = ++node_count_;
    address_[node] = address;
    Insert(key, node);
  }
  return node;
}

}  // namespace geckoprof
