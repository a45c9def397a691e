#ifndef GECKOPROF_TOOLS_SYMBOLICATE_LIBRARY_SYMBOLS_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_LIBRARY_SYMBOLS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/json/json_document.h"
#include "tools/processed_format/shared_tables.h"
#include "tools/symbols/jit_map.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

inline constexpr int32_t kNoTableRow = SharedTables::kNoTableRow;

// Returns a number of a profile's table, for example of a row, or kNoTableRow.
inline int64_t NumberOrNone(JsonView value) { return value.AsInteger().value_or(kNoTableRow); }

// A library of a profile, as both formats name it.
SharedTables::Lib ReadLib(JsonView lib);

// Returns the raw build id of a library, which is its code id, or else the part of it that the Breakpad id has. It is
// empty if it is unknown.
std::string BuildIdOf(const SharedTables::Lib& lib);

// LibrarySymbols looks up the frames of a profile's libraries and of code made at run time, and adds them to its
// tables. Lifetime: a view of the symbolizer and the tables. Threads: one at a time.
class LibrarySymbols {
 public:
  // How many addresses have names.
  struct Counts {
    uint64_t addresses = 0;  // different ones, of libraries
    uint64_t named = 0;      // of these
    uint64_t with_lines = 0;
    uint64_t jit_named = 0;
  };

  // Without a symbolizer nothing is looked up at all. `jit_map` is the option's, for every process. If it is null, only
  // the files that processes left in /tmp count. `sources` finds the source files, and may be null.
  LibrarySymbols(Symbolizer* symbolizer, SharedTables& tables, const JitMap* jit_map, SourcePaths* sources = nullptr)
      : symbolizer_(symbolizer), tables_(tables), jit_map_(jit_map), sources_(sources) {}

  // If it is false, addresses stay as they are.
  bool looks_up() const { return symbolizer_ != nullptr; }

  // Appends the frames of the address that `plain` has, whose lib is set. Returns false if the address is unknown.
  bool Append(const SharedTables::Frame& plain, std::vector<int32_t>* frames);

  // Code at an address of no library.
  struct MadeCode {
    std::string_view name;    // empty: unknown
    bool may_change = false;  // at another time there may be another name
  };
  // Looks up code that a process, which began at `start_epoch_ms`, made at run time. The file that a process left is
  // believed only where the profile is of this machine, that is, where a library of it is here.
  MadeCode FindMadeCode(int64_t pid, double start_epoch_ms, uint64_t avma, int64_t time_ns);
  // Looks up the latest name in the option's file alone.
  std::string_view MadeCodeOfOption(uint64_t avma);

  const Counts& counts() const { return counts_; }

 private:
  MadeCode FindIn(const JitMap* map, uint64_t avma, int64_t time_ns);

  struct Place {
    std::string path, build_id;
  };

  const Place& PlaceOf(int32_t lib);

  Symbolizer* const symbolizer_;
  SharedTables& tables_;
  const JitMap* const jit_map_;
  SourcePaths* const sources_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Place>> places_;
  absl::flat_hash_map<int64_t, std::unique_ptr<JitMap>> process_maps_;  // null: none
  absl::flat_hash_map<std::pair<int32_t, int64_t>, bool> counted_;
  Counts counts_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_LIBRARY_SYMBOLS_H_
