#include "handover/handover.h"

#include <string.h>

#include <atomic>
#include <cstddef>

#include "baseprofiler/c/geckoprof_markers.h"
#include "core/process_end.h"
#include "core/profiler_core.h"
#include "core/wanted_parameters.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/labels/builtin_categories.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_control.h"
#include "sampler/seccomp_probe.h"
#include "sampler/thread_capture.h"
#include "signal/sampling_signal.h"

namespace geckoprof {
namespace {

constexpr int64_t kReconfigureTimeoutNs = 10'000'000'000;  // twice the longest interval

struct OwnerChange {
  const OwnerTable* from;
  const OwnerTable* to;
  HandoverResult refused;
  HandoverResult result;
};

void ChangeOwner(void* argument) {
  auto* const change = static_cast<OwnerChange*>(argument);
  std::atomic<const OwnerTable*>& owner = RecordingState::Get().control().owner;
  change->result = owner.load(std::memory_order_acquire) == change->from ? HandoverResult::kDone : change->refused;
  if (change->result == HandoverResult::kDone) owner.store(change->to, std::memory_order_release);
}

HandoverResult Swap(OwnerChange change, const char* what, int64_t timeout_ns) {
  const int64_t begin_ns = MonotonicNs();
  ProfilerCore& core = ProfilerCore::Get();
  // The holder of the lock may wait for the sampler.
  if (core.IsSamplerThread(CurrentThread())) return HandoverResult::kWrongThread;
  NoteUse();
  RecursiveLock& owner_lock = RecordingState::Get().owner_link().lock();
  RecursiveLockHolder holder(owner_lock);
  if (owner_lock.depth() > 1) return HandoverResult::kWrongThread;  // inside a call of the owner
  switch (core.RunOnSamplerThread(&ChangeOwner, &change, timeout_ns)) {
    case ProfilerCore::TaskResult::kDone:
      break;
    case ProfilerCore::TaskResult::kTimeout:
      return HandoverResult::kTimeout;
    case ProfilerCore::TaskResult::kWrongThread:
      return HandoverResult::kWrongThread;
  }
  if (change.result == HandoverResult::kDone) {
    const geckoprof_marker_options interval = geckoprof_interval_since(static_cast<geckoprof_time>(begin_ns));
    geckoprof_base_mark_text("Profilers handover", kProfilerCategory << 8, &interval, what, strlen(what));
  }
  return change.result;
}

bool IsComplete(const HandoverParameters* parameters) {
  return parameters != nullptr && parameters->size_bytes >= sizeof(HandoverParameters);
}

int32_t TableStart(const HandoverParameters* wanted) {
  if (!IsComplete(wanted)) return static_cast<int32_t>(HandoverResult::kMismatch);
  ProfilerCore& core = ProfilerCore::Get();
  if (!core.IsSamplerThread(CurrentThread())) RegisterExitHooks();
  const ProfilerCore::StartResult result = core.Start(*wanted);
  if (result == ProfilerCore::StartResult::kStarted) RecordingState::Get().owner_link().StateChanged();
  return static_cast<int32_t>(result);
}

int32_t TableStop() {
  const bool stopped = ProfilerCore::Get().Stop();
  if (stopped) RecordingState::Get().owner_link().StateChanged();
  return stopped ? 1 : 0;
}

int32_t TableSetPaused(uint32_t kinds) {
  ProfilerCore& core = ProfilerCore::Get();
  const bool all = core.SetPaused(PauseKind::kAll, (kinds & kStatePaused) != 0);
  const bool sampling = core.SetPaused(PauseKind::kSampling, (kinds & kStateSamplingPaused) != 0);
  if (all || sampling) RecordingState::Get().owner_link().StateChanged();
  return all || sampling ? 1 : 0;
}

int32_t TableReconfigure(const HandoverParameters* wanted) {
  if (!IsComplete(wanted)) return 0;
  return ProfilerCore::Get().Reconfigure(*wanted, kReconfigureTimeoutNs) ? 1 : 0;
}

int32_t TableVisitParameters(void (*visit)(void* context, const HandoverParameters* parameters), void* context) {
  return visit != nullptr && ProfilerCore::Get().VisitParameters(visit, context) ? 1 : 0;
}

const void* TableSegmentAt(uint64_t offset, uint64_t* bytes) {
  const Segment* const segment = RecordingState::Get().LastSegment();
  *bytes = 0;
  if (segment == nullptr || !segment->IsMapped()) return nullptr;
  const uint8_t* const place = segment->At(offset, bytes);
  return *bytes == 0 ? nullptr : place;
}

int64_t TableStartedNs() {
  const Segment* const segment = RecordingState::Get().LastSegment();
  return segment != nullptr && segment->IsMapped() ? segment->header().created_ns : 0;
}

int32_t TableTakeOver(const OwnerTable* owner, int64_t timeout_ns) {
  return static_cast<int32_t>(Handover::TakeOver(owner, timeout_ns));
}
int32_t TableHandBack(const OwnerTable* owner, int64_t timeout_ns) {
  return static_cast<int32_t>(Handover::HandBack(owner, timeout_ns));
}

// Returns true if filters from before base allow a capture. The hooks see filters that come later.
bool MayCaptureUnderFilters() {
  static constinit std::atomic<int> answer{0};  // 0: not asked yet, 1: yes, 2: no
  if (answer.load(std::memory_order_relaxed) == 0) answer = MayRecordUnderFilters(-1) ? 1 : 2;
  return answer.load(std::memory_order_relaxed) == 1;
}

int32_t TableSampleThread(int32_t tid, int64_t timeout_ns, void (*take)(void* context, const HandoverStack* stack),
                          void* context) {
  RecordingState& state = RecordingState::Get();
  if (!state.IsThisProcess()) return static_cast<int32_t>(HandoverSample::kWrongThread);
  const ThreadId self = CurrentThread();
  const ThreadCapture capture({CurrentProcess(), &TheCaptureTable(), &state.slots().registry(), state.MainStack(),
                               state.control().unloads.load(std::memory_order_relaxed)},
                              take, context);
  RegisterExitHooks();
  HandoverSample result = HandoverSample::kForbidden;
  if (tid == 0 || tid == self.ToNumber()) {
    result = capture.CaptureCurrent(self, ThreadSlots::Known());
  } else if (ProfilerCore::Get().IsSamplerThread(self)) {
    result = HandoverSample::kWrongThread;
  } else if (!state.HasStoppedForGood() && (state.IsActive() || MayCaptureUnderFilters())) {
    if (SamplingSignal::Current() == 0) SamplingSignal::Install(&state.control());
    result = capture.CaptureOther(ThreadId::FromNumber(tid), state.control(), timeout_ns);
  }
  return static_cast<int32_t>(result);
}

int32_t TableHoldForFork() { return ProfilerCore::Get().HoldForFork() ? 1 : 0; }
void TableLetGo() { ProfilerCore::Get().ReleaseForFork(); }
int32_t TableIsSampler(int32_t tid) { return ProfilerCore::Get().IsSamplerThread(ThreadId::FromNumber(tid)) ? 1 : 0; }

const OwnerTable* TableOwner() { return RecordingState::Get().owner(); }

int64_t TableProcessStartNs() { return ProfilerCore::Get().ProcessStartNs(); }

void TableSettle(int64_t most_ns) {
  if (!ProfilerCore::Get().FlushPending(most_ns)) PendingMarkerStacks::Get().WaitUntilWritten(most_ns);
}

void TableTickSoon() { RecordingState::Get().control().Announce(); }

const char* TableChildrenFolder(const char* folder) { return ProfilerCore::Get().ChildrenFolder(folder); }

uint32_t TableState() { return RecordingState::Get().owner_link().StateBits(); }

constexpr HandoverTable kTable = {kHandoverMagic,      sizeof(HandoverTable), kHandoverVersion,
                                  TableTakeOver,       TableHandBack,         TableStart,
                                  TableStop,           TableSetPaused,        TableState,
                                  TableReconfigure,    TableVisitParameters,  TableSegmentAt,
                                  TableStartedNs,      TableSampleThread,     TableHoldForFork,
                                  TableLetGo,          TableIsSampler,        TableOwner,
                                  TableProcessStartNs, TableSettle,           TableTickSoon,
                                  TableChildrenFolder};

}  // namespace

HandoverResult Handover::TakeOver(const OwnerTable* owner, int64_t timeout_ns) {
  if (owner == nullptr || owner->size_bytes < offsetof(OwnerTable, step_aside) || owner->version != kHandoverVersion) {
    return HandoverResult::kMismatch;
  }
  return Swap({nullptr, owner, HandoverResult::kOwned, {}}, "taken over", timeout_ns);
}

HandoverResult Handover::HandBack(const OwnerTable* owner, int64_t timeout_ns) {
  if (owner == nullptr) return HandoverResult::kNotOwner;
  return Swap({owner, nullptr, HandoverResult::kNotOwner, {}}, "handed back", timeout_ns);
}

const HandoverTable& Handover::Table() { return kTable; }

}  // namespace geckoprof

extern "C" __attribute__((visibility("default"))) const geckoprof::HandoverTable* geckoprof_base_handover_table() {
  return &geckoprof::Handover::Table();
}
