#ifndef GECKOPROF_TOOLS_VIEW_PROFILE_LIBRARIES_H_
#define GECKOPROF_TOOLS_VIEW_PROFILE_LIBRARIES_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// ProfileLibraries: the libraries that a profile names, of all its processes: the only files whose symbols are told.
// Threads: many, once it is made.
class ProfileLibraries {
 public:
  struct Library {
    std::string path;
    std::string build_id;  // raw bytes; empty: unknown
  };

  ProfileLibraries() = default;
  // Of a Gecko profile or a processed one.
  explicit ProfileLibraries(JsonView profile);

  // By what the viewer calls a library; null: the profile has none such.
  const Library* Find(std::string_view debug_name, std::string_view breakpad_id) const;

  size_t size() const { return libraries_.size(); }

 private:
  void Add(JsonView libs);
  void AddProcess(JsonView profile);

  absl::flat_hash_map<std::pair<std::string, std::string>, Library> libraries_;  // by debugName and breakpadId
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_PROFILE_LIBRARIES_H_
