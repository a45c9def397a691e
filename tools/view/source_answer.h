#ifndef GECKOPROF_TOOLS_VIEW_SOURCE_ANSWER_H_
#define GECKOPROF_TOOLS_VIEW_SOURCE_ANSWER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "tools/json/json_document.h"
#include "tools/symbols/source_paths.h"
#include "tools/symbols/symbolizer.h"
#include "tools/view/api_answer.h"
#include "tools/view/profile_libraries.h"

namespace geckoprof {

inline constexpr uint64_t kMaxSourceBytes = uint64_t{16} << 20;

// Returns the text of a source file, or an error with a sentence for the user. The path must be absolute. It must lead
// to a regular file of at most kMaxSourceBytes without zero bytes. Links into /proc, /sys and /dev are refused.
absl::StatusOr<std::string> ReadSourceText(const std::string& path);

// SourceAnswer answers /source/v1 with the text of a source file. The debug information of a library in the profile
// must name the file, at the address that comes with the request, or else anywhere. A profile that was symbolicated
// with SourcePaths has the names that these gave. Threads: one at a time.
class SourceAnswer {
 public:
  // The arguments must outlive this object.
  SourceAnswer(const ProfileLibraries& libraries, Symbolizer& symbolizer, SourcePaths& sources)
      : libraries_(libraries), symbolizer_(symbolizer), sources_(sources) {}

  ApiAnswer Answer(JsonView request);

 private:
  bool IsName(std::string_view name, const std::string& file);
  bool IsNamed(const ProfileLibraries::Library& library, uint64_t address, const std::string& file);

  const ProfileLibraries& libraries_;
  Symbolizer& symbolizer_;
  SourcePaths& sources_;
  absl::flat_hash_map<const ProfileLibraries::Library*, absl::flat_hash_set<std::string>> files_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_SOURCE_ANSWER_H_
