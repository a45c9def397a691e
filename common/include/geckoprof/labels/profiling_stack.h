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
  uint32_t reserved;
};

// ProfilingStack: the labels that are open on one thread, innermost last.
//
//   frames: | outermost | ... | innermost |  unused  |
//           0                             ^ min(depth, capacity)
//
// Requirement: the owner pushes and pops in a nanosecond; our signal handler on the same thread, and the sampler for a
// thread that is blocked, read complete frames only. Choice: `depth` takes the place first, the address of a frame
// comes last and goes first, so every place above `depth`, and one that is being filled, has the address 0. A handler
// that interrupts a push or a pop at any point and pushes and pops itself uses places of its own, or one that is empty
// again when it returns. A reader on the same thread needs only program order; the sampler reads a thread that does not
// run, and checks afterwards that it had not run. Past the capacity only the depth grows: such labels are missing from
// samples, and counted (kLabelOverflow). Threads: one owner writes; readers as above. Context: any, signal context
// included, if pushes and pops are balanced there.
class ProfilingStack {
 public:
  // Deeper nesting than this was not seen in instrumented programs; a thread's stack costs 2 KiB.
  static constexpr uint32_t kCapacity = 64;

  void Push(const char* label, const char* dynamic, uint32_t category_pair, const void* stack_address) {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    depth_.store(depth + 1, std::memory_order_relaxed);
    if (depth >= kCapacity) return;
    LabelFrame& frame = frames_[depth];
    std::atomic_signal_fence(std::memory_order_seq_cst);
    frame.label = label;
    frame.dynamic = dynamic;
    frame.category_pair = category_pair;
    frame.stack_address.store(reinterpret_cast<uintptr_t>(stack_address), std::memory_order_release);
  }
  // Does nothing where no label is open: one was closed twice, or by a thread that is not its own.
  void Pop() {
    uint32_t depth = depth_.load(std::memory_order_relaxed);
    if (depth == 0) return;
    --depth;
    if (depth < kCapacity) frames_[depth].stack_address.store(0, std::memory_order_relaxed);
    depth_.store(depth, std::memory_order_release);
  }

  // Closes all. For the next owner of the place; nobody reads meanwhile.
  void Clear() {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < depth && i < kCapacity; ++i) frames_[i].stack_address.store(0, std::memory_order_relaxed);
    depth_.store(0, std::memory_order_release);
  }

  uint32_t depth() const { return depth_.load(std::memory_order_acquire); }
  const LabelFrame& frame(uint32_t index) const { return frames_[index]; }

 private:
  std::atomic<uint32_t> depth_{0};  // written by the owner
  LabelFrame frames_[kCapacity];
};

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_PROFILING_STACK_H_
