#ifndef GECKOPROF_TESTS_UNIT_TOOLS_VIEW_SAMPLE_LIBRARY_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_VIEW_SAMPLE_LIBRARY_H_

#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/view/api_answer.h"
#include "tools/view/profile_libraries.h"

namespace geckoprof {

// SampleLibrary: a DebugInfoSample compiled with -g, as a profile names it.
class SampleLibrary {
 public:
  // `source`: under which name, from its folder, the compiler sees the text.
  explicit SampleLibrary(const std::string& source = "sample.c");

  const DebugInfoSample& sample() const { return sample_; }
  std::string source() const { return sample_.folder() + "/sample.c"; }
  const std::string& breakpad_id() const { return breakpad_id_; }
  // At which all three functions are.
  uint64_t address() const { return address_; }
  // Of a Gecko profile with this library.
  std::string ProfileText() const;
  ProfileLibraries Libraries() const;

 private:
  DebugInfoSample sample_;
  std::string breakpad_id_;
  uint64_t address_ = 0;
};

// Symbols of this machine's own folders are not looked for.
SymbolPlaces NoPlaces();

// The text as a document that is never freed.
JsonView Json(const std::string& text);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_VIEW_SAMPLE_LIBRARY_H_
