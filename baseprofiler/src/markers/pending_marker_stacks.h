#ifndef GECKOPROF_BASEPROFILER_MARKERS_PENDING_MARKER_STACKS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_PENDING_MARKER_STACKS_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/modules/module.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/shared_rules.h"

namespace geckoprof {

// PendingMarkerStacks: what threads whose markers have stacks share with the sampler.
//
//   marking thread: walks its stack by the sampler's rules; all there (nearly always): the marker has the stack in it
//                   else Acquire -> copies the stack -> Publish: the marker has the copy's id in it
//   sampler, woken for it: Drain: unwinds the copies, learns the rules, and writes the stacks under their ids
//
// Rules hold for the list of modules that the sampler knows; the program's dlclose makes it stale, and HasRulesFor
// false until the list was read again. A copy holds 64 KiB of stack; there are kBuffers of them, made when first needed
// and never given back. Threads: marking ones: any; Drain and set_*: the sampler. Context: Acquire, WaitForSampler,
// Publish, WaitUntilWritten: any, signal context included (a first Acquire maps memory). No lock, no heap.
class PendingMarkerStacks {
 public:
  static constexpr uint32_t kBuffers = 16;
  static constexpr uint32_t kCopyBytes = 64 * 1024;
  static constexpr int64_t kUnloadWaitNs = 10'000'000;  // what unloading a library is put off for at most

  constexpr PendingMarkerStacks() = default;
  PendingMarkerStacks(const PendingMarkerStacks&) = delete;
  PendingMarkerStacks& operator=(const PendingMarkerStacks&) = delete;
  static PendingMarkerStacks& Get();

  // A buffer to be filled as by the handler, whose word and stack_copy are set. Null: all are in use, or no memory.
  CaptureBuffer* Acquire();
  // After an Acquire that gave none: until there may be one, or the rules be known, because the sampler has taken what
  // was published; a few 100 us where it has a processor. False: it did not come in time, as last time, and is not
  // waited for again before it has.
  bool WaitForSampler();
  // From here on it is the sampler's, who sleeps on `word` and is woken. The id that the marker is to name: never 0,
  // never used before in this process.
  uint64_t Publish(CaptureBuffer* buffer, const std::atomic<uint32_t>& word);

  // Until the sampler has taken all that was published, at most `most_ns`: before a library's code goes, which they may
  // go through.
  void WaitUntilWritten(int64_t most_ns) const;

  bool HasRulesFor(uint32_t unloads) const { return unloads_.load(std::memory_order_acquire) == unloads; }
  const SharedRules& rules() const { return rules_; }
  // This library's code. Return addresses in it: Contains(address - 1).
  AddressRange OwnCode() const {
    return {own_low_.load(std::memory_order_relaxed), own_high_.load(std::memory_order_relaxed)};
  }

  // --- for the sampler ---

  bool AnyPublished() const { return published_.load(std::memory_order_relaxed) != 0; }
  // Calls take(context, id, buffer) for each that was published, and gives it back.
  using ReadCopy = void (*)(void* context, uint64_t id, const CaptureBuffer& buffer);
  void Drain(ReadCopy read, void* context);
  SharedRules& sampler_rules() { return rules_; }
  void SetRulesFor(uint32_t unloads) { unloads_.store(unloads, std::memory_order_release); }
  void SetOwnCode(const AddressRange& code);

  // What other threads of the parent had in hand is nobody's.
  void AfterForkInChild();

 private:
  static constexpr int64_t kMaxWaitNs = 2'000'000;

  CaptureBuffer* Make();

  SharedRules rules_;
  std::atomic<uint32_t> unloads_{0};
  std::atomic<uint64_t> own_low_{0}, own_high_{0};
  std::atomic<uint64_t> last_id_{0};
  std::atomic<uint32_t> published_{0};  // a bit each buffer
  std::atomic<uint32_t> drains_{0};     // copies taken
  std::atomic<uint32_t> waiting_{0};    // threads, for the next one
  std::atomic<bool> is_awaited_{true};  // no wait was in vain since the last one
  std::atomic<CaptureBuffer*> buffers_[kBuffers] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_PENDING_MARKER_STACKS_H_
