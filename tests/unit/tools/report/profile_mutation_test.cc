// Spoiled profiles, the same ones on every run: whatever a file holds, report and check end with an answer or a
// one-line error. Under the address and undefined-behaviour sanitizers this is what finds an unchecked index.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tools/check/profile_checker.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/html/page_data.h"
#include "tools/report/json_report.h"
#include "tools/report/profile_filter.h"
#include "tools/report/report_table.h"
#include "tools/report/report_views.h"
#include "tools/report/text_report.h"

namespace geckoprof {
namespace {

constexpr const char* kValues[] = {"-1",
                                   "0",
                                   "1",
                                   "7",
                                   "63",
                                   "64",
                                   "99999999",
                                   "4294967295",
                                   "4294967296",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "18446744073709551615",
                                   "1e15",
                                   "1e308",
                                   "-1e308",
                                   "0.5",
                                   "null",
                                   "true",
                                   "\"x\"",
                                   "\"\"",
                                   "[]",
                                   "{}",
                                   "[0]",
                                   "[[0,1]]",
                                   "{\"schema\":{},\"data\":[]}"};

using Random = std::mt19937;

size_t Below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

// Puts another value in the place of a number, so that the text stays JSON and gets past the parser.
void ReplaceNumber(std::string* text, Random& random) {
  const size_t begin = text->find_first_of("0123456789", Below(random, text->size()));
  if (begin == std::string::npos) return;
  const size_t end = std::min(text->find_first_not_of("0123456789.", begin), text->size());
  text->replace(begin, end - begin, kValues[Below(random, std::size(kValues))]);
}

// Gives a key another name, so that what it held is missing.
void RenameKey(std::string* text, Random& random) {
  const size_t colon = text->find("\":", Below(random, text->size()));
  if (colon != std::string::npos) text->insert(colon, "_");
}

void SpoilBytes(std::string* text, Random& random) {
  const size_t position = Below(random, text->size());
  switch (Below(random, 4)) {
    case 0:
      (*text)[position] = static_cast<char>(random());
      break;
    case 1:
      text->erase(position, 1 + Below(random, 30));
      break;
    case 2:
      text->insert(position, text->substr(Below(random, text->size()), Below(random, 60)));
      break;
    default:
      text->resize(position);
  }
}

// True if the text was read as a profile.
bool Exercise(const std::string& text) {
  if (const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict); document.ok())
    CheckProfile(*document, 10);
  const auto model = LoadProfileText(text);
  if (!model.ok()) {
    CHECK(std::string(model.status().message()).find('\n') == std::string::npos);
    return false;
  }
  const ProfileSummary summary = Summarize(*model, {true});
  CHECK_FALSE(WriteTextReport(*model, summary, "f", 5, {60, true}).empty());
  CHECK(JsonDocument::Parse(WriteJsonReport(*model, summary, "f", 5), JsonDocument::Utf8::kStrict).ok());
  if (const auto full = LoadProfileText(text, ProfileDetail::kFull); full.ok()) {
    const std::string page = WritePageData(*full, Summarize(*full, {}), {"f", {}, false}, {5, 8, 2, 3});
    CHECK(JsonDocument::Parse(page, JsonDocument::Utf8::kStrict).ok());
  }
  for (const char* view : {"function", "file", "library", "category", "thread", "process", "marker", "marker-type",
                           "startup", "allocation", "io"}) {
    auto full = LoadProfileText(text, ProfileDetail::kFull);
    if (!full.ok()) break;
    FilterProfile({"", "", "a", "e", 0.5, 1e6}, &*full);
    const ReportTable table = MakeReportTable(*full, Summarize(*full, {true}), *ReportViewNamed(view), 5, true);
    CHECK_FALSE(WriteTableText(table, {60, true}).empty());
  }
  return true;
}

void Fuzz(const char* name, int rounds, unsigned seed) {
  const auto original = ReadProfileFile(std::string(GECKOPROF_GOLDEN_DIR "/") + name);
  REQUIRE(original.ok());
  REQUIRE(Exercise(*original));
  Random random(seed);
  int read = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = *original;
    const size_t changes = 1 + Below(random, 4);
    for (size_t i = 0; i < changes; ++i) {
      const size_t kind = Below(random, 8);
      kind == 0 ? SpoilBytes(&text, random) : kind == 1 ? RenameKey(&text, random) : ReplaceNumber(&text, random);
    }
    INFO("round " << round << " of seed " << seed);
    read += Exercise(text);
  }
  CHECK(read > rounds / 50);  // the spoiled files still get deep into the code
  CHECK(read < rounds * 49 / 50);
}

TEST_CASE("spoiled processed profiles") { Fuzz("demo_processed_69.json", 4000, 20250101); }
TEST_CASE("spoiled Gecko profiles") { Fuzz("firefox_gecko_34.json", 600, 20250102); }

}  // namespace
}  // namespace geckoprof
