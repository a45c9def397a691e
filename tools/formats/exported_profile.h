#ifndef GECKOPROF_TOOLS_FORMATS_EXPORTED_PROFILE_H_
#define GECKOPROF_TOOLS_FORMATS_EXPORTED_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/idle_rule.h"
#include "tools/profile/main_measure.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// ExportedProfile: what all writers of other profilers' formats see in a model: texts that neither steer a terminal nor
// break a line, numbers as pids, ns from 0 on as times, and the samples that count.
//
// Samples of threads that did not run are left out, as `report` does, unless `with_idle`; so is "(root)". The texts are
// made once. Threads: one. Lifetime:  a view of the model.
class ExportedProfile {
 public:
  ExportedProfile(const ProfileModel& model, bool with_idle);

  const ProfileModel& model() const { return model_; }

  // By row of model.functions, model.strings. Never empty.
  const std::string& FunctionName(int32_t function) const { return function_names_[static_cast<size_t>(function)]; }
  std::string Text(int32_t string) const;
  // "file.cc" of a frame; empty: unknown.
  std::string Source(const ProfileFrame& frame) const;

  // Of the system, by row of model.processes; a number that no other process has where the file's is none.
  int64_t Pid(int32_t process) const { return pids_[static_cast<size_t>(process)]; }
  std::string ProcessName(int32_t process) const;
  int64_t Tid(const ProfileThread& thread) const;
  std::string ThreadName(const ProfileThread& thread) const;

  // 0 is the earliest time of the file.
  int64_t TimeNs(double time_ms) const;
  // Of time 0, since 1970; 0: unknown.
  int64_t epoch_ns() const { return epoch_ns_; }
  int64_t interval_ns() const { return interval_ns_; }

  // It has a stack, and its thread ran, or it is an allocation: what was freed is none.
  bool Counts(const ProfileThread& thread, const ProfileSample& sample) const {
    if (StackOf(sample) == kNoRow) return false;
    if (thread.weight_unit == ProfileWeightUnit::kBytes) return sample.weight > 0;
    return with_idle_ || !idle_rule_.IsIdle(sample);
  }
  // Whether the thread's rows are what the profile is counted in: its only numbers, in formats that have one kind.
  bool IsMain(const ProfileThread& thread) const { return measure_.Has(thread); }
  // There are threads that weigh bytes beside those.
  bool has_bytes_beside() const;
  // The row of model.stacks; kNoRow where there is nothing but "(root)".
  int32_t StackOf(const ProfileSample& sample) const {
    return sample.stack != kNoRow && !is_root_[static_cast<size_t>(sample.stack)] ? sample.stack : kNoRow;
  }
  bool IsRoot(int32_t stack) const { return is_root_[static_cast<size_t>(stack)]; }
  // Rows of model.stacks from the outermost caller to the stack itself, without "(root)".
  void PathOf(int32_t stack, std::vector<int32_t>* path) const;

  // Samples of a thread that count, added up by stack, in order of their first.
  struct StackSum {
    int32_t stack = kNoRow;
    double weight = 0;
    int64_t cpu_ns = 0;  // without that of a first row which covers time before the recording (starts_later)
  };
  // `rows`, if not null: the sum that each sample is in, kNoRow for those that do not count.
  std::vector<StackSum> SumByStack(const ProfileThread& thread, std::vector<int32_t>* rows = nullptr);

 private:
  void FindZero();
  void MakePids();

  const ProfileModel& model_;
  bool with_idle_;
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

// What the weights of a profile count (where it has samples and bytes: the samples), in the words of pprof and OTLP,
// and what they are multiplied with for it.
struct ExportedUnit {
  const char* type = "samples";
  const char* unit = "count";
  double scale = 1;
};
inline constexpr ExportedUnit kBytesUnit = {"space", "bytes", 1};
ExportedUnit UnitOfWeights(const ProfileModel& model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_FORMATS_EXPORTED_PROFILE_H_
