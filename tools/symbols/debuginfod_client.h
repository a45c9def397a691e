#ifndef GECKOPROF_TOOLS_SYMBOLS_DEBUGINFOD_CLIENT_H_
#define GECKOPROF_TOOLS_SYMBOLS_DEBUGINFOD_CLIENT_H_

#include <string>
#include <string_view>

namespace geckoprof {

// DebuginfodClient: elfutils' client of servers that have debug files by build id. Nothing is asked, and the library
// not even loaded, unless the variable DEBUGINFOD_URLS names servers; without the library there is nothing to be had.
// What was fetched stays in the library's own cache.
class DebuginfodClient {
 public:
  enum class Kind { kExecutable, kDebugInfo };

  // The path of the file; empty: there is none. May take as long as DEBUGINFOD_TIMEOUT allows; where no server answered
  // as it should, none is asked again, and `problem` says why.
  static std::string Fetch(std::string_view build_id, Kind kind, std::string* problem);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DEBUGINFOD_CLIENT_H_
