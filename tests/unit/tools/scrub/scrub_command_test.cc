#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tools/check/profile_checker.h"
#include "tools/json/json_document.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), "scrub");
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return ScrubMain(args);
}

std::string Golden(const std::string& name) { return Concat(GECKOPROF_GOLDEN_DIR, "/", name); }

TEST_CASE("profiles of both formats stay good, without what says where they were made") {
  const TemporaryFolder folder;
  for (const char* name : {"demo_processed_69.json", "firefox_gecko_34.json"}) {
    INFO(name);
    const std::string output = Concat(folder.path(), "/", name);
    REQUIRE(Run({"-q", "-o", output, Golden(name)}) == 0);
    const std::string before = *ReadProfileFile(Golden(name)), after = *ReadProfileFile(output);
    CHECK(before.find("\"/") != std::string::npos);
    CHECK(after.find("\"/home") == std::string::npos);
    CHECK(after.find("\"/usr") == std::string::npos);
    CHECK(after.find("https://") == after.find("https://(left out)"));
    const JsonDocument document = *JsonDocument::Parse(after, JsonDocument::Utf8::kStrict);
    const ProfileVerdict verdict = CheckProfile(document, 10);
    CHECK(verdict.faults.faults() == std::vector<std::string>());
    CHECK(document.root()["threads"].size() ==
          JsonDocument::Parse(before, JsonDocument::Utf8::kStrict)->root()["threads"].size());
  }
}

TEST_CASE("the command line and the words are left out, and nothing else of a file without secrets") {
  const TemporaryFolder folder;
  std::string text = *ReadProfileFile(Golden("demo_processed_69.json"));
  const std::string key = "\"product\":";
  REQUIRE(text.find(key) != std::string::npos);
  text.insert(text.find(key), R"("arguments":"demo --password hunter2","note":"made by mallory for /home/mallory/x",)");
  folder.Write("in.json", text);
  REQUIRE(Run({"-q", "--word", "made", Concat(folder.path(), "/", "in.json")}) == 0);
  const std::string once = *ReadProfileFile(Concat(folder.path(), "/", "in.scrubbed.json.gz"));
  for (const char* secret : {"hunter2", "mallory", "made by"}) CHECK(once.find(secret) == std::string::npos);
  CHECK(once.find("\"note\":\"(left out) by (left out) for x\"") != std::string::npos);
  REQUIRE(Run({"-q", "--word", "made", "-o", Concat(folder.path(), "/", "twice.json"),
               Concat(folder.path(), "/", "in.scrubbed.json.gz")}) == 0);
  CHECK(*ReadProfileFile(Concat(folder.path(), "/", "twice.json")) == once);
}

TEST_CASE("what cannot be scrubbed is refused") {
  const TemporaryFolder folder;
  folder.Write("list.json", "[1]");
  CHECK(Run({Concat(folder.path(), "/", "list.json")}) == 1);
  CHECK(Run({Concat(folder.path(), "/", "none.json")}) == 1);
  CHECK(Run({"-q", "-o", Concat(folder.path(), "/", "no/folder.json"), Golden("demo_processed_69.json")}) == 1);
  CHECK(Run({"--word", "ab", Golden("demo_processed_69.json")}) == 2);
  CHECK(Run({}) == 2);
}

}  // namespace
}  // namespace geckoprof
