#include "tools/options/source_options.h"

namespace geckoprof {

void SourceOptions::AddTo(CommandOptions* options) {
  options->Texts("--source-dir", &folders, "DIR", "also look here for source files; may be given again");
  options->Texts("--source-map", &maps, "FROM=TO",
                 "source files that were in the folder FROM are in TO; may be given again");
  options->Offer("--source-dir", {ValueHint::Kind::kFolders});
}

}  // namespace geckoprof
