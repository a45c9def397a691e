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

// Returns the text of the demo profile with more members in `meta`, after scrubbing.
std::string ScrubbedDemo(const std::string& members,
                         std::string text = *ReadProfileFile(Golden("demo_processed_69.json"))) {
  const TemporaryFolder folder;
  text.insert(text.find("\"product\":"), members);
  folder.Write("in.json", text);
  REQUIRE(Run({"-q", "-o", Concat(folder.path(), "/", "out.json"), Concat(folder.path(), "/", "in.json")}) == 0);
  return *ReadProfileFile(Concat(folder.path(), "/", "out.json"));
}

TEST_CASE("command lines are left out under each name and in each shape") {
  const std::string after = ScrubbedDemo(
      R"-("commandLine":"/srv/work --key=hunter2","cmdline":["work","--key","hunter3"],"Command":{"all":"work hunter4"},)-"
      R"-("command":"work hunter5","command_line":"work hunter6","arguments":["work","hunter7"],)-"
      R"-("processName":"work --key=hunter2","label":"work --key=hunter2 (12)","copy":"work hunter5",)-");
  INFO(after.substr(0, 900));
  CHECK(after.find("hunter") == std::string::npos);
  CHECK(after.find(R"-("commandLine":"work","cmdline":["work","",""],"Command":{"all":""},"command":"work")-") !=
        std::string::npos);
  CHECK(after.find(R"-("processName":"work","label":"work (12)","copy":"work")-") != std::string::npos);
}

TEST_CASE("the id of the boot is left out, as it tells the machine") {
  CHECK(ScrubbedDemo(R"("bootId":"4d7c9f0e-1111",)").find(R"("bootId":"")") != std::string::npos);
}

TEST_CASE("a command line in the table of strings is left out") {
  std::string text = *ReadProfileFile(Golden("demo_processed_69.json"));
  const std::string name = "\"Inner(double)\"";  // in row 3
  text.replace(text.find(name), name.size(), "\"work --key=hunter2\"");
  const std::string after = ScrubbedDemo(R"("command":3,)", text);
  INFO(after.substr(0, 900));
  CHECK(after.find("hunter") == std::string::npos);
  CHECK(after.find(R"("command":3)") != std::string::npos);
  CHECK(after.find(R"-("stringArray":["(root)","main","Solve(int)","work",)-") != std::string::npos);
}

TEST_CASE("names of members are scrubbed, and those of the format stay") {
  const std::string after = ScrubbedDemo(
      R"("free":{"/home/mallory/x":1,"/home/data/x":2,"of mallory":3,"data":4,"https://db7.example/":5},)");
  CHECK(after.find(R"-("free":{"x":1,"x 2":2,"of (left out)":3,"data":4,"https://(left out)":5})-") !=
        std::string::npos);
}

TEST_CASE("a profile stays good if words are names of the format's members") {
  const TemporaryFolder folder;
  for (const char* name : {"demo_processed_69.json", "firefox_gecko_34.json"}) {
    INFO(name);
    const JsonDocument before = *JsonDocument::Parse(*ReadProfileFile(Golden(name)), JsonDocument::Utf8::kStrict);
    const std::string output = Concat(folder.path(), "/", name);
    std::vector<std::string> words = {"-q", "-o", output, Golden(name)};
    const JsonView root = before.root(), thread = root["threads"].At(0);
    for (const JsonView object : {root, root["shared"], root["meta"], thread, thread["samples"], thread["markers"]}) {
      object.ForEachMember([&](std::string_view key, JsonView) {
        const bool is_value_too = key == "data" || key == "name" || key == "samples";
        if (key.size() >= 3 && !is_value_too) words.insert(words.end(), {"--word", std::string(key)});
      });
    }
    REQUIRE(Run(words) == 0);
    const JsonDocument after = *JsonDocument::Parse(*ReadProfileFile(output), JsonDocument::Utf8::kStrict);
    CHECK(CheckProfile(after, 10).faults.faults() == std::vector<std::string>());
  }
}

TEST_CASE("a profile with many users takes no long time") {
  std::string paths;
  for (int i = 0; i < 40'000; ++i) paths += Concat("\"/home/user-", i, "/x\",");
  const std::string after = ScrubbedDemo(Concat("\"paths\":[", paths, "\"user-39999\"],"));
  CHECK(after.find("user-") == std::string::npos);
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
