#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/options/commands.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), {"view", "--no-open"});
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return ViewMain(args);
}

// What does not come to serving; the rest is tests/integration/view.
TEST_CASE("exit status") {
  const DebugInfoSample folder;
  const std::string good = folder.folder() + "/good.json", bad = folder.folder() + "/bad.json";
  WriteBytes(good, R"({"meta":{"version":34},"libs":[],"threads":[]})");
  CHECK(Run({"--help"}) == 0);
  CHECK(Run({}) == 2);
  CHECK(Run({"--port", "0", good}) == 2);
  CHECK(Run({"--port", "65536", good}) == 2);
  CHECK(Run({"--front-end", folder.folder(), good}) == 2);
  CHECK(Run({"--symbol-dir", "/nowhere", good}) == 2);
  CHECK(Run({"--source-dir", "/nowhere", good}) == 2);
  CHECK(Run({"--source-map", "/nowhere", good}) == 2);
  CHECK(Run({"/nowhere/a.json"}) == 1);
  CHECK(Run({"-"}) == 1);
  CHECK(Run({folder.folder()}) == 1);
  CHECK(Run({"/dev/null"}) == 1);
  for (const char* text :
       {"", "{", "[]", "{}", R"({"meta":{}})", "nonsense", "root:x:0:0:root:/root:/bin/bash\n",
        R"({"meta":{"version":34}})", R"({"meta":{"version":34},"threads":{}})",
        R"({"meta":{"version":999},"libs":[],"threads":[]})", R"({"meta":{"version":-1},"libs":[],"threads":[]})",
        R"({"meta":{"version":34,"preprocessedProfileVersion":999},"libs":[],"threads":[]})",
        R"({"meta":{"version":34},"libs":[],"threads":[)", "\x1f\x8b\x08nonsense"}) {
    WriteBytes(bad, text);
    CHECK(Run({bad}) == 1);
  }
}

}  // namespace
}  // namespace geckoprof
