#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOL_LIBRARY_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOL_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/symbolicate/cached_symbols.h"
#include "tools/symbolicate/debug_file_finder.h"
#include "tools/symbolicate/symbol_cache.h"
#include "tools/symbolicate/symbol_module.h"

namespace geckoprof {

// SymbolLibrary: one program or library that a Symbolizer was asked for: its files, opened when they are needed, and
// what a cache knows of it.
//
//   cache has          files of then             addresses that it has    other addresses
//   nothing            -                         -                        files
//   something          as they were              cache, nothing opened    files
//   something          changed                   files                    files; it is written anew
//   something          gone, or without lines    cache, and told          files, if any
//                      that it has
//
// Answers live as long as this. Threads: one at a time.
class SymbolLibrary {
 public:
  enum class State { kLoaded, kFromCacheAlone, kUnreadable, kMismatched };

  // `build_id`: as DebugFileFinder::FindObject has it. `cache`: null for none; outlives this.
  SymbolLibrary(std::string path, std::string build_id, const SymbolPlaces& places, SymbolCache* cache);
  SymbolLibrary(const SymbolLibrary&) = delete;
  SymbolLibrary& operator=(const SymbolLibrary&) = delete;

  State state() const { return state_; }
  bool has_lines() const;
  uint64_t first_mapped_svma() const;

  // Null: unknown.
  const AddressSymbols* Find(uint64_t svma);
  // Its files, opened if they are not yet; null: there are none.
  SymbolModule* Module();

  // As Symbolizer's.
  std::vector<std::string> Problems() const;
  std::vector<std::string> DebugInfoProblems() const;

  // Gives the cache what it did not have.
  void SaveToCache();

 private:
  void Open();
  void UseCacheForLost();

  const std::string path_, build_id_;
  DebugFileFinder finder_;
  SymbolCache* const cache_;               // null: none, or it cannot hold this
  std::unique_ptr<CachedSymbols> cached_;  // null: nothing that may be used
  bool writes_cache_ = false;              // what is found in the files belongs to cached_
  std::unique_ptr<SymbolModule> module_;   // null: not open
  bool was_opened_ = false;
  std::string failure_;  // why it is not open, or what is lost
  State state_ = State::kLoaded;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOL_LIBRARY_H_
