#ifndef GECKOPROF_TOOLS_MERGE_MERGED_PIDS_H_
#define GECKOPROF_TOOLS_MERGE_MERGED_PIDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace geckoprof {

// MergedPids tells the processes of several profiles apart. A process keeps its pid unless a profile before has the
// same one. It is then told apart as processes of another pid namespace are (tools/profile/system_pid.h):
//
//   profile 1   1000   1000.1           1000     1000.1
//   profile 2   1000   1000.1  1000@1   1000@2   1000@2.1   1000@1
//
// The programs of a process stay together.
class MergedPids {
 public:
  // Begins the next profile, which has these pids.
  void StartProfile(std::span<const std::string> pids);
  // Returns a pid of the last profile as it is in the merged one. A pid that the profile does not have stays as it is.
  std::string Of(std::string_view pid) const;
  // Returns whether the last profile has the process.
  bool Has(std::string_view pid) const;
  // Returns whether a profile before has a process that is named so in the merged profile.
  bool IsTaken(std::string_view pid) const;

 private:
  absl::flat_hash_set<std::string> taken_, taken_before_;  // without programs
  absl::flat_hash_map<std::string, std::string> own_;      // of the last profile, without programs
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_MERGED_PIDS_H_
