#include "tools/convert/exported_profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr int64_t kMaxPid = INT32_MAX;  // what all the formats can hold
constexpr int64_t kFirstMadePid = 1'000'000'000;

std::string CleanOr(std::string_view text, std::string_view fallback) {
  std::string clean = CleanText(text);
  return clean.empty() ? std::string(fallback) : clean;
}

// Bounded, so that no sum of two leaves 64 bits.
int64_t BoundedNs(double time_ns) { return static_cast<int64_t>(std::clamp(time_ns, -4e18, 4e18)); }

}  // namespace

ExportedUnit UnitOfWeights(const ProfileModel& model) {
  if (MainMeasure(model).in_bytes()) return kBytesUnit;
  for (const ProfileThread& thread : model.threads) {
    if (thread.weight_unit == ProfileWeightUnit::kMs) return {"wall", "nanoseconds", kNsPerMs};
  }
  return {};
}

ExportedProfile::ExportedProfile(const ProfileModel& model, bool with_idle, int32_t gap_stack)
    : model_(model), with_idle_(with_idle), gap_stack_(gap_stack), idle_rule_(model), measure_(model) {
  function_names_.reserve(model.functions.size());
  for (const ProfileFunction& function : model.functions) {
    function_names_.push_back(CleanOr(model.strings[static_cast<size_t>(function.name)], "(no name)"));
  }
  is_root_.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    is_root_.push_back(stack.prefix == kNoRow && IsRootFunction(model, stack.function));
  }
  interval_ns_ = std::max<int64_t>(BoundedNs(model.interval_ms * kNsPerMs), 0);
  MakePids();
  FindZero();
}

bool ExportedProfile::has_bytes_beside() const {
  return !measure_.in_bytes() && std::any_of(model_.threads.begin(), model_.threads.end(), [](const auto& thread) {
    return thread.weight_unit == ProfileWeightUnit::kBytes && !thread.samples.empty();
  });
}

std::string ExportedProfile::Text(int32_t string) const {
  return string == kNoRow ? "" : CleanText(model_.strings[static_cast<size_t>(string)]);
}

std::string ExportedProfile::Source(const ProfileFrame& frame) const { return Text(frame.source); }

std::string ExportedProfile::ProcessName(int32_t process) const {
  const ProfileProcess& row = model_.processes[static_cast<size_t>(process)];
  return CleanOr(row.name.empty() ? model_.product : row.name, "process");
}

int64_t ExportedProfile::Tid(const ProfileThread& thread) const {
  // A tid that is no number, or is not there: that of the first thread.
  return thread.tid > 0 && thread.tid <= kMaxPid ? thread.tid : Pid(thread.process);
}

std::string ExportedProfile::ThreadName(const ProfileThread& thread) const { return CleanOr(thread.name, "thread"); }

void ExportedProfile::MakePids() {
  absl::flat_hash_map<std::string, int64_t> known;
  int64_t next = kFirstMadePid;
  for (const ProfileProcess& process : model_.processes) {
    const std::string text = SystemPid(process.pid);
    int64_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (error != std::errc() || end != text.data() + text.size() || pid <= 0 || pid > kMaxPid) {
      const auto [entry, added] = known.try_emplace(text, next);
      pid = entry->second;
      if (added) ++next;
    }
    pids_.push_back(pid);
  }
}

void ExportedProfile::FindZero() {
  bool any = false;
  const auto see = [&](double time_ms) {
    zero_ms_ = any ? std::min(zero_ms_, time_ms) : time_ms;
    any = true;
  };
  for (const ProfileThread& thread : model_.threads) {
    for (const ProfileSample& sample : thread.samples) see(sample.time_ms);
    for (const ProfileMarker& marker : thread.markers) {
      see(marker.phase == ProfileMarkerPhase::kIntervalEnd ? marker.end_ms : marker.start_ms);
    }
  }
  for (const ProfileCounter& counter : model_.counters) {
    for (const ProfileCounter::Row& row : counter.rows) see(row.time_ms);
  }
  // Times that count from the recording's start stay as they are.
  zero_ms_ = std::min(zero_ms_, 0.0);
  if (model_.start_epoch_ms > 0) epoch_ns_ = BoundedNs((model_.start_epoch_ms + zero_ms_) * kNsPerMs);
}

int64_t ExportedProfile::TimeNs(double time_ms) const {
  return std::max<int64_t>(BoundedNs(std::round((time_ms - zero_ms_) * kNsPerMs)), 0);
}

void ExportedProfile::PathOf(int32_t stack, std::vector<int32_t>* path) const {
  path->clear();
  for (int32_t row = stack; row != kNoRow; row = model_.stacks[static_cast<size_t>(row)].prefix) {
    if (!is_root_[static_cast<size_t>(row)]) path->push_back(row);
  }
  std::reverse(path->begin(), path->end());
}

std::vector<ExportedProfile::StackSum> ExportedProfile::SumByStack(const ProfileThread& thread,
                                                                   std::vector<int32_t>* rows) {
  std::vector<StackSum> sums;
  slots_.resize(model_.stacks.size());
  ++calls_;
  bool first = !thread.starts_later;
  if (rows != nullptr) rows->clear();
  for (const ProfileSample& sample : thread.samples) {
    const bool is_first = std::exchange(first, false);
    const bool counts = Counts(thread, sample);
    if (rows != nullptr) rows->push_back(kNoRow);
    if (!counts) continue;
    Slot& slot = slots_[static_cast<size_t>(sample.stack)];
    if (slot.call != calls_) {
      slot = {calls_, static_cast<int32_t>(sums.size())};
      sums.push_back({sample.stack, 0, 0});
    }
    if (rows != nullptr) rows->back() = slot.row;
    StackSum& sum = sums[static_cast<size_t>(slot.row)];
    sum.weight += sample.weight;
    if (!is_first && sample.cpu_ns > 0) sum.cpu_ns += std::min(sample.cpu_ns, INT64_MAX - sum.cpu_ns);
  }
  return sums;
}

}  // namespace geckoprof
