#include "tools/report/wait_sums.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/idle_rule.h"
#include "tools/profile/wait_times.h"

namespace geckoprof {
namespace {

// Gives stacks with the same functions the same number.
class CallPaths {
 public:
  explicit CallPaths(const ProfileModel& model) : model_(model), paths_(model.stacks.size(), kNoRow) {}

  // Returns kNoRow for a stack that is no more than the reason why there is none.
  int32_t PathOf(int32_t stack) {
    if (stack == kNoRow || IsReason(stack)) return kNoRow;
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
  // The frame of a waiting thread without a stack (StateLook).
  bool IsReason(int32_t stack) const {
    const int32_t prefix = RowOf(stack).prefix;
    const ProfileFunction& function = model_.functions[static_cast<size_t>(RowOf(stack).function)];
    if (IsRootFunction(model_, RowOf(stack).function)) return true;
    if (prefix != kNoRow && !IsRootFunction(model_, RowOf(prefix).function)) return false;
    const std::string_view name = model_.strings[static_cast<size_t>(function.name)];
    return function.library == kNoRow && name.starts_with("(waiting") && name.ends_with(')');
  }

  const ProfileModel& model_;
  std::vector<int32_t> paths_;                                         // by stack
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> numbers_;  // by caller's path and function
};

using Key = std::tuple<WaitCause, int32_t, uint64_t>;  // cause, path, address

WaitCause ShownCause(WaitCause cause) { return cause == WaitCause::kNone ? WaitCause::kOther : cause; }

int64_t Added(int64_t sum_ns, int64_t more_ns) { return sum_ns + std::min(more_ns, INT64_MAX - sum_ns); }

class Summing {
 public:
  explicit Summing(const ProfileModel& model) : model_(model), paths_(model) {}

  void AddThread(const ProfileThread& thread) {
    const ProfileSample* before = nullptr;
    for (const ProfileSample& sample : thread.samples) {
      if (sample.short_wait_ns > 0) Add({ShownCause(sample.cause), kNoRow, 0}, kNoRow).total_ns += sample.short_wait_ns;
      if (sample.state == SampleState::kWaiting) {
        const bool continues = before != nullptr && before->state == SampleState::kWaiting &&
                               before->stack == sample.stack && before->cause == sample.cause &&
                               before->lock_wait == sample.lock_wait;
        if (!continues) EndWait();
        wait_ns_ = Added(wait_ns_, sample.wait_ns);
        wait_ = &sample;
      } else {
        EndWait();
      }
      before = &sample;
    }
    EndWait();
  }

  std::vector<WaitSums::Row> Take() {
    std::vector<WaitSums::Row> rows;
    rows.reserve(sums_.size());
    for (const auto& [key, row] : sums_) rows.push_back(row);
    return rows;
  }

 private:
  WaitSums::Row& Add(const Key& key, int32_t stack) {
    WaitSums::Row& row = sums_[key];
    row.cause = std::get<0>(key);
    row.lock_address = std::get<2>(key);
    if (row.stack == kNoRow) row.stack = stack;
    return row;
  }

  void EndWait() {
    const int64_t wait_ns = std::exchange(wait_ns_, 0);
    const ProfileSample* const wait = std::exchange(wait_, nullptr);
    if (wait == nullptr || wait_ns == 0) return;
    const ProfileLockWait* const lock =
        wait->lock_wait == kNoRow ? nullptr : &model_.lock_waits[static_cast<size_t>(wait->lock_wait)];
    const int32_t path = paths_.PathOf(wait->stack);
    const uint64_t address = lock == nullptr || path == kNoRow ? 0 : lock->address;
    WaitSums::Row& row = Add({ShownCause(wait->cause), path, address}, path == kNoRow ? kNoRow : wait->stack);
    row.total_ns = Added(row.total_ns, wait_ns);
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
  CallPaths paths_;
  absl::flat_hash_map<Key, WaitSums::Row> sums_;
  const ProfileSample* wait_ = nullptr;  // the last sample of the wait that is being added up
  int64_t wait_ns_ = 0;
};

}  // namespace

WaitSums::WaitSums(const ProfileModel& model) {
  Summing summing(model);
  for (const ProfileThread& thread : model.threads) {
    if (!HasWaitTimes(thread)) continue;
    is_known = true;
    summing.AddThread(thread);
    for (const ProfileSample& sample : thread.samples) ready_ns = Added(ready_ns, sample.ready_ns);
  }
  rows = summing.Take();
  for (const Row& row : rows) total_ns = Added(total_ns, row.total_ns);
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(b.total_ns, a.cause, a.stack, a.lock_address) <
           std::tie(a.total_ns, b.cause, b.stack, b.lock_address);
  });
}

std::vector<int32_t> FunctionsOf(const ProfileModel& model, int32_t stack) {
  std::vector<int32_t> functions;
  for (; stack != kNoRow; stack = model.stacks[static_cast<size_t>(stack)].prefix) {
    const int32_t function = model.stacks[static_cast<size_t>(stack)].function;
    if (!IsRootFunction(model, function)) functions.push_back(function);
  }
  return functions;
}

}  // namespace geckoprof
