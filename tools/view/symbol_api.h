#ifndef GECKOPROF_TOOLS_VIEW_SYMBOL_API_H_
#define GECKOPROF_TOOLS_VIEW_SYMBOL_API_H_

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "tools/symbols/source_paths.h"
#include "tools/symbols/symbolizer.h"
#include "tools/view/api_answer.h"
#include "tools/view/profile_libraries.h"
#include "tools/view/source_answer.h"

namespace geckoprof {

// SymbolApi: the viewer's symbol API for one profile.
//
//   /symbolicate/v5   names, lines, inlined functions      AnswerSymbolicate
//   /source/v1        source files                         SourceAnswer
//   /asm/v1           machine code as text                 AnswerAsm
//
// Threads: many; they take turns.
class SymbolApi {
 public:
  // `tell` is called once with each thing that is wrong with the libraries' files, as requests bring it up.
  SymbolApi(ProfileLibraries libraries, SymbolPlaces places, SourcePaths sources,
            std::function<void(const std::string& problem)> tell);

  // The answer to a body that came to `path`, "/symbolicate/v5"; 404 for a path that the API does not have.
  ApiAnswer Answer(std::string_view path, std::string body);

 private:
  void TellProblems();

  const ProfileLibraries libraries_;
  const std::function<void(const std::string& problem)> tell_;
  std::mutex mutex_;
  // Guarded by mutex_.
  Symbolizer symbolizer_;
  SourcePaths sources_;
  SourceAnswer source_;
  absl::flat_hash_set<std::string> told_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_SYMBOL_API_H_
