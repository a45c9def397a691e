#ifndef GECKOPROF_TOOLS_REPORT_CALL_PATHS_H_
#define GECKOPROF_TOOLS_REPORT_CALL_PATHS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// CallPaths gives stacks with the same functions the same number. Such stacks may differ in addresses and lines.
//
// Lifetime: a view of the model. Threads: one at a time.
class CallPaths {
 public:
  explicit CallPaths(const ProfileModel& model) : model_(model), paths_(model.stacks.size(), kNoRow) {}

  // Returns kNoRow for a stack that is no more than the reason why there is none.
  int32_t PathOf(int32_t stack);

 private:
  const ProfileStack& RowOf(int32_t stack) const { return model_.stacks[static_cast<size_t>(stack)]; }
  const ProfileModel& model_;
  std::vector<int32_t> paths_;                                         // by stack
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> numbers_;  // by caller's path and function
};

// Returns the functions of a stack, innermost first, without "(root)".
std::vector<int32_t> FunctionsOf(const ProfileModel& model, int32_t stack);

// Returns the names of these functions, with ReportTable::kBetweenFrames between them.
std::string StackText(const ProfileModel& model, int32_t stack);

// The same for a column of ReportTable::Kind::kStack.
ReportTable::Cell StackCell(const ProfileModel& model, int32_t stack);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_CALL_PATHS_H_
