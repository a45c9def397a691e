#include "tools/report/html/page_waits.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tools/report/html/page_columns.h"

namespace geckoprof {
namespace {

using Entries = std::vector<PageWaits::Entry>;

void PutTogether(double first_ms, double slot_ms, Entries* entries) {
  const auto slot_of = [&](const PageWaits::Entry& entry) { return std::floor((entry.begin_ms - first_ms) / slot_ms); };
  std::stable_sort(entries->begin(), entries->end(), [&](const PageWaits::Entry& a, const PageWaits::Entry& b) {
    return std::pair(slot_of(a), a.row) < std::pair(slot_of(b), b.row);
  });
  Entries merged;
  for (const PageWaits::Entry& entry : *entries) {
    if (merged.empty() || merged.back().row != entry.row || slot_of(merged.back()) != slot_of(entry)) {
      merged.push_back(entry);
      continue;
    }
    merged.back().ns += std::min(entry.ns, INT64_MAX - merged.back().ns);
    merged.back().waits += entry.waits;
    merged.back().longest_ns = std::max(merged.back().longest_ns, entry.longest_ns);
  }
  *entries = std::move(merged);
}

}  // namespace

PageWaits::PageWaits(const ProfileModel& model, size_t most_entries) : threads(model.threads.size()) {
  WaitSums sums(model, /*keeps_waits=*/true);
  rows = std::move(sums.rows);
  waits = sums.waits.size();
  double first_ms = 0, last_ms = 0;
  for (const WaitSums::Wait& wait : sums.waits) {
    const bool has_stack = rows[wait.row].stack != kNoRow;
    threads[wait.thread].push_back(
        {wait.begin_ms, wait.ns, wait.row, has_stack ? int64_t{1} : 0, has_stack ? wait.ns : 0});
    first_ms = std::min(first_ms, wait.begin_ms);
    last_ms = std::max(last_ms, wait.begin_ms);
  }
  size_t entries = waits;
  // Entries of different rows stay apart, so there may be more than the limit in the end.
  for (double slots = kMostSlots; slots >= 1 && last_ms > first_ms && entries > most_entries; slots /= kSlotsRatio) {
    slot_ms = (last_ms - first_ms) / slots;
    entries = 0;
    for (Entries& thread : threads) {
      PutTogether(first_ms, slot_ms, &thread);
      entries += thread.size();
    }
  }
  for (Entries& thread : threads) {
    std::stable_sort(thread.begin(), thread.end(),
                     [](const Entry& a, const Entry& b) { return a.begin_ms < b.begin_ms; });
  }
}

}  // namespace geckoprof
