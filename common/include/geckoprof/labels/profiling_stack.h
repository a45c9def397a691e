#ifndef GECKOPROF_LABELS_PROFILING_STACK_H_
#define GECKOPROF_LABELS_PROFILING_STACK_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// One open label. `label` and `dynamic` are strings of the program. They are valid while the scope is open, and they
// are read only then.
struct LabelFrame {
  const char* label;
  const char* dynamic;  // appended after a space; may be null
  // Address of the scope object, by which labels are merged with native frames. It is 0 while the frame is not
  // complete.
  std::atomic<uintptr_t> stack_address;
  uint32_t category_pair;  // category << 8 | subcategory
  uint32_t origin;         // the call and the code that opened it (label_abi.h); 0 if unknown

  // Returns the low bits of the function's return address. `origin` must not be 0.
  static constexpr uint16_t ReturnsTo(uint32_t origin) { return static_cast<uint16_t>(origin >> 16); }
};

// ProfilingStack holds the open labels of one thread, innermost last. The program's own inlined code pushes and pops
// them (label_abi.h). The layout is that of geckoprof_label_stack and never changes.
//
//   0: depth, capacity, the sentinel | frames: outermost | ... | innermost |  unused  |
//                                      32                                  ^ min(depth, capacity)
//
// The owner pushes and pops in about a nanosecond. Two readers must see complete frames only. They are our signal
// handler on the same thread, and the sampler while the thread is blocked. A push therefore increments `depth` first
// and writes the frame's address last. A pop clears the address first. Each place above `depth` therefore has the
// address 0, like a place that is being filled.
//
// A handler may interrupt a push or a pop at any point and push and pop labels itself. It uses other places, or a place
// that is empty again when the handler returns. A reader on the same thread needs only program order. The sampler reads
// a thread that does not run, and checks afterwards that it has not run. Beyond the capacity only `depth` grows.
// Samples lack those labels, and the loss is counted (kLabelOverflow).
//
// If a scope is left by longjmp, its frame remains. The end of an outer scope removes it (PopTo), and so does the next
// push (labels/dead_labels.h). The sentinel takes the place of the address of a frame before the first one. It is never
// dead.
//
// Threads: one owner writes. The two readers are described above.
// Context: any, including signal context, if pushes and pops are balanced there.
class ProfilingStack {
 public:
  // Instrumented programs do not nest deeper. The stack of a thread takes 2 KiB.
  static constexpr uint32_t kCapacity = 64;

  // A range of addresses in which no label is open. On a thread's own stack it lies below the stack pointer. The red
  // zone belongs to it, because only functions without calls keep data there. A function that opens a label makes a
  // call.
  struct DeadRange {
    uintptr_t low = 0;
    uintptr_t high = 0;  // {0, 0} if unknown, so no label is dead. If it is below `low`, the range wraps around.

    uintptr_t kept_low = 0, kept_high = 0;  // exception from the range

    bool Holds(uintptr_t address) const {
      return address - low < high - low && address - kept_low >= kept_high - kept_low;
    }
  };
  // Returns the dead range of the stack [stack_low, stack_high). The range is empty if `sp` is not on that stack.
  static DeadRange DeadBelow(uintptr_t sp, uintptr_t stack_low, uintptr_t stack_high) {
    return sp >= stack_low && sp < stack_high ? DeadRange{stack_low, sp} : DeadRange{};
  }
  // Returns the dead range for code that only reads. A thread on its own stack runs on no other stack, so labels
  // elsewhere are not open now. They are left by a longjmp from a signal stack, or they belong to a suspended
  // coroutine. A thread on another stack entered it from its own stack, so the labels there are open. Other labels
  // below `sp` belong to a third stack.
  static DeadRange DeadForReader(uintptr_t sp, uintptr_t stack_low, uintptr_t stack_high) {
    if (sp >= stack_low && sp < stack_high) return {stack_high, sp};
    return stack_high == 0 ? DeadRange{} : DeadRange{0, sp, stack_low, stack_high};
  }

  // Opens a label. Returns the argument for PopTo.
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
  // Closes the innermost label. It does nothing if no label is open, because a label was closed twice.
  void Pop() {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    if (depth > 0) PopTo(depth - 1);
  }
  // Closes the label that was pushed at this depth, and all remaining labels inside it. It does nothing if the label is
  // closed already.
  void PopTo(uint32_t depth) {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    if (open <= depth) return;
    for (uint32_t i = open < kCapacity ? open : kCapacity; i-- > depth;) {
      frames_[i].stack_address.store(0, std::memory_order_relaxed);
    }
    depth_.store(depth, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the strings may be freed only after this point
  }
  // Closes the innermost labels while is_dead(LabelFrame) returns true. Labels beyond the capacity are closed together
  // with the frame that contains them.
  template <typename IsDead>
  void DropDead(const IsDead& is_dead) {
    const uint32_t open = depth_.load(std::memory_order_relaxed);
    const uint32_t stored = open < kCapacity ? open : kCapacity;
    uint32_t alive = stored;
    while (alive > 0 && is_dead(frames_[alive - 1])) --alive;
    if (alive < stored) PopTo(alive);
  }

  // Closes all labels, or turns memory of zeros into an empty stack. It is for the next owner of the memory. No thread
  // may read meanwhile.
  void Clear() {
    PopTo(0);
    capacity_ = kCapacity;
    sentinel_ = UINTPTR_MAX;
  }

  uint32_t depth() const { return depth_.load(std::memory_order_acquire); }
  const LabelFrame& frame(uint32_t index) const { return frames_[index]; }

 private:
  std::atomic<uint32_t> depth_{0};  // the owner writes it
  uint32_t capacity_ = kCapacity;   // read by code of other versions
  [[maybe_unused]] uint64_t reserved0_ = 0;
  uintptr_t sentinel_ = UINTPTR_MAX;
  [[maybe_unused]] uint64_t reserved1_ = 0;
  LabelFrame frames_[kCapacity];
};
static_assert(sizeof(LabelFrame) == 32 && sizeof(ProfilingStack) == 32 + 32 * ProfilingStack::kCapacity);

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_PROFILING_STACK_H_
