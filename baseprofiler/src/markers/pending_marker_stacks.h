#ifndef GECKOPROF_BASEPROFILER_MARKERS_PENDING_MARKER_STACKS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_PENDING_MARKER_STACKS_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/modules/module.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/kernel_ticks.h"
#include "geckoprof/unwind/shared_rules.h"

namespace geckoprof {

// PendingMarkerStacks holds data that the sampler shares with threads that make markers with stacks.
//
//   marking thread: walks its stack by the sampler's rules. Usually the walk is complete, and the marker has the stack.
//                   else Acquire -> copies the stack -> Publish: the marker has the copy's id in it
//   sampler, woken for it: Drain: unwinds the copies, learns the rules, and writes the stacks under their ids
//
// The rules hold for one list of modules. After a dlclose of the program the list is stale, and HasRulesFor is false
// until the sampler has read it again. A copy holds 64 KiB of stack. There are kBuffers of them. They are mapped when
// first needed and never unmapped.
//
// Threads: any for marking threads. The sampler calls Drain, SetRulesFor and SetOwnCode. Context: any for Acquire,
// WaitForSampler, Publish and WaitUntilWritten, signal context included. No lock, no heap. A first Acquire maps memory.
class PendingMarkerStacks {
 public:
  static constexpr uint32_t kBuffers = 16;
  static constexpr uint32_t kCopyBytes = 64 * 1024;
  static constexpr int64_t kUnloadWaitNs = 10'000'000;  // the longest delay of unloading a library

  constexpr PendingMarkerStacks() = default;
  PendingMarkerStacks(const PendingMarkerStacks&) = delete;
  PendingMarkerStacks& operator=(const PendingMarkerStacks&) = delete;
  static PendingMarkerStacks& Get();

  // Returns a buffer for a copy, to be filled like one of the handler's. The caller sets its word and stack_copy.
  // Returns null if all buffers are in use, or if there is no memory.
  CaptureBuffer* Acquire();
  // Returns the buffer of the process's crash, which is not mapped memory. Its stack_copy is the crashed stack itself,
  // because the crashed thread waits while the sampler reads. Only one thread may call this function, and only once.
  CaptureBuffer& AcquireForCrash();
  // Called when Acquire returned null. Waits until the sampler has drained the published copies. A buffer may then be
  // free, or the rules known. This takes some hundred microseconds if the sampler gets a core. Returns false if the
  // sampler was too late. Later calls then do not wait until it has drained again.
  bool WaitForSampler();
  // Returns the id for the marker. An id is never 0, and is never used twice in a process. REQUIRES: the caller has
  // acquired the buffer and not published it.
  static uint64_t IdOf(const CaptureBuffer& buffer) {
    return CaptureTokenIn(buffer.word.load(std::memory_order_relaxed));
  }
  // Hands the buffer to the sampler and wakes it.
  void Publish(CaptureBuffer* buffer, SamplerSleep& sampler);

  // Waits until the sampler has drained all published copies, at most `most_ns`. It is called before a library is
  // unloaded, because copied stacks may go through its code.
  void WaitUntilWritten(int64_t most_ns) const;

  bool HasRulesFor(uint32_t unloads) const { return unloads_.load(std::memory_order_acquire) == unloads; }
  const SharedRules& rules() const { return rules_; }
  // Returns the range of this library's code. A return address belongs to it if it contains address - 1.
  AddressRange OwnCode() const {
    return {own_low_.load(std::memory_order_relaxed), own_high_.load(std::memory_order_relaxed)};
  }

  // --- for the sampler ---

  bool AnyPublished() const { return published_.load(std::memory_order_relaxed) != 0; }
  // Calls read(context, id, buffer) for each published copy, and releases it.
  using ReadCopy = void (*)(void* context, uint64_t id, const CaptureBuffer& buffer);
  void Drain(ReadCopy read, void* context);
  SharedRules& sampler_rules() { return rules_; }
  void SetRulesFor(uint32_t unloads) { unloads_.store(unloads, std::memory_order_release); }
  void SetOwnCode(const AddressRange& code);

  // Frees the buffers that other threads of the parent had acquired.
  void AfterForkInChild();

 private:
  static constexpr int64_t kMaxWaitNs = 2'000'000;
  static constexpr uint32_t kCrashBuffer = kBuffers;

  CaptureBuffer* Make();
  bool TryAcquire(CaptureBuffer& buffer);

  SharedRules rules_;
  std::atomic<uint32_t> unloads_{0};
  std::atomic<uint64_t> own_low_{0}, own_high_{0};
  std::atomic<uint64_t> last_id_{0};
  std::atomic<uint32_t> published_{0};                      // a bit each buffer
  std::atomic<uint32_t> drains_{0};                         // copies taken
  std::atomic<uint32_t> waiting_{0};                        // threads, for the next one
  std::atomic<bool> is_awaited_{true};                      // no wait was in vain since the last one
  std::atomic<CaptureBuffer*> buffers_[kBuffers + 1] = {};  // the last one is that of a crash
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_PENDING_MARKER_STACKS_H_
