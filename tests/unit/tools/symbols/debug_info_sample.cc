#include "tests/unit/tools/symbols/debug_info_sample.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

namespace geckoprof {
namespace {

// Line 2: inner, 3: middle, 4: outer. With a second section the unit lies in two pieces.
constexpr char kSource[] =
    "volatile int sample_state;\n"
    "static inline __attribute__((always_inline)) int SampleInner(int x) { sample_state = x; return x * 3; }\n"
    "static inline __attribute__((always_inline)) int SampleMiddle(int x) { return SampleInner(x + sample_state) + 1; "
    "}\n"
    "__attribute__((noinline)) int SampleOuter(int x) { sample_state += x; return SampleMiddle(x) * sample_state; }\n"
    "#ifdef TWO_SECTIONS\n"
    "__attribute__((section(\".text.beside\"))) int SampleBeside(int x) { return SampleMiddle(x) + 7; }\n"
    "#endif\n";

}  // namespace

DebugInfoSample::DebugInfoSample() {
  char path[] = "/tmp/debug_info_sample.XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  folder_ = path;
  WriteBytes(folder_ + "/sample.c", kSource);
}

DebugInfoSample::~DebugInfoSample() {
  if (std::system(("rm -rf '" + folder_ + "'").c_str()) != 0) WARN("cannot remove " << folder_);
}

bool DebugInfoSample::Run(const std::string& command) const {
  return std::system(("cd '" + folder_ + "' && { " + command + "; } >log 2>&1 </dev/null").c_str()) == 0;
}

bool DebugInfoSample::Compile(const std::string& compiler, const std::string& source) const {
  return Run("install -D sample.c copy/" + source + " && install -D copy/" + source + " " + source + " && " + compiler +
             " -O2 -fPIC -c " + source + " -o sample.o && " + compiler.substr(0, compiler.find(' ')) +
             " -shared -Wl,--build-id sample.o -o libsample.so");
}

bool DebugInfoSample::HasTool(std::string_view name) {
  return std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0;
}

SampleFindings LookThrough(Symbolizer& symbolizer, const std::string& library, const std::string& build_id) {
  SampleFindings findings;
  for (uint64_t svma = 0x1000; svma < 0x1400; ++svma) {
    const AddressSymbols* found = symbolizer.Find(library, build_id, svma);
    if (found == nullptr || found->symbol != "SampleOuter") continue;
    findings.has_name = true;
    const auto& frames = found->frames;
    constexpr std::string_view kNames[] = {"SampleOuter", "SampleMiddle", "SampleInner"};
    constexpr uint32_t kLines[] = {4, 3, 2};
    for (size_t i = 0; i < frames.size(); ++i) {
      const bool is_known =
          i < 3 && frames[i].name == kNames[i] && (frames[i].line == 0 || frames[i].line == kLines[i]);
      // Without inlined functions the lines are theirs all the same.
      const bool is_flat = frames.size() == 1 && frames[0].line >= 2 && frames[0].line <= 4;
      if (!is_known && !is_flat) findings.has_wrong = true;
      if (frames[i].line != 0 && !frames[i].file.ends_with("sample.c")) findings.has_wrong = true;
    }
    if (frames.back().line != 0) findings.has_lines = true;
    if (frames.size() == 3 && frames[0].line == 4 && frames[1].line == 3 && frames[2].line == 2) {
      findings.has_inlined = true;
    }
  }
  return findings;
}

std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace geckoprof
