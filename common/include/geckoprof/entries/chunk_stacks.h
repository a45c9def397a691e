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

// ChunkStacks: the writer's memory of which stacks the current chunk holds already: a tree of nodes (parent, frame),
// found by hash. A stack is one number, its innermost node; what two stacks have in common from the root on is written
// once.
//
//   main - run - step            node 1 - node 2 - node 3
//              \ draw                             \ node 4         a sample in draw: 4
//
// Valid for one chunk: Begin() forgets everything, in constant time (entries carry the round that made them).
// Threads: owned by the sampler. Context: not signal context. Memory: 512 KiB of address space, touched as used.
class ChunkStacks {
 public:
  ChunkStacks();
  bool ok() const { return bool{memory_}; }

  void Begin() {
    ++round_;
    node_count_ = 0;
  }

  // Nodes with an address in `range` are not found again, nor are those below them: from now on it means something
  // else.
  void Forget(const AddressRange& range);

  // Looks up `frames`, outermost first: how many of them the chunk already has, and the node of the last of these (0:
  // none).
  struct Match {
    uint32_t node = 0;
    size_t frames = 0;
  };
  Match Find(std::span<const StackFrame> frames) const;

  // Bytes that writing `frames` as new nodes takes at most.
  static size_t MaxBytes(std::span<const StackFrame> frames);

  // Appends a kStack entry that defines `frames` below `parent` to `entry`, and remembers them. Returns the innermost
  // node. REQUIRES: CanAdd(frames.size()), and the entry has room for MostBytes.
  uint32_t Add(uint32_t parent, std::span<const StackFrame> frames, EntryBuilder& entry);

  bool CanAdd(size_t count) const { return node_count_ + count < kMaxNodes; }

 private:
  // A chunk of 64 KiB holds at most about 16,000 nodes, at four bytes for the shortest; twice the table keeps probes
  // short.
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
