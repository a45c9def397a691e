#include "tools/symbolicate/symbolication.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tools/check/profile_checker.h"
#include "tools/json/json_copy.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/profile_summary.h"

namespace geckoprof {
namespace {

const std::string kGecko = GECKOPROF_GOLDEN_DIR "/firefox_gecko_34.json";
const std::string kProcessed = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";

std::string Read(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadProfileFile(path);
  REQUIRE(text.ok());
  return *text;
}

std::string Copied(const std::string& text) {
  const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kAny);
  REQUIRE(document.ok());
  REQUIRE(Symbolication::HasTables(ProfileRoot(*document)));
  const auto copy = Symbolication::Make(ProfileRoot(*document));
  REQUIRE(copy->Load().ok());
  std::string copied;
  JsonWriter writer(StringSink(&copied));
  copy->Write(writer);
  REQUIRE(writer.Finish());
  return copied;
}

TEST_CASE("all that a file says about its recording is in the copy, and the figures are the same") {
  for (const std::string& path : {kGecko, kProcessed}) {
    INFO(path);
    const std::string text = Read(path), copied = Copied(text);
    const auto before = JsonDocument::Parse(text, JsonDocument::Utf8::kAny);
    const auto after = JsonDocument::Parse(copied, JsonDocument::Utf8::kStrict);
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    CHECK(CheckProfile(*after, 10).faults.faults() == std::vector<std::string>{});
    const JsonView old_meta = ProfileRoot(*before)["meta"], new_meta = after->root()["meta"];
    size_t kept = 0;
    for (const char* key : {"profilingStartTime", "profilingEndTime", "contentEarliestTime", "logicalCPUs", "product",
                            "configuration", "startTime", "interval", "initialVisibleThreads"}) {
      if (!old_meta[key].Exists()) continue;
      ++kept;
      INFO(key);
      CHECK(JsonText(new_meta[key]) == JsonText(old_meta[key]));
    }
    CHECK(kept >= 5);
    const auto old_model = LoadProfileText(text), new_model = LoadProfileText(copied);
    REQUIRE(old_model.ok());
    REQUIRE(new_model.ok());
    CHECK(new_model->duration_ms == old_model->duration_ms);
    const ProfileSummary old_summary = Summarize(*old_model, {}), new_summary = Summarize(*new_model, {});
    CHECK(new_summary.samples == old_summary.samples);
    CHECK(new_summary.idle_samples == old_summary.idle_samples);
    CHECK(new_summary.threads.size() == old_summary.threads.size());
  }
}

TEST_CASE("a processed profile keeps its version, and whether it has symbols") {
  const std::string text = Read(kProcessed);
  const auto before = JsonDocument::Parse(text, JsonDocument::Utf8::kAny);
  const auto after = JsonDocument::Parse(Copied(text), JsonDocument::Utf8::kStrict);
  REQUIRE(after.ok());
  CHECK(after->root()["meta"]["preprocessedProfileVersion"].AsInteger() == 69);
  CHECK(after->root()["meta"]["symbolicated"].IsTrue() == before->root()["meta"]["symbolicated"].IsTrue());
}

TEST_CASE("an address of a Gecko profile stays one, and the copy says that there are such") {
  const auto copied = JsonDocument::Parse(Copied(Read(kGecko)), JsonDocument::Utf8::kStrict);
  REQUIRE(copied.ok());
  CHECK(copied->root()["meta"]["symbolicated"].IsBool());
  CHECK_FALSE(copied->root()["meta"]["symbolicated"].IsTrue());
}

TEST_CASE("versions before the shared tables are not taken, and what makes no sense is an error") {
  const auto old = JsonDocument::Parse(R"({"meta":{"preprocessedProfileVersion":59}})", JsonDocument::Utf8::kStrict);
  CHECK_FALSE(Symbolication::HasTables(old->root()));
  const auto broken = JsonDocument::Parse(R"({"meta":{"version":34}})", JsonDocument::Utf8::kStrict);
  REQUIRE(Symbolication::HasTables(broken->root()));
  CHECK_FALSE(Symbolication::Make(broken->root())->Load().ok());
}

}  // namespace
}  // namespace geckoprof
