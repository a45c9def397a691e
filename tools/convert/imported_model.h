#ifndef GECKOPROF_TOOLS_CONVERT_IMPORTED_MODEL_H_
#define GECKOPROF_TOOLS_CONVERT_IMPORTED_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Categories of a profile that comes from a format without any, as in the viewer's own importers.
enum class ImportedCategory : int32_t { kOther, kUser, kKernel };

// A model without anything but those categories.
ProfileModel EmptyImport(std::string_view product);

// What is left to do when everything has been read: a main thread for each process, samples in order of time, the
// recording's duration, names of a sensible length. The CPU time of every sample counts, of the first ones, too. An
// error where there is no sample at all.
absl::Status FinishImport(ProfileModel* model);

// Takes the line off the front, without its end.
std::string_view TakeLine(std::string_view* text);
// A finite number that takes up the whole text.
std::optional<double> WholeNumber(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_IMPORTED_MODEL_H_
