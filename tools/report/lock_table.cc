#include "tools/report/lock_table.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/report/call_paths.h"
#include "tools/report/cell_text.h"
#include "tools/report/lock_waits.h"
#include "tools/report/wait_sums.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

double Milliseconds(int64_t ns) { return static_cast<double>(ns) / 1e6; }

// Adds times by call path, and by a name.
class TimesByText {
 public:
  void Add(std::string text, int64_t ns) {
    if (!text.empty()) times_[std::move(text)] += ns;
  }
  // Returns the text with the most time, or an unknown cell.
  Cell Longest() const {
    const auto longest = std::max_element(times_.begin(), times_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second, b.first) < std::pair(b.second, a.first);
    });
    return longest == times_.end() ? Cell() : Cell(longest->first);
  }

 private:
  absl::flat_hash_map<std::string, int64_t> times_;
};

struct LockRow {
  std::string_view kind, address;
  bool is_contention = false;
  int64_t waits = 0, total_ns = 0, longest_ns = 0;
  TimesByText holders = {}, stacks = {}, holder_stacks = {};
};

class LockRows {
 public:
  explicit LockRows(const ProfileModel& model) : model_(model) {
    for (const ProfileThread& thread : model.threads) {
      for (const LockWaitFigures& wait : LockWaitsOf(model, thread)) Add(thread.process, wait);
    }
    std::stable_sort(rows_.begin(), rows_.end(), [](const LockRow& a, const LockRow& b) {
      return std::pair(a.is_contention, a.total_ns) > std::pair(b.is_contention, b.total_ns);
    });
  }

  const std::vector<LockRow>& rows() const { return rows_; }
  int64_t total_ns() const { return total_ns_; }
  // These two count waits for mutexes and read-write locks over a millisecond.
  size_t long_waits() const { return long_waits_; }
  size_t with_holder_stack() const { return with_holder_stack_; }

 private:
  void Add(int32_t process, const LockWaitFigures& wait) {
    const auto [entry, is_new] = numbers_.try_emplace({process, wait.kind, wait.address}, rows_.size());
    if (is_new) rows_.push_back({wait.kind, wait.address, wait.IsContention()});
    LockRow& row = rows_[entry->second];
    row.waits += wait.waits;
    row.total_ns += wait.total_ns;
    row.longest_ns = std::max(row.longest_ns, wait.longest_ns);
    total_ns_ += wait.total_ns;
    if (wait.is_sum()) return;
    const ProfileLockWait& lock = model_.lock_waits[static_cast<size_t>(wait.lock_wait)];
    row.stacks.Add(StackText(model_, wait.stack), wait.total_ns);
    row.holder_stacks.Add(StackText(model_, lock.holder_stack), wait.total_ns);
    if (lock.holder != kNoRow) row.holders.Add(HolderText(model_, lock), wait.total_ns);
    if (!wait.IsContention() || wait.total_ns <= WaitSums::kShowHolderNs) return;
    ++long_waits_;
    if (lock.holder_stack != kNoRow) ++with_holder_stack_;
  }

  const ProfileModel& model_;
  std::vector<LockRow> rows_;
  absl::flat_hash_map<std::tuple<int32_t, std::string_view, std::string_view>, size_t> numbers_;
  int64_t total_ns_ = 0;
  size_t long_waits_ = 0, with_holder_stack_ = 0;
};

bool RecordsLocks(const ProfileModel& model) {
  const auto names_locks = [](const ProfileSection::Entry& entry) {
    return entry.label == "Features" && entry.value.find("locks") != std::string::npos;
  };
  return model.FindEntry(names_locks) != nullptr;
}

}  // namespace

ReportTable LockTable(const ProfileModel& model, size_t top) {
  const LockRows locks(model);
  ReportTable table;
  table.title = Concat("Waits by lock (", DurationText(Milliseconds(locks.total_ns())), ")");
  table.columns = {{"totalMs", "total", Kind::kMs},   {"waits", "waits", Kind::kCount},
                   {"maxMs", "longest", Kind::kMs},   {"kind", "kind", Kind::kText},
                   {"lock", "lock", Kind::kText},     {"holder", "held by", Kind::kText},
                   {"stack", "waited", Kind::kStack}, {"holderStack", "held", Kind::kStack}};
  table.all_rows = locks.rows().size();
  for (size_t i = 0; i < std::min(top, locks.rows().size()); ++i) {
    const LockRow& row = locks.rows()[i];
    table.rows.push_back({Milliseconds(row.total_ns), static_cast<double>(row.waits), Milliseconds(row.longest_ns),
                          row.kind, row.address, row.holders.Longest(), row.stacks.Longest(),
                          row.holder_stacks.Longest()});
  }
  if (!HasLockWaits(model)) {
    table.notes.emplace_back(RecordsLocks(model) ? "No thread waited for a lock."
                                                 : "This profile has no waits for locks. `geckoprof record --features "
                                                   "default,locks` records them.");
  } else if (locks.long_waits() > 0) {
    table.notes.push_back(Concat("The holder's stack is known for ", locks.with_holder_stack(), " of ",
                                 locks.long_waits(), " waits over a millisecond for mutexes and read-write locks."));
  }
  return table;
}

}  // namespace geckoprof
