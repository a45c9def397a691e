#include "tools/processed_format/lock_waits.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace geckoprof {
namespace {

bool IsLockWait(const SampleRow& row) { return row.state == SampleState::kWaiting && row.cause == WaitCause::kLock; }

// Ticks of a wait follow each other.
bool IsSameWait(const SampleRow& a, const SampleRow& b) {
  return StateNumber(b) != kBeginsToWait && a.stack == b.stack && a.lock_address == b.lock_address &&
         a.holder_tid == b.holder_tid;
}

}  // namespace

MarkerTypeRow LockWaitMarkerType() {
  MarkerTypeRow type;
  type.name = "geckoprofLockWait";
  type.description =
      "The thread waited for a lock for more than a millisecond. The stack is that of the thread that held the lock, "
      "when it ran first in the wait.";
  type.tooltip_label = "waiting for a lock";
  type.chart_label = "{marker.data.holder}";
  type.table_label = "{marker.data.lock} {marker.data.holder}";
  type.display = {"marker-chart", "marker-table"};
  type.fields = {{"lock", "Lock", "string"}, {"holder", "Held by", "string"}};
  return type;
}

std::vector<LockWait> LockWaits::Find(const ThreadRow& thread) {
  auto [waits, recorded] = FindRecorded(thread);
  if (recorded.empty()) return FindInSamples(thread);
  for (const LockWait& wait : FindInSamples(thread)) {
    // A thread records its waits when they end.
    const auto other = std::partition_point(
        recorded.begin(), recorded.end(), [&wait](const LockWait& earlier) { return earlier.end_ns <= wait.start_ns; });
    if (other == recorded.end() || other->start_ns >= wait.end_ns) waits.push_back(wait);
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const LockWait& a, const LockWait& b) { return a.start_ns < b.start_ns; });
  return waits;
}

std::pair<std::vector<LockWait>, std::vector<LockWait>> LockWaits::FindRecorded(const ThreadRow& thread) {
  std::vector<LockWait> waits, recorded;
  const std::vector<MarkerTypeRow>& types = process_.marker_types;
  const auto type =
      std::find_if(types.begin(), types.end(), [](const MarkerTypeRow& row) { return row.name == "LockWait"; });
  if (type == types.end()) return {};
  for (const MarkerRow& marker : thread.markers) {
    if (marker.type != type - types.begin() || marker.phase != MarkerPhase::kInterval) continue;
    LockWait wait{marker.start_ns, marker.end_ns};
    int32_t holder = 0;
    for (const MarkerField& field : marker.fields) {
      const std::string_view key = process_.Text(field.key), text = process_.Text(field.text);
      if (key == "holder" && field.kind == MarkerFieldKind::kInteger) holder = static_cast<int32_t>(field.integer);
      if (key == "lock" && text.starts_with("0x")) {
        std::from_chars(text.data() + 2, text.data() + text.size(), wait.address, 16);
      }
    }
    recorded.push_back(wait);
    if (holder == 0 || wait.end_ns - wait.start_ns <= kShortestNs) continue;
    FindHolder(holder, wait);
    waits.push_back(wait);
  }
  return {std::move(waits), std::move(recorded)};
}

std::vector<LockWait> LockWaits::FindInSamples(const ThreadRow& thread) {
  std::vector<LockWait> waits;
  SampleRow first;  // of the wait
  bool is_waiting = false;
  int64_t last_ns = 0;
  const auto end_wait = [&](int64_t end_ns) {
    if (!std::exchange(is_waiting, false)) return;
    LockWait wait{first.time_ns, end_ns, first.lock_address};
    if (wait.end_ns - wait.start_ns <= kShortestNs) return;
    FindHolder(first.holder_tid, wait);
    waits.push_back(wait);
  };
  for (const SampleRow& row : thread.samples) {
    if (is_waiting && !(IsLockWait(row) && IsSameWait(first, row))) {
      const int64_t after_ns = row.ready_ns + std::max<int64_t>(row.cpu_delta_ns, 0);
      end_wait(std::clamp(row.time_ns - after_ns, last_ns, row.time_ns));
    }
    // A wait without a stack was too short to be read.
    if (!is_waiting && IsLockWait(row) && row.stack != kNone) {
      first = row;
      is_waiting = true;
    }
    last_ns = row.time_ns;
  }
  end_wait(last_ns);
  return waits;
}

// The kernel reuses ids, so the thread that lived at the time counts.
void LockWaits::FindHolder(int32_t tid, LockWait& wait) {
  const std::vector<ThreadRow>& threads = process_.threads;
  const auto holder = std::find_if(threads.begin(), threads.end(), [&](const ThreadRow& thread) {
    return tid != 0 && thread.tid == tid && thread.registered_ns <= wait.end_ns &&
           (thread.unregistered_ns == 0 || thread.unregistered_ns >= wait.start_ns);
  });
  if (holder == threads.end()) return;
  wait.holder = &*holder;
  const std::vector<Stack>& stacks = StacksOf(static_cast<size_t>(holder - threads.begin()));
  auto stack = std::lower_bound(stacks.begin(), stacks.end(), wait.start_ns,
                                [](const Stack& earlier, int64_t time_ns) { return earlier.time_ns < time_ns; });
  if (stack == stacks.end() || stack->time_ns > wait.end_ns) {
    if (stack == stacks.begin()) return;
    --stack;  // the holder did not run in the wait
  }
  wait.holder_stack = stack->stack;
  wait.holder_time_ns = stack->time_ns;
}

const std::vector<LockWaits::Stack>& LockWaits::StacksOf(size_t thread) {
  const auto [entry, is_new] = stacks_.try_emplace(thread);
  if (!is_new) return entry->second;
  for (const SampleRow& row : process_.threads[thread].samples) {
    if (row.stack != kNone) entry->second.push_back({row.time_ns, row.stack});
  }
  return entry->second;
}

}  // namespace geckoprof
