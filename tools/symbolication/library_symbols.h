#ifndef GECKOPROF_TOOLS_SYMBOLICATION_LIBRARY_SYMBOLS_H_
#define GECKOPROF_TOOLS_SYMBOLICATION_LIBRARY_SYMBOLS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/convert/shared_tables.h"
#include "tools/profile/json_document.h"
#include "tools/symbolicate/jit_map.h"
#include "tools/symbolicate/symbolizer.h"

namespace geckoprof {

// A library of a profile, as both formats name it.
SharedTables::Lib ReadLib(JsonView lib);

// The raw build id of a library: its code id, else the part of it that the Breakpad id has; empty: unknown.
std::string BuildIdOf(const SharedTables::Lib& lib);

// LibrarySymbols: frames of a profile's libraries and of code made at run time, looked up and put into its tables.
// Lifetime: a view of both. Threads: one at a time.
class LibrarySymbols {
 public:
  // What became of the addresses.
  struct Counts {
    uint64_t addresses = 0;  // different ones, of libraries
    uint64_t named = 0;      // of these
    uint64_t with_lines = 0;
    uint64_t jit_named = 0;
  };

  // `symbolizer`: null for none, then nothing is looked up at all. `jit_map`: of the option, for every process; null:
  // only what processes left in /tmp is looked at.
  LibrarySymbols(Symbolizer* symbolizer, SharedTables& tables, const JitMap* jit_map)
      : symbolizer_(symbolizer), tables_(tables), jit_map_(jit_map) {}

  // False: addresses stay what they are.
  bool looks_up() const { return symbolizer_ != nullptr; }

  // Appends the frames of the address that `plain` has, whose lib is set. False: unknown, nothing is appended.
  bool Append(const SharedTables::Frame& plain, std::vector<int32_t>* frames);

  // The name of code at an address of no library; empty: unknown. `start_epoch_ms`: of the process. The file that a
  // process left is believed only where the profile is of this machine: a library of it must be here.
  std::string_view JitName(int64_t pid, double start_epoch_ms, uint64_t avma);
  // Without the file of any process.
  std::string_view JitNameOfOption(uint64_t avma);

  const Counts& counts() const { return counts_; }

 private:
  struct Place {
    std::string path, build_id;
  };

  const Place& PlaceOf(int32_t lib);

  Symbolizer* const symbolizer_;
  SharedTables& tables_;
  const JitMap* const jit_map_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Place>> places_;
  absl::flat_hash_map<int64_t, std::unique_ptr<JitMap>> process_maps_;  // null: none
  absl::flat_hash_map<std::pair<int32_t, int64_t>, bool> counted_;
  Counts counts_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATION_LIBRARY_SYMBOLS_H_
