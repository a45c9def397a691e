#ifndef GECKOPROF_TOOLS_CONVERT_PROCESSED_COPY_H_
#define GECKOPROF_TOOLS_CONVERT_PROCESSED_COPY_H_

#include <variant>

#include "absl/status/status.h"
#include "tools/convert/format_output.h"
#include "tools/json/json_document.h"
#include "tools/symbolicate/gecko_symbolication.h"
#include "tools/symbolicate/processed_symbolication.h"

namespace geckoprof {

// ProcessedCopy: a Gecko or processed profile in the processed format, with all that the file has: what no model keeps
// (scripts' flags, pages, paused ranges, network phases, members of `meta`), too. It is what `symbolicate` writes, but
// no symbol is looked up. Lifetime: a view of the document. Threads: one at a time.
class ProcessedCopy {
 public:
  // Of Gecko profiles, and of processed ones that have shared tables; the others are read into a model.
  static bool Takes(JsonView profile);

  // REQUIRES: Takes(profile).
  explicit ProcessedCopy(JsonView profile);

  // An error names the value that makes no sense; then nothing is written.
  absl::Status Load();
  // REQUIRES: Load was OK.
  void Write(FormatOutput* output);

 private:
  std::variant<GeckoSymbolication, ProcessedSymbolication> writer_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROCESSED_COPY_H_
