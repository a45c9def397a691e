#include "tools/symbols/debug_file_finder.h"

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("nobody is asked where no server is named") {
  unsetenv("DEBUGINFOD_URLS");
  std::string problem;
  CHECK(DebuginfodClient::Fetch("0123456789abcdef0123", DebuginfodClient::Kind::kDebugInfo, &problem).empty());
  CHECK(DebuginfodClient::Fetch("", DebuginfodClient::Kind::kExecutable, &problem).empty());
  CHECK(problem.empty());
}

constexpr char kSplitOff[] =
    "objcopy --only-keep-debug libsample.so sample.debug && strip -g libsample.so && "
    "objcopy --add-gnu-debuglink=sample.debug libsample.so && mkdir -p away && mv sample.debug away/";

bool Mentions(const Symbolizer& symbolizer, std::string_view text) {
  const std::vector<std::string> problems = symbolizer.Problems();
  return std::any_of(problems.begin(), problems.end(),
                     [&](const std::string& problem) { return problem.find(text) != std::string::npos; });
}

std::string BuildIdOfFile(const std::string& path) { return (*ElfImage::Open(path))->BuildId(); }

TEST_CASE("a build id may be known in part") {
  CHECK(IsBuildId("0123456789abcdef0123", ""));
  CHECK(IsBuildId("0123456789abcdef0123", "0123456789abcdef0123"));
  CHECK(IsBuildId("0123456789abcdef0123", "0123456789abcdef"));
  CHECK_FALSE(IsBuildId("0123456789abcdef0123", "0123456789abcde"));
  CHECK_FALSE(IsBuildId("", "0123456789abcdef"));
}

TEST_CASE("the debug file is found wherever people put it") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run(kSplitOff));
  const std::string hex = CodeId(BuildIdOfFile(sample.library()));
  const std::string by_id = "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
  for (const std::string& place : std::vector<std::string>{
           sample.folder() + "/sample.debug", sample.folder() + "/.debug/sample.debug",
           sample.folder() + "/debug" + sample.folder() + "/sample.debug", sample.folder() + "/debug" + by_id,
           sample.folder() + "/symbols" + by_id, sample.folder() + "/symbols/sample.debug",
           sample.folder() + "/symbols/" + hex + ".debug"}) {
    INFO(place);
    REQUIRE(
        sample.Run("mkdir -p symbols '" + place.substr(0, place.rfind('/')) + "' && cp away/sample.debug " + place));
    Symbolizer symbolizer(SymbolPlaces{sample.folder() + "/debug", {sample.folder() + "/symbols"}, false});
    const SampleFindings findings = LookThrough(symbolizer, sample.library());
    CHECK(findings.has_inlined);
    CHECK_FALSE(findings.has_wrong);
    REQUIRE(sample.Run("rm " + place));
    Symbolizer without(SymbolPlaces{sample.folder() + "/debug", {sample.folder() + "/symbols"}, false});
    CHECK_FALSE(LookThrough(without, sample.library()).has_lines);
  }
}

TEST_CASE("a debug file of another build, or a spoiled one, is told and not used") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run(kSplitOff));
  const std::string beside = sample.folder() + "/sample.debug";
  std::string bytes = FileBytes(sample.folder() + "/away/sample.debug");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  WriteBytes(beside, bytes);
  {
    Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
    const SampleFindings findings = LookThrough(symbolizer, sample.library());
    CHECK(findings.has_name);
    CHECK_FALSE(findings.has_lines);
    CHECK(Mentions(symbolizer, "checksum"));
  }
  REQUIRE(
      sample.Run("sed 's/x \\* 3/x * 7/' sample.c >other.c && gcc -g -O2 -fPIC -shared -Wl,--build-id other.c -o "
                 "other.so && objcopy --only-keep-debug other.so sample.debug"));
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  CHECK_FALSE(LookThrough(symbolizer, sample.library()).has_lines);
  CHECK(Mentions(symbolizer, "another build"));
}

TEST_CASE("the name of a debug file does not lead out of the folders in which it is looked for") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(
      sample.Run("objcopy --only-keep-debug libsample.so xx_sample.debug && strip -g libsample.so && "
                 "objcopy --add-gnu-debuglink=xx_sample.debug libsample.so && mkdir below"));
  const std::string bytes = FileBytes(sample.library());
  for (const std::string to : {"xx_sample", "../sample"}) {
    const std::string library = sample.folder() + "/below/libsample.so";
    std::string named = bytes;
    named.replace(named.find("xx_sample"), to.size(), to);
    WriteBytes(library, named);
    REQUIRE(sample.Run("cp xx_sample.debug sample.debug && cp xx_sample.debug below/"));
    Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
    CHECK(LookThrough(symbolizer, library).has_lines == (to == "xx_sample"));
  }
}

TEST_CASE("a debug file that cannot be read is told") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run(kSplitOff));
  const std::string build_id = BuildIdOfFile(sample.library());
  const std::string hex = CodeId(build_id);
  const std::string by_id = "debug/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
  REQUIRE(sample.Run("mkdir -p " + by_id.substr(0, by_id.rfind('/'))));
  for (const auto& [make, told] :
       std::vector<std::pair<std::string, std::string>>{{": >", "is not an ELF file"},
                                                        {"head -c 3000 away/sample.debug >", "is cut short"},
                                                        {"echo text >", "is not an ELF file"},
                                                        {"mkdir ", "is not a regular file"},
                                                        {"ln -s /dev/zero ", "is not a regular file"},
                                                        {"ln -s $PWD/" + by_id + " ", "cannot open"},
                                                        {"cp /bin/true ", "belongs to another build"}}) {
    INFO(make);
    REQUIRE(sample.Run("rm -rf " + by_id + " && " + make + by_id));
    Symbolizer symbolizer(SymbolPlaces{sample.folder() + "/debug", {}, false});
    CHECK(LookThrough(symbolizer, sample.library(), build_id).has_name);
    CHECK(Mentions(symbolizer, told));
    CHECK(symbolizer.Problems().size() == 1);
  }
  // Nothing there is nothing to tell.
  REQUIRE(sample.Run("rm -rf " + by_id));
  Symbolizer symbolizer(SymbolPlaces{sample.folder() + "/debug", {}, false});
  CHECK(LookThrough(symbolizer, sample.library(), build_id).has_name);
  CHECK(symbolizer.Problems().empty());
}

TEST_CASE("a library that is cut short has no symbols, which is told") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run("head -c 3000 libsample.so >cut.so"));
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  CHECK(symbolizer.Find(sample.folder() + "/cut.so", "", 0x1000) == nullptr);
  CHECK(symbolizer.counts().loaded == 0);
  CHECK(symbolizer.counts().unreadable == 1);
  CHECK(Mentions(symbolizer, "cut.so is cut short: 3000 bytes"));
}

TEST_CASE("a library that was replaced, or is gone, is found in a symbol folder by its build id") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  const std::string build_id = BuildIdOfFile(sample.library());
  REQUIRE(sample.Run("mkdir symbols && mv libsample.so symbols/"));
  REQUIRE(sample.Run("sed -i 's/x \\* 3/x * 7/' sample.c"));
  REQUIRE(sample.Compile("gcc -g"));
  {
    Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
    CHECK(symbolizer.Find(sample.library(), build_id, 0x1100) == nullptr);
    CHECK(symbolizer.counts().mismatched == 1);
    CHECK(Mentions(symbolizer, "is not the file that was recorded"));
  }
  for (const std::string& known : {build_id, build_id.substr(0, 16)}) {
    Symbolizer symbolizer(SymbolPlaces{"/nowhere", {sample.folder() + "/symbols"}, false});
    CHECK(LookThrough(symbolizer, sample.library(), known).has_inlined);
    CHECK(symbolizer.Problems().empty());
  }
  // The debug file alone has all that is needed.
  const std::string hex = CodeId(build_id), folder = "debug/.build-id/" + hex.substr(0, 2);
  REQUIRE(sample.Run("mkdir -p " + folder + " && objcopy --only-keep-debug symbols/libsample.so " + folder + "/" +
                     hex.substr(2) + ".debug && rm -r symbols"));
  Symbolizer symbolizer(SymbolPlaces{sample.folder() + "/debug", {}, false});
  CHECK(LookThrough(symbolizer, sample.library(), build_id).has_inlined);
}

}  // namespace
}  // namespace geckoprof
