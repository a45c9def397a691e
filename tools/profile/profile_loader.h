#ifndef GECKOPROF_TOOLS_PROFILE_PROFILE_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_PROFILE_LOADER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/json/json_document.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// What editors of some systems begin UTF-8 with; the viewer, too, reads what is behind it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// Text of two bytes a character, of either order, as some editors and shells write it; kUtf16 says so of a file.
inline bool IsUtf16(std::string_view content) {
  return content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff");
}
inline constexpr char kUtf16[] = "is UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8` first";

// A Gecko or processed profile's text as a document; an error is one line. `left_out`, `utf8`: as for
// JsonDocument::Parse. A trace of Chrome's or of speedscope is an error that says so.
absl::StatusOr<JsonDocument> ParseProfile(std::string text, std::string_view left_out = "",
                                          JsonDocument::Utf8 utf8 = JsonDocument::Utf8::kAny);
// Of what is no profile of the two formats.
inline constexpr char kNoProfile[] =
    "is no profile of Gecko's or the processed format; `geckoprof convert` reads others";

// The profile in a document: the root, or its member "profile" where the file wraps one.
JsonView ProfileRoot(const JsonDocument& document);
// As the viewer tells them apart: processed has a numeric meta.preprocessedProfileVersion.
ProfileFormat FormatOf(JsonView profile);

// Reads a Gecko or processed profile. An error is one line and names the place in the file (JSON path or byte), not the
// file. Reading is as lenient as the viewer's, except that an index out of range is an error: `geckoprof check` is the
// strict one.
absl::StatusOr<ProfileModel> LoadProfile(const JsonDocument& document, ProfileDetail detail = ProfileDetail::kSummary);
absl::StatusOr<ProfileModel> LoadProfileText(std::string text, ProfileDetail detail = ProfileDetail::kSummary);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_PROFILE_LOADER_H_
