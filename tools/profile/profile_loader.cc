#include "tools/profile/profile_loader.h"

#include <string_view>
#include <utility>

#include "tools/profile/gecko_loader.h"
#include "tools/profile/processed_loader.h"

namespace geckoprof {

absl::StatusOr<JsonDocument> ParseProfile(std::string text, std::string_view left_out) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || (text[first] != '{' && text[first] != '['))
    return absl::InvalidArgumentError(kNoProfile);
  return JsonDocument::Parse(std::move(text), JsonDocument::Utf8::kAny, left_out);
}

JsonView ProfileRoot(const JsonDocument& document) {
  const JsonView root = document.root();
  return !root["meta"].Exists() && root["profile"].IsObject() ? root["profile"] : root;
}

ProfileFormat FormatOf(JsonView profile) {
  return profile["meta"]["preprocessedProfileVersion"].IsNumber() ? ProfileFormat::kProcessed : ProfileFormat::kGecko;
}

absl::StatusOr<ProfileModel> LoadProfile(const JsonDocument& document, ProfileDetail detail) {
  const JsonView profile = ProfileRoot(document);
  ProfileModel model;
  model.format = FormatOf(profile);
  const absl::Status status = model.format == ProfileFormat::kProcessed
                                  ? ProcessedLoader(profile, &model, detail).Load()
                                  : GeckoLoader(&model, detail).Load(profile);
  if (!status.ok()) return status;
  return model;
}

absl::StatusOr<ProfileModel> LoadProfileText(std::string text, ProfileDetail detail) {
  // Both formats have what a marker carries as an object in an array below "markers".
  const std::string_view left_out = detail == ProfileDetail::kFull ? "" : "markers";
  absl::StatusOr<JsonDocument> document = ParseProfile(std::move(text), left_out);
  if (!document.ok()) return document.status();
  return LoadProfile(*document, detail);
}

}  // namespace geckoprof
