#ifndef GECKOPROF_TOOLS_CONVERT_PPROF_LOADER_H_
#define GECKOPROF_TOOLS_CONVERT_PPROF_LOADER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// A profile.proto of pprof's, unpacked. Threads are told apart by the labels "thread" and "tid" (and the names that
// other writers give them). `value` names the value of the samples that is taken, or PprofValues chooses it, and
// `notes` gets a line about it where others are left out. A count is the weight, with the CPU times beside it. Of CPU
// time alone a sample is a period, or 1 ms where the profile has none; else the weight is in bytes or ms. The format
// adds up and knows no times: a sample comes as long after the one before of its thread as that lasted.
//
// Hostile input: ids and string numbers are looked up, never trusted; locations that are visited and stack rows are
// limited.
absl::StatusOr<ProfileModel> LoadPprof(std::string_view bytes, std::string_view value = {},
                                       std::vector<std::string>* notes = nullptr);

// Whether it begins as a message with a value type.
bool LooksLikePprof(std::string_view bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PPROF_LOADER_H_
