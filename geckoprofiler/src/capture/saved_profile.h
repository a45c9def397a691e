#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_SAVED_PROFILE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_SAVED_PROFILE_H_

#include <string>
#include <string_view>

#include "geckoprofiler/profiler_result.h"
#include "handover/base_link.h"

namespace geckoprof {

// Writes the profile to the file that `name` says, "%p" replaced. A regular file is written under another name beside
// it and then renamed; a device is written to; a pipe or socket is refused, since its reader could hold up or end the
// program. A limit of file sizes is kept to, so that no SIGXFSZ comes. Nothing is left behind by a failure.
ProfilerOutcome SaveOwnProfile(const BaseLink& base, const char* name);

// `name` with each "%p" replaced by the process's number.
std::string ExpandProcessId(std::string_view name, int32_t pid);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_SAVED_PROFILE_H_
