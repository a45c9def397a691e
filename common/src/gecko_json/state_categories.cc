#include "geckoprof/gecko_json/state_categories.h"

#include <algorithm>

namespace geckoprof {

int32_t StateLook::subcategory() const {
  if (number_ == kReady || cause() == WaitCause::kOther) return 0;
  return static_cast<int32_t>(cause());
}

// The last cause is "Other", which each category has first.
std::vector<CategoryRow> StateLook::Categories() {
  CategoryRow idle{"Idle", "transparent", {"Other"}};
  for (auto i = static_cast<size_t>(WaitCause::kLock); i < static_cast<size_t>(WaitCause::kOther); ++i) {
    idle.subcategories.emplace_back(kWaitCauseNames[i]);
  }
  return {idle, {"Waiting for a core", "red", {"Other"}}};
}

int64_t ReadyBeforeRun(const SampleRow& row, uint64_t rows) {
  if (rows <= 1) return row.ready_ns;
  const auto others = static_cast<int64_t>(std::min<uint64_t>(rows - 1, INT64_MAX));
  return row.ready_ns / others >= row.apart_ns ? row.ready_ns - others * row.apart_ns : 0;
}

}  // namespace geckoprof
