#include "tools/report/text_report.h"

#include <catch2/catch.hpp>

#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"

namespace geckoprof {
namespace {

std::string Golden(const std::string& name) {
  const auto text = ReadProfileFile(std::string(GECKOPROF_GOLDEN_DIR "/") + name);
  REQUIRE(text.ok());
  return *text;
}

// The golden text is what `cd tests/golden && geckoprof report NAME.json > NAME.report.txt` writes.
void RequireGolden(const std::string& name) {
  const auto model = LoadProfileText(Golden(name + ".json"));
  REQUIRE(model.ok());
  CHECK(WriteTextReport(*model, Summarize(*model, {}), name + ".json", 20, {}) == Golden(name + ".report.txt"));
}

TEST_CASE("the report of a Gecko profile") { RequireGolden("firefox_gecko_34"); }
TEST_CASE("the report of a processed profile") { RequireGolden("demo_processed_69"); }

TEST_CASE("lines keep to the terminal's width; colours only where they are welcome") {
  const auto model = LoadProfileText(Golden("firefox_gecko_34.json"));
  REQUIRE(model.ok());
  const ProfileSummary summary = Summarize(*model, {});
  const std::string text = WriteTextReport(*model, summary, "x.json", 3, {40, false});
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    CHECK(DisplayWidth(text.substr(begin, end - begin)) <= 40);
    begin = end + 1;
  }
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("more\n") != std::string::npos);
  CHECK(WriteTextReport(*model, summary, "x.json", 3, {80, true}).find("\x1b[1mThreads\x1b[0m\n") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
