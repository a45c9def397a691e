#include "locks/wait_recorder.h"

#include <pthread.h>

#include <cstddef>
#include <string_view>

#include "baseprofiler/category.h"
#include "runtime/hook_marker.h"

namespace geckoprof {
namespace {

constexpr const char* kDisplay[] = {"marker-chart", "marker-table", "timeline-overview"};

constexpr geckoprof_marker_field kWaitFields[] = {
    {"kind", "Kind", "string", GECKOPROF_FIELD_STRING, 0},
    {"lock", "Lock", "string", GECKOPROF_FIELD_STRING, 0},
    {"holder", "Held by thread", "tid", GECKOPROF_FIELD_INT64, GECKOPROF_FIELD_OPTIONAL},
};
consteval geckoprof_marker_type MakeWaitType() {
  geckoprof_marker_type type = MakeHookMarkerType("LockWait", kWaitFields);
  type.description = "A thread waited for a lock, or for another thread.";
  type.table_label = "{marker.data.kind} {marker.data.lock}";
  type.tooltip_label = "Wait: {marker.data.kind}";
  type.display = kDisplay;
  type.display_count = 2;
  return type;
}
constinit geckoprof_marker_type g_wait_type = MakeWaitType();
constinit geckoprof_marker_site g_wait_site =
    MakeHookMarkerSite("LockWait", &g_wait_type, baseprofiler::ToCategoryPair(MarkerCategory::OTHER));

constexpr geckoprof_marker_field kSumFields[] = {
    {"kind", "Kind", "string", GECKOPROF_FIELD_STRING, 0},
    {"lock", "Lock", "string", GECKOPROF_FIELD_STRING, 0},
    {"waits", "Waits", "integer", GECKOPROF_FIELD_UINT64, 0},
    {"total", "Waited", "duration", GECKOPROF_FIELD_NS, 0},
    {"longest", "Longest wait", "duration", GECKOPROF_FIELD_NS, 0},
};
consteval geckoprof_marker_type MakeSumType() {
  geckoprof_marker_type type = MakeHookMarkerType("LockWaitSums", kSumFields);
  type.description = "The waits for a lock that were shorter than the threshold, added up.";
  type.table_label = "{marker.data.kind} {marker.data.lock}: {marker.data.waits} waits, {marker.data.total}";
  type.display = kDisplay + 1;
  type.display_count = 1;
  return type;
}
constinit geckoprof_marker_type g_sum_type = MakeSumType();
constinit geckoprof_marker_site g_sum_site =
    MakeHookMarkerSite("LockWaitSums", &g_sum_type, baseprofiler::ToCategoryPair(MarkerCategory::OTHER));

std::string_view NameOf(WaitKind kind) {
  switch (kind) {
    case WaitKind::kMutex:
      return "mutex";
    case WaitKind::kReadWriteLock:
      return "rwlock";
    case WaitKind::kCondition:
      return "condition";
    case WaitKind::kSemaphore:
      return "semaphore";
    case WaitKind::kJoin:
      return "join";
    case WaitKind::kBarrier:
      return "barrier";
    case WaitKind::kFutex:
      return "futex";
  }
  return "";
}

// Returns the payload of a lock with its first two fields.
using LockPayload = HookPayload<80>;
LockPayload PayloadOf(WaitKind kind, uintptr_t address) {
  char text[2 + 2 * sizeof(address)];
  size_t begin = sizeof(text);
  for (uintptr_t rest = address; rest != 0; rest >>= 4) text[--begin] = "0123456789abcdef"[rest & 15];
  text[--begin] = 'x';
  text[--begin] = '0';
  LockPayload payload;
  payload.Text(NameOf(kind)).Text(address != 0 ? std::string_view(text + begin, sizeof(text) - begin) : "others");
  return payload;
}

}  // namespace

constinit WaitRecorder g_wait_recorder;

void WaitRecorder::Prepare(int64_t threshold_ns) {
  threshold_ns_.store(threshold_ns, std::memory_order_relaxed);
  // The parent records the waits from before the fork.
  (void)pthread_atfork(nullptr, nullptr, [] {
    g_wait_recorder.sums_.Take([](const LockSums::Sum&) {});
    g_wait_recorder.sums_begin_.store(0, std::memory_order_relaxed);
  });
}

void WaitRecorder::Record(WaitKind kind, uintptr_t address, int32_t holder_tid, geckoprof_time start) {
  const InsideHook inside;
  const geckoprof_time end = geckoprof_base_time();
  const int64_t waited_ns = geckoprof_base_ns_between(start, end);
  if (waited_ns < 0) return;
  if (waited_ns >= threshold_ns_.load(std::memory_order_relaxed)) {
    LockPayload payload = PayloadOf(kind, address);
    payload.Byte(holder_tid != 0);
    if (holder_tid != 0) payload.Number(static_cast<uint64_t>(int64_t{holder_tid}));
    (void)payload.AddTo(g_wait_site, HookIntervalOptions(start, end, 2));
    return;
  }
  sums_.Add(kind, address, static_cast<uint64_t>(waited_ns));
  geckoprof_time begin = sums_begin_.load(std::memory_order_relaxed);
  if (begin == 0) (void)sums_begin_.compare_exchange_strong(begin, start, std::memory_order_relaxed);
  if (begin != 0 && geckoprof_base_ns_between(begin, end) >= kSumsIntervalNs) WriteSums();
}

void WaitRecorder::WriteSums() {
  const geckoprof_time now = geckoprof_base_time();
  const geckoprof_time begin = sums_begin_.exchange(now, std::memory_order_relaxed);
  if (begin == 0 || HookFeatures(kFeatureLocks) == 0) return;
  sums_.Take([&](const LockSums::Sum& sum) {
    LockPayload payload = PayloadOf(sum.kind, sum.address);
    payload.Number(sum.waits).Number(sum.total_ns).Number(sum.longest_ns);
    (void)payload.AddTo(g_sum_site, HookIntervalOptions(begin, now));
  });
}

}  // namespace geckoprof
