#ifndef GECKOPROF_TOOLS_SYMBOLS_SOURCE_PATHS_H_
#define GECKOPROF_TOOLS_SYMBOLS_SOURCE_PATHS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

namespace geckoprof {

// SourcePaths finds the source files of programs that were built elsewhere.
//
//   /build/app-1.2/src/main.cc       the name in the debug information
//     map /build/app-1.2=~/app   ->  ~/app/src/main.cc
//     else folder ~/app          ->  ~/app/build/app-1.2/src/main.cc, ~/app/app-1.2/src/main.cc, ~/app/src/main.cc, ...
//
// The longest prefix that fits a name counts. The folders are searched if no file has the mapped name.
// Threads: one at a time.
class SourcePaths {
 public:
  // Adds folders that are searched, and rules "FROM=TO". Both sides of a rule are whole folders of a path. Errors name
  // the option of the command line, --source-dir or --source-map.
  absl::Status Add(const std::vector<std::string>& folders, const std::vector<std::string>& rules);

  bool empty() const { return folders_.empty() && maps_.empty(); }
  // Returns the file on this machine. If there is none, the result is the name after the map. It is valid until the
  // next call.
  const std::string& Find(std::string_view name);

 private:
  absl::Status AddMap(std::string_view rule);
  std::string Mapped(std::string_view name) const;
  std::string Located(const std::string& mapped) const;

  std::vector<std::string> folders_;
  std::vector<std::pair<std::string, std::string>> maps_;
  absl::flat_hash_map<std::string, std::string> known_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SOURCE_PATHS_H_
