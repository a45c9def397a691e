#ifndef GECKOPROF_TOOLS_CONVERT_EXPORTED_PROFILE_H_
#define GECKOPROF_TOOLS_CONVERT_EXPORTED_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/counted_samples.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// ExportedProfile is a model as all writers of other profilers' formats need it. Texts neither steer a terminal nor
// break a line, pids are numbers, times are ns from 0 on, and the samples are those that count.
//
// As in `report`, samples of threads that did not run are left out unless `with_idle` is set. So is "(root)". The texts
// are made once.
// Threads: one.
// Lifetime: a view of the model.
class ExportedProfile {
 public:
  // `gap_stack` is the result of AddGapStack.
  ExportedProfile(const ProfileModel& model, bool with_idle, int32_t gap_stack = kNoRow);

  const ProfileModel& model() const { return model_; }

  // By row of model.functions, model.strings. Never empty.
  const std::string& FunctionName(int32_t function) const { return function_names_[static_cast<size_t>(function)]; }
  std::string Text(int32_t string) const;
  // Returns "file.cc" of a frame, or an empty text if it is unknown.
  std::string Source(const ProfileFrame& frame) const;

  // Returns the system's pid, by row of model.processes. If the file has no number, it is one that no other process
  // has.
  int64_t Pid(int32_t process) const { return pids_[static_cast<size_t>(process)]; }
  std::string ProcessName(int32_t process) const;
  int64_t Tid(const ProfileThread& thread) const;
  std::string ThreadName(const ProfileThread& thread) const;

  // 0 is the earliest time of the file.
  int64_t TimeNs(double time_ms) const;
  // Returns time 0 in ns since 1970, or 0 if it is unknown.
  int64_t epoch_ns() const { return epoch_ns_; }
  int64_t interval_ns() const { return interval_ns_; }

  // Returns whether a sample counts. It has a stack, and its thread ran, or it is an allocation that was not freed.
  bool Counts(const ProfileThread& thread, const ProfileSample& sample) const {
    if (StackOf(sample) == kNoRow) return false;
    if (thread.weight_unit == ProfileWeightUnit::kBytes) return sample.weight > 0;
    return with_idle_ || !idle_rule_.IsIdle(sample);
  }
  // Returns whether the profile is counted in this thread's rows. Formats with one kind of numbers have these alone.
  bool IsMain(const ProfileThread& thread) const { return measure_.Has(thread); }
  // Returns whether there are also threads that weigh bytes.
  bool has_bytes_beside() const;
  // Returns the row of model.stacks, or kNoRow if there is nothing but "(root)".
  int32_t StackOf(const ProfileSample& sample) const {
    return sample.stack != kNoRow && !is_root_[static_cast<size_t>(sample.stack)] ? sample.stack : kNoRow;
  }
  // Returns whether the stack stands for gaps, which have CPU time and are no samples.
  bool IsGapStack(int32_t stack) const { return stack != kNoRow && stack == gap_stack_; }
  bool IsRoot(int32_t stack) const { return is_root_[static_cast<size_t>(stack)]; }
  // Fills in the rows of model.stacks from the outermost caller to the stack itself, without "(root)".
  void PathOf(int32_t stack, std::vector<int32_t>* path) const;

  // StackSum has the samples of a thread that count and have one stack.
  struct StackSum {
    int32_t stack = kNoRow;
    double weight = 0;
    int64_t cpu_ns = 0;  // without that of a first row which covers time before the recording (starts_later)
  };
  // Adds up the samples by stack, in order of their first ones. `rows`, if not null, gets the sum of each sample, or
  // kNoRow for a sample that does not count.
  std::vector<StackSum> SumByStack(const ProfileThread& thread, std::vector<int32_t>* rows = nullptr);

 private:
  void FindZero();
  void MakePids();

  const ProfileModel& model_;
  bool with_idle_;
  int32_t gap_stack_;
  IdleRule idle_rule_;
  MainMeasure measure_;
  std::vector<std::string> function_names_;
  std::vector<bool> is_root_;  // by row of model.stacks
  std::vector<int64_t> pids_;
  double zero_ms_ = 0;
  int64_t epoch_ns_ = 0;
  int64_t interval_ns_ = 0;
  // Scratch of SumByStack, by row of model.stacks: the call that last met it, and its sum.
  struct Slot {
    uint32_t call = 0;
    int32_t row = 0;
  };
  std::vector<Slot> slots_;
  uint32_t calls_ = 0;
};

// ExportedUnit is the unit of a profile's weights in the words of pprof and OTLP, and the factor to it. In a profile
// with samples and bytes it is that of the samples.
struct ExportedUnit {
  const char* type = "samples";
  const char* unit = "count";
  double scale = 1;
};
inline constexpr ExportedUnit kBytesUnit = {"space", "bytes", 1};
ExportedUnit UnitOfWeights(const ProfileModel& model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_EXPORTED_PROFILE_H_
