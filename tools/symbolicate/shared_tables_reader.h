#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SHARED_TABLES_READER_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SHARED_TABLES_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/processed_format/shared_tables.h"

namespace geckoprof {

// SharedTablesReader adds the shared tables of a processed profile (versions 60 to 70) to other tables, and says which
// rows its rows have become. Several profiles may be added to the same tables.
//
//   profile                                       tables
//     stack row, its frame --[frames_of(frame)]-->  a row for each frame of the list, or none: its caller's row
//     func, resource, source, symbol, lib, string   one row for all that are alike
//
// Lifetime: a view of the profile and the tables. Threads: one at a time.
class SharedTablesReader {
 public:
  // `first_location` is the number that the first place in generated code gets.
  SharedTablesReader(JsonView profile, SharedTables& tables, int64_t first_location = 0)
      : profile_(profile), shared_(profile["shared"]), tables_(tables), first_location_(first_location) {}

  // Adds the libraries and sources. An error names the value that makes no sense.
  absl::Status Load();
  // Returns the rows that a frame has become. Called for each use of a frame in the order of the stacks.
  using FramesOf = absl::FunctionRef<absl::StatusOr<std::span<const int32_t>>(size_t frame, bool is_root)>;
  absl::Status LoadStacks(FramesOf frames_of);

  size_t frames() const { return columns_.func.size(); }
  // Returns a frame's address, library, category and page. Function, symbol and line are missing. Category and page
  // have the numbers of the profile.
  SharedTables::Frame PlaceOf(size_t frame) const;
  // Adds what PlaceOf leaves out.
  absl::Status Complete(size_t frame, SharedTables::Frame* place);
  // REQUIRES: Complete was OK for the frame.
  std::string_view FunctionName(size_t frame) const;

  // Return the row that a row of the profile has become, or kNoTableRow if there is no such row.
  int32_t Stack(JsonView number) const;
  int32_t String(JsonView number);

  int version() const { return version_; }
  // Calls visit(source, line, column) for each place in generated code.
  void VisitLocations(absl::FunctionRef<void(int32_t source, JsonView line, JsonView column)> visit) const;
  size_t locations() const { return shared_["sourceLocationTable"]["source"].size(); }

 private:
  // Columns looked up once.
  struct Columns {
    JsonView address, lib, depth, category, subcategory, func, native_symbol, window, line, column, location;
  };

  absl::Status CheckVersion();
  void LoadSources();
  int32_t LibOf(size_t frame) const;
  int32_t MapLib(JsonView number) const;
  int32_t MapFunc(size_t func);
  int32_t MapResource(JsonView number);
  int32_t MapSource(JsonView number) const;
  int32_t MapNativeSymbol(JsonView number);
  int64_t MapLocation(JsonView number) const;
  uint32_t Text(JsonView number);

  const JsonView profile_, shared_;
  SharedTables& tables_;
  const int64_t first_location_;
  int version_ = 0;
  Columns columns_;
  JsonView texts_, func_names_, func_resources_, resource_libs_;
  std::vector<int32_t> strings_, libs_, sources_,
      stacks_;  // rows of the tables; of a string kNoTableRow: not yet asked
};

// Writes "sourceLocationTable" from the readers of the profiles, in the order in which they were added.
void WriteSourceLocations(std::span<const SharedTablesReader* const> readers, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SHARED_TABLES_READER_H_
