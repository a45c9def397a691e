#ifndef GECKOPROF_TOOLS_SYMBOLICATE_PROCESSED_SYMBOLICATION_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_PROCESSED_SYMBOLICATION_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/processed_format/shared_tables.h"
#include "tools/symbolicate/library_symbols.h"
#include "tools/symbolicate/shared_tables_reader.h"
#include "tools/symbolicate/symbolication.h"

namespace geckoprof {

// ProcessedSymbolication: a processed profile (versions 60 to 70) written again in its own version, with the symbols
// that are found; without a symbolizer as it is. Everything but the shared tables stays as it is, apart from the
// numbers of stacks:
//
//   stack row, its frame     of a library, found      -> a row a function inlined there
//                            inlined before, found    -> none: its caller's row
//                            anything else            -> one row, as before
//
// Stacks of markers end before the marker macros' own functions, as in what the recorder writes. Lifetime: a view of
// the document. Threads: one at a time.
class ProcessedSymbolication final : public Symbolication {
 public:
  // The arguments are those of LibrarySymbols.
  ProcessedSymbolication(JsonView profile, Symbolizer* symbolizer, const JitMap* jit_map,
                         SourcePaths* sources = nullptr);

  absl::Status Load() override;
  void Write(JsonWriter& writer) override;
  const LibrarySymbols::Counts& counts() const override { return symbols_.counts(); }

 private:
  // What a frame has become.
  struct Frame {
    bool is_known = false;
    std::vector<int32_t> rows;  // none: it was inlined, and is told anew with the function around it
  };
  absl::Status CheckSamples() const;
  absl::Status LoadFrame(size_t frame);
  void WriteMeta(JsonWriter& writer) const;
  void WriteThread(JsonView thread, JsonWriter& writer) const;
  void WriteStackTable(JsonView table, JsonWriter& writer) const;
  void WriteMarkers(JsonView markers, JsonWriter& writer) const;
  void WriteMarkerData(JsonView data, JsonWriter& writer) const;

  const JsonView profile_;
  SharedTables tables_;
  SharedTablesReader reader_;
  LibrarySymbols symbols_;
  std::vector<Frame> frames_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_PROCESSED_SYMBOLICATION_H_
