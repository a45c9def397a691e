// How each stack went the last time.
#ifndef GECKOPROF_UNWIND_LAST_WALKS_H_
#define GECKOPROF_UNWIND_LAST_WALKS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// A frame that was left by a compact rule: the frame's state, and the rule for its pc.
struct WalkedFrame {
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
  CompactRule rule;
};

// LastWalks: the frames of the last walk of each of kStacks stacks, and those of the walk under way.
//
//   slot of the stack:  main | run | parse | visit | visit | leaf     what the last sample of this stack gave
//   the walk under way: main | run | parse | other | leaf             the outer frames are mostly the same
//
// A prediction, not a cache of results: whoever follows a last walk reads each word of the stack that the rule speaks
// of and goes on only while it gives the next frame that is noted here. What that buys is that the words' places are
// known beforehand: the processor reads many at once, where the chain from one return address to the rule to the next
// one waits for each. Only the rules are taken on trust; they hold as long as those of RuleCache, for one generation.
//
// A stack's slot is the one whose outermost frame lies in what was copied of it; else the one that was not used for
// longest. A wrong one costs time, nothing else. Without memory from the kernel nothing is noted. Threads: owned by one
// thread. Context: no allocation after the constructor.
class LastWalks {
 public:
  static constexpr size_t kStacks = 16;      // threads that run at the same time
  static constexpr size_t kMaxFrames = 512;  // of a deeper stack, the inner ones; 16 KiB a slot, touched as used

  LastWalks();
  // For `stacks` stacks, kStacks at most, whose frames are noted in `memory`, which lives longer.
  LastWalks(std::span<WalkedFrame> memory, size_t stacks);

  // Begins a walk of `stack` from `sp`. What was noted in another generation is forgotten. Asks the processor for the
  // bytes that the last walk needed: they were copied by another core, or long ago.
  void Begin(const StackView& stack, uint64_t sp, uint32_t generation);
  // Ends it. Nothing happens if none was begun.
  void End();
  // Ends it, and forgets what was noted.
  void Discard() {
    next_ = spare_;
    End();
  }

  // Forgets the last walks of all stacks. REQUIRES: none is under way.
  void Forget() {
    for (Slot& slot : slots_) slot.count = 0;
  }

  // The first noted frame of the last walk of this stack whose sp is not below `sp`, seen from the one found before,
  // and the end of the noted frames.
  const WalkedFrame* Seek(uint64_t sp) {
    while (last_ != last_end_ && last_->sp < sp) ++last_;
    return last_;
  }
  const WalkedFrame* last_end() const { return last_end_; }

  // Where the walk under way is. Rewind forgets what was noted since: that part of the walk is taken back.
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
