#include "tools/record/session_window.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/reader/recent_rows.h"
#include "tools/record/recorded_time.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

int64_t FirstTickNs(const SampleRow& row) {
  return row.time_ns - (static_cast<int64_t>(row.idle_ticks) - 1) * row.apart_ns;
}

// Returns how much at the begin of the window has no samples, because the data was dropped.
int64_t MissingNs(int64_t begin_ns, const ProcessProfile& process) {
  constexpr int64_t kLeastMissingNs = kNsPerSecond / 2;
  if (process.start_ns >= begin_ns || !HasLostChunks(process)) return 0;
  int64_t first_ns = INT64_MAX;
  for (const ThreadRow& thread : process.threads) {
    if (!thread.samples.empty()) first_ns = std::min(first_ns, FirstTickNs(thread.samples.front()));
  }
  const int64_t missing_ns = first_ns != INT64_MAX ? first_ns - begin_ns : 0;
  return missing_ns >= kLeastMissingNs ? missing_ns : 0;
}

void NoteMissing(int64_t begin_ns, ProcessProfile& process) {
  const int64_t missing_ns = MissingNs(begin_ns, process);
  if (missing_ns == 0) return;
  const int64_t tenths = missing_ns / (kNsPerSecond / 10);
  process.problems.push_back(Concat("The first ", tenths / 10, ".", tenths % 10,
                                    " s of the captured time were dropped, because the recording had reached its "
                                    "capacity"));
}

}  // namespace

void TrimToWindow(int64_t begin_ns, SessionContents& contents) {
  std::vector<ProcessFacts> all = contents.processes.TakeAllFacts();
  std::vector<size_t> rows;
  for (size_t row = 0; row < all.size(); ++row) {
    ProcessFacts& facts = all[row];
    std::erase_if(facts.problems, [](const SharedText& text) { return text->starts_with(kDroppedDataProblem); });
    if (*facts.end_reason == "alive" || facts.end_ns >= begin_ns) rows.push_back(row);
  }
  contents.processes.SetAllFacts(std::move(all));
  contents.processes.Reorder(rows);
  contents.processes.AmendAll([begin_ns](size_t, ProcessProfile& process) {
    NoteMissing(begin_ns, process);
    KeepRowsSince(begin_ns, process);
  });
  contents.window_begin_ns = begin_ns;
}

}  // namespace geckoprof
