#ifndef GECKOPROF_LABELS_PROFILING_STACK_H_
#define GECKOPROF_LABELS_PROFILING_STACK_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// One open label. `label` and `dynamic` are the program's strings: valid while the scope is open, and read only then.
struct LabelFrame {
  const char* label;
  const char* dynamic;      // appended after a space; may be null
  uintptr_t stack_address;  // of the scope object: labels and native frames are merged by it
  uint32_t category_pair;   // category << 8 | subcategory
  uint32_t reserved;
};

// ProfilingStack: the labels that are open on one thread, innermost last.
//
//   frames: | outermost | ... | innermost |  unused  |
//           0                             ^ min(depth, capacity)
//
// Requirement: the owner pushes and pops in a nanosecond; our signal handler on the same thread, and the sampler for a
// thread that is blocked, read a consistent prefix. Choice: a frame is written first, then `depth` is published with
// release; pop is one store. A reader on the same thread needs only program order; the sampler reads a thread that does
// not run, and checks afterwards that it had not run. Measured: push and pop are two stores and a load each. Past the
// capacity only the depth grows: such labels are missing from samples, and counted (kLabelOverflow). Threads: one owner
// writes; readers as above. Context: any, signal context included, if pushes and pops are balanced there.
class ProfilingStack {
 public:
  // Deeper nesting than this was not seen in instrumented programs; a thread's stack costs 2 KiB.
  static constexpr uint32_t kCapacity = 64;

  void Push(const char* label, const char* dynamic, uint32_t category_pair, const void* stack_address) {
    const uint32_t depth = depth_.load(std::memory_order_relaxed);
    if (depth < kCapacity) {
      frames_[depth] = {label, dynamic, reinterpret_cast<uintptr_t>(stack_address), category_pair, 0};
    }
    depth_.store(depth + 1, std::memory_order_release);
  }
  void Pop() { depth_.store(depth_.load(std::memory_order_relaxed) - 1, std::memory_order_release); }

  uint32_t depth() const { return depth_.load(std::memory_order_acquire); }
  const LabelFrame& frame(uint32_t index) const { return frames_[index]; }

 private:
  std::atomic<uint32_t> depth_{0};  // written by the owner; release, so that frames below it are seen
  LabelFrame frames_[kCapacity];
};

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_PROFILING_STACK_H_
