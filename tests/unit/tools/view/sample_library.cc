#include "tests/unit/tools/view/sample_library.h"

#include <catch2/catch.hpp>
#include <deque>
#include <utility>

#include "tests/unit/tools/symbolicate/sample_profile.h"

namespace geckoprof {

SymbolPlaces NoPlaces() { return SymbolPlaces{"/nowhere", {}, false}; }

JsonView Json(const std::string& text) {
  static std::deque<JsonDocument> documents;
  absl::StatusOr<JsonDocument> document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  INFO(text);
  REQUIRE(document.ok());
  documents.push_back(*std::move(document));
  return documents.back().root();
}

SampleLibrary::SampleLibrary(const std::string& source) {
  REQUIRE(sample_.Compile("gcc -g", source));
  address_ = InlinedAddress(sample_.library());
  breakpad_id_ = Json(ProfileText())["libs"].At(0)["breakpadId"].AsString();
}

std::string SampleLibrary::ProfileText() const { return GeckoSampleText(sample_.library(), address_); }

ProfileLibraries SampleLibrary::Libraries() const { return ProfileLibraries(Json(ProfileText())); }

}  // namespace geckoprof
