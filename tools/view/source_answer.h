#ifndef GECKOPROF_TOOLS_VIEW_SOURCE_ANSWER_H_
#define GECKOPROF_TOOLS_VIEW_SOURCE_ANSWER_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/profile/json_document.h"
#include "tools/symbolicate/symbolizer.h"
#include "tools/view/api_answer.h"
#include "tools/view/profile_libraries.h"

namespace geckoprof {

// SourceAnswer: answers /source/v1: the text of a source file, if the debug information of a library in the profile
// names exactly this file: at the address that comes with the request, else anywhere. Threads: one at a time.
class SourceAnswer {
 public:
  // Both outlive this.
  SourceAnswer(const ProfileLibraries& libraries, Symbolizer& symbolizer)
      : libraries_(libraries), symbolizer_(symbolizer) {}

  ApiAnswer Answer(JsonView request);

 private:
  bool IsNamed(const ProfileLibraries::Library& library, uint64_t address, const std::string& file);

  const ProfileLibraries& libraries_;
  Symbolizer& symbolizer_;
  absl::flat_hash_map<const ProfileLibraries::Library*, absl::flat_hash_set<std::string>> files_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_SOURCE_ANSWER_H_
