#include "tools/processed_format/lock_waits.h"

#include <algorithm>
#include <iterator>

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
      "in "
      "the middle of the wait.";
  type.tooltip_label = "waiting for a lock";
  type.chart_label = "{marker.data.holder}";
  type.table_label = "{marker.data.lock} {marker.data.holder}";
  type.display = {"marker-chart", "marker-table"};
  type.fields = {{"lock", "Lock", "string"}, {"holder", "Held by", "string"}};
  return type;
}

std::vector<LockWait> LockWaits::Find(const ThreadRow& thread) {
  std::vector<LockWait> waits;
  std::optional<SampleRow> first;  // of the wait
  int64_t last_ns = 0;
  const auto end_wait = [&](int64_t end_ns) {
    if (!first.has_value()) return;
    LockWait wait{first->time_ns, end_ns, first->lock_address};
    if (wait.end_ns - wait.start_ns > kShortestNs) {
      FindHolder(first->holder_tid, wait);
      waits.push_back(wait);
    }
    first.reset();
  };
  for (const SampleRow& row : thread.samples) {
    if (first.has_value() && !(IsLockWait(row) && IsSameWait(*first, row))) {
      const int64_t after_ns = row.ready_ns + std::max<int64_t>(row.cpu_delta_ns, 0);
      end_wait(std::clamp(row.time_ns - after_ns, last_ns, row.time_ns));
    }
    // A wait without a stack was too short to be read.
    if (!first.has_value() && IsLockWait(row) && row.stack != kNone) first = row;
    last_ns = row.time_ns;
  }
  end_wait(last_ns);
  return waits;
}

// The kernel reuses ids, so the thread that lived at the time counts.
void LockWaits::FindHolder(int32_t tid, LockWait& wait) {
  const int64_t middle_ns = wait.start_ns + (wait.end_ns - wait.start_ns) / 2;
  const std::vector<ThreadRow>& threads = process_.threads;
  const auto holder = std::find_if(threads.begin(), threads.end(), [&](const ThreadRow& thread) {
    return tid != 0 && thread.tid == tid && thread.registered_ns <= middle_ns &&
           (thread.unregistered_ns == 0 || thread.unregistered_ns >= middle_ns);
  });
  if (holder == threads.end()) return;
  wait.holder = &*holder;
  const std::vector<Stack>& stacks = StacksOf(static_cast<size_t>(holder - threads.begin()));
  const auto later = std::lower_bound(stacks.begin(), stacks.end(), middle_ns,
                                      [](const Stack& stack, int64_t time_ns) { return stack.time_ns < time_ns; });
  auto nearest = later;
  if (later == stacks.end() ||
      (later != stacks.begin() && middle_ns - std::prev(later)->time_ns <= later->time_ns - middle_ns)) {
    if (later == stacks.begin()) return;
    nearest = std::prev(later);
  }
  wait.holder_stack = nearest->stack;
  wait.holder_time_ns = nearest->time_ns;
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
