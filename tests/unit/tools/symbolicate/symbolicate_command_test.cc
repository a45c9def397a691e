#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tests/unit/tools/symbolicate/sample_profile.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"
#include "tools/symbols/elf_image.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// `cache`: an option for it; nothing is kept in the home of whoever runs this.
int Run(std::vector<std::string> words, const std::string& cache = "--no-symbol-cache") {
  words.insert(words.begin(), {"symbolicate", cache});
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return SymbolicateMain(args);
}

bool Exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

TEST_CASE("the profile can come from standard input") {
  DebugInfoSample folder;
  const std::string input = folder.folder() + "/in.json", output = folder.folder() + "/out.json";
  WriteBytes(input, GeckoSampleText("/nowhere/lib.so", 0x1234));
  const int saved = dup(STDIN_FILENO), fd = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
  CHECK(Run({"-q", "-o", output, "-"}) == 0);
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(fd);
  CHECK(Exists(output));
}

TEST_CASE("source files get the names that they have here") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  const std::string folder = sample.folder(), input = folder + "/in.json", output = folder + "/out.json";
  const uint64_t address = InlinedAddress(sample.library());
  for (const bool is_gecko : {true, false}) {
    WriteBytes(input, is_gecko ? GeckoSampleText(sample.library(), address)
                               : ProcessedSampleText(sample.library(), address, 63));
    REQUIRE(Run({"-q", "--source-map", Concat(folder, "=/elsewhere"), "-o", output, input}) == 0);
    const std::string text = *ReadProfileFile(output);
    CHECK(text.find("\"/elsewhere/sample.c\"") != std::string::npos);
    CHECK(text.find(Concat("\"", folder, "/sample.c\"")) == std::string::npos);
  }
}

TEST_CASE("exit status, and what is left behind") {
  DebugInfoSample folder;
  const std::string input = folder.folder() + "/in.json", output = folder.folder() + "/out.json";
  WriteBytes(input, GeckoSampleText("/nowhere/lib.so", 0x1234));
  CHECK(Run({"-q", input}) == 0);
  CHECK(Exists(folder.folder() + "/in.syms.json.gz"));
  CHECK(Run({"-q", "-o", output, "--symbol-dir", folder.folder(), "--symbol-dir", "/tmp", input}) == 0);
  CHECK(Run({"-q", "-o", input, output}) == 0);  // a processed one
  CHECK(Run({}) == 2);
  CHECK(Run({"--symbol-dir", "/nowhere", input}) == 2);
  CHECK(Run({"--source-dir", "/nowhere", input}) == 2);
  CHECK(Run({"--source-map", "/nowhere", input}) == 2);
  CHECK(Run({"--bogus", input}) == 2);
  CHECK(Run({"--help"}) == 0);
  CHECK(Run({"/nowhere/a.json"}) == 1);
  CHECK(Run({"--jit-map", "/nowhere/a.map", input}) == 1);
  CHECK(Run({"-o", "/nowhere/a.json", input}) == 1);
  for (const char* text : {"", "{", "[]", "{}", R"({"meta":{}})", R"({"meta":{"version":1e300}})", "nonsense",
                           R"({"meta":{"preprocessedProfileVersion":63}})"}) {
    const std::string bad = folder.folder() + "/bad.json";
    WriteBytes(bad, text);
    CHECK(Run({"-q", bad}) == 1);
    CHECK_FALSE(Exists(folder.folder() + "/bad.syms.json.gz"));
  }
}

TEST_CASE("a cache in the place that is named, or none") {
  DebugInfoSample folder;
  REQUIRE(folder.Compile("cc -g"));
  const std::string input = folder.folder() + "/in.json", cache = folder.folder() + "/cache";
  const std::string kept = cache + "/" + CodeId((*ElfImage::Open(folder.library()))->BuildId()) + ".symbols";
  WriteBytes(input, GeckoSampleText(folder.library(), 0x1234));
  CHECK(Run({"-q", input}) == 0);
  CHECK_FALSE(Exists(kept));
  CHECK(Run({"-q", input}, "--symbol-cache=" + cache) == 0);
  CHECK(Exists(kept));
  CHECK(Run({"-q", "--no-symbol-cache", input}, "--symbol-cache=" + cache) == 2);
  CHECK(Run({"-q", input}, "--symbol-cache=") == 2);
}

}  // namespace
}  // namespace geckoprof
