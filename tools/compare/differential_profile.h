#ifndef GECKOPROF_TOOLS_COMPARE_DIFFERENTIAL_PROFILE_H_
#define GECKOPROF_TOOLS_COMPARE_DIFFERENTIAL_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// DifferentialProfile: the call paths of the runs before and after in one tree, with the samples of either side.
//
//   run --Add--> tree: a node for each path of functions, by their names and libraries
//                      samples before | samples after
//
// Tables of the runs differ, so nothing but names joins them. Runs are not kept.
class DifferentialProfile {
 public:
  enum Side : uint8_t { kBefore = 0, kAfter = 1 };

  // `with_idle`: samples of idle threads count. REQUIRES: not samples in one run, bytes in another.
  void Add(const ProfileModel& run, Side side, bool with_idle);

  // Call paths with the samples before and after, as difffolded.pl writes them and flamegraph.pl draws them: a line
  // each, in order of the path. Sums over the runs of a side, as whole numbers that add up to all of its samples,
  // rounded.
  //
  //   main;parse;read 120 98
  std::string FoldedText() const;

  // A profile of two threads, named "before" and "after", each with a sample for every path that its runs have, which
  // weighs the mean of the path's shares of the runs: all together 1.
  ProfileModel TakeModel();

 private:
  int32_t StringRow(const std::string& text);
  int32_t FunctionRow(const ProfileModel& run, int32_t function);
  int32_t CategoryRow(const ProfileModel& run, int32_t category);
  int32_t StackRow(int32_t prefix, int32_t function, int32_t category);
  std::string PathText(int32_t stack) const;

  ProfileModel model_;
  size_t runs_[2] = {0, 0};
  bool in_bytes_ = false;           // so are the samples of all runs that have any
  std::vector<double> samples_[2];  // by row of model_.stacks, of those that end there
  std::vector<double> shares_[2];   // likewise, of each run's samples
  absl::flat_hash_map<std::string, int32_t> strings_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> functions_;  // name, library
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> stacks_;     // prefix, function
  absl::flat_hash_map<std::string, int32_t> categories_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_DIFFERENTIAL_PROFILE_H_
