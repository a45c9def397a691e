#ifndef GECKOPROF_TOOLS_SYMBOLS_SYMBOL_CACHE_H_
#define GECKOPROF_TOOLS_SYMBOLS_SYMBOL_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tools/symbols/cached_symbols.h"

namespace geckoprof {

// SymbolCache: the folder in which what was found in libraries is kept from one run to the next, a file a build id.
//
//   FOLDER/                                     mode 0700, made when the first file is
//     43adcd64d6eb9e0af1e8d1d8b2df6f7a55bbd6c8.symbols      0600; its time is that of its last use
//     b503275bf8a2b0d0e0bd8e1d1e3c7f1e86ad0a3c.symbols
//
// - A file appears under its name when it is complete: several processes may use the folder at once, and the last one's
//   stays.
// - Only regular files of the user's own are read, and none that Decode refuses: it counts as absent, and is replaced.
// - The files used longest ago are removed when all together have more than `total_bytes`. No other file ever is.
// - Not being able to write is no failure: problem() tells it, once.
// Threads: one at a time.
class SymbolCache {
 public:
  struct Limits {
    uint64_t file_bytes = uint64_t{64} << 20;  // some 200,000 addresses of C++
    uint64_t total_bytes = uint64_t{512} << 20;
  };

  explicit SymbolCache(std::string folder) : SymbolCache(std::move(folder), Limits()) {}
  SymbolCache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

  // $XDG_CACHE_HOME/geckoprof/symbols, else $HOME/.cache/geckoprof/symbols; empty if neither variable has an absolute
  // path, or the home is another user's (sudo): files of root's there would be in that user's way.
  static std::string DefaultFolder();

  // Whether what is found in this library can be kept: its build id (raw bytes) has 16 or more, so that nothing else
  // has it. The vDSO is no file, and read in no time.
  static bool MayHold(const std::string& path, std::string_view build_id);

  // What was kept; null: nothing.
  std::unique_ptr<CachedSymbols> Load(std::string_view build_id) const;
  void Save(std::string_view build_id, const CachedSymbols& symbols);

  // The first thing that kept a file from being written; empty: none did.
  const std::string& problem() const { return problem_; }

 private:
  std::string PathOf(std::string_view build_id) const;
  absl::Status TrySave(const std::string& path, const std::string& bytes) const;
  void RemoveOldest() const;

  const std::string folder_;
  const Limits limits_;
  std::string problem_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SYMBOL_CACHE_H_
