#ifndef GECKOPROF_GECKOPROFILER_HANDOVER_BASE_LINK_H_
#define GECKOPROF_GECKOPROFILER_HANDOVER_BASE_LINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/config/thread_filter.h"
#include "geckoprof/handover/handover_table.h"
#include "geckoprofiler/profiler_result.h"

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
};

// A copy of what base records with. It needs no memory but its own.
struct ParametersCopy {
  HandoverParameters values = {};  // without filters
  ThreadFilter filter;
};

// BaseLink: base's table, from this side. Base may be of another release. This class calls only functions that the
// table has. Every refusal is a status with a text.
//
//   table of an old base    | magic size version | take_over ... state |                        kOldBase for the rest
//   table of ours           | magic size version | take_over ... state | reconfigure ... started_ns |
//   table of a new base     | magic size version | take_over ... state | reconfigure ... started_ns | unknown: not read
//
// Threads: any.
// Context: not signal context, but for state().
// Lifetime: as long as the table, which is never unmapped.
class BaseLink {
 public:
  // Looks up the table of the base in this process by its name. Returns null if there is none.
  static const HandoverTable* FindTable();

  explicit BaseLink(const HandoverTable* table);

  // Returns kDone if the table can be used. Otherwise every call below refuses with the same outcome.
  const ProfilerOutcome& usable() const { return usable_; }

  ProfilerOutcome TakeOver(const OwnerTable& owner, int64_t timeout_ns) const;
  // `owner` may be called until this returned kDone.
  ProfilerOutcome HandBack(const OwnerTable& owner, int64_t timeout_ns) const;

  // Returns kUnchanged if something is recorded already.
  ProfilerOutcome Start(const RecordingParameters& parameters) const;
  ProfilerOutcome Stop() const;                                              // kUnchanged: nothing was recorded
  ProfilerOutcome SetPaused(uint32_t kinds) const;                           // kUnchanged: it was so
  ProfilerOutcome Reconfigure(const RecordingParameters& parameters) const;  // kInactive
  // The parameters that are in effect.
  ProfilerResult<RecordingParameters> Parameters() const;
  // Does the same without memory. The capacity is the requested one. Returns false where Parameters returns an error.
  bool ReadParameters(ParametersCopy& out) const;

  // Captures a thread as the table describes it. Returns kThreadGone, kThreadSignalBlocked, kTimeout, or the reason why
  // base cannot do it. If it returns kDone, `visit` was called.
  using StackVisitor = void(void* context, const HandoverStack* stack);
  ProfilerOutcome SampleThread(int32_t tid, int64_t timeout_ns, StackVisitor* take, void* context) const;
  // Holds base's lock as the table describes it. Returns false if it is not held.
  bool HoldForFork() const;
  void ReleaseAfterFork() const;
  // True if the sampler runs on this thread. Returns `otherwise` if base cannot tell.
  bool IsSampler(int32_t tid, bool otherwise) const;
  // True if another copy of this library owns the recording. False also if base cannot tell.
  bool IsOwnedByAnother(const OwnerTable& own) const;
  // Returns an address in base's code, or null if base cannot capture stacks.
  const void* code() const;

  uint32_t state() const { return usable_ ? table_->state() : 0; }
  // Returns the address of a byte of the segment, and how many bytes follow it there. Null if nothing is recorded,
  // the segment ends before that, or the table has no such function.
  const void* SegmentAt(uint64_t offset, uint64_t* bytes) const;
  bool has_segment() const;
  // Returns the capacity of the recording's buffer, which may be less than the requested one. Returns 0 if it is
  // unknown.
  uint64_t capacity_bytes() const;
  // Returns the start of the recording, which identifies it. Returns 0 if the table has no such function.
  int64_t started_ns() const;
  // Returns the time that profiles use as the beginning of the process, or 0 if it is unknown.
  int64_t process_start_ns() const;
  // Waits until the sampler has written the data that threads handed to it, for at most `most_ns`. Does nothing with an
  // older base.
  void WaitUntilWritten(int64_t most_ns) const;
  // Sets the folder in which forked children record, or asks for it, as the table describes. Returns null if base
  // cannot do it.
  const char* ChildrenFolder(const char* folder) const;
  // True if `geckoprof record` reads what this process uses. It makes its file before the processes of a session begin.
  bool IsCountedByRecorder() const;
  // Makes the next tick come within an interval. An older base ticks at each interval anyway.
  void TickSoon() const;

 private:
  ProfilerOutcome Check() const;

  const HandoverTable* const table_;
  const ProfilerOutcome usable_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_HANDOVER_BASE_LINK_H_
