#ifndef GECKOPROF_LABELS_PROFILING_STACK_H_
#define GECKOPROF_LABELS_PROFILING_STACK_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// [low, high) of a stack. Its memory stays mapped while its thread runs on it.
struct StackRange {
  uintptr_t low;
  uintptr_t high;

  constexpr bool Contains(uint64_t sp) const { return sp >= low && sp < high; }
  // The part of this stack where no function of the thread runs. It is empty if `sp` is not on this stack.
  constexpr StackRange Below(uint64_t sp) const {
    return Contains(sp) ? StackRange{low, uintptr_t{sp}} : StackRange{0, 0};
  }
};

// LabelFrame: one open label. The texts belong to the program. They are valid while the scope is open, and they are
// read only then.
struct LabelFrame {
  const char* label;
  const char* dynamic;     // The text of the moment, shown after the label and a space. It may be null.
  uint32_t category_pair;  // category << 8 | subcategory
  uint32_t reserved;
  // An address in the frame of the function that opened the label. 0 means that the entry is not complete.
  std::atomic<uintptr_t> stack_address;
};

// ProfilingStack: the labels that are open on one thread, innermost last. The program's own code pushes and pops them
// inline (label_abi.h), so the layout is that of geckoprof_label_stack.
//
//   0: depth, capacity, sentinel | frames: outermost | ... | innermost |  unused  |
//                                  16                                  ^ min(depth, capacity)
//
// Requirement: the owner pushes and pops in about a nanosecond. The signal handler on the same thread reads complete
// entries only. The same holds for the sampler, which reads the labels of a blocked thread.
// Choice: a push raises `depth` first and stores the address last. A pop clears the address first. Each place above
// `depth`, and each place that is being filled, therefore has the address 0.
// A handler may interrupt a push or a pop at any instruction, and may push and pop itself. It uses places of its own,
// or a place that is empty again when the handler returns.
// A reader on the same thread needs program order only. The sampler checks afterwards that the thread did not run.
// Past the capacity only the depth grows. Samples lack such labels, and count them (kLabelOverflow).
//
// A scope that a longjmp leaves has no end, so its entry stays. An entry is stale if it lies on the same stack as the
// stack pointer, and below it:
//
//   | callers ... | the function that runs now |  stale entries |
//   high                                       ^ sp             low
//
// The next push drops the stale entries at the end of the stack, and readers skip all stale entries. The end of a scope
// restores the depth from before its push, which drops what was left open inside. Nothing is dropped where the stacks
// differ, or where the bounds of the stack are unknown.
//
// The sentinel takes the place of the address of a frame before the first one. It is never stale.
//
// Threads: one owner writes. The two readers are described above.
// Context: any, including signal context, if pushes and pops are balanced there.
class ProfilingStack {
 public:
  // The stack of labels takes 2 KiB a thread. No instrumented program that we know nests deeper.
  static constexpr uint32_t kCapacity = 64;

  // Returns the depth that PopTo restores.
  uint32_t Push(const char* label, const char* dynamic, uint32_t category_pair, const void* stack_address) {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    depth_.store(depth + 1, std::memory_order_relaxed);
    if (depth >= kCapacity) return depth;
    LabelFrame& frame = frames_[depth];
    std::atomic_signal_fence(std::memory_order_seq_cst);
    frame.label = label;
    frame.dynamic = dynamic;
    frame.category_pair = category_pair;
    frame.stack_address.store(reinterpret_cast<uintptr_t>(stack_address), std::memory_order_release);
    return depth;
  }
  // Closes the innermost label. Does nothing if no label is open.
  void Pop() {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    if (depth > 0) PopTo(depth - 1);
  }
  // Closes the label that was pushed at this depth, and all labels that are still open inside of it. Does nothing if
  // the label is closed already.
  void PopTo(uint32_t depth) {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    if (open <= depth) return;
    for (uint32_t i = open < kCapacity ? open : kCapacity; i-- > depth;) {
      frames_[i].stack_address.store(0, std::memory_order_relaxed);
    }
    depth_.store(depth, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // The program may free the texts now, not before.
  }
  // Closes the innermost labels as long as they lie in `stale`. A label past the capacity has no address. It goes with
  // the entry that it was opened inside of.
  void DropStale(StackRange stale) {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    const uint32_t stored = open < kCapacity ? open : kCapacity;
    uint32_t kept = stored;
    while (kept > 0 && stale.Contains(frames_[kept - 1].stack_address.load(std::memory_order_relaxed))) --kept;
    if (kept < stored) PopTo(kept);
  }

  // Closes all labels, and turns zeroed memory into a stack. The next owner of the place calls this while there are no
  // readers.
  void Clear() {
    PopTo(0);
    capacity_ = kCapacity;
    sentinel_ = UINTPTR_MAX;
  }

  uint32_t depth() const { return depth_.load(std::memory_order_acquire); }
  const LabelFrame& frame(uint32_t index) const { return frames_[index]; }
  // The address of the innermost entry that is stored. It is 0 while that entry is being filled, and the highest
  // address if there is no entry.
  uintptr_t InnermostAddress() const {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    if (open == 0) return sentinel_;
    return frames_[(open < kCapacity ? open : kCapacity) - 1].stack_address.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<uint32_t> depth_{0};  // The owner writes it.
  uint32_t capacity_ = kCapacity;   // Programs that were built with other versions read it.
  // It stands where the entry before the first would have its address, so that a push needs no test for an empty stack.
  uintptr_t sentinel_ = UINTPTR_MAX;
  LabelFrame frames_[kCapacity];
};
static_assert(sizeof(LabelFrame) == 32 && sizeof(ProfilingStack) == 16 + 32 * ProfilingStack::kCapacity);

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_PROFILING_STACK_H_
