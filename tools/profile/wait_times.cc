#include "tools/profile/wait_times.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {
namespace {

// No sum of so many times overflows.
constexpr int64_t kMostSumNs = INT64_MAX / 2, kMostTimeNs = INT64_MAX / 64;

// Assigns the waiting time of one thread.
class WaitAssignment {
 public:
  explicit WaitAssignment(ProfileThread* thread) : begin_ms_(thread->begin_ms), samples_(thread->samples) {}

  void Run() {
    for (size_t i = begin_ms_.has_value() ? 0 : 1; i < samples_.size(); ++i) {
      if (samples_[i].cpu_ns >= 0) Add(i);
    }
    // Whatever the thread waited for after its last wait, its last sample has it.
    if (pending_ns_ > 0) samples_.back().short_wait_ns += pending_ns_;
  }

 private:
  void Add(size_t row) {
    ProfileSample* const before = row > 0 ? &samples_[row - 1] : nullptr;
    ProfileSample& sample = samples_[row];
    const double before_ms = before != nullptr ? before->time_ms : *begin_ms_;
    const double passed_ns = std::clamp(std::round((sample.time_ms - before_ms) * 1e6), 0.0, 1e17);
    const int64_t used_ns = std::min(sample.cpu_ns, kMostTimeNs) + std::min(sample.ready_ns, kMostTimeNs);
    Charge(before, static_cast<int64_t>(passed_ns) - used_ns);
    if (IsWait(sample) && pending_ns_ > 0) {
      sample.short_wait_ns += pending_ns_;
      charges_.push_back({&sample.short_wait_ns, pending_ns_});
      pending_ns_ = 0;
    }
  }

  static bool IsWait(const ProfileSample& sample) {
    return sample.state == SampleState::kWaiting && sample.cause != WaitCause::kNone;
  }

  // The time is that after the sample `before`, or after the thread's begin.
  void Charge(ProfileSample* before, int64_t wait_ns) {
    if (wait_ns > 0 && before != nullptr && IsWait(*before)) {
      before->wait_ns += wait_ns;
      charges_.push_back({&before->wait_ns, wait_ns});
      wait_ns = 0;
    }
    pending_ns_ = std::clamp(pending_ns_ + wait_ns, -kMostSumNs, kMostSumNs);
    while (pending_ns_ < 0 && !charges_.empty()) {
      auto& [charged, amount_ns] = charges_.back();
      const int64_t less_ns = std::min(amount_ns, -pending_ns_);
      *charged -= less_ns;
      amount_ns -= less_ns;
      pending_ns_ += less_ns;
      if (amount_ns == 0) charges_.pop_back();
    }
  }

  const std::optional<double> begin_ms_;
  std::vector<ProfileSample>& samples_;
  int64_t pending_ns_ = 0;  // of waits whose cause is not known yet; negative: later waits are shorter by so much
  std::vector<std::pair<int64_t*, int64_t>> charges_;  // in order of time
};

// A wait for a lock, from its first sample on.
struct LockWait {
  int32_t process = kNoRow;
  double begin_ms = 0, end_ms = 0;
  bool is_exact = false;

  double middle_ms() const { return (begin_ms + end_ms) / 2; }
};

std::vector<LockWait> FindLockWaits(const ProfileModel& model) {
  std::vector<LockWait> waits(model.lock_waits.size());
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileMarker& marker : thread.markers) {
      const int32_t wait =
          marker.data == kNoRow ? kNoRow : model.marker_data[static_cast<size_t>(marker.data)].lock_wait;
      if (wait == kNoRow) continue;
      waits[static_cast<size_t>(wait)] = {thread.process, marker.start_ms, marker.end_ms, true};
    }
  }
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileSample& sample : thread.samples) {
      if (sample.lock_wait == kNoRow) continue;
      LockWait& wait = waits[static_cast<size_t>(sample.lock_wait)];
      if (wait.process == kNoRow) wait.begin_ms = sample.time_ms;
      wait.process = thread.process;
      wait.end_ms = sample.time_ms + static_cast<double>(sample.wait_ns) / 1e6;
    }
  }
  return waits;
}

// The stacks of a thread that holds locks.
class Holder {
 public:
  Holder(const ProfileThread& thread, int32_t name) : name_(name) {
    for (const ProfileSample& sample : thread.samples) {
      if (sample.stack != kNoRow) stacks_.push_back({sample.time_ms, sample.stack, sample.state});
    }
  }

  int32_t name() const { return name_; }  // row of the model's strings
  // Returns the stack of the sample that is nearest to the time.
  int32_t StackAt(double time_ms) const {
    const auto nearest = Nearest(time_ms);
    return nearest == stacks_.end() ? kNoRow : nearest->stack;
  }
  // Returns the first stack in the wait, or else the one at which the thread waits meanwhile. Later in the wait another
  // thread may hold the lock.
  int32_t StackIn(const LockWait& wait) const {
    auto stack = std::partition_point(stacks_.begin(), stacks_.end(),
                                      [&wait](const Stack& earlier) { return earlier.time_ms < wait.begin_ms; });
    if (stack != stacks_.end() && stack->time_ms <= wait.end_ms) return stack->stack;
    if (stack == stacks_.begin()) return kNoRow;
    --stack;
    return stack->state != SampleState::kRunning ? stack->stack : kNoRow;
  }

 private:
  struct Stack {
    double time_ms;
    int32_t stack;
    SampleState state;
  };

  std::vector<Stack>::const_iterator Nearest(double time_ms) const {
    const auto later = std::partition_point(stacks_.begin(), stacks_.end(),
                                            [time_ms](const Stack& stack) { return stack.time_ms < time_ms; });
    if (later == stacks_.begin()) return later;
    const auto earlier = std::prev(later);
    const bool is_later = later != stacks_.end() && later->time_ms - time_ms < time_ms - earlier->time_ms;
    return is_later ? later : earlier;
  }

  const int32_t name_;
  std::vector<Stack> stacks_;
};

// Finds threads by their ids. The kernel reuses ids, so the thread that lived at the time counts.
class ThreadsById {
 public:
  explicit ThreadsById(const ProfileModel& model) : model_(model) {
    for (size_t i = 0; i < model.threads.size(); ++i) {
      rows_[{model.threads[i].process, model.threads[i].tid}].push_back(i);
    }
  }

  std::optional<size_t> Find(int32_t process, int64_t tid, double time_ms) const {
    const auto found = rows_.find({process, tid});
    if (found == rows_.end()) return std::nullopt;
    return *std::min_element(found->second.begin(), found->second.end(), [&](size_t a, size_t b) {
      return DistanceMs(model_.threads[a], time_ms) < DistanceMs(model_.threads[b], time_ms);
    });
  }

 private:
  static double DistanceMs(const ProfileThread& thread, double time_ms) {
    if (thread.samples.empty()) return std::numeric_limits<double>::infinity();
    return std::max({thread.samples.front().time_ms - time_ms, time_ms - thread.samples.back().time_ms, 0.0});
  }

  const ProfileModel& model_;
  absl::flat_hash_map<std::pair<int32_t, int64_t>, std::vector<size_t>> rows_;  // of the model's threads
};

// Gives each marker of a wait for a lock its row.
void AddLockMarkers(ProfileModel* model) {
  for (ProfileMarkerData& data : model->marker_data) {
    if (data.type == kNoRow || model->Text(data.type) != "LockWait") continue;
    ProfileLockWait wait;
    for (uint32_t i = data.first_field; i < data.first_field + data.field_count; ++i) {
      const ProfileMarkerField& field = model->marker_fields[i];
      const std::string_view key = model->Text(field.key);
      if (key == "holder" && field.kind == ProfileMarkerField::Kind::kNumber && std::abs(field.number) < 1e15) {
        wait.holder_tid = static_cast<int64_t>(field.number);
      }
      if (key == "lock" && field.kind == ProfileMarkerField::Kind::kText) {
        const std::string_view text = model->Text(field.text);
        if (text.starts_with("0x")) {
          std::from_chars(text.data() + 2, text.data() + text.size(), wait.address, 16);
        }
      }
    }
    data.lock_wait = static_cast<int32_t>(model->lock_waits.size());
    model->lock_waits.push_back(wait);
  }
}

void FindHolders(ProfileModel* model) {
  if (model->lock_waits.empty()) return;
  const std::vector<LockWait> waits = FindLockWaits(*model);
  const ThreadsById threads(*model);
  absl::flat_hash_map<size_t, Holder> holders;  // by row of the model's threads
  for (size_t i = 0; i < waits.size(); ++i) {
    ProfileLockWait& wait = model->lock_waits[i];
    if (wait.holder_tid == 0) continue;
    const auto thread = threads.Find(waits[i].process, wait.holder_tid, waits[i].middle_ms());
    if (!thread.has_value()) continue;
    auto holder = holders.find(*thread);
    if (holder == holders.end()) {
      holder = holders.try_emplace(*thread, model->threads[*thread], static_cast<int32_t>(model->strings.size())).first;
      model->strings.push_back(model->threads[*thread].name);
    }
    wait.holder = holder->second.name();
    wait.holder_stack =
        waits[i].is_exact ? holder->second.StackIn(waits[i]) : holder->second.StackAt(waits[i].middle_ms());
  }
}

}  // namespace

bool HasWaitTimes(const ProfileThread& thread) {
  return thread.has_states && std::any_of(thread.samples.begin(), thread.samples.end(),
                                          [](const ProfileSample& sample) { return sample.cpu_ns >= 0; });
}

void CompleteWaits(ProfileModel* model) {
  for (ProfileThread& thread : model->threads) {
    if (HasWaitTimes(thread)) WaitAssignment(&thread).Run();
  }
  AddLockMarkers(model);
  FindHolders(model);
}

}  // namespace geckoprof
