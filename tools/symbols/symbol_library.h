#ifndef GECKOPROF_TOOLS_SYMBOLS_SYMBOL_LIBRARY_H_
#define GECKOPROF_TOOLS_SYMBOLS_SYMBOL_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/symbols/cached_symbols.h"
#include "tools/symbols/debug_file_finder.h"
#include "tools/symbols/symbol_cache.h"
#include "tools/symbols/symbol_module.h"

namespace geckoprof {

// SymbolLibrary is one program or library of a Symbolizer. It opens the files when they are needed, and uses what a
// cache knows of the library.
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

  // `build_id` is as for DebugFileFinder::FindObject, `held` as for its constructor. `cache` may be null. Both outlive
  // the library.
  SymbolLibrary(std::string path, std::string build_id, const SymbolPlaces& places, SymbolCache* cache,
                const HeldFile* held = nullptr);
  SymbolLibrary(const SymbolLibrary&) = delete;
  SymbolLibrary& operator=(const SymbolLibrary&) = delete;

  State state() const { return state_; }
  const std::string& path() const { return path_; }
  bool has_lines() const;
  uint64_t first_mapped_svma() const;

  // Returns null if nothing is known at the address.
  const AddressSymbols* Find(uint64_t svma);
  // Opens the files if they are not open yet. Returns null if there are none.
  SymbolModule* Module();

  // Returns sentences as Symbolizer::Problems does.
  std::vector<std::string> Problems() const;
  std::vector<std::string> DebugInfoProblems() const;

  // Writes the new results to the cache.
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

#endif  // GECKOPROF_TOOLS_SYMBOLS_SYMBOL_LIBRARY_H_
