#include "markers/early_markers.h"

#include <atomic>
#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "recording/recording_state.h"

namespace geckoprof {
namespace {

constexpr int64_t kLongestNs = kNsPerSecond;
constexpr int64_t kNapNs = 50'000;

// The lost markers that no segment has counted yet. The order is sequentially consistent here and at the store of the
// segment. Either the marker sees the segment, or the new segment sees the lost marker.
std::atomic<uint32_t> g_lost{0};

const std::atomic<uint32_t> g_nothing{0};

// Returns true if the process is recorded and has had no segment since the fork.
bool IsComing(const RecordingState& state) { return state.LastSegment() == nullptr && state.RecordsMarkers(); }

}  // namespace

// Wakes the sampler, which sleeps on the word. It gets no command, because only one caller at a time may issue one.
const Segment* EarlyMarkers::Await(RecordingState& state) {
  // After one wait in vain, no thread waits again.
  const int64_t latest_ns = g_lost.load() == 0 ? MonotonicNs() + kLongestNs : 0;
  while (IsComing(state)) {
    const int64_t now_ns = MonotonicNs();
    if (now_ns >= latest_ns) {
      g_lost.fetch_add(1);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (const Segment* const came = state.RecordingSegment()) CountIn(*came);
      return nullptr;
    }
    state.control().Nudge();
    FutexWaitUntil(g_nothing, 0, now_ns + kNapNs);
  }
  return state.RecordingSegment();
}

void EarlyMarkers::CountIn(const Segment& segment) { segment.CountDrop(DropReason::kNoChunk, g_lost.exchange(0)); }

void EarlyMarkers::AfterForkInChild() { g_lost.store(0); }

}  // namespace geckoprof
