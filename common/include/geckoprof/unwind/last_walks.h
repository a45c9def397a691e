// Remembers how each stack was walked last time.
#ifndef GECKOPROF_UNWIND_LAST_WALKS_H_
#define GECKOPROF_UNWIND_LAST_WALKS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// A frame that was left by a compact rule. It has the frame's state, and the rule for its pc.
struct WalkedFrame {
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
  CompactRule rule;
};

// LastWalks holds the frames of the last walk of each of kStacks stacks, and the frames of the walk under way.
//
//   slot of the stack:  main | run | parse | visit | visit | leaf     the frames of this stack's last sample
//   the walk under way: main | run | parse | other | leaf             the outer frames are mostly the same
//
// The frames are a prediction and not a cache of results. A walk that follows them still reads each word of the stack
// that a rule names. It goes on only while the word leads to the next frame. The gain is that the places of the words
// are known in advance, so the processor reads many at once. Otherwise each read waits for the one before it. Only the
// rules are trusted, for one generation like those of RuleCache.
//
// A stack belongs to a slot if the slot's outermost frame lies in the copied bytes. If there is none, it gets the slot
// that was unused for longest. A wrong slot costs only time. If the kernel provides no memory, no frames are
// remembered.
//
// Threads: owned by one thread. Context: no allocation after the constructor.
class LastWalks {
 public:
  static constexpr size_t kStacks = 16;      // threads that run at the same time
  static constexpr size_t kMaxFrames = 512;  // of a deeper stack, the inner ones; 16 KiB a slot, touched as used

  LastWalks();
  // Serves `stacks` stacks, at most kStacks. `memory` holds their frames, and must outlive this object.
  LastWalks(std::span<WalkedFrame> memory, size_t stacks);

  // Begins a walk of `stack` from `sp`. Frames of another generation are forgotten. It prefetches the bytes that the
  // last walk needed, because another core may have copied them.
  void Begin(const StackView& stack, uint64_t sp, uint32_t generation);
  // Ends the walk. Does nothing if none has begun.
  void End();
  // Ends the walk, and forgets its frames.
  void Discard() {
    next_ = spare_;
    End();
  }

  // Forgets the last walks of all stacks. REQUIRES: none is under way.
  void Forget() {
    for (Slot& slot : slots_) slot.count = 0;
  }

  // Returns the first frame of this stack's last walk with an sp that is not below `sp`. The search starts at the frame
  // of the call before. The result may be last_end().
  const WalkedFrame* Seek(uint64_t sp) {
    while (last_ != last_end_ && last_->sp < sp) ++last_;
    return last_;
  }
  const WalkedFrame* last_end() const { return last_end_; }

  // The state of the walk under way. Rewind forgets the frames since then, because that part of the walk was wrong.
  struct Mark {
    const WalkedFrame* last = nullptr;
    WalkedFrame* next = nullptr;
  };
  Mark mark() const { return {last_, next_}; }
  void Rewind(const Mark& mark) {
    last_ = mark.last;
    next_ = mark.next;
  }

  // Notes a frame of the walk under way.
  void Note(const WalkedFrame& frame) {
    if (next_ != next_end_) *next_++ = frame;
  }

 private:
  struct Slot {
    WalkedFrame* frames = nullptr;
    size_t count = 0;
    uint64_t outermost_sp = 0;
    uint64_t used = 0;  // the number of the walk
    uint32_t generation = 0;
  };
  Slot& FindSlot(const StackView& stack);
  void Divide(std::span<WalkedFrame> frames);

  PageMemory memory_;
  std::array<Slot, kStacks> slots_;
  size_t slot_count_ = kStacks;
  size_t most_frames_ = 0;
  WalkedFrame* spare_ = nullptr;  // where the next walk is noted; then it changes places with the slot's
  Slot* slot_ = nullptr;          // of the walk under way
  uint64_t walk_count_ = 0;
  const WalkedFrame* last_ = nullptr;
  const WalkedFrame* last_end_ = nullptr;
  WalkedFrame* next_ = nullptr;
  WalkedFrame* next_end_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_LAST_WALKS_H_
