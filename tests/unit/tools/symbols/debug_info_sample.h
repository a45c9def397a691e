#ifndef GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_DEBUG_INFO_SAMPLE_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_DEBUG_INFO_SAMPLE_H_

#include <string>
#include <string_view>

#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// DebugInfoSample: a folder with a small library made by a real compiler, in which SampleOuter calls SampleMiddle and
// that SampleInner, both inlined. Removed with the object.
class DebugInfoSample {
 public:
  DebugInfoSample();
  ~DebugInfoSample();
  DebugInfoSample(const DebugInfoSample&) = delete;
  DebugInfoSample& operator=(const DebugInfoSample&) = delete;

  const std::string& folder() const { return folder_; }
  std::string library() const { return folder_ + "/libsample.so"; }

  // Runs a shell command in the folder; whether it went well.
  bool Run(const std::string& command) const;
  // Compiles the library; `compiler` with its options. `source`: a copy of the text below the folder, under that name.
  bool Compile(const std::string& compiler, const std::string& source = "sample.c") const;
  static bool HasTool(std::string_view name);

 private:
  std::string folder_;
};

// What was found in the sample library.
struct SampleFindings {
  bool has_inlined = false;  // an address with all three functions, each with its line
  bool has_lines = false;
  bool has_name = false;   // SampleOuter alone
  bool has_wrong = false;  // a function or line that is none of the sample's
};
// `library`: below which path it is looked up.
SampleFindings LookThrough(Symbolizer& symbolizer, const std::string& library, const std::string& build_id = "");

// The whole file.
std::string FileBytes(const std::string& path);
void WriteBytes(const std::string& path, const std::string& bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_DEBUG_INFO_SAMPLE_H_
