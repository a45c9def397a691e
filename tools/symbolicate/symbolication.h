#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATION_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATION_H_

#include <memory>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/symbolicate/library_symbols.h"

namespace geckoprof {

// Symbolication writes a Gecko or processed profile again, in the processed format, with the symbols that are found.
// Without a symbolizer no symbol is looked up. All that the file has is kept, as far as viewers know it: flags of
// scripts, pages, paused ranges, phases of requests, members of "meta". Lifetime: a view of the document.
// Threads: one at a time.
class Symbolication {
 public:
  // The arguments are those of LibrarySymbols.
  static std::unique_ptr<Symbolication> Make(JsonView profile, Symbolizer* symbolizer = nullptr,
                                             const JitMap* jit_map = nullptr, SourcePaths* sources = nullptr);
  // Returns whether the profile has tables that can be written again: Load fails for processed ones without shared
  // tables.
  static bool HasTables(JsonView profile);

  virtual ~Symbolication() = default;

  // An error names the value that makes no sense.
  virtual absl::Status Load() = 0;
  // REQUIRES: Load was OK.
  virtual void Write(JsonWriter& writer) = 0;
  virtual const LibrarySymbols::Counts& counts() const = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATION_H_
