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
  // Columns looked up once.
  struct Columns {
    JsonView address, lib, depth, category, subcategory, func, native_symbol, window, line, column, location;
  };

  absl::Status LoadStacks();
  absl::Status CheckSamples() const;
  absl::Status LoadFrame(size_t frame);
  SharedTables::Frame PlainFrame(size_t frame) const;
  int32_t LibOf(size_t frame) const;
  int32_t MapLib(JsonView number) const;
  int32_t MapFunc(size_t func);
  int32_t MapResource(JsonView number);
  int32_t MapSource(JsonView number);
  int32_t MapNativeSymbol(JsonView number);
  uint32_t MapString(JsonView number) const;
  void WriteSourceLocations(JsonWriter& writer) const;
  void WriteMeta(JsonWriter& writer) const;
  void WriteThread(JsonView thread, JsonWriter& writer) const;
  void WriteStackTable(JsonView table, JsonWriter& writer) const;
  void WriteMarkers(JsonView markers, JsonWriter& writer) const;
  void WriteMarkerData(JsonView data, JsonWriter& writer) const;
  int32_t NewStack(JsonView stack) const;

  const JsonView profile_, shared_;
  int version_ = 0;
  SharedTables tables_;
  LibrarySymbols symbols_;
  Columns columns_;
  JsonView func_names_, func_resources_, resource_libs_;
  std::vector<int32_t> libs_, sources_;  // their new numbers
  std::vector<Frame> frames_;
  std::vector<int32_t> stacks_;  // their new numbers
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_PROCESSED_SYMBOLICATION_H_
