#ifndef GECKOPROF_TOOLS_REPORT_PROFILE_FILTER_H_
#define GECKOPROF_TOOLS_REPORT_PROFILE_FILTER_H_

#include <optional>
#include <string>
#include <string_view>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Which part of a profile is looked at. All that are given must hold; what is empty lets everything through. Names are
// parts of names, in any case.
struct ProfileFilter {
  std::string thread;                    // threads
  std::string process;                   // threads and counters: pid, the whole
  std::string function;                  // samples that have such a function anywhere in their stack
  std::string marker;                    // markers by name or type, and samples that were taken during one of those
  std::optional<double> from_ms, to_ms;  // samples in [from, to), markers that overlap it, rows of counters in it

  bool has_times() const { return from_ms.has_value() || to_ms.has_value(); }
  // Whether the loader must be asked for ProfileDetail::kFull: types of markers, rows of counters.
  bool needs_detail() const { return !marker.empty() || has_times(); }
};

bool ContainsIgnoringCase(std::string_view text, std::string_view part);

// Leaves in the model only what the filter lets through. What a thread used before its first sample in the range does
// not count, what it used before each sample that is left does. Halves of markers become whole ones, and a marker that
// reaches into the range keeps its whole duration.
void FilterProfile(const ProfileFilter& filter, ProfileModel* model);

// "1500", "1500ms", "1.5s" as ms; none: it is no such time, or too large.
std::optional<double> ParseTimeMs(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_PROFILE_FILTER_H_
