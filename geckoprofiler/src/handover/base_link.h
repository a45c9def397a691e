#ifndef GECKOPROF_GECKOPROFILER_HANDOVER_BASE_LINK_H_
#define GECKOPROF_GECKOPROFILER_HANDOVER_BASE_LINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/handover/handover_table.h"
#include "runtime/outcome.h"

namespace geckoprof {

// The parameters that base records with.
struct RecordingParameters {
  uint64_t capacity_bytes = 0;
  int64_t interval_ns = 0;
  int64_t duration_ns = 0;
  uint32_t features = 0;
  uint32_t requested_features = 0;
  std::vector<std::string> filters;
  // True if the same is recorded with both. The order and case of filters make no difference, a filter that selects
  // everything equals none, and refused features do not count.
  bool HasSameEffectAs(const RecordingParameters& other) const;
  friend bool operator==(const RecordingParameters&, const RecordingParameters&) = default;
};

// BaseLink: base's table, from this side. The only place that knows that base may be of another release: nothing is
// called that the table does not have, and every refusal is a status with a text.
//
//   table of an old base    | magic size version | take_over ... state |                        kOldBase for the rest
//   table of ours           | magic size version | take_over ... state | reconfigure ... started_ns |
//   table of a new base     | magic size version | take_over ... state | reconfigure ... started_ns | unknown: not read
//
// Threads: any. Context: not signal context, but for state(). Lifetime: as long as the table, which is never unmapped.
class BaseLink {
 public:
  // Looks the table of the base in this process up by its name. Null: there is none.
  static const HandoverTable* FindTable();

  explicit BaseLink(const HandoverTable* table);

  // kDone if the table can be used; else every call below refuses with the same.
  const Outcome& usable() const { return usable_; }

  Outcome TakeOver(const OwnerTable& owner, int64_t timeout_ns) const;
  // `owner` may be called until this returned kDone.
  Outcome HandBack(const OwnerTable& owner, int64_t timeout_ns) const;

  // kUnchanged: something is recorded already.
  Outcome Start(const RecordingParameters& parameters) const;
  Outcome Stop() const;                                              // kUnchanged: nothing was recorded
  Outcome SetPaused(uint32_t kinds) const;                           // kUnchanged: it was so
  Outcome Reconfigure(const RecordingParameters& parameters) const;  // kInactive
  // The parameters that are in effect.
  Result<RecordingParameters> Parameters() const;
  // The same without a copy, which would need memory, and with the capacity as it was asked for: texts are valid until
  // the next start or reconfigure. False where Parameters has a reason.
  bool LookAtParameters(HandoverParameters& out) const;

  // Captures a thread as the table describes it. The answer is kThreadGone, kThreadDeaf, kTimeout, or why base cannot
  // do it. `take` was called if it is kDone.
  using TakeStack = void(void* context, const HandoverStack* stack);
  Outcome SampleThread(int32_t tid, int64_t timeout_ns, TakeStack* take, void* context) const;
  // Holds base's lock as the table describes it. False: not held.
  bool HoldForFork() const;
  void LetGo() const;
  // True if the sampler runs on this thread. Returns `otherwise` if base cannot tell.
  bool IsSampler(int32_t tid, bool otherwise) const;
  // True if another copy of this library owns the recording. False also if base cannot tell.
  bool IsOwnedByAnother(const OwnerTable& own) const;
  // An address in base's code; null where base cannot capture stacks.
  const void* code() const;

  uint32_t state() const { return usable_ ? table_->state() : 0; }
  // Returns the address of a byte of the segment, and how many bytes follow it there. Null if nothing is recorded,
  // the segment ends before that, or the table has no such function.
  const void* SegmentAt(uint64_t offset, uint64_t* bytes) const;
  bool has_segment() const;
  // How much the buffer of the recording holds, which may be less than it was asked for; 0: it cannot be told.
  uint64_t capacity_bytes() const;
  // Tells recordings apart. 0 where the table has no such function.
  int64_t started_ns() const;
  // The time that profiles take for the process's beginning. 0 if base cannot tell.
  int64_t process_start_ns() const;
  // Waits until the sampler has written what threads told it, for at most so long. Does nothing with an older base.
  void Settle(int64_t most_ns) const;

 private:
  Outcome Check() const;

  const HandoverTable* const table_;
  const Outcome usable_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_HANDOVER_BASE_LINK_H_
