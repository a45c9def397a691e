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
  const std::string of_segment(LoadProfileText("GPROFSEG" + std::string(100, 0)).status().message());
  CHECK(of_segment.starts_with("is recorded data"));
  CHECK(ParseProfile("\xef\xbb\xbf\r\n{\"meta\":{}}").ok());
  CHECK(ParseProfile("\xef\xbb\xbf{}", "", JsonDocument::Utf8::kStrict).ok());
  CHECK_FALSE(ParseProfile("{\"a\":\"\xff\"}", "", JsonDocument::Utf8::kStrict).ok());
  CHECK(ParseProfile("\xef\xbb\xbfx").status().message() == kNoProfile);
  for (const char* utf16 : {"\xff\xfe{", "\xfe\xff{"}) CHECK(ParseProfile(utf16).status().message() == kUtf16);
  CHECK(LoadProfileText("{").status().message() == "not valid JSON at byte 1: Missing a name for object member.");
}

TEST_CASE("traces of others are called so") {
  const auto message = [](const char* text) { return std::string(ParseProfile(text).status().message()); };
  for (const char* chrome : {R"({"traceEvents":[]})", R"([{"ph":"M","pid":1}])"}) {
    CHECK(message(chrome).starts_with("is a trace of Chrome's format, which is not read"));
  }
  CHECK(message(R"({"$schema":"https://www.speedscope.app/file-format-schema.json"})")
            .starts_with("is a profile of speedscope's, which is not read"));
  for (const char* other : {"{}", "[]", R"({"traceEvents":1})", R"({"meta":{},"traceEvents":[]})"}) {
    CHECK(ParseProfile(other).ok());
  }
}

}  // namespace
}  // namespace geckoprof
