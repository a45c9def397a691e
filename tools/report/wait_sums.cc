#include "tools/report/wait_sums.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/counted_samples.h"
#include "tools/profile/wait_times.h"
#include "tools/report/call_paths.h"
#include "tools/report/cell_text.h"
#include "tools/report/lock_waits.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Key = std::tuple<WaitCause, int32_t, uint64_t>;  // cause, path, address

WaitCause ShownCause(WaitCause cause) { return cause == WaitCause::kNone ? WaitCause::kOther : cause; }

int64_t Added(int64_t sum_ns, int64_t more_ns) { return sum_ns + std::min(more_ns, INT64_MAX - sum_ns); }

class Summing {
 public:
  explicit Summing(const ProfileModel& model, std::vector<WaitSums::Wait>* waits)
      : model_(model), waits_(waits), paths_(model), has_recorded_(HasLockWaits(model)) {}

  // Adds the waits that the feature `locks` has recorded. Returns false if there are none.
  bool AddRecorded(size_t thread) {
    thread_ = thread;
    recorded_ = LockWaitsOf(model_, model_.threads[thread]);
    const bool has_any = !recorded_.empty();
    for (const LockWaitFigures& wait : recorded_) {
      const WaitCause cause = wait.IsContention() ? WaitCause::kLock : WaitCause::kCondition;
      if (!wait.is_sum()) AddWait(cause, wait.stack, wait.lock_wait, wait.begin_ms, wait.total_ns);
      if (wait.is_sum()) Add({cause, kNoRow, 0}, kNoRow, wait.begin_ms, wait.total_ns);
    }
    // Sums are of all threads, so they replace no estimate of one.
    std::erase_if(recorded_, [](const LockWaitFigures& wait) { return wait.is_sum(); });
    return has_any;
  }

  // Adds the waits of the thread's samples. REQUIRES: AddRecorded was called for the thread.
  void AddSamples() {
    const ProfileSample* before = nullptr;
    for (const ProfileSample& sample : model_.threads[thread_].samples) {
      const bool continues = before != nullptr && sample.state == SampleState::kWaiting && !sample.begins_wait &&
                             before->state == SampleState::kWaiting && before->stack == sample.stack &&
                             before->cause == sample.cause && before->lock_wait == sample.lock_wait;
      if (!continues) EndWait();
      if (sample.short_wait_ns > 0) AddShort(sample);
      if (sample.state == SampleState::kWaiting) {
        if (!continues) begin_ms_ = sample.time_ms;
        wait_ns_ = Added(wait_ns_, sample.wait_ns);
        wait_ = &sample;
      }
      before = &sample;
    }
    EndWait();
  }

  std::vector<WaitSums::Row> TakeRows() { return std::move(rows_); }

 private:
  WaitSums::Row& Add(const Key& key, int32_t stack, double begin_ms, int64_t ns) {
    const auto [entry, is_new] = row_numbers_.try_emplace(key, rows_.size());
    if (is_new) rows_.push_back({std::get<0>(key), stack, std::get<2>(key)});
    WaitSums::Row& row = rows_[entry->second];
    row.total_ns = Added(row.total_ns, ns);
    if (waits_ != nullptr) waits_->push_back({thread_, entry->second, begin_ms, ns});
    return row;
  }

  void AddShort(const ProfileSample& sample) {
    if (has_recorded_ && IsOfLocks(sample.cause)) return;
    const double begin_ms = sample.time_ms - static_cast<double>(sample.short_wait_ns) / 1e6;
    Add({ShownCause(sample.cause), kNoRow, 0}, kNoRow, begin_ms, sample.short_wait_ns);
  }

  void EndWait() {
    const int64_t wait_ns = std::exchange(wait_ns_, 0);
    const ProfileSample* const wait = std::exchange(wait_, nullptr);
    if (wait == nullptr || wait_ns == 0 || IsRecorded(*wait, begin_ms_, wait_ns)) return;
    AddWait(ShownCause(wait->cause), wait->stack, wait->lock_wait, begin_ms_, wait_ns);
  }

  // `lock_wait` is a row of the model's lock_waits, or kNoRow.
  void AddWait(WaitCause cause, int32_t stack, int32_t lock_wait, double begin_ms, int64_t wait_ns) {
    const ProfileLockWait* const lock =
        lock_wait == kNoRow ? nullptr : &model_.lock_waits[static_cast<size_t>(lock_wait)];
    const int32_t path = paths_.PathOf(stack);
    const uint64_t address = lock == nullptr || path == kNoRow ? 0 : lock->address;
    WaitSums::Row& row = Add({cause, path, address}, path == kNoRow ? kNoRow : stack, begin_ms, wait_ns);
    if (path == kNoRow) return;
    ++row.waits;
    const bool has_holder = lock != nullptr && lock->holder != kNoRow;
    const bool is_longest = wait_ns > row.longest_ns;
    if (has_holder && wait_ns > WaitSums::kShowHolderNs && (is_longest || row.lock_wait == kNoRow)) {
      row.lock_wait = lock_wait;
    }
    if (is_longest) row.longest_ns = wait_ns;
  }

  bool IsInHooks(int32_t stack) const {
    for (; stack != kNoRow; stack = model_.stacks[static_cast<size_t>(stack)].prefix) {
      const ProfileFunction& function =
          model_.functions[static_cast<size_t>(model_.stacks[static_cast<size_t>(stack)].function)];
      // An installed library has its version behind this name.
      if (function.library != kNoRow && model_.Text(function.library).starts_with("libgeckoprofiler_hooks.so"))
        return true;
    }
    return false;
  }

  // The causes whose waits the feature `locks` records.
  static bool IsOfLocks(WaitCause cause) { return cause == WaitCause::kLock || cause == WaitCause::kCondition; }

  // Returns whether the feature `locks` has recorded a wait that samples tell of, in a marker or in a sum. It records a
  // wait in the hooks library, when the wait ends.
  bool IsRecorded(const ProfileSample& wait, double begin_ms, int64_t ns) const {
    if (!has_recorded_ || !IsOfLocks(wait.cause)) return false;
    const bool has_ended = &wait != &model_.threads[thread_].samples.back();
    if (has_ended && IsInHooks(wait.stack)) return true;
    const double end_ms = begin_ms + static_cast<double>(ns) / 1e6;
    const auto other = std::partition_point(recorded_.begin(), recorded_.end(),
                                            [&](const LockWaitFigures& each) { return each.end_ms <= begin_ms; });
    return other != recorded_.end() && other->begin_ms < end_ms;
  }

  const ProfileModel& model_;
  std::vector<WaitSums::Wait>* const waits_;
  CallPaths paths_;
  const bool has_recorded_;  // the feature `locks` was on
  std::vector<WaitSums::Row> rows_;
  absl::flat_hash_map<Key, size_t> row_numbers_;
  size_t thread_ = 0;
  std::vector<LockWaitFigures> recorded_;  // of the thread, without sums
  // The wait that is being added up: its last sample, its begin and its time so far.
  const ProfileSample* wait_ = nullptr;
  double begin_ms_ = 0;
  int64_t wait_ns_ = 0;
};

}  // namespace

WaitSums::WaitSums(const ProfileModel& model, bool keeps_waits) {
  Summing summing(model, keeps_waits ? &waits : nullptr);
  for (size_t i = 0; i < model.threads.size(); ++i) {
    const ProfileThread& thread = model.threads[i];
    if (summing.AddRecorded(i)) is_known = true;
    if (!HasWaitTimes(thread)) continue;
    is_known = true;
    summing.AddSamples();
    for (const ProfileSample& sample : thread.samples) ready_ns = Added(ready_ns, sample.ready_ns);
  }
  const std::vector<Row> unsorted = summing.TakeRows();
  std::vector<size_t> order(unsorted.size()), places(unsorted.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return unsorted[a].total_ns > unsorted[b].total_ns; });
  for (const size_t row : order) {
    places[row] = rows.size();
    rows.push_back(unsorted[row]);
    total_ns = Added(total_ns, unsorted[row].total_ns);
  }
  for (Wait& wait : waits) wait.row = places[wait.row];
}

std::string AddressText(uint64_t address) {
  if (address == 0) return "";
  char text[32];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string HolderText(const ProfileModel& model, const ProfileLockWait& wait) {
  return Concat(model.strings[static_cast<size_t>(wait.holder)], " (", wait.holder_tid, ")");
}

namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

Cell TextCell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

ReportTable::Row RowOf(const ProfileModel& model, const WaitSums& sums, const WaitSums::Row& sum) {
  const ProfileLockWait* const lock =
      sum.lock_wait == kNoRow ? nullptr : &model.lock_waits[static_cast<size_t>(sum.lock_wait)];
  const bool has_stack = sum.stack != kNoRow;
  return {Ms(sum.total_ns) / std::max(Ms(sums.total_ns), 1e-9),
          Ms(sum.total_ns),
          has_stack ? Cell(static_cast<double>(sum.waits)) : Cell(),
          has_stack ? Cell(Ms(sum.longest_ns)) : Cell(),
          NameOf(sum.cause),
          TextCell(AddressText(sum.lock_address)),
          lock == nullptr ? Cell() : TextCell(HolderText(model, *lock)),
          has_stack ? StackCell(model, sum.stack) : Cell("(waits too short for a stack)"),
          lock == nullptr ? Cell() : StackCell(model, lock->holder_stack)};
}

}  // namespace

ReportTable WaitTable(const ProfileModel& model, size_t top) {
  const WaitSums sums(model);
  ReportTable table;
  table.title = Concat("Waiting by cause and stack (", DurationText(Ms(sums.total_ns)), ")");
  table.columns = {
      {"share", "share", Kind::kShare},   {"totalMs", "total", Kind::kMs}, {"waits", "waits", Kind::kCount},
      {"maxMs", "longest", Kind::kMs},    {"cause", "cause", Kind::kText}, {"lock", "lock", Kind::kText},
      {"holder", "held by", Kind::kText}, {"stack", "at", Kind::kStack},   {"holderStack", "held at", Kind::kStack}};
  table.all_rows = sums.rows.size();
  for (size_t i = 0; i < std::min(top, sums.rows.size()); ++i) {
    table.rows.push_back(RowOf(model, sums, sums.rows[i]));
  }
  if (!sums.is_known) {
    table.notes.push_back("This profile does not say what threads waited for.");
  } else if (sums.ready_ns > 0) {
    table.notes.push_back(Concat("Threads waited for a core for ", DurationText(Ms(sums.ready_ns)), " besides."));
  }
  return table;
}

}  // namespace geckoprof
