#ifndef GECKOPROF_TOOLS_CONVERT_PROFILE_INPUT_H_
#define GECKOPROF_TOOLS_CONVERT_PROFILE_INPUT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

enum class InputFormat { kJson, kPerfScript, kPprof, kFolded };

// By the name that the command line has for it; all these names.
std::optional<InputFormat> InputFormatOf(std::string_view name);
std::vector<std::string> ListInputFormats();

// By the content, unpacked. Nothing: it is none of them, or of a kind that is known not to be read.
std::optional<InputFormat> GuessInputFormat(std::string_view content);

// A profile of any format that is read, with all its detail. `format` empty: by the content. `event`: as
// LoadPerfScript's, or LoadPprof's `value`; `notes`: as theirs. Other formats do without.
absl::StatusOr<ProfileModel> LoadInput(std::string content, std::optional<InputFormat> format,
                                       std::string_view event = {}, std::vector<std::string>* notes = nullptr);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROFILE_INPUT_H_
