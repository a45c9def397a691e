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
#include "tools/report/cell_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Gives stacks with the same functions the same number.
class CallPaths {
 public:
  explicit CallPaths(const ProfileModel& model) : model_(model), paths_(model.stacks.size(), kNoRow) {}

  // Returns kNoRow for a stack that is no more than the reason why there is none.
  int32_t PathOf(int32_t stack) {
    if (stack == kNoRow || IsRootFunction(model_, RowOf(stack).function)) return kNoRow;
    std::vector<int32_t> missing;
    int32_t row = stack;
    for (; row != kNoRow && paths_[static_cast<size_t>(row)] == kNoRow; row = RowOf(row).prefix) missing.push_back(row);
    int32_t path = row == kNoRow ? kNoRow : paths_[static_cast<size_t>(row)];
    for (size_t i = missing.size(); i > 0; --i) {
      const int32_t added = missing[i - 1];
      path = numbers_.try_emplace({path, RowOf(added).function}, static_cast<int32_t>(numbers_.size())).first->second;
      paths_[static_cast<size_t>(added)] = path;
    }
    return path;
  }

 private:
  const ProfileStack& RowOf(int32_t stack) const { return model_.stacks[static_cast<size_t>(stack)]; }
  const ProfileModel& model_;
  std::vector<int32_t> paths_;                                         // by stack
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> numbers_;  // by caller's path and function
};

using Key = std::tuple<WaitCause, int32_t, uint64_t>;  // cause, path, address

WaitCause ShownCause(WaitCause cause) { return cause == WaitCause::kNone ? WaitCause::kOther : cause; }

int64_t Added(int64_t sum_ns, int64_t more_ns) { return sum_ns + std::min(more_ns, INT64_MAX - sum_ns); }

class Summing {
 public:
  explicit Summing(const ProfileModel& model, std::vector<WaitSums::Wait>* waits)
      : model_(model), waits_(waits), paths_(model) {}

  void AddThread(size_t thread) {
    thread_ = thread;
    const ProfileSample* before = nullptr;
    for (const ProfileSample& sample : model_.threads[thread].samples) {
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
    const double begin_ms = sample.time_ms - static_cast<double>(sample.short_wait_ns) / 1e6;
    Add({ShownCause(sample.cause), kNoRow, 0}, kNoRow, begin_ms, sample.short_wait_ns);
  }

  void EndWait() {
    const int64_t wait_ns = std::exchange(wait_ns_, 0);
    const ProfileSample* const wait = std::exchange(wait_, nullptr);
    if (wait == nullptr || wait_ns == 0) return;
    const ProfileLockWait* const lock =
        wait->lock_wait == kNoRow ? nullptr : &model_.lock_waits[static_cast<size_t>(wait->lock_wait)];
    const int32_t path = paths_.PathOf(wait->stack);
    const uint64_t address = lock == nullptr || path == kNoRow ? 0 : lock->address;
    const Key key{ShownCause(wait->cause), path, address};
    WaitSums::Row& row = Add(key, path == kNoRow ? kNoRow : wait->stack, begin_ms_, wait_ns);
    if (path == kNoRow) return;
    ++row.waits;
    const bool has_holder = lock != nullptr && lock->holder != kNoRow;
    const bool is_longest = wait_ns > row.longest_ns;
    if (has_holder && wait_ns > WaitSums::kShowHolderNs && (is_longest || row.lock_wait == kNoRow)) {
      row.lock_wait = wait->lock_wait;
    }
    if (is_longest) row.longest_ns = wait_ns;
  }

  const ProfileModel& model_;
  std::vector<WaitSums::Wait>* const waits_;
  CallPaths paths_;
  std::vector<WaitSums::Row> rows_;
  absl::flat_hash_map<Key, size_t> row_numbers_;
  size_t thread_ = 0;
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
    if (!HasWaitTimes(thread)) continue;
    is_known = true;
    summing.AddThread(i);
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

std::vector<int32_t> FunctionsOf(const ProfileModel& model, int32_t stack) {
  std::vector<int32_t> functions;
  for (; stack != kNoRow; stack = model.stacks[static_cast<size_t>(stack)].prefix) {
    const int32_t function = model.stacks[static_cast<size_t>(stack)].function;
    if (!IsRootFunction(model, function)) functions.push_back(function);
  }
  return functions;
}

namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

Cell TextCell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Cell StackCell(const ProfileModel& model, int32_t stack) {
  if (stack == kNoRow) return {};
  std::string names;
  for (const int32_t function : FunctionsOf(model, stack)) {
    if (!names.empty()) names += ReportTable::kBetweenFrames;
    names += model.strings[static_cast<size_t>(model.functions[static_cast<size_t>(function)].name)];
  }
  return names;
}

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
