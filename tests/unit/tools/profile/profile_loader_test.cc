#include "tools/profile/profile_loader.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("formats are told apart as the viewer does; a wrapped profile is unwrapped") {
  const auto format = [](const char* text) {
    const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kAny);
    return FormatOf(ProfileRoot(*document));
  };
  CHECK(format(R"({"meta":{"preprocessedProfileVersion":69}})") == ProfileFormat::kProcessed);
  CHECK(format(R"({"profile":{"meta":{"preprocessedProfileVersion":69}}})") == ProfileFormat::kProcessed);
  CHECK(format(R"({"meta":{"preprocessedProfileVersion":"69"}})") == ProfileFormat::kGecko);
  CHECK(format("[]") == ProfileFormat::kGecko);
  for (const char* text : {"", "\n ", "ELF"}) {
    CHECK(LoadProfileText(text).status().message() == kNoProfile);
  }
  CHECK(LoadProfileText("{").status().message() == "not valid JSON at byte 1: Missing a name for object member.");
}

}  // namespace
}  // namespace geckoprof
