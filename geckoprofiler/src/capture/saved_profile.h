#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_SAVED_PROFILE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_SAVED_PROFILE_H_

#include <string>
#include <string_view>

#include "handover/base_link.h"
#include "runtime/outcome.h"

namespace geckoprof {

// Writes the profile to what `name` leads to, "%p" replaced (base/output_target.h). Nothing is left behind by a
// failure.
Outcome SaveOwnProfile(const BaseLink& base, const char* name);

// `name` with each "%p" replaced by the process's number.
std::string ExpandProcessId(std::string_view name, int32_t pid);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_SAVED_PROFILE_H_
