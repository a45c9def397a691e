#ifndef GECKOPROF_LABELS_PROFILING_STACK_H_
#define GECKOPROF_LABELS_PROFILING_STACK_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// One open label. `label` and `dynamic` are the program's strings: valid while the scope is open, and read only then.
struct LabelFrame {
  const char* label;
  const char* dynamic;  // appended after a space; may be null
  // Of the scope object: labels and native frames are merged by it. 0: the frame is not (or no longer) complete.
  std::atomic<uintptr_t> stack_address;
  uint32_t category_pair;  // category << 8 | subcategory
  uint32_t origin;         // which call and which code opened it (label_abi.h); 0: not known

  // Of a known origin: the low bits of the address that the function returns to.
  static constexpr uint16_t ReturnsTo(uint32_t origin) { return static_cast<uint16_t>(origin >> 16); }
};

// ProfilingStack: the labels that are open on one thread, innermost last. The program's own code pushes and pops,
// inline (label_abi.h): the layout is that of geckoprof_label_stack, for good.
//
//   0: depth, capacity, the sentinel | frames: outermost | ... | innermost |  unused  |
//                                      32                                  ^ min(depth, capacity)
//
// Requirement: the owner pushes and pops in a nanosecond; our signal handler on the same thread, and the sampler for a
// thread that is blocked, read complete frames only. Choice: `depth` takes the place first, the address of a frame
// comes last and goes first, so every place above `depth`, and one that is being filled, has the address 0. A handler
// that interrupts a push or a pop at any point and pushes and pops itself uses places of its own, or one that is empty
// again when it returns. A reader on the same thread needs only program order; the sampler reads a thread that does not
// run, and checks afterwards that it had not run. Past the capacity only the depth grows: such labels are missing from
// samples, and counted (kLabelOverflow).
//
// A scope that is left without its end (longjmp) leaves its frame behind. Whoever pops a scope around it takes it away
// (PopTo), and so does the next push (labels/dead_labels.h). The sentinel stands where the address of the frame before
// the first would be, and is dead never.
//
// Threads: one owner writes; readers as above. Context: any, signal context included, if pushes and pops are balanced
// there.
class ProfilingStack {
 public:
  // Deeper nesting than this was not seen in instrumented programs; a thread's stack costs 2 KiB.
  static constexpr uint32_t kCapacity = 64;

  // Where nothing lives that is open: on a thread's stack, below its stack pointer. The red zone counts as below, since
  // only functions that call no other keep data there, and a function that opens a label does.
  struct DeadRange {
    uintptr_t low = 0;
    uintptr_t high = 0;  // {0, 0}: unknown, so nothing is dead; below `low`: it goes round, over the address 0

    uintptr_t kept_low = 0, kept_high = 0;  // but for these

    bool Holds(uintptr_t address) const {
      return address - low < high - low && address - kept_low >= kept_high - kept_low;
    }
  };
  // Of a stack [stack_low, stack_high) that `sp` may be on, or not: then nothing there is known to be dead.
  static DeadRange DeadBelow(uintptr_t sp, uintptr_t stack_low, uintptr_t stack_high) {
    return sp >= stack_low && sp < stack_high ? DeadRange{stack_low, sp} : DeadRange{};
  }
  // The same for who only reads: whoever is on its own stack is on no other, so what lies elsewhere is not open now. A
  // longjmp left it on an alternate stack for signals, or it is a coroutine's that waits for its turn. Who is elsewhere
  // came from its own stack; what lies below it besides is of yet another.
  static DeadRange DeadForReader(uintptr_t sp, uintptr_t stack_low, uintptr_t stack_high) {
    if (sp >= stack_low && sp < stack_high) return {stack_high, sp};
    return stack_high == 0 ? DeadRange{} : DeadRange{0, sp, stack_low, stack_high};
  }

  // Returns what PopTo wants.
  uint32_t Push(const char* label, const char* dynamic, uint32_t category_pair, const void* stack_address,
                uint32_t origin = 0) {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    depth_.store(depth + 1, std::memory_order_relaxed);
    if (depth >= kCapacity) return depth;
    LabelFrame& frame = frames_[depth];
    std::atomic_signal_fence(std::memory_order_seq_cst);
    frame.label = label;
    frame.dynamic = dynamic;
    frame.category_pair = category_pair;
    frame.origin = origin;
    frame.stack_address.store(reinterpret_cast<uintptr_t>(stack_address), std::memory_order_release);
    return depth;
  }
  // Closes the innermost. Does nothing where no label is open: one was closed twice.
  void Pop() {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    if (depth > 0) PopTo(depth - 1);
  }
  // Closes the label that was pushed at this depth, and what is left of those inside of it. Does nothing if it is
  // closed.
  void PopTo(uint32_t depth) {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    if (open <= depth) return;
    for (uint32_t i = open < kCapacity ? open : kCapacity; i-- > depth;) {
      frames_[i].stack_address.store(0, std::memory_order_relaxed);
    }
    depth_.store(depth, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the texts may go now, not before
  }
  // Closes the innermost ones as long as is_dead(LabelFrame). What is past the capacity goes with the frame that it is
  // in.
  template <typename IsDead>
  void DropDead(const IsDead& is_dead) {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    const uint32_t stored = open < kCapacity ? open : kCapacity;
    uint32_t alive = stored;
    while (alive > 0 && is_dead(frames_[alive - 1])) --alive;
    if (alive < stored) PopTo(alive);
  }

  // Closes all, and makes memory that holds zeros a stack. For the next owner of the place; nobody reads meanwhile.
  void Clear() {
    PopTo(0);
    capacity_ = kCapacity;
    sentinel_ = UINTPTR_MAX;
  }

  uint32_t depth() const { return depth_.load(std::memory_order_acquire); }
  const LabelFrame& frame(uint32_t index) const { return frames_[index]; }

 private:
  std::atomic<uint32_t> depth_{0};  // written by the owner
  uint32_t capacity_ = kCapacity;   // for code of other versions
  [[maybe_unused]] uint64_t reserved0_ = 0;
  uintptr_t sentinel_ = UINTPTR_MAX;
  [[maybe_unused]] uint64_t reserved1_ = 0;
  LabelFrame frames_[kCapacity];
};
static_assert(sizeof(LabelFrame) == 32 && sizeof(ProfilingStack) == 32 + 32 * ProfilingStack::kCapacity);

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_PROFILING_STACK_H_
