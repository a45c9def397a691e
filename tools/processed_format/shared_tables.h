#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_SHARED_TABLES_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_SHARED_TABLES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/json/unique_strings.h"
#include "tools/symbols/source_paths.h"
#include "tools/symbols/symbol_module.h"

namespace geckoprof {

// Columns of tables that are structs of arrays.

// Returns the number of a row, or null for a negative one.
inline JsonNumber RowCell(int64_t row) { return row < 0 ? JsonNumber::Null() : JsonNumber::Int(row); }

// Fills in the cells from the rows of a table, each by cell(row).
template <typename Rows, typename Cell>
void FillFromRows(const Rows& rows, size_t first_row, std::span<JsonNumber> cells, const Cell& cell) {
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = cell(rows[first_row + i]);
}

// Makes the cells of a column by fill(first_row, cells), and calls visit(cells), for one portion of the rows after the
// other until `visit` returns false.
template <typename Fill, typename Visit>
void VisitCells(size_t rows, const Fill& fill, const Visit& visit) {
  constexpr size_t kPortion = 256;
  JsonNumber cells[kPortion];
  for (size_t first_row = 0; first_row < rows; first_row += kPortion) {
    const std::span<JsonNumber> portion(cells, std::min(kPortion, rows - first_row));
    fill(first_row, portion);
    if (!visit(portion)) return;
  }
}

// Writes "name":[...], with the numbers that `fill` makes.
template <typename Fill>
void WriteNumbers(std::string_view name, size_t rows, const Fill& fill, JsonWriter& writer) {
  writer.StartArrayProperty(name);
  VisitCells(rows, fill, [&](std::span<const JsonNumber> cells) {
    writer.Numbers(cells);
    return true;
  });
  writer.EndArray();
}

// SharedTables: the tables that all threads of a processed profile share, each row once:
//
//   sample/marker -> stack -> frame -> func -> resource -> lib
//                               |       \--> source
//                               \--> nativeSymbol ------------^
//
// A machine address with inlined functions is several frames of the same address, inwards, one a depth. Everywhere -1
// (kNoTableRow) is none. Threads: one at a time.
class SharedTables {
 public:
  static constexpr int32_t kNoTableRow = -1;
  enum ResourceType {
    kUnknownResource = 0,
    kLibraryResource = 1,
    kAddonResource = 2,
    kHostResource = 3,
    kUrlResource = 5
  };

  struct Lib {
    std::string arch, name, path, debug_name, debug_path, breakpad_id, code_id;
    bool operator==(const Lib&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Lib& l) {
      return H::combine(std::move(h), l.arch, l.name, l.path, l.debug_name, l.debug_path, l.breakpad_id, l.code_id);
    }
  };
  struct Resource {
    uint32_t name;
    int32_t lib = kNoTableRow, host = kNoTableRow;
    int type = kUnknownResource;
    bool operator==(const Resource&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Resource& row) {
      return H::combine(std::move(h), row.name, row.lib, row.host, row.type);
    }
  };
  struct Source {
    uint32_t filename;
    std::string id;  // empty: none
    int64_t start_line = 1, start_column = 1;
    int32_t source_map_url = kNoTableRow;
    std::string content_json;  // empty: none
    bool operator==(const Source&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Source& row) {
      return H::combine(std::move(h), row.filename, row.id, row.start_line, row.start_column, row.source_map_url,
                        row.content_json);
    }
  };
  struct Func {
    uint32_t name;
    int32_t resource = kNoTableRow, source = kNoTableRow;
    int64_t line = kNoTableRow, column = kNoTableRow, original_location = kNoTableRow;
    bool is_js = false, relevant_for_js = false;
    bool operator==(const Func&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Func& row) {
      return H::combine(std::move(h), row.name, row.resource, row.source, row.line, row.column, row.original_location,
                        row.is_js, row.relevant_for_js);
    }
  };
  struct NativeSymbol {
    int32_t lib;
    uint64_t address, size_bytes;  // 0: unknown
    uint32_t name;
  };
  struct Frame {
    int64_t address = kNoTableRow;
    int32_t lib = kNoTableRow;
    int32_t inline_depth = 0;
    int32_t category = kNoTableRow, subcategory = 0;
    int32_t func = kNoTableRow, native_symbol = kNoTableRow;
    int64_t inner_window_id = kNoTableRow, line = kNoTableRow, column = kNoTableRow, original_location = kNoTableRow;
    bool operator==(const Frame&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Frame& row) {
      return H::combine(std::move(h), row.address, row.lib, row.inline_depth, row.category, row.subcategory, row.func,
                        row.native_symbol, row.inner_window_id, row.line, row.column, row.original_location);
    }
  };
  struct Stack {
    int32_t prefix, frame;
  };

  SharedTables() = default;
  // With strings that keep their numbers, whether or not they are unique; a view of them.
  explicit SharedTables(std::vector<std::string_view> first_strings);

  // Each gives the row's number, the same for the same row.
  uint32_t String(std::string_view text);
  int32_t AddLib(const Lib& lib);
  int32_t AddResource(const Resource& resource);
  int32_t AddSource(const Source& source);
  int32_t AddFunc(const Func& func);
  int32_t AddNativeSymbol(const NativeSymbol& symbol);
  int32_t AddFrame(const Frame& frame);
  // The stack of a frame called from the stack `prefix`.
  int32_t AddStack(int32_t prefix, int32_t frame);
  // Likewise, for a caller whose stacks and frames are all different. They are not looked up, and always get new rows.
  void Reserve(size_t frames, size_t stacks) { frames_.reserve(frames), stacks_.reserve(stacks); }
  void AppendFrame(const Frame& frame) { frames_.push_back(frame); }
  void AppendStack(int32_t prefix, int32_t frame) { stacks_.push_back({prefix, frame}); }

  // The resource of a library.
  int32_t LibResource(int32_t lib);

  // Appends the frames of an address in a library, outermost first. `plain` has what they have in common; its func is
  // replaced. `symbol_address`: of the symbol's start, as the format counts. `sources` finds the source files. If it is
  // null, they keep the names of the debug information.
  void AddSymbolFrames(const Frame& plain, uint64_t symbol_address, const AddressSymbols& symbols,
                       std::vector<int32_t>* frames, SourcePaths* sources = nullptr);

  // The stack of a marker begins with the function that marks: what the macros put there is left out of its inner end;
  // labels that are open in that function stay.
  int32_t WithoutMarkingCode(int32_t stack);
  // Likewise, of one whose labels were seen to before.
  int32_t WithoutInnermostMarkingCode(int32_t stack) const;

  const std::vector<Lib>& libs() const { return libs_; }
  const std::vector<Resource>& resources() const { return resources_; }
  const std::vector<Source>& sources() const { return sources_; }
  const std::vector<Func>& funcs() const { return funcs_; }
  const std::vector<NativeSymbol>& native_symbols() const { return native_symbols_; }
  const std::vector<Frame>& frames() const { return frames_; }
  const std::vector<Stack>& stacks() const { return stacks_; }
  // The strings' numbers run over both.
  const std::vector<std::string_view>& first_strings() const { return first_strings_; }
  const UniqueStrings& more_strings() const { return strings_; }

 private:
  template <typename Row>
  using Numbers = absl::flat_hash_map<Row, int32_t>;

  std::vector<std::string_view> first_strings_;
  Numbers<std::string_view> first_numbers_;
  UniqueStrings strings_;
  std::vector<Lib> libs_;
  std::vector<Resource> resources_;
  std::vector<Source> sources_;
  std::vector<Func> funcs_;
  std::vector<NativeSymbol> native_symbols_;
  std::vector<Frame> frames_;
  std::vector<Stack> stacks_;
  absl::flat_hash_set<int32_t> marking_frames_;
  Numbers<Lib> lib_numbers_;
  Numbers<Resource> resource_numbers_;
  Numbers<Source> source_numbers_;
  Numbers<Func> func_numbers_;
  Numbers<Frame> frame_numbers_;
  Numbers<std::pair<int32_t, uint64_t>> native_symbol_numbers_;
  Numbers<std::pair<int32_t, int32_t>> stack_numbers_;
};

// "libs":[...]
void WriteLibs(const SharedTables& tables, JsonWriter& writer);

// Writes the tables and strings as members of "shared" {}, which the caller opens and closes. `version` is one that has
// shared tables. The caller also adds the places in generated code of version 64 and later.
void WriteSharedTables(const SharedTables& tables, int version, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_SHARED_TABLES_H_
