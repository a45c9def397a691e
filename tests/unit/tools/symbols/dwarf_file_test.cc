#include "tools/symbols/dwarf_file.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

SymbolPlaces NoPlaces() { return {"/nowhere", {}, false}; }

TEST_CASE("inlined functions and lines, whichever way the compiler writes them") {
  DebugInfoSample sample;
  for (const std::string& compiler : std::vector<std::string>{
           "gcc -gdwarf-5", "gcc -gdwarf-4", "gcc -gdwarf-3", "gcc -gdwarf-5 -gz=zlib", "gcc -gdwarf-4 -gz=zlib-gnu",
           "gcc -gdwarf-5 -fdebug-types-section", "gcc -gdwarf64 -gdwarf-5", "clang -gdwarf-5", "clang -gdwarf-4",
           "gcc -gdwarf-5 -DTWO_SECTIONS", "gcc -gdwarf-4 -DTWO_SECTIONS", "clang -gdwarf-5 -DTWO_SECTIONS",
           "clang -gdwarf-4 -DTWO_SECTIONS"}) {
    if (!DebugInfoSample::HasTool(compiler.substr(0, compiler.find(' ')))) continue;
    INFO(compiler);
    REQUIRE(sample.Compile(compiler));
    Symbolizer symbolizer(NoPlaces());
    const SampleFindings findings = LookThrough(symbolizer, sample.library());
    CHECK(findings.has_inlined);
    CHECK_FALSE(findings.has_wrong);
    CHECK(symbolizer.counts().with_lines == 1);
    for (const std::string& problem : symbolizer.Problems()) CHECK(problem.find("broken") == std::string::npos);
    const std::vector<std::string> files = symbolizer.Module(sample.library(), "")->SourceFiles();
    CHECK(std::any_of(files.begin(), files.end(), [](const std::string& file) { return file.ends_with("/sample.c"); }));
  }
}

TEST_CASE("sections that only the linked file has packed") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run("objcopy --compress-debug-sections=zlib libsample.so"));
  Symbolizer symbolizer(NoPlaces());
  CHECK(LookThrough(symbolizer, sample.library()).has_inlined);
  REQUIRE(sample.Compile("gcc -gdwarf-4"));
  REQUIRE(
      sample.Run("objcopy --compress-debug-sections=zlib-gnu libsample.so && readelf -S libsample.so | grep zdebug"));
  Symbolizer old_way(NoPlaces());
  CHECK(LookThrough(old_way, sample.library()).has_inlined);
}

TEST_CASE("split debug information beside the object, and its absence") {
  DebugInfoSample sample;
  for (const std::string& compiler : std::vector<std::string>{
           "gcc -gdwarf-5 -gsplit-dwarf", "gcc -gdwarf-4 -gsplit-dwarf", "clang -gdwarf-5 -gsplit-dwarf",
           "clang -gdwarf-4 -gsplit-dwarf", "clang -gdwarf-5 -gsplit-dwarf -DTWO_SECTIONS"}) {
    if (!DebugInfoSample::HasTool(compiler.substr(0, compiler.find(' ')))) continue;
    INFO(compiler);
    REQUIRE(sample.Compile(compiler));
    REQUIRE(sample.Run("test -e sample.dwo"));
    {
      Symbolizer symbolizer(NoPlaces());
      const SampleFindings findings = LookThrough(symbolizer, sample.library());
      CHECK(findings.has_inlined);
      CHECK_FALSE(findings.has_wrong);
    }
    REQUIRE(sample.Run("mkdir -p other && mv sample.dwo other/"));
    {
      Symbolizer symbolizer(NoPlaces());
      const SampleFindings findings = LookThrough(symbolizer, sample.library());
      CHECK_FALSE(findings.has_inlined);
      CHECK(findings.has_name);
      const std::vector<std::string> problems = symbolizer.Problems();
      CHECK(std::any_of(problems.begin(), problems.end(),
                        [](const std::string& p) { return p.find(".dwo") != std::string::npos; }));
    }
    Symbolizer symbolizer(SymbolPlaces{"/nowhere", {sample.folder() + "/other"}, false});
    CHECK(LookThrough(symbolizer, sample.library()).has_inlined);
  }
}

TEST_CASE("split debug information packed into one file") {
  DebugInfoSample sample;
  const std::string llvm = "llvm-dwp sample.dwo -o libsample.so.dwp", binutils = "dwp -o libsample.so.dwp sample.dwo";
  for (const auto& [pack, compiler] :
       std::vector<std::pair<std::string, std::string>>{{llvm, "clang -gdwarf-5 -gsplit-dwarf"},
                                                        {llvm, "clang -gdwarf-5 -gsplit-dwarf -DTWO_SECTIONS"},
                                                        {llvm, "clang -gdwarf-4 -gsplit-dwarf"},
                                                        {binutils, "gcc -gdwarf-4 -gsplit-dwarf"}}) {
    if (!DebugInfoSample::HasTool(pack.substr(0, pack.find(' ')))) continue;
    if (!DebugInfoSample::HasTool(compiler.substr(0, compiler.find(' ')))) continue;
    INFO(pack << ' ' << compiler);
    REQUIRE(sample.Compile(compiler));
    REQUIRE(sample.Run("timeout 20 " + pack));
    REQUIRE(sample.Run("rm sample.dwo"));
    Symbolizer symbolizer(NoPlaces());
    const SampleFindings findings = LookThrough(symbolizer, sample.library());
    CHECK(findings.has_inlined);
    CHECK_FALSE(findings.has_wrong);
  }
}

TEST_CASE("split debug information of another build is not taken") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -gdwarf-5 -gsplit-dwarf"));
  REQUIRE(sample.Run("cp libsample.so kept.so && sed -i s/SampleInner/SampleOther/ sample.c"));
  REQUIRE(sample.Compile("gcc -gdwarf-5 -gsplit-dwarf"));
  Symbolizer symbolizer(NoPlaces());
  const SampleFindings findings = LookThrough(symbolizer, sample.folder() + "/kept.so");
  CHECK_FALSE(findings.has_inlined);
  CHECK_FALSE(findings.has_wrong);
}

TEST_CASE("parts that dwz moved to a file of their own") {
  if (!DebugInfoSample::HasTool("dwz")) {
    WARN("no dwz here");
    return;
  }
  DebugInfoSample sample;
  // dwz moves nothing where there is little to share.
  std::string structs;
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    structs += "struct LongEnoughName" + n + " { int first_member_" + n + "; char second_member_" + n +
               "[10]; struct LongEnoughName" + n + "* next; } variable_" + n + ";";
  }
  WriteBytes(sample.folder() + "/sample.c", structs + FileBytes(sample.folder() + "/sample.c"));
  REQUIRE(sample.Compile("gcc -gdwarf-4"));
  REQUIRE(sample.Run("cp libsample.so second.so && dwz -m common.debug libsample.so second.so"));
  REQUIRE(sample.Run("readelf -S libsample.so | grep gnu_debugaltlink"));
  {
    Symbolizer symbolizer(NoPlaces());
    const SampleFindings findings = LookThrough(symbolizer, sample.library());
    CHECK(findings.has_inlined);
    CHECK_FALSE(findings.has_wrong);
  }
  REQUIRE(sample.Run("rm common.debug"));
  Symbolizer symbolizer(NoPlaces());
  CHECK(LookThrough(symbolizer, sample.library()).has_name);
  const std::vector<std::string> problems = symbolizer.Problems();
  CHECK(std::any_of(problems.begin(), problems.end(),
                    [](const std::string& p) { return p.find("dwz") != std::string::npos; }));
}

TEST_CASE("debug information that cannot be read is told, with what may be the cause") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run("printf abc >short && objcopy --update-section .debug_info=short libsample.so"));
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  for (const bool is_limited : {before.rlim_cur != RLIM_INFINITY, true}) {
    const rlimit limit = {is_limited ? std::min(before.rlim_cur, rlim_t{1} << 46) : RLIM_INFINITY, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    Symbolizer symbolizer(NoPlaces());
    LookThrough(symbolizer, sample.library());
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    std::string problems;
    for (const std::string& problem : symbolizer.Problems()) problems += problem + '\n';
    INFO(problems);
    CHECK(problems.find("debug information cannot be read") != std::string::npos);
    CHECK((problems.find("ulimit -v") != std::string::npos) == is_limited);
  }
}

// Every round another part of the debug sections is spoiled. Nothing is known of what comes out, but that it comes.
TEST_CASE("broken debug information gives no crash and no endless work") {
  DebugInfoSample sample;
  uint32_t random = 99;
  const auto next = [&](size_t limit) {
    random = random * 1664525 + 1013904223;
    return static_cast<size_t>(random >> 8) % limit;
  };
  for (const std::string& compiler :
       std::vector<std::string>{"gcc -gdwarf-5", "gcc -gdwarf-4", "gcc -gdwarf-5 -gz=zlib",
                                "gcc -gdwarf-3 -fno-merge-debug-strings", "clang -gdwarf-5"}) {
    if (!DebugInfoSample::HasTool(compiler.substr(0, compiler.find(' ')))) continue;
    REQUIRE(sample.Compile(compiler));
    const std::string sound = FileBytes(sample.library());
    const std::string path = sample.folder() + "/broken.so";
    for (int round = 0; round < 250; ++round) {
      std::string broken = sound;
      // The debug sections and the section headers lie in the last two thirds.
      const size_t first = round % 3 == 0 ? 0 : broken.size() / 3;
      const size_t changes = 1 + next(12);
      for (size_t i = 0; i < changes; ++i) {
        const size_t at = std::max<size_t>(first + next(broken.size() - first), 64);
        constexpr char kBytes[] = {'\0', '\x7f', '\x80', '\xff', '\x01', '\x20'};
        broken[at] = round % 2 == 0 ? kBytes[next(sizeof(kBytes))] : static_cast<char>(next(256));
      }
      if (round % 5 == 0) broken.resize(broken.size() - next(broken.size() / 2));
      WriteBytes(path, broken);
      Symbolizer symbolizer(NoPlaces());
      LookThrough(symbolizer, path);
      if (SymbolModule* module = symbolizer.Module(path, "")) module->SourceFiles();
    }
  }
}

}  // namespace
}  // namespace geckoprof
