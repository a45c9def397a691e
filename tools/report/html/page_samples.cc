#include "tools/report/html/page_samples.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tools/profile/counted_samples.h"
#include "tools/report/html/page_columns.h"

namespace geckoprof {
namespace {

using Entry = PageSamples::Entry;
using Thread = PageSamples::Thread;

constexpr double kFewestSlots = 1024;  // Each is still a few pixels wide.

bool IsEarlier(const Entry& a, const Entry& b) { return a.time_ms < b.time_ms; }

Thread Collect(const ProfileThread& thread, const PageTree& tree, const IdleRule& idle_rule) {
  Thread out;
  bool counts = thread.starts_later;
  for (const ProfileSample& sample : thread.samples) {
    const bool idle = idle_rule.IsIdle(sample);
    (idle ? out.idle : out.active)
        .push_back({sample.time_ms, tree.NodeOf(sample.stack), sample.weight,
                    counts && sample.cpu_ns > 0 ? sample.cpu_ns : 0});
    counts = true;
  }
  for (std::vector<Entry>* entries : {&out.active, &out.idle}) {
    if (!std::is_sorted(entries->begin(), entries->end(), IsEarlier)) {
      std::stable_sort(entries->begin(), entries->end(), IsEarlier);
    }
  }
  return out;
}

std::vector<Entry> PutTogether(const std::vector<Entry>& entries, double first_ms, double slot_ms) {
  std::vector<Entry> merged;
  const auto slot_of = [&](const Entry& entry) { return std::floor((entry.time_ms - first_ms) / slot_ms); };
  for (size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    const double slot = slot_of(entries[begin]);
    for (end = begin + 1; end < entries.size() && slot_of(entries[end]) == slot;) ++end;
    std::vector<Entry> here(entries.begin() + static_cast<ptrdiff_t>(begin),
                            entries.begin() + static_cast<ptrdiff_t>(end));
    std::stable_sort(here.begin(), here.end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
    const double time_ms = first_ms + (slot + 0.5) * slot_ms;
    for (size_t i = 0; i < here.size(); ++i) {
      if (i > 0 && merged.back().node == here[i].node) {
        merged.back().weight += here[i].weight;
        merged.back().cpu_ns += std::min(here[i].cpu_ns, INT64_MAX - merged.back().cpu_ns);
      } else {
        merged.push_back({time_ms, here[i].node, here[i].weight, here[i].cpu_ns});
      }
    }
  }
  return merged;
}

std::pair<double, double> Span(const std::vector<Thread>& threads) {
  double first_ms = 0, last_ms = 0;
  bool any = false;
  for (const Thread& thread : threads) {
    for (const std::vector<Entry>* entries : {&thread.active, &thread.idle}) {
      if (entries->empty()) continue;
      first_ms = any ? std::min(first_ms, entries->front().time_ms) : entries->front().time_ms;
      last_ms = any ? std::max(last_ms, entries->back().time_ms) : entries->back().time_ms;
      any = true;
    }
  }
  return {first_ms, last_ms};
}

}  // namespace

PageSamples::PageSamples(const ProfileModel& model, const PageTree& tree, size_t most_entries) {
  const IdleRule idle_rule(model);
  for (const ProfileThread& thread : model.threads) threads.push_back(Collect(thread, tree, idle_rule));
  rows = entry_count();
  const auto [first_ms, last_ms] = Span(threads);
  for (double slots = kMostSlots; slots >= kFewestSlots && last_ms > first_ms; slots /= kSlotsRatio) {
    if (entry_count() <= most_entries) return;
    slot_ms = (last_ms - first_ms) / slots;
    // What was put into narrower slots fits into these: four of them are one, and their middles lie inside it.
    for (Thread& thread : threads) {
      thread.active = PutTogether(thread.active, first_ms, slot_ms);
      thread.idle = PutTogether(thread.idle, first_ms, slot_ms);
    }
  }
}

size_t PageSamples::entry_count() const {
  size_t count = 0;
  for (const Thread& thread : threads) count += thread.active.size() + thread.idle.size();
  return count;
}

std::vector<double> StackImportance(const ProfileModel& model) {
  std::vector<double> weights(model.stacks.size(), 0);
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileSample& sample : thread.samples) {
      if (sample.stack != kNoRow) weights[static_cast<size_t>(sample.stack)] += std::abs(sample.weight);
    }
  }
  return weights;
}

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
