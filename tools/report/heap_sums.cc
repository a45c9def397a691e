#include "tools/report/heap_sums.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tools/report/call_paths.h"
#include "tools/report/cell_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// An allocation or a free of some process.
struct Event {
  int32_t process;
  const ProfileAllocation* allocation;
};

std::vector<Event> EventsOf(const ProfileModel& model) {
  std::vector<Event> events;
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileAllocation& allocation : thread.allocations) events.push_back({thread.process, &allocation});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.allocation->time_ms < b.allocation->time_ms; });
  return events;
}

// The blocks that are not given back yet, by process and address.
class LiveBlocks {
 public:
  struct Block {
    size_t row = 0;
    double bytes = 0;
  };

  // Returns how the sum changes, and in which row. A free without its allocation changes nothing.
  Block Apply(const Event& event, size_t row) {
    const ProfileAllocation& allocation = *event.allocation;
    if (allocation.address < 0) return {row, 0};
    const std::pair key(event.process, allocation.address);
    if (allocation.bytes >= 0) {
      Block& block = blocks_[key];
      const double before = block.row == row ? block.bytes : 0;  // a free that nobody saw
      block = {row, allocation.bytes};
      return {row, allocation.bytes - before};
    }
    const auto found = blocks_.find(key);
    if (found == blocks_.end()) return {row, 0};
    const Block block = found->second;
    blocks_.erase(found);
    return {block.row, -block.bytes};
  }

 private:
  absl::flat_hash_map<std::pair<int32_t, int64_t>, Block> blocks_;
};

}  // namespace

HeapSums::HeapSums(const ProfileModel& model) {
  const std::vector<Event> events = EventsOf(model);
  CallPaths paths(model);
  absl::flat_hash_map<int32_t, size_t> row_of;  // by path
  std::vector<size_t> event_rows;
  event_rows.reserve(events.size());
  LiveBlocks live;
  double now_bytes = 0;
  size_t peak_event = 0;  // that made the peak
  for (size_t i = 0; i < events.size(); ++i) {
    const ProfileAllocation& allocation = *events[i].allocation;
    size_t row = 0;
    if (allocation.bytes >= 0) {
      const auto [entry, is_new] = row_of.try_emplace(paths.PathOf(allocation.stack), rows.size());
      if (is_new) rows.push_back({.stack = allocation.stack});
      row = entry->second;
      rows[row].allocated_bytes += allocation.bytes;
      ++rows[row].samples;
      allocated_bytes += allocation.bytes;
    }
    event_rows.push_back(row);
    has_frees |= allocation.address >= 0;
    const LiveBlocks::Block change = live.Apply(events[i], row);
    if (!rows.empty()) rows[change.row].end_bytes += change.bytes;
    now_bytes += change.bytes;
    if (now_bytes > peak_bytes) {
      peak_bytes = now_bytes;
      peak_ms = allocation.time_ms;
      peak_event = i + 1;
    }
  }
  end_bytes = now_bytes;
  LiveBlocks until_peak;
  for (size_t i = 0; i < peak_event; ++i) {
    const LiveBlocks::Block change = until_peak.Apply(events[i], event_rows[i]);
    rows[change.row].peak_bytes += change.bytes;
  }
  std::ranges::stable_sort(rows, std::greater(), &Row::allocated_bytes);
}

bool HasAllocations(const ProfileModel& model) {
  return std::any_of(model.threads.begin(), model.threads.end(),
                     [](const ProfileThread& thread) { return !thread.allocations.empty(); });
}

ReportTable AllocationTable(const ProfileModel& model, size_t top) {
  using Kind = ReportTable::Kind;
  using Cell = ReportTable::Cell;
  const HeapSums sums(model);
  ReportTable table;
  table.title = "Allocations";
  table.columns = {{"share", "share", Kind::kShare},         {"allocatedBytes", "allocated", Kind::kBytes},
                   {"samples", "samples", Kind::kCount},     {"peakBytes", "at the peak", Kind::kBytes},
                   {"endBytes", "at the end", Kind::kBytes}, {"stack", "stack", Kind::kStack}};
  table.all_rows = sums.rows.size();
  for (size_t i = 0; i < std::min(top, sums.rows.size()); ++i) {
    const HeapSums::Row& row = sums.rows[i];
    table.rows.push_back({row.allocated_bytes / std::max(sums.allocated_bytes, 1.0), row.allocated_bytes,
                          static_cast<double>(row.samples), sums.has_frees ? Cell(row.peak_bytes) : Cell(),
                          sums.has_frees ? Cell(row.end_bytes) : Cell(), StackCell(model, row.stack)});
  }
  table.notes.emplace_back("Stacks that allocated the most bytes come first.");
  table.notes.push_back(Concat("In all ", BytesText(sums.allocated_bytes), " were allocated."));
  if (sums.has_frees) {
    table.notes.back() += Concat(" At the peak, at ", DurationText(sums.peak_ms), ", ", BytesText(sums.peak_bytes),
                                 " were in use, and ", BytesText(sums.end_bytes), " at the end.");
  }
  return table;
}

}  // namespace geckoprof
