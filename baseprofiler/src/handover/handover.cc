#include "handover/handover.h"

#include "baseprofiler/base_profiler_abi.h"
#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/labels/builtin_categories.h"
#include "preload/exit_hooks.h"

namespace geckoprof {
namespace {

constexpr int64_t kReconfigureTimeoutNs = 10'000'000'000;  // twice the longest interval

constinit RecursiveLock g_owner_lock;

struct OwnerChange {
  const OwnerTable* from;
  const OwnerTable* to;
  HandoverResult refused;
  HandoverResult result;
};

void ChangeOwner(void* argument) {
  auto* const change = static_cast<OwnerChange*>(argument);
  ProfilerCore& core = ProfilerCore::Get();
  change->result = core.owner() == change->from ? HandoverResult::kDone : change->refused;
  if (change->result == HandoverResult::kDone) core.SetOwner(change->to);
}

HandoverResult Swap(OwnerChange change, const char* what, int64_t timeout_ns) {
  const int64_t begin_ns = MonotonicNs();
  ProfilerCore& core = ProfilerCore::Get();
  RecursiveLockHolder holder(g_owner_lock);
  if (g_owner_lock.depth() > 1) return HandoverResult::kWrongThread;  // inside a call of the owner's
  switch (core.AtTickBoundary(&ChangeOwner, &change, timeout_ns)) {
    case ProfilerCore::BoundaryResult::kDone:
      break;
    case ProfilerCore::BoundaryResult::kTimeout:
      return HandoverResult::kTimeout;
    case ProfilerCore::BoundaryResult::kWrongThread:
      return HandoverResult::kWrongThread;
  }
  if (change.result == HandoverResult::kDone) {
    geckoprof_base_marker("Profilers handover", kProfilerCategory << 8, 1, begin_ns, MonotonicNs(), what);
  }
  return change.result;
}

bool IsWhole(const HandoverParameters* parameters) {
  return parameters != nullptr && parameters->size_bytes >= sizeof(HandoverParameters);
}

int32_t TableStart(const HandoverParameters* wanted) {
  if (!IsWhole(wanted)) return static_cast<int32_t>(HandoverResult::kMismatch);
  RegisterExitHooks();
  const auto result = static_cast<int32_t>(ProfilerCore::Get().Start(*wanted));
  Handover::NotifyStateChanged();
  return result;
}

int32_t TableStop() {
  const bool stopped = ProfilerCore::Get().Stop();
  if (stopped) Handover::NotifyStateChanged();
  return stopped ? 1 : 0;
}

int32_t TableSetPaused(uint32_t kinds) {
  ProfilerCore& core = ProfilerCore::Get();
  const bool all = core.SetPaused(ProfilerCore::PauseKind::kAll, (kinds & kStatePaused) != 0);
  const bool sampling = core.SetPaused(ProfilerCore::PauseKind::kSampling, (kinds & kStateSamplingPaused) != 0);
  if (all || sampling) Handover::NotifyStateChanged();
  return all || sampling ? 1 : 0;
}

int32_t TableReconfigure(const HandoverParameters* wanted) {
  if (!IsWhole(wanted)) return 0;
  return ProfilerCore::Get().Reconfigure(*wanted, kReconfigureTimeoutNs) ? 1 : 0;
}

int32_t TableParameters(HandoverParameters* out) {
  return IsWhole(out) && ProfilerCore::Get().CopyParameters(*out) ? 1 : 0;
}

const void* TableSegment(uint64_t* size_bytes) {
  const Segment* const segment = ProfilerCore::Get().LastSegment();
  if (segment == nullptr || !segment->IsMapped()) return nullptr;
  *size_bytes = segment->header().segment_bytes;
  return &segment->header();
}

int64_t TableStartedNs() {
  const Segment* const segment = ProfilerCore::Get().LastSegment();
  return segment != nullptr && segment->IsMapped() ? segment->header().created_ns : 0;
}

int32_t TableTakeOver(const OwnerTable* owner, int64_t timeout_ns) {
  return static_cast<int32_t>(Handover::TakeOver(owner, timeout_ns));
}
int32_t TableHandBack(const OwnerTable* owner, int64_t timeout_ns) {
  return static_cast<int32_t>(Handover::HandBack(owner, timeout_ns));
}

constexpr HandoverTable kTable = {
    kHandoverMagic, sizeof(HandoverTable), kHandoverVersion, TableTakeOver,   TableHandBack, TableStart,    TableStop,
    TableSetPaused, Handover::StateBits,   TableReconfigure, TableParameters, TableSegment,  TableStartedNs};

}  // namespace

HandoverResult Handover::TakeOver(const OwnerTable* owner, int64_t timeout_ns) {
  if (owner == nullptr || owner->size_bytes < sizeof(OwnerTable) || owner->version != kHandoverVersion) {
    return HandoverResult::kMismatch;
  }
  return Swap({nullptr, owner, HandoverResult::kOwned, {}}, "taken over", timeout_ns);
}

HandoverResult Handover::HandBack(const OwnerTable* owner, int64_t timeout_ns) {
  if (owner == nullptr) return HandoverResult::kNotOwner;
  return Swap({owner, nullptr, HandoverResult::kNotOwner, {}}, "handed back", timeout_ns);
}

void Handover::NotifyStateChanged() {
  const ProfilerCore& core = ProfilerCore::Get();
  if (core.owner() == nullptr) return;
  RecursiveLockHolder holder(g_owner_lock);
  if (const OwnerTable* const owner = core.owner()) owner->state_changed(owner->context, StateBits());
}

void Handover::AfterForkInChild(int32_t parent_thread) { g_owner_lock.AdoptInForkedChild(parent_thread); }

uint32_t Handover::StateBits() {
  const ProfilerCore& core = ProfilerCore::Get();
  if (core.state() == ProfilerCore::State::kInactive) return 0;
  const uint32_t pauses = core.pauses();
  return kStateActive | ((pauses & static_cast<uint32_t>(ProfilerCore::PauseKind::kAll)) != 0 ? kStatePaused : 0) |
         ((pauses & static_cast<uint32_t>(ProfilerCore::PauseKind::kSampling)) != 0 ? kStateSamplingPaused : 0);
}

const HandoverTable& Handover::Table() { return kTable; }

}  // namespace geckoprof

extern "C" __attribute__((visibility("default"))) const geckoprof::HandoverTable* geckoprof_base_handover_table() {
  return &geckoprof::Handover::Table();
}
