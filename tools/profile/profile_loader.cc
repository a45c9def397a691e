#include "tools/profile/profile_loader.h"

#include <string_view>
#include <utility>

#include "geckoprof/segment/segment_format.h"
#include "tools/profile/allocation_markers.h"
#include "tools/profile/gecko_loader.h"
#include "tools/profile/processed_loader.h"
#include "tools/profile/wait_times.h"
#include "tools/text/concat.h"

namespace geckoprof {

namespace {

// Which other program's the document is, by the members that all of its kind have; empty: none that is known.
std::string_view OtherKind(JsonView root) {
  if (root["meta"].Exists() || root["profile"].Exists()) return {};
  if (root["traceEvents"].IsArray() || root.At(0)["ph"].IsString()) return "is a trace of Chrome's format";
  if (root["$schema"].AsString().find("speedscope") != std::string_view::npos) return "is a profile of speedscope's";
  return {};
}

}  // namespace

absl::StatusOr<JsonDocument> ParseProfile(std::string text, std::string_view left_out, JsonDocument::Utf8 utf8) {
  if (IsUtf16(text)) return absl::InvalidArgumentError(kUtf16);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text.starts_with(std::string_view(kSegmentMagic, sizeof kSegmentMagic))) {
    return absl::InvalidArgumentError("is recorded data, no profile yet: `geckoprof recover FOLDER` makes one of it");
  }
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || (text[first] != '{' && text[first] != '['))
    return absl::InvalidArgumentError(kNoProfile);
  absl::StatusOr<JsonDocument> document = JsonDocument::Parse(std::move(text), utf8, left_out);
  if (!document.ok()) return document;
  if (const std::string_view other = OtherKind(document->root()); !other.empty()) {
    return absl::InvalidArgumentError(
        Concat(other, ", which is not read: no profile of Gecko's or the processed format"));
  }
  return document;
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
                                  ? ProcessedLoader(profile, &model, detail, document.text_bytes()).Load()
                                  : GeckoLoader(&model, detail, document.text_bytes()).Load(profile);
  if (!status.ok()) return status;
  CutLongNames(&model);
  CompleteWaits(&model);
  TakeAllocationMarkers(&model);
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
