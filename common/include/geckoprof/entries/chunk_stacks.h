#ifndef GECKOPROF_ENTRIES_CHUNK_STACKS_H_
#define GECKOPROF_ENTRIES_CHUNK_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {

// One frame of a stack, as it goes into a segment.
struct StackFrame {
  StackFrameKind kind = StackFrameKind::kNative;
  uint64_t value = 0;          // kNative: address; kLabel: string id; kReason: number; kInlineLabel: unused
  uint32_t category_pair = 0;  // labels only
  std::string_view text;       // kInlineLabel only
};

// Appends a native frame. `caller_address` is the address of its caller's frame, or 0 for the root. Returns the address
// that the frame's callees pass as their `caller_address`.
inline uint64_t AppendNativeFrame(uint64_t address, uint64_t caller_address, EntryBuilder& entry) {
  // User-space addresses have at most 57 bits, so the shift by two loses nothing.
  entry.U(ToZigzag(static_cast<int64_t>(address - caller_address)) << 2);
  static_assert(static_cast<uint64_t>(StackFrameKind::kNative) == 0);
  return address;
}
// Does the same for a frame of any kind.
uint64_t AppendStackFrame(const StackFrame& frame, uint64_t caller_address, EntryBuilder& entry);

// Returns an upper bound of the bytes that AppendStackFrame writes.
constexpr size_t MaxStackFrameBytes(const StackFrame& frame) {
  return frame.kind == StackFrameKind::kNative ? kMaxLeb128Bytes : 2 * kMaxLeb128Bytes + frame.text.size();
}

// ChunkStacks remembers which stacks the current chunk already holds. They form a tree of nodes (parent, frame), and a
// hash table finds the nodes. The number of a stack's innermost node stands for the stack. A part that two stacks share
// from the root on is written once.
//
//   main - run - step            node 1 - node 2 - node 3
//              \ draw                             \ node 4         a sample in draw: 4
//
// The contents are valid for one chunk. Begin() forgets everything in constant time, because each node carries the
// number of its round.
//
// Threads: owned by the sampler. Context: not signal context. Memory: 512 KiB of address space, of which only used
// pages are touched.
class ChunkStacks {
 public:
  ChunkStacks();
  bool ok() const { return bool{memory_}; }

  void Begin() {
    ++round_;
    node_count_ = 0;
  }

  // The code at `range` has changed. Nodes with an address in `range`, and all nodes below them, are not found again.
  void Forget(const AddressRange& range);

  // Looks up `frames`, outermost first. The result has the number of frames that the chunk already holds, and the node
  // of the last of them. The node is 0 if the chunk holds none.
  struct Match {
    uint32_t node = 0;
    size_t frames = 0;
  };
  Match Find(std::span<const StackFrame> frames) const;

  // Returns an upper bound of the bytes that Add writes for `frames`.
  static size_t MaxBytes(std::span<const StackFrame> frames);

  // Appends a kStack entry to `entry` that defines `frames` below `parent`, and remembers them. Returns the innermost
  // node. REQUIRES: CanAdd(frames.size()), and `entry` has room for MaxBytes.
  uint32_t Add(uint32_t parent, std::span<const StackFrame> frames, EntryBuilder& entry);

  bool CanAdd(size_t count) const { return node_count_ + count < kMaxNodes; }

 private:
  // A chunk of 64 KiB holds at most about 16,000 nodes, because the shortest takes four bytes. The table has twice as
  // many places, so that probes stay short.
  static constexpr uint32_t kTableSize = 32 * 1024;
  static constexpr uint32_t kMaxNodes = 16 * 1024;
  static constexpr uint64_t kForgotten = UINT64_MAX;

  struct Node {
    uint64_t key;    // hash of (parent, frame)
    uint32_t round;  // 0 or older: empty
    uint32_t node;
  };
  static uint64_t MakeKey(uint32_t parent, const StackFrame& frame);
  uint32_t FindNode(uint64_t key) const;
  void Insert(uint64_t key, uint32_t node);

  PageMemory memory_;
  Node* table_ = nullptr;
  uint64_t* address_ = nullptr;  // of each node, for the deltas; index 0 is the address "before" the root
  uint32_t round_ = 0;
  uint32_t node_count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_CHUNK_STACKS_H_
